package report

import (
	"bytes"
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// unsized stands for how many bits a secret takes where that is a secret, too.
const unsized = -1

// secretBits is how many bits of a secret may be shown to be there.
func secretBits(n *plan.Node, bits int) int {
	if n.Unsized {
		return unsized
	}
	return bits
}

// appendSecret appends what stands for a secret of so many bits.
func appendSecret(b []byte, bits int) []byte {
	if bits == unsized {
		return append(b, masked...)
	}
	b = append(b, "‹secret "...)
	b = strconv.AppendInt(b, int64((bits+7)/8), 10)
	return append(b, " B›"...)
}

// masked is what reject writes for a secret's content, whose size it leaves to us.
var masked = []byte(reject.Masked)

// appendSized appends text with its masks, if any, replaced by ones that tell the size. Without a size (a relation) the
// mask stays as it is.
func appendSized(b, text []byte, bits int) []byte {
	for bits > 0 {
		i := bytes.Index(text, masked)
		if i < 0 {
			break
		}
		b = appendSecret(append(b, text[:i]...), bits)
		text = text[i+len(masked):]
	}
	return append(b, text...)
}

// rest is the bytes of a refused packet from the failing bit's byte on.
func rest(t *decode.Trace) []byte { return t.Payload[min(t.Reject().Bit/8, len(t.Payload)):] }

// secretArms finds the arms of switches whose tag is a secret, or computed from one, by their annotations; nil when there
// are none.
func secretArms(p *plan.Plan) map[*schema.Annotations]bool {
	var arms map[*schema.Annotations]bool
	for pc := range p.Ops {
		op := &p.Ops[pc]
		if op.Code != plan.OpSwitch || !p.Operands[op.A].Secret {
			continue
		}
		if arms == nil {
			arms = map[*schema.Annotations]bool{}
		}
		for _, arm := range p.Switches[op.B].Item.Arms {
			arms[&arm.Notes] = true
		}
	}
	return arms
}
