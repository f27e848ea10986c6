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
	lo, hi uint64 // of a number: the values that its type has
	number bool   // the value is the code and lo, and JSON has it as a number
	beside bool   // it is a member of the object that the leaf before it is in, in the same run
	nobody bool   // nobody is asked for it
}

// prepareFields works them out.
func (s *stream) prepareFields() {
	p := s.tree.p
	s.fields = make([]field, len(p.Leaves))
	for i := range s.fields {
		f, info := &s.fields[i], &p.Info[i]
		n := &p.Nodes[info.Node]
		f.key, f.node = append([]byte{','}, s.keys[info.Node]...), info.Node
		f.nobody = info.Any || info.Writes() == plan.Constant
		f.number = info.Form() == plan.FormUint && !info.IsSigned() && n.Kind != plan.NodeItem
		if f.number {
			f.lo, f.hi = limits(info, int(p.Leaves[i].Width))
		}
		if i > 0 && info.Point == p.Info[i-1].Point && n.Kind != plan.NodeItem && !n.Elem {
			before := &p.Nodes[p.Info[i-1].Node]
			f.beside = n.Parent == before.Parent && !before.Elem && before.Kind != plan.NodeItem
		}
	}
}

// Codes are those of a run, n times over.
func (s *stream) Codes(a *decode.Query, run *plan.Run, n int) ([]uint64, error) {
	p := s.tree.p
	s.codes = s.codes[:0]
	for ; n > 0; n-- {
		for leaf := run.First; leaf < run.First+run.N; leaf++ {
			f := &s.fields[leaf]
			if f.nobody {
				s.codes = append(s.codes, 0)
				continue
			}
			a.Node, a.Leaf, a.Width = f.node, leaf, int(p.Leaves[leaf].Width)
			code, err := s.leaf(a, f)
			if err != nil {
				return nil, err
			}
			s.codes = append(s.codes, code)
		}
		a.Index++
	}
	return s.codes, nil
}

// leaf reads the code of a leaf of a run.
func (s *stream) leaf(a *decode.Query, f *field) (uint64, error) {
	r := &s.text
	if !f.beside || !bytes.HasPrefix(r.data[r.at:], f.key) {
		if !f.number {
			return s.Code(a)
		}
		at, err := s.comes(a, f.node, a.Parent, a.Index)
		if err != nil || at < 0 {
			return 0, errElsewhere
		}
		s.take(at)
	} else {
		s.take(r.at + len(f.key))
	}
	if f.number {
		if n, ok := r.decimal(); ok {
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

// decimal reads a number of digits alone; false where it is no such number, or may be more than 64 bits.
func (r *reader) decimal() (n uint64, ok bool) {
	start, at := r.at, r.at
	for ; at < len(r.data) && at < start+19; at++ {
		c := r.data[at] - '0'
		if c > 9 {
			break
		}
		n = 10*n + uint64(c)
	}
	if at == start || at == len(r.data) || at > start+1 && r.data[start] == '0' {
		return 0, false
	}
	switch r.data[at] {
	case ',', '}', ']':
		r.at = at
		return n, true
	}
	return 0, false
}
