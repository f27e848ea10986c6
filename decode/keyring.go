package decode

import (
	"bytes"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/keys"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// Reason is why something sealed was not opened. None of them is anybody's mistake: a reader that lacks a key, or met
// the flow in its middle, knows nothing about the sender, so a packet is never refused for one.
type Reason uint8

// The reasons.
const (
	Opened     Reason = iota // it was
	NoKey                    // no packet of the flow has set its register, and no line of the file of keys has it
	WrongKey                 // the tag is wrong under each key that there is
	AuthFailed               // it is, and one of these keys has opened a packet of the flow and direction before
)

// String gives the words of text and JSON.
func (r Reason) String() string {
	return [...]string{"opened", "no key", "wrong-key", "auth-failed"}[r]
}

// heldKeys is how many keys a register keeps: a client that comes again has another one, and what is still under way
// was sealed with the last.
const heldKeys = 4

// Keyring opens what packets have sealed, with the keys of a file and those that flows hold. It is for one goroutine.
type Keyring struct {
	file  *keys.File
	known map[keyName]*heldKey // of the file
}

// NewKeyring makes the Keyring of a file of keys, which may be nil.
func NewKeyring(file *keys.File) *Keyring {
	return &Keyring{file: file, known: map[keyName]*heldKey{}}
}

// keyName is what a key of the file is for; a key without a flow has no addresses.
type keyName struct {
	src, dst netip.AddrPort
	name     string
}

// Held is what a flow holds in its registers. The zero Held has nothing in them.
type Held struct {
	slots  []slot     // of each register those of both sides, the client's first
	opened []*heldKey // keys of the file that have opened something here
	// numbers of each register are those of both sides, the client's first; nil where none is set.
	numbers []number
}

// slot is a register of one side: the newest key is first.
type slot []*heldKey

// heldKey is a key with its ciphers.
type heldKey struct {
	secret keys.Key
	cipher *Cipher // the last one asked for
	opened bool    // it has opened something: of a key of the file, see Held.opened
}

// Size is what a flow's registers take, in bytes, for those who bound it.
func (h *Held) Size() int {
	n := 0
	for _, s := range h.slots {
		for _, k := range s {
			n += 512 + len(k.secret.Reveal()) // a cipher's own state is below that
		}
	}
	return n + 24*len(h.slots) + schema.KeptRegister*len(h.numbers)
}

// Keep puts into registers what an accepted packet, or message of a packet, says. side sent it; it is not FromUnknown.
func (h *Held) Keep(t *Trace, side Direction) {
	if t.refused || !t.Plan.Keeps {
		return
	}
	for i := range t.Records {
		b, ok := t.Plan.StepAt(t.Records[i].Point).(*plan.Blob)
		if !ok || t.Plan.Nodes[b.Node].Annotations == nil {
			continue
		}
		for _, set := range t.Plan.Nodes[b.Node].Annotations.Sets {
			h.set(t.Plan, set.Register, set.Side.Of(side), t.onBytes(i))
		}
	}
}

// Forget empties all registers.
func (h *Held) Forget() { *h = Held{} }

// set puts a key into a register, before those that it has.
func (h *Held) set(p *plan.Plan, r *schema.Register, side Direction, secret []byte) {
	if h.slots == nil {
		h.slots = make([]slot, 2*len(p.Schema.State))
	}
	s := h.slot(r, side)
	at := slices.IndexFunc(*s, func(k *heldKey) bool { return bytes.Equal(k.secret.Reveal(), secret) })
	if at < 0 {
		*s = append(*s, &heldKey{secret: keys.New(secret)})
		at = len(*s) - 1
	}
	first := (*s)[at]
	copy((*s)[1:at+1], (*s)[:at])
	(*s)[0] = first
	if len(*s) > heldKeys {
		*s = (*s)[:heldKeys]
	}
}

func (h *Held) slot(r *schema.Register, side Direction) *slot {
	i := 2 * r.Index
	if r.Each && side == schema.Server {
		i++
	}
	return &h.slots[i]
}

// Open appends the text of something sealed in t to dst: see Trace.Open. h is what the flow holds, and side who sent
// the packet, as Keep has them; e is the packet's.
func (k *Keyring) Open(dst []byte, t *Trace, s *Sealed, e *Envelope, h *Held, side Direction) ([]byte, Reason) {
	reason := NoKey
	try := func(key *heldKey, opened bool) bool {
		if !key.fits(s.SealedText) {
			return false
		}
		out, ok := t.Open(dst, s, key.cipher)
		switch {
		case ok:
			dst, reason = out, Opened
		case opened:
			reason = AuthFailed
		default:
			reason = max(reason, WrongKey)
		}
		return ok
	}
	if r := s.Seal.Key.Register; r != nil && h.slots != nil {
		for _, key := range *h.slot(r, side) {
			if try(key, key.opened) {
				key.opened = true
				return dst, reason
			}
		}
	}
	if key := k.ofFile(s.SealedText, e); key != nil && try(key, slices.Contains(h.opened, key)) {
		if !slices.Contains(h.opened, key) && len(h.opened) < heldKeys {
			h.opened = append(h.opened, key)
		}
	}
	return dst, reason
}

// Cipher is what a side seals with now: the newest key of the register that h has, else the one of the file; nil without
// one. h may be nil. Without a flow's addresses in e, the key of a register is the line `NAME HEX` of the file.
func (k *Keyring) Cipher(s *plan.SealedText, e *Envelope, h *Held, side Direction) *Cipher {
	if r := s.Seal.Key.Register; r != nil && h != nil && h.slots != nil {
		if keys := *h.slot(r, side); len(keys) > 0 && keys[0].fits(s) {
			return keys[0].cipher
		}
	}
	if key := k.ofFile(s, e); key != nil && key.fits(s) {
		return key.cipher
	}
	return nil
}

// Seal seals, in place, a text that lies open in t, which was accepted: its tag is whatever is there. Checksums over
// it are to be repaired then. The key is that of Cipher; where there is none the error says which.
func (k *Keyring) Seal(t *Trace, s *Sealed, e *Envelope, h *Held, side Direction) error {
	c := k.Cipher(s.SealedText, e, h, side)
	if c == nil {
		return &NoKeyError{s.SealedText}
	}
	t.Seal(s, c)
	return nil
}

// NoKeyError is the error of a text that is to be sealed, and of which no key is known.
type NoKeyError struct{ Of *plan.SealedText }

// Error says which line the file of keys does not have.
func (n *NoKeyError) Error() string {
	name := n.Of.Seal.Key.String()
	return fmt.Sprintf("the file of keys has no line `%s HEX` of %d bytes, for %s", name[strings.IndexByte(name, '.')+1:], n.Of.Seal.Algorithm.Key, name)
}

// ofFile is the key that the file has, nil without one.
func (k *Keyring) ofFile(s *plan.SealedText, e *Envelope) *heldKey {
	if k.file == nil {
		return nil
	}
	name := keyName{name: s.Seal.Key.Name}
	if r := s.Seal.Key.Register; r != nil {
		name = keyName{e.Src, e.Dst, r.Name}
	}
	if held := k.known[name]; held != nil {
		return held
	}
	secret := k.file.Named(name.name)
	if s.Seal.Key.Register != nil {
		if flow := k.file.Flow(e.Src, e.Dst, name.name); !flow.IsZero() {
			secret = flow
		}
	}
	if secret.IsZero() {
		return nil
	}
	held := &heldKey{secret: secret}
	k.known[name] = held
	return held
}

// fits makes the cipher that s wants of a key, and reports whether its length is right: a file's key can have any.
func (k *heldKey) fits(s *plan.SealedText) bool {
	if k.cipher == nil || k.cipher.Algorithm() != s.Seal.Algorithm {
		c, err := NewCipher(s, k.secret)
		if err != nil {
			return false
		}
		k.cipher = c
	}
	return true
}
