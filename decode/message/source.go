package message

import (
	"fmt"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// Encode appends the packet that the message describes to buf. A value that the packet has no place for is an error,
// since whoever gave it meant something else; so is one that is missing, does not fit, or contradicts another. Errors
// are *decode.EncodeError, after FromLine also *JSONError; e is of the message's plan.
func (m *Message) Encode(e *decode.Encoder, buf []byte) ([]byte, error) {
	m.source.forget()
	if line := m.stream.line; line != nil {
		if out, ok := m.stream.encode(e, buf); ok {
			return out, nil
		}
		if err := m.FromJSON(line); err != nil {
			return buf, err
		}
	}
	out, err := m.encode(e, buf)
	first := err
	for range maxTries {
		if err == nil || !m.source.another() {
			break
		}
		if out, err = m.encode(e, buf); err == nil {
			return out, nil
		}
	}
	if first != nil {
		return buf, first
	}
	return out, nil
}

// encode is Encode with the branches that the source has picked.
func (m *Message) encode(e *decode.Encoder, buf []byte) ([]byte, error) {
	out, err := e.Append(buf, &m.source, m.From)
	if err == nil {
		err = m.Unused()
	}
	return out, err
}

// Source gives the message to an Encoder of its plan, until the message is filled again.
func (m *Message) Source() decode.Source {
	m.source.forget()
	return &m.source
}

// source answers an Encoder's questions from the tree. A container is found once, by the names on the way to it, and
// then remembered by its node and its element; a leaf is a member or an element of one.
type source struct {
	m        *Message
	p        *plan.Plan
	sizes    [][]plan.Sizing
	turns    map[plan.Point][]plan.Turn // of what is sized in an `if` or a switch: the ways that lead there
	tag      []bool                     // of each leaf: it is the tag of the packet's case
	enums    map[*schema.Enum]map[string]uint64
	sealed   map[string]bool // names of checksums: directly in the packet
	computed map[string]bool // names of values that the schema computes: of a `let` or a checksum
	pass     uint32          // stamps what belongs to the current pass over the packet
	found    []place
	sorted   map[*Value][]int32
	err      error

	ways    [][]choice // of each step that branches by what is open
	equated []bool     // of each leaf: a requirement says what it is
	picks   []pick     // the branches of the packet at hand, as they were taken
	picked  int        // of which in this pass

	holders   [][]int32 // of each register: the leaves that have its value
	registers []uint64  // in which expressions are evaluated; valid while one is
	scratch   []byte
	wide      *Value // the reserved bits that were asked for last, and which of their words comes next
	word      int
}

// place is where a node's container was found. Valid iff pass is the source's.
type place struct {
	value  *Value
	pass   uint32
	parent int32
	index  uint32
}

func (s *source) prepare(m *Message) {
	p := m.plan
	s.m, s.p, s.sizes = m, p, p.Sizings()
	s.tag = make([]bool, len(p.Leaves))
	s.found = make([]place, len(p.Nodes))
	s.sorted = map[*Value][]int32{}
	s.enums = map[*schema.Enum]map[string]uint64{}
	s.computed = map[string]bool{}
	for i := range p.Info {
		if info := &p.Info[i]; info.Let != nil {
			s.computed[info.Let.Var.Name] = true
		}
	}
	s.prepareTurns()
	s.prepareBranches()
	s.sealed = map[string]bool{}
	for _, sum := range p.Checksums {
		n := &p.Nodes[sum.Node]
		s.computed[n.Name] = true
		s.sealed[n.Name] = s.sealed[n.Name] || p.Nodes[n.Parent].Parent == plan.NoNode
	}
	for _, sw := range p.Switches {
		if sw.Case && sw.TagRegister >= 0 {
			for _, leaf := range p.RegisterLeaves[sw.TagRegister] {
				s.tag[leaf] = true
			}
		}
	}
}

// forget drops what is known of the tree, which may be another now.
func (s *source) forget() {
	clear(s.sorted)
	s.picks = s.picks[:0]
	s.Restart()
}

// Restart begins a new pass: spans are numbered anew.
func (s *source) Restart() {
	if s.pass++; s.pass == 0 { // 2^32 passes later no old stamp may look new
		clear(s.found)
		s.pass = 1
	}
	s.err, s.wide = nil, nil
	s.picked = 0
}

// container is the object or list of a node in a context; nil when there is none. What stands there but is neither is
// an error, which s.err keeps.
func (s *source) container(a *decode.Query, node plan.NodeID, parent int32, index uint32) *Value {
	if s.p.Nodes[node].Parent == plan.NoNode {
		return &s.m.Root
	}
	c := &s.found[node]
	if c.pass == s.pass && c.parent == parent && c.index == index {
		return c.value
	}
	v := s.child(a, node, parent, index)
	if want := containerKind(s.p.Nodes[node].Kind); v != nil && v.Kind != want {
		if s.err == nil {
			s.err = s.problem(a, node, parent, index, s.unfit(node, v, want.String()))
		}
		v = nil
	}
	*c = place{v, s.pass, parent, index}
	return v
}

func containerKind(k plan.NodeKind) Kind {
	if k == plan.NodeArray {
		return List
	}
	return Object
}

// child is the value of a node in a context, nil when there is none. It counts as used.
func (s *source) child(a *decode.Query, node plan.NodeID, parent int32, index uint32) *Value {
	v := s.peek(a, node, parent, index)
	if v == nil {
		return nil
	}
	v.used = s.pass
	if v.Kind == Null {
		return nil
	}
	return v
}

// peek is child before the value's time: it may come to be used, or not. A null is there, too.
func (s *source) peek(a *decode.Query, node plan.NodeID, parent int32, index uint32) *Value {
	n := &s.p.Nodes[node]
	if n.Elem {
		outer := &a.Trace.Records[parent]
		list := s.container(a, n.Parent, outer.Parent, outer.Index)
		if list == nil || uint64(index) >= uint64(len(list.Items)) {
			return nil
		}
		return &list.Items[index]
	}
	object := s.container(a, n.Parent, parent, index)
	if object == nil {
		return nil
	}
	return s.ask(object, n.Name)
}

// value is the value that a question is about, nil when there is none.
func (s *source) value(a *decode.Query) (*Value, error) {
	v := s.child(a, a.Node, a.Parent, a.Index)
	return v, s.err
}

// Code answers for a leaf.
func (s *source) Code(a *decode.Query) (uint64, error) {
	n, info := &s.p.Nodes[a.Node], &s.p.Info[a.Leaf]
	if n.Kind == plan.NodeItem {
		if info.Kind != plan.LeafBool {
			return s.derived(a, info) // a count or a length of a type
		}
		if !n.Named {
			return s.slot(a)
		}
		v, err := s.value(a)
		if v != nil {
			return 1, err
		}
		return 0, err
	}
	v, err := s.value(a)
	if err == nil && len(s.sizes[a.Leaf]) > 0 && (v == nil || s.m.Rederive) {
		code, err := s.derived(a, info)
		if err != decode.ErrDerive || s.sizesWindow(a.Leaf) {
			return code, err
		}
	}
	if err == nil && s.equated[a.Leaf] && s.m.Rederive {
		return 0, decode.ErrDerive
	}
	switch {
	case err != nil:
		return 0, err
	case v != nil:
		return s.code(a, info, v)
	case a.Derivable:
		return 0, decode.ErrDerive
	case s.tag[a.Leaf] && s.m.Case != "":
		if code, ok := s.caseCode(info, a.Width); ok {
			return code, nil
		}
	}
	return 0, s.missing(a)
}

// slot answers for the flag of a bitmap's slot: it is set where the next element has its index.
func (s *source) slot(a *decode.Query) (uint64, error) {
	list := s.container(a, s.p.Nodes[a.Node].Parent, a.Parent, a.Index)
	if s.err != nil || list == nil || a.Elem >= uint64(len(list.Items)) {
		return 0, s.err
	}
	// The element's own place, though the writer has not begun it yet.
	index := *a
	index.Leaf = int(a.Step().(*plan.Subset).Index)
	index.Node = s.p.Info[index.Leaf].Node
	index.Parent, index.Index = int32(a.List), uint32(a.Elem)
	index.Lo, index.Hi, index.Width = 0, s.p.Info[index.Leaf].TypeSpan, 0
	v, err := s.value(&index)
	if err != nil {
		return 0, err
	}
	if v == nil {
		return 0, s.missing(&index)
	}
	at, err := s.code(&index, &s.p.Info[index.Leaf], v)
	switch {
	case err != nil:
		return 0, err
	case at < a.Slot:
		return 0, s.fail(&index, fmt.Sprintf("not-increasing: want more than %d, got %d", a.Slot-1, at))
	case at == a.Slot:
		return 1, nil
	}
	return 0, nil
}

// Bytes answers for raw bytes and text.
func (s *source) Bytes(a *decode.Query, size int) ([]byte, error) {
	v, err := s.value(a)
	if err != nil {
		return nil, err
	}
	if v == nil {
		if a.Derivable {
			return nil, decode.ErrDerive
		}
		return nil, s.missing(a)
	}
	data, err := s.bytes(a, v)
	if err != nil {
		return nil, err
	}
	if b := a.Step().(*plan.Blob); size >= 0 && b.Text == 0 && b.Units(data) != size {
		return nil, s.fail(a, fmt.Sprintf("%s given, want %s%s%s", s.sizeText(a.Node, b.Units(data), "byte"), s.wantText(a.Node, uint64(size)), s.sizer(a), s.p.Behind(a.Step())))
	}
	return data, nil
}

// More answers whether a list without a count goes on.
func (s *source) More(a *decode.Query) (bool, error) {
	list := s.container(a, a.Node, a.Parent, a.Index)
	return list != nil && a.Elem < uint64(len(list.Items)), s.err
}

// Count compares a list's length with what the packet says.
func (s *source) Count(a *decode.Query, n uint64) error {
	list := s.container(a, a.Node, a.Parent, a.Index)
	if s.err != nil {
		return s.err
	}
	given := 0
	if list != nil {
		given = len(list.Items)
	}
	if uint64(given) == n {
		return nil
	}
	if list == nil {
		return s.missing(a)
	}
	return s.fail(a, fmt.Sprintf("%s given, want %s%s%s", s.sizeText(a.Node, given, "element"), s.wantText(a.Node, n), s.sizer(a), s.p.Behind(a.Step())))
}

// Ignored answers for bits that may have any value: zero where the tree does not say.
func (s *source) Ignored(a *decode.Query) uint64 {
	v := s.child(a, a.Node, a.Parent, a.Index)
	switch {
	case v == nil:
		return 0
	case v.Kind == Code:
		return v.Code
	case v.Kind != List:
		return 0
	}
	if s.wide != v {
		s.wide, s.word = v, 0
	}
	if s.word >= len(v.Items) {
		return 0
	}
	w := &v.Items[s.word]
	w.used = s.pass
	s.word++
	return w.Code
}
