package report

import (
	"bytes"
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

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
		b = decode.AppendMask(append(b, text[:i]...), bits)
		text = text[i+len(masked):]
	}
	return append(b, text...)
}

// rest is the bytes of a refused packet from the failing bit's byte on.
func rest(t *decode.Trace) []byte { return t.Payload[min(t.Reject().Bit/8, len(t.Payload)):] }

// restBits is how many bits of the rest may be shown to be there.
func restBits(t *decode.Trace) int {
	if t.Reject().HidesBit() {
		return decode.Hidden
	}
	return 8 * len(rest(t))
}

// appendPlace appends a bit or a width as JSON: null where it is a secret.
func appendPlace(b []byte, n int) []byte {
	if n == decode.Hidden {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, int64(n), 10)
}

// secretArms finds the arms of switches whose tag is a secret, or computed from one, by their annotations; nil when
// there are none.
func secretArms(p *plan.Plan) map[*schema.Annotations]bool {
	var arms map[*schema.Annotations]bool
	for _, s := range p.Switches {
		if !p.Operands[s.Tag].Secret {
			continue
		}
		if arms == nil {
			arms = map[*schema.Annotations]bool{}
		}
		for _, arm := range s.Item.Arms {
			arms[&arm.Annotations] = true
		}
	}
	return arms
}
