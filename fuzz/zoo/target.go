package zoo

import (
	"fmt"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
)

// target is a reader as the fuzzer attacks it.
type target struct {
	reader Reader
	last   Answer
	size   int
}

// NewTarget makes a reader of the zoo a target of audit and fuzz. It answers everything it can: the verdict, and to the
// fuzzer's questions the values, the bits, the work and the memory.
func NewTarget(r Reader) fuzz.Target { return &target{reader: r} }

func (t *target) Send(packet []byte, _ decode.Direction) (fuzz.Reply, error) {
	t.last, t.size = t.reader.Read(packet), len(packet)
	r := fuzz.Reply{Outcome: fuzz.Refused, Bits: t.last.Bits}
	switch t.last.End {
	case Crashed:
		r.Outcome = fuzz.Crashed
	case Hung:
		r.Outcome = fuzz.Hung
	case Exhausted:
		r.Outcome = fuzz.Exhausted
	default:
		if t.last.Accepted {
			r.Outcome = fuzz.Accepted
		}
	}
	return r, nil
}

// Check compares what was read, and what it cost.
func (t *target) Check(trace *decode.Trace) []fuzz.Wrong {
	var wrong []fuzz.Wrong
	if t.last.Cost > FairCost(t.size) {
		wrong = append(wrong, fuzz.Wrong{Kind: fuzz.FoundSlow, What: fmt.Sprintf("%d units of work for %d bytes", t.last.Cost, t.size)})
	}
	if t.last.Memory > FairMemory(t.size) {
		wrong = append(wrong, fuzz.Wrong{Kind: fuzz.FoundLeak, What: fmt.Sprintf("%d bytes of memory for %d", t.last.Memory, t.size)})
	}
	if t.last.Accepted && !trace.Rejected() {
		if path, what := firstDifference(t.last.Values, Expected(trace)); what != "" {
			wrong = append(wrong, fuzz.Wrong{Kind: fuzz.FoundWrongValue, Path: path, What: what})
		}
	}
	return wrong
}

// firstDifference is the field where two lists of values part, and how.
func firstDifference(got, want []Value) (path, what string) {
	for i := range want {
		if i == len(got) || got[i] != want[i] {
			return want[i].Path, Different(got, want)
		}
	}
	if len(got) > len(want) {
		return got[len(want)].Path, Different(got, want)
	}
	return "", ""
}

func (t *target) Close() error { return nil }
