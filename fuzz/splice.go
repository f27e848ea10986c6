package fuzz

import (
	"math/rand/v2"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// spliceSource is a valid packet whose parts go into a new one, with the changes that are to be made on the way. It is
// found by place: what the plan reads at a step, in an element of a list, is what the source has at that step in its
// element.
type spliceSource struct {
	plan  *plan.Plan
	trace *decode.Trace // as long as the source is used
	at    map[spanKey]int32
	blobs map[int32][]byte

	// The changes: spans and codes are the trace's.
	elems map[int32][]int32 // of a list: which of its elements the new one has, in order
	codes map[int32]uint64
	texts map[int32][]byte

	lists []int32 // of each span of the packet being written: the source's list, -1 for none, -2 unknown
}

// spanKey is where a span is.
type spanKey struct {
	at     plan.Point
	parent int32
	index  uint32
}

// use takes a packet apart. The trace belongs to the source until the next use.
func (ss *spliceSource) use(t *decode.Trace) {
	if ss.at == nil {
		ss.at, ss.blobs = map[spanKey]int32{}, map[int32][]byte{}
		ss.elems, ss.codes, ss.texts = map[int32][]int32{}, map[int32]uint64{}, map[int32][]byte{}
	}
	clear(ss.at)
	clear(ss.blobs)
	ss.keep()
	ss.plan, ss.trace = t.Plan, t
	texts := false
	for i := range t.Records {
		s := &t.Records[i]
		if t.Plan.FlagAt(s.Point) && s.N == 1 {
			continue // a bitmap's flags follow from its elements
		}
		_, text := t.Plan.StepAt(s.Point).(*plan.Blob)
		texts = texts || text
		ss.at[spanKey{s.Point, s.Parent, s.Index}] = int32(i)
	}
	if texts {
		for ev := range t.Walk() {
			if ev.Kind == decode.Blob {
				ss.blobs[int32(ev.Record)] = slices.Clone(ev.Data)
			}
		}
	}
}

// keep forgets all changes.
func (ss *spliceSource) keep() {
	clear(ss.elems)
	clear(ss.codes)
	clear(ss.texts)
}

// size is how many elements a list has after the changes.
func (ss *spliceSource) size(list int32) uint32 {
	if m, ok := ss.elems[list]; ok {
		return uint32(len(m))
	}
	return ss.trace.Records[list].N
}

// element is the source's element at a place of a list; those it has come again and again.
func (ss *spliceSource) element(list int32, i uint32) (uint32, bool) {
	n := ss.size(list)
	if n == 0 {
		return 0, false
	}
	if m, ok := ss.elems[list]; ok {
		return uint32(m[i%n]), true
	}
	return i % n, true
}

// list is the source's list at the place of a list in the new packet.
func (ss *spliceSource) list(t *decode.Trace, span int32) int32 {
	for int(span) >= len(ss.lists) {
		ss.lists = append(ss.lists, -2)
	}
	if ss.lists[span] == -2 {
		s := &t.Records[span]
		ss.lists[span] = ss.find(t, s.Point, s.Parent, s.Index)
	}
	return ss.lists[span]
}

// find is the source's span for a point in a context of the new packet; -1 for none.
func (ss *spliceSource) find(t *decode.Trace, at plan.Point, parent int32, index uint32) int32 {
	key := spanKey{at, -1, 0}
	if parent >= 0 {
		list := ss.list(t, parent)
		if list < 0 {
			return -1
		}
		i, ok := ss.element(list, index)
		if !ok {
			return -1
		}
		key.parent, key.index = list, i
	}
	if s, ok := ss.at[key]; ok {
		return s
	}
	return -1
}

// way is the way that the source went at a branch; false where none of its spans shows it.
func (ss *spliceSource) way(a *decode.Query) (int, bool) {
	ways := a.Step().Blocks()
	for i, way := range ways {
		if len(way.Steps) == 0 {
			continue
		}
		for at := way.Steps[0].At().Point; at <= way.Steps[len(way.Steps)-1].At().Last; at++ {
			if ss.find(a.Trace, at, a.Parent, a.Index) >= 0 {
				return i, true
			}
		}
	}
	return len(ways) - 1, a.Parent < 0 || ss.list(a.Trace, a.Parent) >= 0
}

// raw is the place of a leaf's code.
func (ss *spliceSource) raw(a *decode.Query) (int32, bool) {
	span := ss.find(a.Trace, a.Point, a.Parent, a.Index)
	if span < 0 {
		return 0, false
	}
	s := &ss.trace.Records[span]
	raw := s.Raw
	if run, ok := ss.plan.StepAt(s.Point).(*plan.Run); ok {
		raw += uint32(a.Leaf - run.First)
		if raw >= s.Raw+s.N {
			return 0, false
		}
	}
	return int32(raw), true
}

// code is the code of a leaf.
func (ss *spliceSource) code(a *decode.Query) (uint64, bool) {
	if _, ok := a.Step().(*plan.Subset); ok {
		return ss.flag(a)
	}
	raw, ok := ss.raw(a)
	if !ok {
		return 0, false
	}
	code, changed := ss.codes[raw]
	if !changed {
		code = ss.trace.Raw[raw]
	}
	if _, ok := a.Step().(*plan.Number); ok {
		code = max(code, a.Lo) // an index that follows another than it did
	}
	return code, a.Lo <= code && code <= a.Hi
}

// flag is a bitmap's: set where the next element has its index, or has missed it.
func (ss *spliceSource) flag(a *decode.Query) (uint64, bool) {
	list := ss.list(a.Trace, int32(a.List))
	if list < 0 {
		return 0, false
	}
	if a.Elem >= uint64(ss.size(list)) {
		return 0, true
	}
	i, _ := ss.element(list, uint32(a.Elem))
	s, ok := ss.at[spanKey{a.Point, list, i}]
	return flag(ok && a.Slot >= ss.trace.Raw[ss.trace.Records[s].Raw]), true
}

// bytes are those of a blob; size is as in Source.Bytes.
func (ss *spliceSource) bytes(a *decode.Query, size int) ([]byte, bool) {
	span := ss.find(a.Trace, a.Point, a.Parent, a.Index)
	if span < 0 {
		return nil, false
	}
	data, changed := ss.texts[span]
	if s := &ss.trace.Records[span]; !changed {
		data = ss.blobs[span]
		a.Own = ss.plan.StepAt(s.Point).(*plan.Blob).Own(ss.trace.Payload, int(s.Bit), int(s.N))
	}
	return data, size < 0 || int(ss.trace.Records[span].N) == size || changed && len(data) == size
}

// counter is the place of the code that sizes a span, and how; false where none does by itself.
func (ss *spliceSource) counter(sizings [][]plan.Sizing, span int32) (raw int32, leaf int, by plan.Sizing, ok bool) {
	of := ss.trace.Records[span].Point
	for i := span - 1; i >= 0; i-- {
		s := &ss.trace.Records[i]
		first, n := numbersOf(ss.plan, s)
		for k := range n {
			leaf = first + int(k)
			for _, by := range sizings[leaf] {
				if by.Point == of {
					return int32(s.Raw + k), leaf, by, true
				}
			}
		}
	}
	return 0, 0, by, false
}

// rawOf is the place of the code of a leaf that a span has.
func rawOf(p *plan.Plan, s *decode.Record, leaf int) int {
	if run, ok := p.StepAt(s.Point).(*plan.Run); ok {
		return int(s.Raw) + leaf - run.First
	}
	return int(s.Raw)
}

// numbersOf are the leaves of a span that are no flags and no checksum: a run's, or a number.
func numbersOf(p *plan.Plan, s *decode.Record) (first int, n uint32) {
	step := p.StepAt(s.Point)
	if run, ok := step.(*plan.Run); ok {
		return run.First, s.N
	}
	if number, ok := step.(*plan.Number); ok {
		return int(number.Leaf), 1
	}
	return 0, 0
}

// resize makes what sizes a span say n. It reports false when no code stands for that.
func (ss *spliceSource) resize(sizings [][]plan.Sizing, span int32, n uint64) bool {
	raw, leaf, by, ok := ss.counter(sizings, span)
	if !ok {
		return true // the list ends in another way
	}
	value, ok := by.Value(n)
	width := int(ss.plan.Leaves[leaf].Width)
	if width == 0 {
		width = 64
	}
	if ok {
		ss.codes[raw] = ss.plan.Info[leaf].CodeOf(uint64(value), width) & wire.Mask(width)
	}
	return ok
}

// reshape gives a list other elements of its own.
func (ss *spliceSource) reshape(sizings [][]plan.Sizing, list int32, elems []int32) bool {
	if !ss.resize(sizings, list, uint64(len(elems))) {
		return false
	}
	ss.elems[list] = elems
	return true
}

// splice is the Source of a packet that is made of others: what no source has is made up.
type splice struct {
	sources [2]*spliceSource
	n       int // sources in use
	second  func(a *decode.Query) bool
	made    *generating
	least   bool // what is made up is as simple as can be
}

// begin begins a packet.
func (w *splice) begin(g *Generator, random *rand.Rand, second func(a *decode.Query) bool, sources ...*spliceSource) {
	w.n = copy(w.sources[:], sources)
	w.second = second
	w.made = &g.source
	s := w.made
	s.goal, s.hold, s.met, s.way = nil, false, false, way{nil, g.groups}
	clear(s.fixed)
	clear(s.grown)
	s.seed = [2]uint64{random.Uint64(), random.Uint64()}
}

// Restart begins the packet anew.
func (w *splice) Restart() {
	for _, d := range w.sources[:w.n] {
		d.lists = d.lists[:0]
	}
	w.made.Restart()
}

// order is which source is asked first.
func (w *splice) order(a *decode.Query) []*spliceSource {
	if w.n == 2 && w.second(a) {
		return []*spliceSource{w.sources[1], w.sources[0]}
	}
	return w.sources[:w.n]
}

// Code is a source's.
func (w *splice) Code(a *decode.Query) (uint64, error) {
	if a.Derivable {
		return 0, decode.ErrDerive
	}
	for _, d := range w.order(a) {
		if code, ok := d.code(a); ok {
			return code, nil
		}
	}
	if w.least {
		return w.made.allowed(a, a.Lo, 1), nil
	}
	return w.made.Code(a)
}

// Bytes are a source's.
func (w *splice) Bytes(a *decode.Query, size int) ([]byte, error) {
	if a.Derivable {
		return nil, decode.ErrDerive
	}
	for _, d := range w.order(a) {
		if data, ok := d.bytes(a, size); ok {
			return data, nil
		}
	}
	return w.made.Bytes(a, size)
}

// More says how long a list is that nothing else ends.
func (w *splice) More(a *decode.Query) (bool, error) {
	for _, d := range w.order(a) {
		if list := d.list(a.Trace, int32(a.List)); list >= 0 {
			return a.Elem < uint64(d.size(list)), nil
		}
	}
	if w.least {
		return false, nil
	}
	return w.made.More(a)
}

// Branch goes where a source went.
func (w *splice) Branch(a *decode.Query, n int) (int, error) {
	for _, d := range w.order(a) {
		if way, ok := d.way(a); ok {
			return way, nil
		}
	}
	if w.least {
		return n - 1, nil
	}
	return w.made.Branch(a, n)
}

// Count has nothing to say: the counts are among the codes.
func (w *splice) Count(*decode.Query, uint64) error { return nil }

// Ignored keeps to zero.
func (w *splice) Ignored(*decode.Query) uint64 { return 0 }
