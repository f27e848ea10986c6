package infer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// seen is what all packets have in one field.
type seen struct {
	n           int
	least, most uint64
	// Of the values as two's complement: how many are below zero, and the farthest from it on each side.
	below              int
	negative, positive uint64
	last               uint64
	ones               int // steps of one
	some               []uint64
	bytes              [256]int
	clock              clock
}

func (s *seen) add(raw uint64, width int) {
	if s.n == 0 {
		s.least, s.most = raw, raw
	}
	s.n++
	s.least, s.most = min(s.least, raw), max(s.most, raw)
	if v := extend(raw, width); v < 0 {
		s.below++
		s.negative = max(s.negative, uint64(-v))
	} else {
		s.positive = max(s.positive, uint64(v))
	}
	if d := (raw - s.last) & wire.Mask(width); d == 1 || d == wire.Mask(width) {
		s.ones++
	}
	s.last = raw
	if len(s.some) < someExamples && !slices.Contains(s.some, raw) {
		s.some = append(s.some, raw)
	}
}

// byOne reports whether the number mostly rises by one.
func (s *seen) byOne() bool { return s.ones*2 > s.n }

// span says between what the values lie, and some of them.
func (s *seen) span(it *item, signed bool) string {
	if it.model == modelFloat {
		return "such as " + strings.Join(s.examples(it, false), ", ")
	}
	if signed {
		return fmt.Sprintf("seen -%d..%d", s.negative, s.positive)
	}
	if s.most > 1<<24 {
		return fmt.Sprintf("seen %#x..%#x", s.least, s.most)
	}
	return fmt.Sprintf("seen %d..%d", s.least, s.most)
}

// someExamples is how many values of a field are shown.
const someExamples = 3

// examples are some values, as the schema has them.
func (s *seen) examples(it *item, signed bool) (list []string) {
	for _, v := range s.some {
		switch {
		case it.model == modelFloat:
			list = append(list, fmt.Sprintf("%.6g", ieee(v, it.width)))
		case signed:
			list = append(list, fmt.Sprint(extend(v, it.width)))
		case s.most > 1<<24:
			list = append(list, fmt.Sprintf("%#x", v))
		default:
			list = append(list, fmt.Sprint(v))
		}
	}
	return list
}

// entropy says what bytes are like.
func (s *seen) entropy() string {
	n, h := s.measure()
	if n == 0 {
		return "nothing seen"
	}
	text := fmt.Sprintf("not understood: %d bytes, %.1f bits of entropy each", n, h)
	if n > 4096 && h > 7.8 {
		text += ": encrypted, compressed or random"
	}
	return text
}

// Outlier is a packet that the schema refuses.
type Outlier struct {
	N      int64  // its number in the capture
	Reason string // the refusal
}

// Limits of the proof.
const (
	maxRounds   = 24
	maxOutliers = 1000 // that are listed; all are counted
)

// failure is how a packet of a draft was refused: at which item, and why.
type failure struct {
	kind reject.Kind
	name string // the last field that was read, or the one that is refused
}

// try decodes packets by a draft, and counts what they have in each field.
func (d *draft) try(r rows) (failures map[failure]int, outliers []Outlier, err error) {
	dec, err := decode.Load("inferred.pks", d.source())
	if err != nil {
		return nil, nil, err
	}
	d.seen = map[string]*seen{}
	failures = map[failure]int{}
	byNode := map[int]*seen{}
	var t decode.Trace
	for i := range r {
		if dec.Decode(r[i].raw(), decode.FromUnknown, &t) == nil {
			for f := range t.Fields() {
				s := byNode[f.Node()]
				if s == nil {
					name := lastName(f.Path())
					if s = d.seen[name]; s == nil {
						s = &seen{}
						d.seen[name] = s
					}
					byNode[f.Node()] = s
				}
				if f.Secret() {
					continue
				}
				if v := f.Value(); v.Form() == decode.FormBytes {
					s.n++
					for _, x := range v.Bytes() {
						s.bytes[x]++
					}
				} else if f.Width() > 0 && f.Width() <= maxWidth {
					s.add(f.Raw(), f.Width())
					if _, _, in := f.Element(); !in && f.Width() >= leastClock {
						s.clock.add(f.Raw(), f.Width(), r[i].flow, r[i].time)
					}
				}
			}
			continue
		}
		why := t.Reject()
		failures[failure{why.Kind, d.culprit(&t, why)}]++
		if len(outliers) < maxOutliers {
			outliers = append(outliers, Outlier{r[i].n, why.Error()})
		}
	}
	return failures, outliers, nil
}

// culprit is the field at which a packet was refused, or the last that was read before.
func (d *draft) culprit(t *decode.Trace, why *reject.Reject) string {
	if name := lastName(why.Path()); d.named(name) != nil {
		return name
	}
	name := ""
	for f := range t.Fields() {
		name = lastName(f.Path())
	}
	return name
}

// named is the item of a name.
func (d *draft) named(name string) (found *item) {
	d.root.each(func(it *item) {
		if it.name == name || it.given != "" && it.stays.has(name) {
			found = it
		}
	})
	return found
}

// lastName is the last name of a path: body.list[3].n7 has n7.
func lastName(path string) string {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		path = path[i+1:]
	}
	name, _, _ := strings.Cut(path, "[")
	return name
}

// deserves reports whether a refusal says something of the packet, and not of the schema: it is forged, too long, or too
// short for its checksum; or whether it is caused by what stays.
func (d *draft) deserves(f failure) bool {
	switch f.kind {
	case reject.CRCMismatch, reject.CheckMismatch, reject.DatagramSize:
		return true
	case reject.PastEnd:
		it := d.named(f.name)
		return it != nil && (it.kind == kindSum || slices.Contains(d.root.items[:d.root.behindSum()], it)) || d.borne[f]
	}
	return d.borne[f]
}

// prove makes the draft true: what it refuses becomes plain, or bytes where lengths are not understood.
func (d *draft) prove(r rows) (outliers []Outlier, refused int, err error) {
	d.sealed = false
	d.root.each(func(it *item) { it.form = formBytes })
	for round := 0; ; round++ {
		failures, out, err := d.try(r)
		if err != nil {
			d.broken = cmp.Or(d.broken, err)
			if !d.giveUp() {
				return nil, 0, err
			}
			continue
		}
		refused = 0
		var worst failure
		for f, n := range failures {
			refused += n
			if !d.deserves(f) && (n > failures[worst] || n == failures[worst] && f.name < worst.name) {
				worst = f
			}
		}
		if worst == (failure{}) && !d.sealed {
			d.seal()
			continue
		}
		if worst == (failure{}) {
			return out, refused, nil
		}
		if round >= maxRounds || !d.mend(worst) {
			if d.keep != nil {
				d.borne[worst] = true
				continue
			}
			if d.giveUpAround(worst) || d.giveUp() {
				round = 0
				continue
			}
			return out, refused, nil
		}
	}
}

// seal makes rules of what was seen in all packets.
func (d *draft) seal() {
	d.sealed = true
	d.root.each(func(it *item) {
		if s := d.seen[it.name]; s != nil && it.kind == kindNumber {
			it.value = s.least
		}
	})
}

// mend changes the draft where packets were refused. It reports whether there was something to change.
func (d *draft) mend(f failure) bool {
	it := d.named(f.name)
	if d.keep != nil {
		if done, ok := d.mendKept(f, it); ok {
			return done
		}
	}
	if it == nil {
		return d.guard(d.root, spot{}, nil)
	}
	switch f.kind {
	case reject.OutOfRange, reject.ConstMismatch, reject.NotFinite:
		if it.kind == kindNumber && d.sealed && !it.plain {
			it.plain = true
			return true
		}
	case reject.NonzeroPadding:
		for i, c := range d.root.items {
			if (c.kind == kindCheck || c.kind == kindSum) && (i == 0 || d.root.items[i-1].kind != kindAlign) {
				d.root.items = slices.Insert(d.root.items, i, &item{kind: kindAlign, name: "align"})
				return true
			}
		}
	case reject.UnknownCase:
		for _, c := range d.choicesOf(it) {
			if last := c.arms[len(c.arms)-1]; last.values != nil {
				c.arms = append(c.arms, &arm{body: &block{items: []*item{{kind: kindRest, name: c.name + "_other"}}}})
				return true
			}
		}
	}
	if f.kind == reject.ReservedNonzero {
		changed := false
		d.root.each(func(it *item) {
			changed = changed || d.constant(it) && it.value == 0 && !it.plain
			it.plain = it.plain || it.value == 0
		})
		return changed
	}
	b, start := d.holder(d.root, spot{}, it)
	if b == nil {
		b, start = d.root, spot{}
	}
	return d.guard(b, start, it)
}

// choicesOf are the choices that an item decides, or is.
func (d *draft) choicesOf(it *item) (out []*item) {
	d.root.each(func(c *item) {
		if c.kind == kindChoice && (c == it || c.of == it) {
			out = append(out, c)
		}
	})
	return out
}
