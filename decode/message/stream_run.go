package message

import (
	"bytes"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// Most of a packet is runs of numbers, whose members stand one after the other. A stream reads them in one go.

// field is what a stream asks of a leaf, worked out once.
type field struct {
	key    []byte // `,"name":`
	node   plan.NodeID
	in     plan.NodeID // its container
	width  uint8
	lo, hi uint64 // of a number: the values that its type has
	number bool   // the value is the code and lo, and JSON has it as a number
	beside bool   // it is a member of the object that the leaf before it is in, in the same run
	nobody bool   // nobody is asked for it
	item   bool   // it has no member of its own: a count, a length, a flag
	elem   bool   // it is an element
}

// prepareFields works them out.
func (s *stream) prepareFields() {
	p := s.tree.p
	s.fields = make([]field, len(p.Leaves))
	for i := range s.fields {
		f, info := &s.fields[i], &p.Info[i]
		n := &p.Nodes[info.Node]
		f.key, f.node, f.in, f.width = append([]byte{','}, s.keys[info.Node]...), info.Node, n.Parent, p.Leaves[i].Width
		f.item, f.elem = n.Kind == plan.NodeItem, n.Elem
		f.nobody = info.Any || info.Writes() == plan.Constant
		f.number = info.Form() == plan.FormUint && !info.IsSigned()
		if f.number {
			f.lo, f.hi = limits(info, int(f.width))
		}
		if i > 0 && info.Point == p.Info[i-1].Point && n.Kind != plan.NodeItem && !n.Elem {
			before := &p.Nodes[p.Info[i-1].Node]
			f.beside = n.Parent == before.Parent && !before.Elem && before.Kind != plan.NodeItem
		}
	}
}

// Codes are those of a run, n times over.
func (s *stream) Codes(t *decode.Trace, run *plan.Run, parent int32, index uint32, n int) ([]uint64, error) {
	fields := s.fields[run.First:][:run.N]
	a := &s.asked
	a.Trace, a.Point, a.Parent, a.Index = t, run.Point, parent, index
	s.codes = s.codes[:0]
	for e := range n {
		inside := false
		if e > 0 {
			a.Index++
			inside = s.nextElement(a, &fields[0])
		}
		for i := range fields {
			f := &fields[i]
			if f.nobody {
				s.codes = append(s.codes, 0)
				continue
			}
			a.Node, a.Leaf, a.Width = f.node, run.First+i, int(f.width)
			code, err := s.leaf(a, f, inside && i == 0 || f.beside)
			if err != nil {
				return nil, err
			}
			s.codes = append(s.codes, code)
		}
	}
	return s.codes, nil
}

// nextElement ends an element of a list and begins the next, which a has, where both are objects and the first field of
// the next is right in it.
func (s *stream) nextElement(a *decode.Query, first *field) bool {
	r, last := &s.text, len(s.frames)-1
	top := &s.frames[last]
	if top.node != first.in || !s.tree.p.Nodes[top.node].Elem || top.parent != a.Parent || top.index+1 != a.Index ||
		s.frames[last-1].begun != a.Index || s.computed[top.node] != nil || !bytes.HasPrefix(r.data[r.at:], betweenObjects) {
		return false
	}
	r.at += len(betweenObjects)
	s.frames[last-1].begun++
	top.index, top.begun = a.Index, 0
	return true
}

var betweenObjects = []byte("},{")

// leaf reads the code of a leaf of a run. inside says that its object is the innermost frame.
func (s *stream) leaf(a *decode.Query, f *field, inside bool) (uint64, error) {
	if f.item {
		return s.Code(a)
	}
	if err := s.goTo(a, f, inside); err != nil {
		return 0, err
	}
	if f.number {
		if n, ok := s.text.decimal(); ok {
			if n < f.lo || n > f.hi {
				return 0, errElsewhere
			}
			return n - f.lo, nil
		}
	}
	if err := s.scalar(); err != nil {
		return 0, err
	}
	return s.tree.code(a, &s.tree.p.Info[a.Leaf], &s.value)
}

// goTo goes to the value of a leaf of a run.
func (s *stream) goTo(a *decode.Query, f *field, inside bool) error {
	r, top := &s.text, &s.frames[len(s.frames)-1]
	switch {
	case inside:
		key := f.key
		if top.begun == 0 {
			key = key[1:]
		}
		if bytes.HasPrefix(r.data[r.at:], key) {
			r.at += len(key)
			top.begun++
			return nil
		}
	case f.elem && a.Index > 0 && top.node == f.in && top.parent == a.Parent && top.begun == a.Index && r.peek() == ',':
		r.at++
		top.begun++
		return nil
	}
	at, err := s.comes(a, f.node, a.Parent, a.Index)
	if err != nil || at < 0 {
		return errElsewhere
	}
	s.take(at)
	return nil
}

// decimal reads a number of digits alone; false where it is no such number, or may be more than 64 bits.
func (r *reader) decimal() (n uint64, ok bool) {
	rest := r.data[r.at:]
	for i, b := range rest {
		if c := b - '0'; c <= 9 {
			n = 10*n + uint64(c)
			continue
		}
		if b != ',' && b != '}' && b != ']' || i == 0 || i > 1 && rest[0] == '0' || i > 19 {
			return 0, false
		}
		r.at += i
		return n, true
	}
	return 0, false
}
