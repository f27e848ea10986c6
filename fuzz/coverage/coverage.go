package coverage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// Set is what packets have reached of a plan. It is found from Traces alone, so it needs no instrumentation and serves
// for readers in any language, of which only the answer is seen.
//
// Told apart are: every RejectPoint; every step that can refuse, passed; both ways of an `if`, every arm of a switch
// (and so every case of the packet); sizes of lists, bytes and texts by 0, 1, 2, 3, 4..7, 8..15 and so on, and their
// most; of every number its least and greatest value and its highest bit, or its cases, or its flags; what deserved a
// note; and pairs of decisions, one after the other. All but the pairs are counted by Percent, as far as no packet is
// proved never to come there.
//
// A Set is not for two goroutines at once; Empty makes one for each, and Merge brings them together.
type Set struct {
	points  *points
	reached []uint64
	fresh   int
}

// New makes the Set of a plan, with nothing reached.
func New(p *plan.Plan) *Set { return newCoverage(newPoints(p)) }

func newCoverage(m *points) *Set {
	return &Set{points: m, reached: make([]uint64, (m.size()+63)/64)}
}

// Empty is a Set of the same plan with nothing reached. It is much cheaper than New.
func (c *Set) Empty() *Set { return newCoverage(c.points) }

// Plan is the plan that it is about.
func (c *Set) Plan() *plan.Plan { return c.points.p }

// Reset forgets what was reached.
func (c *Set) Reset() { clear(c.reached) }

// Add marks what a packet reached, and returns how much of it nothing had reached before. t is what a Decoder of the
// same plan has filled, accepted or refused, with the way that the packet took (decode.Trace.RecordPath). Add allocates
// nothing.
func (c *Set) Add(t *decode.Trace) (fresh int) {
	if t.Plan != c.points.p {
		panic("pktscope: internal error: coverage of another plan than the trace's")
	}
	if !t.PathRecorded() {
		panic("fuzz: want a trace that records the path, got one that does not")
	}
	c.fresh = 0
	c.read(t)
	for i := range t.Notes {
		c.note(t.Plan, &t.Notes[i].At)
	}
	return c.fresh
}

// hit marks a point.
func (c *Set) hit(at uint32) {
	if w, bit := &c.reached[at/64], uint64(1)<<(at%64); *w&bit == 0 {
		*w |= bit
		c.fresh++
	}
}

// note marks what a note is about.
func (c *Set) note(p *plan.Plan, at *reject.Place) {
	m := c.points
	if at.Leaf >= 0 {
		if l := &m.leaf[at.Leaf]; l.noted() {
			c.hit(l.first + l.points() - 1)
		}
		return
	}
	if at.Point == plan.NoPoint {
		c.hit(m.end + 1)
		return
	}
	s := p.StepAt(at.Point)
	itself, behind := s.Cover()
	if itself == plan.CoverNoted {
		c.hit(m.itself[s.At().ID] + 1)
	} else if behind == plan.CoverNoted {
		c.hit(m.behind[s.At().ID] + 1)
	}
}

// size marks a number of elements or of bytes.
func (c *Set) size(first uint32, n, most uint64) {
	c.hit(first + sizeBucket(min(n, most)))
	if n >= most {
		c.hit(first + sizeBuckets(most) - 1)
	}
}

// values marks the codes of leaves side by side.
func (c *Set) values(leaf int, codes []uint64) {
	leaves := c.points.leaf[leaf:][:len(codes)]
	for i, code := range codes {
		l := &leaves[i]
		switch l.mode {
		case valueLog, valueSign:
			n := min(uint32(bits.Len64(code)), uint32(l.buckets)-1)
			if l.mode == valueSign {
				n = l.sign(code)
			}
			c.hit(l.first + n)
			if code == l.min {
				c.hit(l.first + uint32(l.buckets))
			}
			if code == l.max {
				c.hit(l.first + uint32(l.buckets) + 1)
			}
		case valueFew:
			c.hit(l.first + uint32(min(code, l.max)))
		case valueOnce:
			c.hit(l.first)
		default:
			c.several(l, code)
		}
	}
}

func (c *Set) several(l *leafPoints, code uint64) {
	if l.mode == valueFlags {
		if code == 0 {
			c.hit(l.first + uint32(l.width))
		}
		for ; code != 0; code &= code - 1 {
			c.hit(l.first + min(uint32(bits.TrailingZeros64(code)), uint32(l.width)))
		}
		return
	}
	c.hit(l.first + l.bucket(code))
}

// Merge adds what o has reached, and returns how much of it is new. Both are of one plan.
func (c *Set) Merge(o *Set) (fresh int) {
	if c.points.p != o.points.p {
		panic("pktscope: internal error: coverages of two plans")
	}
	for i, w := range o.reached {
		fresh += bits.OnesCount64(w &^ c.reached[i])
		c.reached[i] |= w
	}
	return fresh
}

// Size is how many things are told apart: each is a point, by number.
func (c *Set) Size() int { return c.points.size() }

// Points yields the points that have been reached, in ascending order.
func (c *Set) Points() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range c.reached {
			for ; w != 0; w &= w - 1 {
				if !yield(64*i + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

// Covers reports whether all that o has reached has been reached here. Both are of one plan.
func (c *Set) Covers(o *Set) bool {
	for i, w := range o.reached {
		if w&^c.reached[i] != 0 {
			return false
		}
	}
	return true
}

// Count is how many of the counted things have been reached, and how many there are.
func (c *Set) Count() (reached, of int) {
	for i, w := range c.points.possible {
		reached += bits.OnesCount64(w & c.reached[i])
	}
	return reached, c.points.count
}

// Percent is Count as a percentage.
func (c *Set) Percent() float64 {
	reached, of := c.Count()
	return 100 * float64(reached) / float64(max(of, 1))
}

func (c *Set) has(at uint32) bool { return c.reached[at/64]>>(at%64)&1 != 0 }

// RuleState is a RejectPoint, and whether a packet has been refused so.
type RuleState struct {
	RejectPoint
	Reached bool
}

// Rules lists every RejectPoint, in the order of RejectPoints.
func (c *Set) Rules() []RuleState {
	list := make([]RuleState, len(c.points.rejects.List))
	for i, o := range c.points.rejects.List {
		list[i] = RuleState{o, c.has(uint32(i))}
	}
	return list
}

// RejectPointOf is the index, in RejectPoints and Rules, of the RejectPoint of a refused packet; -1 of an accepted one.
func (c *Set) RejectPointOf(t *decode.Trace) int {
	if !t.Rejected() {
		return -1
	}
	return c.points.rejects.Find(t.Reject())
}

// Unreached names, in the order of the plan, what is counted and has not been reached: the refusals first, then
// decisions, sizes and values.
func (c *Set) Unreached() []string {
	var names []string
	for at := range c.points.pairs {
		if c.points.possible[at/64]>>(at%64)&1 != 0 && !c.has(at) {
			names = append(names, c.points.name(at))
		}
	}
	return names
}

// coverageMagic begins a saved Set.
const coverageMagic = "pktcov1\n"

// AppendBinary appends the Set in a form for files: 8 bytes of magic, 8 that tell the plan, then the bits.
func (c *Set) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, coverageMagic...)
	b = binary.LittleEndian.AppendUint64(b, c.points.fingerprint())
	for _, w := range c.reached {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b, nil
}

// UnmarshalBinary replaces the Set by a saved one, which must be of the same protocol with the same parameters.
func (c *Set) UnmarshalBinary(data []byte) error {
	want := len(coverageMagic) + 8 + 8*len(c.reached)
	switch {
	case len(data) < len(coverageMagic)+8 || string(data[:len(coverageMagic)]) != coverageMagic:
		return errors.New("coverage: want a saved coverage, got something else")
	case binary.LittleEndian.Uint64(data[len(coverageMagic):]) != c.points.fingerprint():
		return errors.New("coverage: it is of another protocol, or of another version of it")
	case len(data) != want:
		return fmt.Errorf("coverage: want %d bytes, got %d", want, len(data))
	}
	reached := slices.Clone(c.reached)
	for i := range reached {
		reached[i] = binary.LittleEndian.Uint64(data[len(coverageMagic)+8+8*i:])
	}
	c.reached = reached
	return nil
}

// RejectPoint is a reject point by its number, which RejectPointOf gives.
func (c *Set) RejectPoint(i int) *RejectPoint { return &c.points.rejects.List[i] }
