package plan

import (
	"slices"

	"github.com/pktscope/pktscope/decode/schema"
)

// SealedText is a `sealed` type where it is in the packet: no step reads it as more than bytes. It is in no list.
type SealedText struct {
	Seal *schema.Seal
	Node NodeID // of the struct
	Data *Blob  // the text
	Tag  *Blob  // after it; nil of xor
	// Nonce and AD are the parts, in the order of the schema.
	Nonce, AD []SealPart
	At        int32 // operand; -1 is 0
	Section   int32 // of Plan.Sections, the message that the text is; -1 without one
}

// SealPart is some bytes of a nonce or of additional data.
type SealPart struct {
	schema.SealPart
	Operand int32 // of Value; -1 without
	Bytes   *Blob // of Of; nil without
}

// Last is the step that ends it.
func (s *SealedText) Last() *Blob {
	if s.Tag == nil {
		return s.Data
	}
	return s.Tag
}

// SealedAt is the `sealed` type of which the last step is at a point; nil where none is.
func (p *Plan) SealedAt(at Point) *SealedText {
	for i := range p.Sealed {
		if p.Sealed[i].Last().Point == at {
			return &p.Sealed[i]
		}
	}
	return nil
}

// sealed notes a `sealed` type whose steps are the last that were made.
func (c *compiler) sealed(s *schema.Seal, node NodeID, sc *scope) {
	out := SealedText{Seal: s, Node: node, At: -1, Section: -1, Data: c.p.Blobs[len(c.p.Blobs)-1]}
	if s.Algorithm.Tag > 0 {
		out.Data, out.Tag = c.p.Blobs[len(c.p.Blobs)-2], out.Data
	}
	if c.p.Schema.Opens && s.Open != nil {
		c.p.Nodes[out.Data.Node].Secret = true
	}
	if c.element != nil {
		c.diags = append(c.diags, errorAt(s.Pos, "an array has no `sealed` in its elements"))
	}
	out.Nonce, out.AD = c.sealParts(s.Nonce, sc), c.sealParts(s.AD, sc)
	if s.Open != nil {
		out.Section = int32(slices.Index(c.p.Schema.Sections, s.Open.Section))
	}
	if s.At != nil {
		out.At = int32(c.operand(s.At, sc))
	}
	c.p.Sealed = append(c.p.Sealed, out)
}

func (c *compiler) sealParts(list []schema.SealPart, sc *scope) []SealPart {
	var out []SealPart
	for _, part := range list {
		x := SealPart{SealPart: part, Operand: -1}
		if part.Value != nil {
			x.Operand = int32(c.operand(part.Value, sc))
		}
		if part.Of != nil {
			x.Bytes = c.bytes[part.Of]
		}
		out = append(out, x)
	}
	return out
}
