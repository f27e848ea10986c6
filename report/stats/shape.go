package stats

import (
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/internal/table"
)

// The most of each that is followed, in the order of the schema. A schema with more is counted without the rest.
const (
	maxSeqs   = 8
	maxAcks   = 4
	maxEverys = 64
	maxName   = 256 // bytes of a path or a case
)

// shape is what of a protocol is counted. Parts that are merged have the same.
type shape struct {
	protocol string
	timeout  int64 // `expect timeout`, ns; 0 without
	seqs     []seqField
	acks     []ackField
	targets  int // fields that an ack refers to
	everys   []everyCase
}

type seqField struct {
	path    string // its rule's name: body<PlayerInput>.sequence_num
	modulus uint64 // how many values it has, 0 for 2^64
}

type ackField struct {
	path, of string // of: as in @ack(of)
	target   int    // number of the field that it acknowledges
}

type everyCase struct {
	name  string
	every int64 // ns
}

func (s *shape) equal(o *shape) bool {
	return s.protocol == o.protocol && s.timeout == o.timeout && s.targets == o.targets &&
		slices.Equal(s.seqs, o.seqs) && slices.Equal(s.acks, o.acks) && slices.Equal(s.everys, o.everys)
}

// what is which of the values that a packet carries.
type what uint8

const (
	isSeq what = iota
	isSent
	isAck
)

// source is a leaf whose values are counted.
type source struct {
	leaf  int32
	what  what
	index uint8
}

// shapeOf finds what is counted of a protocol, and where: the leaves, and the everyCase of each arm of the case
// switch begins with (1 + its index, 0 for none).
func shapeOf(p *plan.Plan) (sh shape, from []source, every []uint8) {
	sh.protocol, sh.timeout = shorten(p.Schema.Name), p.Schema.Timeout
	type ack struct {
		leaf int32
		of   *schema.AckRef
	}
	var acks []ack
	for i := range p.Nodes {
		n := &p.Nodes[i]
		notes := notesOf(p, n)
		if n.Kind != plan.NodeLeaf || n.Leaf < 0 || n.Secret || notes == nil {
			continue
		}
		path := shorten(string(p.AppendRule(nil, plan.NodeID(i))))
		if notes.Seq && len(sh.seqs) < maxSeqs {
			from = append(from, source{n.Leaf, isSeq, uint8(len(sh.seqs))})
			sh.seqs = append(sh.seqs, seqField{path, p.Info[n.Leaf].TypeSpan + 1})
		}
		if notes.Ack != nil && len(sh.acks) < maxAcks {
			acks = append(acks, ack{n.Leaf, notes.Ack})
			from = append(from, source{n.Leaf, isAck, uint8(len(sh.acks))})
			of := notes.Ack.Struct.Name + "." + notes.Ack.Field.Name
			sh.acks = append(sh.acks, ackField{path: path, of: shorten(of)})
		}
	}
	// What is acknowledged: wherever the struct is, the field of that name in it.
	for i, a := range acks {
		same := slices.IndexFunc(acks[:i], func(b ack) bool { return *b.of == *a.of })
		if same >= 0 {
			sh.acks[i].target = sh.acks[same].target
			continue
		}
		sh.acks[i].target = sh.targets
		for j := range p.Nodes {
			n := &p.Nodes[j]
			if n.Kind == plan.NodeLeaf && n.Leaf >= 0 && !n.Secret && !n.Elem && n.Parent != plan.NoNode &&
				p.Nodes[n.Parent].Struct == a.of.Struct && n.Name == a.of.Field.Name {
				from = append(from, source{n.Leaf, isSent, uint8(sh.targets)})
			}
		}
		sh.targets++
	}
	if s := p.ShownCase(); s != nil {
		every = make([]uint8, len(s.Item.Arms))
		for i, arm := range s.Item.Arms {
			if arm.Annotations.Every == 0 || len(sh.everys) == maxEverys {
				continue
			}
			sh.everys = append(sh.everys, everyCase{shorten(arm.Label), arm.Annotations.Every})
			every[i] = uint8(len(sh.everys))
		}
	}
	return sh, from, every
}

// notesOf is what is said about a node: of an element what is said about its list.
func notesOf(p *plan.Plan, n *plan.Node) *schema.Annotations {
	for n.Annotations == nil && n.Elem && n.Parent != plan.NoNode {
		n = &p.Nodes[n.Parent]
	}
	return n.Annotations
}

// caseName is what a packet's case is called: the name of its enum, or its number.
func caseName(p *plan.Plan, tag uint64) string { return shorten(decode.CaseOf(p, tag).String()) }

// shorten is a name of the schema as a saved part has it: bounded, and fit to be shown.
func shorten(s string) string {
	return table.Clip(syntax.EscapeText(s), maxName-len("…"))
}

func (s *shape) code(c *coder) {
	c.text(&s.protocol, maxName)
	c.int(&s.timeout)
	c.check(s.timeout >= 0, "the timeout of the saved part is negative")
	n := c.length(len(s.seqs), maxSeqs, 2)
	if !c.writing {
		s.seqs = make([]seqField, n)
	}
	for i := range s.seqs {
		c.text(&s.seqs[i].path, maxName)
		c.uint(&s.seqs[i].modulus, ^uint64(0))
	}
	targets := uint64(s.targets)
	c.uint(&targets, maxAcks)
	s.targets = int(targets)
	n = c.length(len(s.acks), maxAcks, 3)
	if !c.writing {
		s.acks = make([]ackField, n)
	}
	for i := range s.acks {
		a := &s.acks[i]
		c.text(&a.path, maxName)
		c.text(&a.of, maxName)
		target := uint64(a.target)
		c.uint(&target, uint64(max(s.targets, 1)-1))
		a.target = int(target)
		c.check(a.target < s.targets, "an ack of the saved part acknowledges nothing")
	}
	n = c.length(len(s.everys), maxEverys, 2)
	if !c.writing {
		s.everys = make([]everyCase, n)
	}
	for i := range s.everys {
		c.text(&s.everys[i].name, maxName)
		c.int(&s.everys[i].every)
		c.check(s.everys[i].every > 0, "an interval of the saved part is not above 0")
	}
}
