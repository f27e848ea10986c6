package plan

import (
	"slices"

	"github.com/pktscope/pktscope/decode/schema"
)

// Fragment is what a Blob holds of a message: all of it, or a piece. It reads registers, right after the Blob, and has no
// part in what is accepted.
type Fragment struct {
	Note    *schema.Fragment
	Section int32 // of Plan.Sections, and of the schema's
	// ID, At, Whole and Last are the operands of those of Note; -1 without one.
	ID, At, Whole, Last int32
	// Secret: the bytes, or the numbers, are a secret or computed from one.
	Secret bool
	// Guards: the bytes are not to be shown for what the message has in it, which shows the rest itself.
	Guards bool
}

// Operands calls yield for each operand, in the order of evaluation. A nil Fragment has none.
func (f *Fragment) Operands(yield func(i int, operand uint32) bool) {
	if f == nil {
		return
	}
	n := 0
	for _, operand := range [...]int32{f.ID, f.At, f.Whole, f.Last} {
		if operand >= 0 {
			if !yield(n, uint32(operand)) {
				return
			}
			n++
		}
	}
}

// FlowKey is a field that tells flows apart: an operand that is known at the end of the packet, of so many bits.
type FlowKey struct {
	Operand uint32
	Bits    int
}

// holds is the @message or @fragment of a node: that of the field or the arm around an element, or around the value of
// one. nil without one.
func (c *compiler) holds(n Node) *schema.Fragment {
	for n.Annotations == nil && n.Parent != NoNode {
		n = c.p.Nodes[n.Parent]
	}
	if n.Annotations == nil {
		return nil
	}
	return n.Annotations.Fragment
}

// fragment compiles the @message or @fragment of a value's bytes.
func (c *compiler) fragment(note *schema.Fragment, sc *scope) *Fragment {
	of := func(e *schema.TypedExpr) int32 {
		if e == nil {
			return -1
		}
		return int32(c.operand(e, sc))
	}
	section := slices.Index(c.p.Schema.Sections, note.Section)
	return &Fragment{Note: note, Section: int32(section), ID: of(note.ID), At: of(note.At), Whole: of(note.Whole), Last: of(note.Last)}
}

// flowBy compiles what tells flows apart, in the scope of the packet.
func (c *compiler) flowBy(sc *scope) {
	for _, k := range c.p.Schema.FlowBy {
		c.p.FlowBy = append(c.p.FlowBy, FlowKey{c.operand(k.Value, sc), k.Bits})
	}
}

// FlowSecret reports whether a secret tells flows apart.
func (p *Plan) FlowSecret() bool {
	return slices.ContainsFunc(p.FlowBy, func(k FlowKey) bool { return p.Operands[k.Operand].Secret })
}

// fragments finds those that are computed from a secret, and whether flows are told apart by one.
func (f *flow) fragments() {
	for _, k := range f.FlowBy {
		f.Operands[k.Operand].Secret = f.Operands[k.Operand].Secret || f.operand(k.Operand)
	}
	for _, b := range f.Blobs {
		if b.Fragment != nil {
			b.Fragment.Secret = f.Nodes[b.Node].Secret && !b.Fragment.Guards
			for _, i := range b.Fragment.Operands {
				b.Fragment.Secret = b.Fragment.Secret || f.operand(i)
			}
		}
	}
}

// Hold gives a plan that was compiled for one message those of all messages of its schema.
func (p *Plan) Hold(sections []*Plan) { hold([]*Plan{p}, sections) }

// hold gives plans their Sections, and makes secrets of the bytes that hold a message with a secret in it, or a piece of
// one, which else would be shown as they are.
func hold(plans, sections []*Plan) {
	for _, p := range plans {
		p.Sections = sections
	}
	for again := true; again; {
		again = false
		for _, p := range plans {
			found := false
			for _, b := range p.Blobs {
				if f := b.Fragment; f != nil && p.Sections[f.Section].secret && !p.Nodes[b.Node].Secret {
					f.Guards, p.Nodes[b.Node].Secret, found = true, true, true
				}
			}
			if found {
				p.markSecrets()
				again = true
			}
		}
	}
}
