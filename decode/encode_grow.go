package decode

import (
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// A length that a packet may not have can be mended by a source that makes up what is inside: it is told how many bits
// would make a window long enough, and puts them there in the next pass.

// grow asks for bits more in the window that a length belongs to; false where nothing can be put there.
func (w *writer) grow(l *length, bits int) bool {
	g, ok := w.src.(grower)
	if !ok || bits <= 0 || l.window == nil {
		return false
	}
	of := l.window.of
	asked := w.query // the leaf whose code did not fit: its caller goes on with that query
	a := w.question(of.Node, -1, bits)
	a.Point, a.Parent, a.Index = of.Point, l.parent, l.index
	grown := g.Grow(a)
	w.query = asked
	w.retry = w.retry || grown
	return grown
}

// furthest is how many values above one that a length may not have are looked at for one that it may.
const furthest = 256

// growTo asks for as much as makes a length one that its leaf may have.
func (w *writer) growTo(l *length, info *plan.LeafInfo, a *Query) bool {
	if _, ok := w.src.(grower); !ok {
		return false
	}
	fits := func(value int64) bool {
		code := info.CodeOf(uint64(value), a.Width)
		kind, _ := info.Judge(code, a.Width)
		return a.Lo <= code && code <= a.Hi && kind == reject.None
	}
	if l.window == nil || l.window.sizing.K <= 0 || fits(l.value) {
		return false
	}
	for more := int64(1); more <= furthest; more++ {
		if fits(l.value + more) {
			return w.grow(l, int(more*l.window.sizing.K)*l.window.of.Unit)
		}
	}
	return false
}

// growRelated asks for one step more in the window whose length breaks a relation.
func (w *writer) growRelated(s *plan.Require) bool {
	if _, ok := w.src.(grower); !ok {
		return false
	}
	for _, register := range w.p.Reads(s.Cond) {
		for _, leaf := range w.p.RegisterLeaves[register] {
			l := w.owner([]int32{leaf})
			if l == nil || l.window == nil || !slices.Contains(l.window.leaves, leaf) {
				continue
			}
			if k := l.window.sizing.K; k > 0 && w.grow(l, int(k)*l.window.of.Unit) {
				return true
			}
		}
	}
	return false
}
