package report

import (
	"bytes"
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// appendSecret appends what stands for a secret of so many bits.
func appendSecret(b []byte, bits int) []byte {
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

// restSecret reports whether the bytes of a refused packet from the failing bit's byte on must not be shown.
//
// Three ways lead a secret there: the failing field, or one that could have followed it, is secret (a token cut short
// is still most of a token); a secret that was read shares the failing byte; a reject points back in front of a secret
// that was read (a switch is refused at its tag's bit).
func restSecret(t *decode.Trace) bool {
	r := t.Reject()
	if !t.Plan.HasSecret() {
		return false
	}
	// Behind the packet's last field nothing follows; a datagram refused for its size was not read at all.
	if r.Kind != reject.TrailingBytes || r.At.Op >= 0 {
		if t.Plan.SecretFrom(int(r.At.Op), int(r.At.Leaf)) {
			return true
		}
	}
	from := r.Bit &^ 7
	for ev := range t.Walk() {
		if t.Plan.Nodes[ev.Node].Secret && ev.Width > 0 && ev.Bit+ev.Width > from {
			return true
		}
	}
	return false
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

// packetCase finds the switch whose tag is the packet's case, -1 when there is none.
func packetCase(p *plan.Plan) (op int) {
	for pc := range p.Ops {
		if p.Ops[pc].Code == plan.OpSwitch && p.Ops[pc].Flags&plan.FlagCase != 0 {
			return pc
		}
	}
	return -1
}
