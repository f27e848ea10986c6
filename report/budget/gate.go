package budget

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// The limits that a schema sets with @budget, and --max-packet. A budget is of one occurrence of what it is after,
// from its first bit to its last, with what pads it inside.

// gate is a node with a @budget that its type alone does not keep.
type gate struct {
	node  plan.NodeID
	limit int // bits
	// secret: the size tells a secret. That it is too large is said all the same, but not where a secret decides
	// whether it is there.
	secret bool
}

// instance is the occurrence of a gate's node that is being read.
type instance struct {
	parent int32
	index  uint32
	lo, hi int // bits
	there  bool
}

// breach is how often a limit was broken, and the packets to look at.
type breach struct {
	count uint64
	worst uint64 // bits; of --max-packet bytes
	first seenAt // the earliest
}

// seenAt names a packet.
type seenAt struct {
	file  string
	n     int64
	time  int64
	which int // case, -1 without one
	size  uint64
}

func (b *breach) add(size uint64, which int, p *decode.Envelope) {
	at := seenAt{p.File, p.N, p.Time, which, size}
	if b.count == 0 || at.before(&b.first) {
		b.first = at
	}
	b.count++
	b.worst = max(b.worst, size)
}

func (b *breach) merge(o *breach) {
	if o.count > 0 && (b.count == 0 || o.first.before(&b.first)) {
		b.first = o.first
	}
	b.count += o.count
	b.worst = max(b.worst, o.worst)
}

// before orders packets by time, then by file and number, so that the first is the same however the work was cut.
func (s *seenAt) before(b *seenAt) bool {
	if s.time != b.time {
		return s.time < b.time
	}
	if s.file != b.file {
		return s.file < b.file
	}
	return s.n < b.n
}

// findGates lists the nodes with a @budget that can be broken (most are kept by their type alone), and for each node
// which of them it is in, the innermost first.
func (s *shape) findGates() {
	p := s.plan
	unsized := s.unsized()
	for id := range p.Nodes {
		n := &p.Nodes[id]
		if n.Annotations == nil || n.Annotations.Budget == 0 || n.Decided || n.Value != nil && n.Value.MaxBits <= uint64(n.Annotations.Budget) {
			continue
		}
		s.gates = append(s.gates, gate{node: plan.NodeID(id), limit: n.Annotations.Budget, secret: unsized[id]})
	}
	if len(s.gates) == 0 {
		return
	}
	s.around = make([][]int32, len(p.Nodes))
	next := 0
	for id := range p.Nodes { // what is inside comes after what is around it
		if up := p.Nodes[id].Parent; up != plan.NoNode {
			s.around[id] = s.around[up]
		}
		if next < len(s.gates) && s.gates[next].node == plan.NodeID(id) {
			s.around[id] = append([]int32{int32(next)}, s.around[id]...)
			next++
		}
	}
}

// unsized tells of each node whether its size is computed from a secret: it or something in it is.
func (s *shape) unsized() []bool {
	p := s.plan
	is := make([]bool, len(p.Nodes))
	if !s.blurred {
		return is
	}
	for _, s := range p.Steps {
		if w, ok := s.(*plan.Window); ok {
			is[w.Node] = p.Operands[w.Size].Secret
		}
	}
	for id := len(p.Nodes) - 1; id > 0; id-- {
		is[id] = is[id] || p.Nodes[id].Unsized
		is[p.Nodes[id].Parent] = is[p.Nodes[id].Parent] || is[id]
	}
	return is
}

// enforce measures each occurrence of each gate's node.
func (b *Budget) enforce(t *decode.Trace, which int, packet *decode.Envelope) {
	p := b.shape.plan
	for i := range t.Records {
		s := &t.Records[i]
		r := &b.shape.records[s.Point]
		switch {
		case r.shape == plan.ShapeCodes:
			for _, leaf := range r.leaves[:s.N] {
				l := &p.Leaves[leaf]
				bit, width := t.Clip(i, int(s.Bit+l.Off), int(l.Width))
				b.extend(t, p.Info[leaf].Node, s, bit, width, which, packet)
			}
		case r.shape == plan.ShapeCode:
			b.extend(t, p.Info[t.LeafOf(s)].Node, s, int(s.Bit), int(s.N), which, packet)
		case r.bare():
			bit, width := t.Clip(i, int(s.Bit), r.bits+int(s.N)*r.perN)
			b.extend(t, r.node, s, bit, width, which, packet)
		}
	}
	for g := range b.open {
		b.judge(g, which, packet)
	}
}

// extend puts a field into the occurrences around it. An occurrence ends where the next begins.
func (b *Budget) extend(t *decode.Trace, id plan.NodeID, s *decode.Record, bit, width, which int, packet *decode.Envelope) {
	for _, g := range b.shape.around[id] {
		gate := &b.shape.gates[g]
		parent, index := s.Parent, s.Index
		for n := id; n != gate.node; n = t.Plan.Nodes[n].Parent {
			if t.Plan.Nodes[n].Elem {
				outer := &t.Records[parent]
				parent, index = outer.Parent, outer.Index
			}
		}
		o := &b.open[g]
		if !o.there || o.parent != parent || o.index != index {
			b.judge(int(g), which, packet)
			*o = instance{parent: parent, index: index, lo: bit, there: true}
		}
		o.hi = bit + width
	}
}

// judge ends an occurrence.
func (b *Budget) judge(g, which int, packet *decode.Envelope) {
	o := &b.open[g]
	if size := o.hi - o.lo; o.there && size > b.shape.gates[g].limit {
		if b.shape.gates[g].secret {
			size = 0
		}
		b.gates[g].add(uint64(size), which, packet)
	}
	o.there = false
}

// Broken is a limit that packets broke.
type Broken struct {
	Path  string // rule name of what the @budget is after; "" for --max-packet
	Case  string // of the first packet, "" without one
	Limit uint64 // bits; of --max-packet bytes
	Times uint64
	Worst uint64 // in Limit's unit
	// The earliest of those packets.
	File  string
	N     int64
	First uint64 // its size, in Limit's unit
	// Secret: the sizes tell a secret, and are 0.
	Secret bool
}

// Broken lists the limits that were broken, in the schema's order, then --max-packet by case.
func (b *Budget) Broken() []Broken {
	var out []Broken
	for i := range b.gates {
		h := &b.gates[i]
		if h.count == 0 {
			continue
		}
		o := Broken{Limit: uint64(b.maxPacket), Times: h.count, Worst: h.worst, File: h.first.file, N: h.first.n, First: h.first.size}
		if i < len(b.shape.gates) {
			g := &b.shape.gates[i]
			o.Path, o.Limit = string(b.shape.plan.AppendRule(nil, g.node)), uint64(g.limit)
			if o.Secret = g.secret; o.Secret {
				o.Worst, o.First = 0, 0
			}
		}
		if h.first.which >= 0 {
			o.Case = b.shape.cases[h.first.which].name
		}
		out = append(out, o)
	}
	return out
}
