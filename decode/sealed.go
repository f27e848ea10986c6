package decode

import (
	"iter"
	"slices"

	"github.com/pktscope/pktscope/decode/internal/seal"
	"github.com/pktscope/pktscope/decode/keys"
	"github.com/pktscope/pktscope/decode/plan"
)

// Sealed is the place of a `sealed` type in a packet.
type Sealed struct {
	*plan.SealedText
	Bit   int    // the first of its text
	Bytes []byte // its text, and the tag after it, of the payload
}

// Cipher opens and seals with one key. It shows nothing of the key.
type Cipher struct{ *seal.Cipher }

// NewCipher makes the Cipher of a key. An error says which length is wanted, and nothing of the key.
func NewCipher(s *plan.SealedText, key keys.Key) (*Cipher, error) {
	c, err := seal.New(s.Seal.Algorithm, key.Reveal())
	if err != nil {
		return nil, err
	}
	return &Cipher{c}, nil
}

// Seals reports whether something is sealed in the packets or in their messages.
func (d *Decoder) Seals() bool {
	for _, p := range append([]*plan.Plan{d.plan}, d.plan.Sections...) {
		if len(p.Sealed) > 0 {
			return true
		}
	}
	return false
}

// Sealed gives what is sealed in an accepted packet, in wire order; of one that was refused nothing, since a field that
// a nonce is made of can be missing.
func (t *Trace) Sealed() iter.Seq[Sealed] {
	return func(yield func(Sealed) bool) {
		if t.refused || t.Plan == nil || len(t.Plan.Sealed) == 0 {
			return
		}
		for i := range t.Records {
			s := t.Plan.SealedAt(t.Records[i].Point)
			if s == nil {
				continue
			}
			end := int(t.Records[i].Bit)/8 + int(t.Records[i].N)
			start := int(t.Records[i].Bit) / 8
			if s.Tag != nil {
				start -= int(t.Records[i-1].N)
			}
			if !yield(Sealed{s, 8 * start, t.Payload[start:end:end]}) {
				return
			}
		}
	}
}

// Open appends what is sealed to dst. It is false, and dst as it was, where the key is not the one that it was sealed
// with, or a bit of what it authenticates has changed; without a tag nothing tells.
func (t *Trace) Open(dst []byte, s *Sealed, c *Cipher) ([]byte, bool) {
	nonce, ad := t.sealInput(s)
	return c.Cipher.Open(dst, nonce, s.Bytes, ad, t.sealStart(s))
}

// Seal is the way back: the text that lies open in s, in an accepted packet, is sealed where it lies, and its tag written
// after it.
func (t *Trace) Seal(s *Sealed, c *Cipher) {
	nonce, ad := t.sealInput(s)
	plain := slices.Clone(s.Bytes[:len(s.Bytes)-s.Seal.Algorithm.Tag])
	c.Cipher.Seal(s.Bytes[:0], nonce, plain, ad, t.sealStart(s))
}

// sealInput is the nonce and the additional data, as the packet's fields have them; valid until the next.
func (t *Trace) sealInput(s *Sealed) (nonce, ad []byte) {
	t.sealRoom = t.sealParts(t.sealRoom[:0], s.Nonce)
	n := len(t.sealRoom)
	t.sealRoom = t.sealParts(t.sealRoom, s.AD)
	return t.sealRoom[:n:n], t.sealRoom[n:]
}

// sealParts appends a nonce or additional data, as the packet's fields have them.
func (t *Trace) sealParts(dst []byte, parts []plan.SealPart) []byte {
	env := t.sealEnv()
	for i := range parts {
		part := &parts[i]
		switch {
		case part.Bytes != nil:
			dst = append(dst, t.bytesOf(part.Bytes)...)
		case part.Operand < 0:
			dst = append(dst, part.Text...)
		default:
			v := t.Plan.Eval(uint32(part.Operand), &env)
			for k := range part.Size {
				shift := 8 * k
				if part.Big {
					shift = 8 * (part.Size - 1 - k)
				}
				dst = append(dst, byte(v>>shift))
			}
		}
	}
	return dst
}

// sealStart is where in a pad the text begins.
func (t *Trace) sealStart(s *Sealed) int {
	if s.At < 0 {
		return 0
	}
	env := t.sealEnv()
	return int(t.Plan.Eval(uint32(s.At), &env) & (1<<31 - 1))
}

// sealEnv is what the expressions of a nonce see: fields that were read, and nothing else.
func (t *Trace) sealEnv() plan.Env {
	return plan.Env{Registers: t.registers, From: t.From}
}

// onBytes is what a record of bytes holds that lies on bytes of the datagram, as what is sealed and what a register
// keeps do.
func (t *Trace) onBytes(record int) []byte {
	r := &t.Records[record]
	start := int(r.Bit) / 8
	return t.Payload[start : start+int(r.N)]
}

// bytesOf is what the packet's last blob of a step holds.
func (t *Trace) bytesOf(b *plan.Blob) []byte {
	for i := len(t.Records) - 1; i >= 0; i-- {
		if t.Records[i].Point == b.Point {
			return t.onBytes(i)
		}
	}
	panic("pktscope: internal error: an accepted packet has a nonce without its field")
}
