package oracle

import "github.com/pktscope/pktscope/decode"

// Difference is a value of which two readers say different things.
type Difference struct{ Path, One, Two string }

// DifferingFields compares what two readers found in one packet, as far as both give it. What the trace tells apart
// from the schema's value is compared through it, so that 7 and "7", or an enum's name and its number, are one value.
func DifferingFields(t *decode.Trace, one, two []byte) (list []Difference) {
	a, errA := parseFields(one)
	b, errB := parseFields(two)
	if errA != nil || errB != nil {
		return nil // a finding of its own
	}
	told := map[string]bool{}
	for _, w := range append(a.compare(t), b.compare(t)...) {
		first, gives := a.at(w.Path)
		second, both := b.at(w.Path)
		if told[w.Path] || !gives || !both || show(first) == show(second) {
			continue
		}
		told[w.Path] = true
		d := Difference{w.Path, show(first), show(second)}
		if t.Plan.HidesPath(PathRule(w.Path)) {
			d.One, d.Two = "a secret", "another"
		}
		list = append(list, d)
	}
	return list
}
