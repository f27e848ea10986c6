package message

import (
	"errors"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// What -T json writes has the fields in the order in which an Encoder asks for them, so that a line of it need not
// become a tree: a stream answers each question from the text that comes next. Its line is read once, from the left.
//
// It answers only where the text that comes next is the answer. Whatever else there is (another order, a value that is
// missing or too many, white space between a key and its colon, all that is wrong) ends the attempt, and the tree is
// made and asked instead. So every rule and every error is the tree's; a stream accepts no line that the tree does not.
type stream struct {
	tree   *source // has the rules for values
	text   reader
	line   []byte // nil where there is none
	first  int    // where the first field begins
	frames []frame

	keys     [][]byte         // of each node: `"name":`; nil where a line always becomes a tree
	computed []map[string]int // of each node: the members that nobody asks for, numbered
	value    Value            // what was read last
	items    []Value          // of value
	fields   []field          // of each leaf
	codes    []uint64         // of a run
	asked    decode.Query     // about one of them
	heads    []headKey        // of the line before
	index    readAhead
}

// readAhead is the index of an element of a bitmap's list, which is read for the flags before it.
type readAhead struct {
	list int // record
	elem uint64
	code uint64
	some bool // there is such an element
	of   decode.Query
}

// frame is an object or a list that has been begun.
type frame struct {
	node   plan.NodeID
	parent int32 // of what is in it, as of decode.Query; of a list it is the list's record
	index  uint32
	begun  uint32 // members or elements
	count  int64  // of a list: the elements that it must have; -1 where nobody has said
	seen   uint64 // of the computed members
}

// errElsewhere ends an attempt.
var errElsewhere = errors.New("pktscope: internal error: the text that comes next is not the answer")

// maxComputed is how many names that nobody asks for an object may have.
const maxComputed = 64

// prepareStream works out what the stream of a plan looks for. Where the end of the packet decides about fields, the
// names tell the way, so that all of them have to be known.
func (m *Message) prepareStream() {
	s := &m.stream
	s.tree, s.text.m = &m.source, m
	if m.plan.Opens() != nil {
		return
	}
	s.keys, s.computed = make([][]byte, len(m.plan.Nodes)), make([]map[string]int, len(m.plan.Nodes))
	asked := map[string]bool{}
	for id := range m.plan.Nodes {
		n := &m.plan.Nodes[id]
		s.keys[id] = append(append([]byte{'"'}, n.Name...), '"', ':')
		if n.Parent != plan.NoNode && !m.computes(n) {
			asked[string(s.keys[n.Parent])+n.Name] = true
		}
	}
	s.prepareFields()
	for id := range m.plan.Nodes {
		n := &m.plan.Nodes[id]
		if n.Parent == plan.NoNode || !m.computes(n) || asked[string(s.keys[n.Parent])+n.Name] {
			continue
		}
		names := s.computed[n.Parent]
		if names == nil {
			names = map[string]int{}
			s.computed[n.Parent] = names
		}
		if _, ok := names[n.Name]; !ok && len(names) < maxComputed {
			names[n.Name] = len(names)
		}
	}
}

// computes reports whether a node's value is computed whatever anybody gives: a `let`, a checksum.
func (m *Message) computes(n *plan.Node) bool {
	return n.Leaf >= 0 && (m.plan.Info[n.Leaf].Let != nil || m.plan.Info[n.Leaf].Writes() == plan.Sealed)
}

// encode appends the packet of the line; false where the tree has to say what it is.
func (s *stream) encode(e *decode.Encoder, buf []byte) ([]byte, bool) {
	out, err := e.Append(buf, s, s.text.m.From)
	return out, err == nil && s.ends()
}

// Restart begins at the first field.
func (s *stream) Restart() {
	s.text.at, s.text.count = s.first, 0
	s.frames = append(s.frames[:0], frame{parent: -1, count: -1})
	s.index.list = -1
}

// ends reports whether nothing is left of the line.
func (s *stream) ends() bool {
	r := &s.text
	if s.close(0) != nil || r.space() != '}' {
		return false
	}
	r.at++
	return r.space() == end && r.at == len(r.data)
}

// Code answers for a leaf.
func (s *stream) Code(a *decode.Query) (uint64, error) {
	n, info := &s.tree.p.Nodes[a.Node], &s.tree.p.Info[a.Leaf]
	switch {
	case n.Kind != plan.NodeItem:
		if err := s.read(a, a.Node, a.Parent, a.Index); err != nil {
			return 0, err
		}
		return s.tree.code(a, info, &s.value)
	case info.Kind != plan.LeafBool:
		return s.ahead(a, info)
	case !n.Named:
		return s.flag(a)
	}
	at, err := s.comes(a, a.Node, a.Parent, a.Index)
	switch {
	case err != nil:
		return 0, err
	case !n.Elem && at < 0:
		return 0, nil
	case at < 0:
		return 0, errElsewhere
	case n.Elem && s.text.data[at] == 'n': // an element that is not there keeps its place
		s.take(at)
		return 0, s.text.word("null")
	}
	return 1, nil
}

// ahead is the code of the count or the length of what comes next.
func (s *stream) ahead(a *decode.Query, info *plan.LeafInfo) (uint64, error) {
	p := s.tree.p
	of := p.Nodes[a.Node].Parent
	if z := s.tree.sizes[a.Leaf]; len(z) != 1 || s.tree.window(z[0]) || p.StepAt(z[0].Point).At().Node != of {
		return 0, errElsewhere
	}
	z := s.tree.sizes[a.Leaf][0]
	at, err := s.comes(a, of, a.Parent, a.Index)
	if err != nil || at < 0 {
		return 0, errElsewhere
	}
	here, size := s.text.at, 0
	s.text.at = at
	if p.Nodes[of].Kind == plan.NodeArray {
		size, err = s.elements(), nil
	} else if err = s.scalar(); err == nil {
		size, _, err = s.tree.size(a, z, &s.value)
	}
	s.text.at = here
	value, ok := z.Value(uint64(size))
	if err != nil || !ok {
		return 0, errElsewhere
	}
	return info.CodeOf(uint64(value), a.Width), nil
}

// flag answers for a bitmap's slot: it is set where the next element has its index.
func (s *stream) flag(a *decode.Query) (uint64, error) {
	if s.index.list != a.List || s.index.elem != a.Elem {
		if err := s.readIndex(a); err != nil {
			return 0, err
		}
	}
	switch {
	case !s.index.some || s.index.code > a.Slot:
		return 0, nil
	case s.index.code == a.Slot:
		return 1, nil
	}
	return 0, errElsewhere
}

// readIndex begins the next element of a bitmap's list with its index, where there is one.
func (s *stream) readIndex(a *decode.Query) error {
	p := s.tree.p
	if err := s.open(a, p.Nodes[a.Node].Parent, int32(a.List), 0); err != nil {
		return err
	}
	s.index.list, s.index.elem, s.index.some = a.List, a.Elem, s.text.space() != ']'
	if !s.index.some {
		return nil
	}
	of := &s.index.of
	*of = *a
	of.Leaf = int(a.Step().(*plan.Subset).Index)
	info := &p.Info[of.Leaf]
	of.Node, of.Parent, of.Index, of.Width = info.Node, int32(a.List), uint32(a.Elem), 0
	err := s.read(a, of.Node, of.Parent, of.Index)
	if err == nil {
		s.index.code, err = s.tree.code(of, info, &s.value)
	}
	return err
}

// Bytes answers for raw bytes and text.
func (s *stream) Bytes(a *decode.Query, size int) ([]byte, error) {
	if err := s.read(a, a.Node, a.Parent, a.Index); err != nil {
		return nil, err
	}
	data, err := s.tree.bytes(a, &s.value)
	if err != nil {
		return nil, err
	}
	if b := a.Step().(*plan.Blob); size >= 0 && b.Text == 0 && b.Units(data) != size {
		return nil, errElsewhere
	}
	return data, nil
}

// More answers whether a list without a count goes on.
func (s *stream) More(a *decode.Query) (bool, error) {
	if err := s.open(a, a.Node, int32(a.List), 0); err != nil {
		return false, err
	}
	return s.text.space() != ']', nil
}

// Count keeps how many elements a list must have come to when it ends.
func (s *stream) Count(a *decode.Query, n uint64) error {
	err := s.open(a, a.Node, int32(a.List), 0)
	if err == nil {
		s.frames[len(s.frames)-1].count = int64(n)
	}
	return err
}

// Branch answers nothing: see prepareStream.
func (s *stream) Branch(*decode.Query, int) (int, error) { return 0, errElsewhere }

// Ignored answers for bits that JSON does not have.
func (s *stream) Ignored(*decode.Query) uint64 { return 0 }
