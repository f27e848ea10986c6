package budget

import (
	"math"
	"slices"
	"sort"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// Class is what bits are for.
type Class string

// The classes of bits.
const (
	Value    Class = "value"
	Bytes    Class = "bytes" // raw bytes and text
	Count    Class = "count" // what sizes or announces something else: counts, lengths, flags of optionals, indexes
	Check    Class = "check"
	Checksum Class = "crc"
	Reserved Class = "reserved"
	Padding  Class = "padding"
)

// maxValues is how many values a Budget keeps over all its fields, so that it can be read again: see saved.MaxObject.
// maxSample is how many of one.
const (
	maxValues = 2 << 20
	maxSample = 1024
)

// shape is what follows from the plan alone: how each span and leaf is counted.
type shape struct {
	plan    *plan.Plan
	limit   int      // values kept of a field
	records []record // of each point
	leaves  []leaf   // of each leaf of the plan
	cases   []caseOf
	table   *plan.Switch          // the case's, nil without one
	arms    map[plan.NodeID][]int // of an arm's node: its cases
	columns columns               // of moments
	gates   []gate
	around  [][]int32 // of each node: the gates that it is in; nil without gates
	blurred bool      // some records are folded, or a secret says where they are
}

// record is how the spans of one point are counted.
type record struct {
	shape      plan.Shape
	node       plan.NodeID // of the step
	place      int         // of the step in Budget.places
	leaves     []int       // whose codes it has: of ShapeCode one of them
	bits, perN int         // that a span of n takes: bits + n*perN
	list       bool        // n is elements
	once       bool        // at most one in a packet, always of one weight
	filled     bool        // in a window that is filled with zeros: not all bits of a run need be there
	folded     bool        // how often it comes, or how many bits it takes, tells a secret
}

// bare reports whether it is bytes, text, or bits without a leaf.
func (r *record) bare() bool { return r.shape == plan.ShapeBytes || r.shape == plan.ShapeGap }

// caseOf is one case of the packet's switch: a tag that an arm names, or all of an arm's others.
type caseOf struct {
	name   string
	lo, hi uint64 // tag keys; a default has no interval
	arm    int32
}

func newShape(p *plan.Plan) *shape {
	s := &shape{plan: p, limit: maxSample, arms: map[plan.NodeID][]int{}}
	for s.limit > 16 && s.limit*len(p.Leaves) > maxValues {
		s.limit /= 2
	}
	s.findRecords()
	if sw := p.ShownCase(); sw != nil {
		s.findCases(sw)
	}
	sizings := p.Sizings()
	s.leaves = make([]leaf, len(p.Leaves))
	for i := range p.Leaves {
		s.leaves[i] = s.leafOf(i, len(sizings[i]) > 0)
	}
	s.findColumns()
	s.findGates()
	return s
}

// findRecords finds how spans are counted.
//
// What a secret decides about, or gives its size, is folded: it is only counted together. All other sizes and how often
// they come are public, so the bits of the sum are no more than the datagram's length tells.
func (s *shape) findRecords() {
	p := s.plan
	s.records = make([]record, p.End()+1)
	for _, step := range p.Steps {
		for i := range step.Leaves() {
			r := &s.records[p.Info[i].Point]
			r.leaves = append(r.leaves, i)
		}
	}
	filled := plan.StepID(0)           // up to where steps are in such a window
	loop := make([]bool, len(p.Steps)) // so it can come more than once in a packet
	for at := range p.End() + 1 {
		r := &s.records[at]
		s.blurred = s.blurred || p.PlaceSecret(at)
		step := p.StepAt(at)
		if step == nil { // the end
			continue
		}
		b := step.At()
		loop[b.ID] = b.Up != plan.NoStep && (loop[b.Up] || p.Steps[b.Up].Flow() == plan.Repeat)
		_, run := step.(*plan.Run)
		if window, ok := step.(*plan.Window); ok && window.Fill > 0 {
			filled = window.End
		}
		r.filled = b.ID < filled
		r.folded = run && r.filled && slices.ContainsFunc(r.leaves, func(leaf int) bool { return p.Nodes[p.Info[leaf].Node].Unsized }) || !run && b.Node != plan.NoNode && p.Nodes[b.Node].Unsized || p.DecisionAt(at) != nil
		s.blurred = s.blurred || r.folded
		r.shape, r.node, r.place = p.ShapeAt(at), b.Node, int(b.ID)
		r.bits = step.Extent(p, 0)
		r.perN = step.Extent(p, 1) - r.bits
		r.list = p.ListAt(at)
		if r.shape == plan.ShapeCode { // also the flags of a bitmap, whose step is the list
			r.bits, r.perN = 0, 1
		}
		r.once = !loop[b.ID] && !r.list && r.perN == 0
	}
}

// findColumns gives the integers that may be narrowed by sight a column for each declaration, and signed ones a second.
func (s *shape) findColumns() {
	numbers, orders := map[int32]int32{}, map[int32]int32{}
	of := func(at map[int32]int32, declaration int32) int32 {
		column, ok := at[declaration]
		if !ok {
			column = int32(len(at))
			at[declaration] = column
		}
		return column
	}
	for i := range s.leaves {
		l, node := &s.leaves[i], &s.plan.Nodes[s.plan.Info[i].Node]
		l.column, l.order = -1, -1
		if l.class != Value || l.mode != plain && l.mode != signed || s.plan.Info[i].Enum != nil || node.Value == nil {
			continue
		}
		if node.Value.Type.Row().Part != schema.PartInt {
			continue
		}
		l.column = of(numbers, node.Value.Pos.Off)
		if l.mode == signed {
			l.order = of(orders, node.Value.Pos.Off)
		}
	}
	s.columns = columns{magnitudes: len(numbers), orders: len(orders)}
	for i := range s.leaves {
		if l := &s.leaves[i]; l.order >= 0 {
			l.order += int32(len(numbers)) // after all magnitudes
		}
	}
}

// findCases lists the cases of the packet: one for each tag that a label names alone, one for each other arm. So they
// are bounded by the schema whatever tags arrive.
func (s *shape) findCases(table *plan.Switch) {
	s.table = table
	item := table.Item
	add := func(c caseOf) {
		s.cases = append(s.cases, c)
		id := table.Nodes[c.arm]
		s.arms[id] = append(s.arms[id], len(s.cases)-1)
	}
	for _, e := range s.table.Entries {
		c := caseOf{name: item.Arms[e.Arm].Label, lo: e.Lo, hi: e.Hi, arm: e.Arm}
		if e.Lo == e.Hi {
			c.name = s.tagName(e.Lo, c.name)
		}
		add(c)
	}
	for i, arm := range item.Arms {
		if arm.Default {
			add(caseOf{name: "default", lo: math.MaxUint64, arm: int32(i)})
		}
	}
}

// tagName is the name of a tag: an enum's case, or else the arm's label; where the tag is no enum, its number.
func (s *shape) tagName(key uint64, label string) string {
	tag := &s.plan.Operands[s.table.Tag]
	value, e := tag.Key(key), s.table.Item.Cases()
	if e == nil {
		return string(s.plan.Case.AppendInt(nil, value, 64))
	}
	for i := range e.Cases {
		if v := e.Cases[i].Value; v.IsUint64() && v.Uint64() == value || v.IsInt64() && tag.Signed && v.Int64() == int64(value) {
			return e.Cases[i].Name
		}
	}
	return label
}

// find is the number of a packet's case, -1 without one.
func (s *shape) find(t *decode.Trace) int {
	if s.table == nil || !t.HasTag {
		return -1
	}
	key := s.plan.Operands[s.table.Tag].Key(t.Tag)
	n := len(s.table.Entries)
	if i := sort.Search(n, func(i int) bool { return s.cases[i].hi >= key }); i < n && s.cases[i].lo <= key {
		return i
	}
	if n < len(s.cases) {
		return n
	}
	return -1
}

// scope is the cases that a node can be in; nil for those outside the packet's switch, which can be in all.
func (s *shape) scope(id plan.NodeID) []int {
	for ; id != plan.NoNode; id = s.plan.Nodes[id].Parent {
		if cases, ok := s.arms[id]; ok {
			return cases
		}
	}
	return nil
}
