package cuts

import (
	"cmp"
	"iter"
	"slices"

	"github.com/pktscope/pktscope/decode"
)

// MaxTypes is how many types a Comparison tells apart: a tag is the sender's to choose. Packets of further ones are
// counted as one type, Others.
const MaxTypes = 1000

// Others is the name of the type that has the packets of all types above MaxTypes.
const Others = "others"

// Score is how the boundaries of schema B fit those of A.
type Score struct {
	Packets  int64    // that both decoded
	Accepted [2]int64 // by A and by B
	Only     [2]int64 // packets that A alone accepts, and B alone
	Differ   int64    // packets on which the two verdicts differ
	First    *Difference
	Types    []Type // in the order of the capture
	Scored   int    // how many of Types count; where it is 0, so are all figures below

	Precision, Recall, F1, Exact float64 // 0 to 1; F1 is the harmonic mean of the first two
}

// Alike reports whether both have the same fields at the same bits in all packets that A accepts.
func (s *Score) Alike() bool {
	return !slices.ContainsFunc(s.Types, func(t Type) bool {
		return t.Common != t.Boundaries[0] || t.Common != t.Boundaries[1] || t.Same != t.Fields
	})
}

// Type is what the packets of one type add up to.
type Type struct {
	Name     string   // the case in A, "-" without one
	Packets  int64    // of this type
	Accepted [2]int64 // of these, by A and by B
	Differ   int64    // packets on which the two verdicts differ
	First    *Difference
	Scored   bool // it counts for the Score

	// Of the packets that A accepts: boundaries of A, of B, and those that both have; fields of A, and those that B
	// has with the same first bit and width.
	Boundaries   [2]uint64
	Common       uint64
	Fields, Same uint64
}

// Precision is the share of B's boundaries that A has. Without any it is 1 where A has none either.
func (t *Type) Precision() float64 {
	if t.Boundaries[1] == 0 && t.Boundaries[0] > 0 {
		return 0
	}
	return share(t.Common, t.Boundaries[1])
}

// Recall is the share of A's boundaries that B has, 1 where A has none.
func (t *Type) Recall() float64 { return share(t.Common, t.Boundaries[0]) }

// Exact is the share of A's fields that B has, 1 where A has none.
func (t *Type) Exact() float64 { return share(t.Same, t.Fields) }

func share(part, all uint64) float64 {
	if all == 0 {
		return 1
	}
	return float64(part) / float64(all)
}

// Difference is a packet that one schema accepts and the other does not.
type Difference struct {
	N        int64 // its number in the capture, from 1
	Type     string
	Verdicts [2]decode.Verdict
	Why      [2]string // "path: kind at bit 12", as far as it tells no secret; "" where it is accepted
}

// Comparison adds up packets. The zero value is not ready: see New.
type Comparison struct {
	score Score
	types map[string]int
	cuts  [2][]cut
	name  []byte
}

// New begins a comparison.
func New() *Comparison { return &Comparison{types: map[string]int{}} }

// Compare compares two schemas over packets, which get the numbers from 1 on. Each is valid until the next.
func Compare(packets iter.Seq[decode.Packet], a, b *decode.Decoder) *Score {
	c := New()
	var traces [2]decode.Trace
	var e decode.Envelope
	for p := range packets {
		e.N++
		e.Cut = p.Size > len(p.Data)
		a.Read(&p, &traces[0])
		b.Read(&p, &traces[1])
		c.Add(&e, &traces[0], &traces[1])
	}
	return c.Score()
}

// Add adds one datagram, which both schemas have decoded.
func (c *Comparison) Add(e *decode.Envelope, a, b *decode.Trace) {
	t := c.typeOf(a)
	traces, verdicts := [2]*decode.Trace{a, b}, [2]decode.Verdict{e.Verdict(a), e.Verdict(b)}
	c.score.Packets++
	t.Packets++
	for i, v := range verdicts {
		if v == decode.Accepted {
			c.score.Accepted[i]++
			t.Accepted[i]++
			if verdicts[1-i] != v {
				c.score.Only[i]++
			}
		}
	}
	if verdicts[0] != verdicts[1] {
		c.differ(e, t, traces, verdicts)
	}
	if verdicts[0] != decode.Accepted {
		return
	}
	bits := 8 * a.Size
	for i, trace := range traces {
		c.cuts[i] = appendCuts(c.cuts[i][:0], trace)
	}
	mine, theirs := c.cuts[0], c.cuts[1]
	t.Fields += uint64(len(mine))
	t.Same += common(mine, theirs, byPlace)
	mine, theirs = boundaries(mine, bits), boundaries(theirs, bits)
	t.Boundaries[0] += uint64(len(mine))
	t.Boundaries[1] += uint64(len(theirs))
	t.Common += common(mine, theirs, func(x, y cut) int { return cmp.Compare(x.bit, y.bit) })
}

func (c *Comparison) differ(e *decode.Envelope, t *Type, traces [2]*decode.Trace, verdicts [2]decode.Verdict) {
	c.score.Differ++
	t.Differ++
	if t.First != nil {
		return
	}
	t.First = &Difference{N: e.N, Type: t.Name, Verdicts: verdicts, Why: [2]string{why(traces[0]), why(traces[1])}}
	if c.score.First == nil {
		c.score.First = t.First
	}
}

// typeOf is the type of a packet, as A calls it.
func (c *Comparison) typeOf(t *decode.Trace) *Type {
	c.name = append(c.name[:0], '-')
	if v, ok := t.Case(); ok {
		if c.name = c.name[:0]; t.Plan.CaseTag(t.Tag) == t.Tag {
			c.name = v.AppendText(c.name)
		} else { // of a default arm each tag is a type
			c.name = t.Plan.Case.AppendInt(c.name, t.Tag, 64)
		}
	}
	i, ok := c.types[string(c.name)]
	if !ok {
		name := string(c.name)
		if len(c.types) >= MaxTypes {
			name = Others
		}
		if i, ok = c.types[name]; !ok {
			i = len(c.score.Types)
			c.types[name] = i
			c.score.Types = append(c.score.Types, Type{Name: name})
		}
	}
	return &c.score.Types[i]
}

// Score is what was added until now.
func (c *Comparison) Score() *Score {
	s := c.score
	s.Types = slices.Clone(s.Types)
	for i := range s.Types {
		t := &s.Types[i]
		if n := t.Accepted[0]; n < 3 || 200*n < s.Accepted[0] {
			continue
		}
		t.Scored = true
		s.Scored++
		s.Precision += t.Precision()
		s.Recall += t.Recall()
		s.Exact += t.Exact()
	}
	if s.Scored == 0 {
		return &s
	}
	n := float64(s.Scored)
	s.Precision, s.Recall, s.Exact = s.Precision/n, s.Recall/n, s.Exact/n
	if sum := s.Precision + s.Recall; sum > 0 {
		s.F1 = 2 * s.Precision * s.Recall / sum
	}
	return &s
}
