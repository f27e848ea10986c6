package decode

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
)

// Resealer makes packets like one that was read, its carrier, with another text in what is sealed, as often as wanted:
// the lengths follow, and the packet's @seq field rises, so that no two have one nonce. It is for one goroutine.
type Resealer struct {
	encoder *Encoder
	carrier Trace
	sealed  Sealed
	seq     int    // leaf of the sequence number, -1 without one
	wide    int    // leaf that says how wide that is, -1 where it is constant
	code    uint64 // of wide: the widest
	most    uint64 // the largest sequence number
	next    uint64
	sizes   map[int]plan.Sizing // leaves that say how long the text is
	room    []byte

	start, end int // of the text and the tag in the last packet
}

// ErrSequence is what the error of an Append is (errors.Is) after the packet with the largest sequence number.
var ErrSequence = errors.New("the sequence number does not rise")

// NewResealer makes the Resealer of a packet that d accepts; only the text that is opened as the message `open` is
// replaced ("" where no message is named). Its first packet has the sequence number after the carrier's.
func NewResealer(d *Decoder, packet []byte, from Direction, open string) (*Resealer, error) {
	r := &Resealer{encoder: NewEncoder(d), seq: -1, wide: -1, sizes: map[int]plan.Sizing{}}
	if err := d.Decode(slices.Clone(packet), from, &r.carrier); err != nil {
		return nil, fmt.Errorf("the packet around the text is refused: %w", err)
	}
	for s := range r.carrier.Sealed() {
		if s.Seal.OpenName() == open && r.sealed.SealedText == nil {
			r.sealed = s
		}
	}
	if r.sealed.SealedText == nil {
		return nil, fmt.Errorf("the packet around the text has nothing sealed in it that is a %q", open)
	}
	r.findSequence()
	for leaf, sizings := range d.plan.Sizings() {
		for _, s := range sizings {
			if s.Point == r.sealed.Data.Point {
				r.sizes[leaf] = s
			}
		}
	}
	return r, nil
}

// findSequence finds the packet's own sequence number, and what says how wide that is.
func (r *Resealer) findSequence() {
	p := r.carrier.Plan
	for f := range r.carrier.Fields() {
		node := &p.Nodes[f.Node()]
		if node.Annotations == nil || !node.Annotations.Seq || node.Leaf < 0 {
			continue
		}
		r.seq, r.next = int(node.Leaf), f.Raw()+1
		width := f.Width()
		if n, ok := p.StepAt(p.Info[r.seq].Point).(*plan.Number); ok && n.Kind == plan.NumberSized {
			width = r.widest(n, width)
		}
		r.most = ^uint64(0)
		if width < 64 {
			r.most = 1<<width - 1
		}
		return
	}
}

// widest finds the code of the leaf that a width is computed from by which that is largest, and gives that width.
func (r *Resealer) widest(n *plan.Number, width int) int {
	p := r.carrier.Plan
	reads := p.Reads(n.Operand)
	if len(reads) != 1 || len(p.RegisterLeaves[reads[0]]) != 1 {
		return width
	}
	leaf := int(p.RegisterLeaves[reads[0]][0])
	env := plan.Env{Registers: slices.Clone(r.carrier.registers)}
	for code := range uint64(256) {
		l := &p.Leaves[leaf]
		if l.Width < 8 && code>>l.Width != 0 {
			break
		}
		if kind, _ := p.Info[leaf].Judge(code, int(l.Width)); kind != 0 {
			continue
		}
		env.Registers[reads[0]] = p.Info[leaf].Value(code, int(l.Width))
		if w := p.Eval(n.Operand, &env); w <= 64 && int(w) > width {
			width, r.wide, r.code = int(w), leaf, code
		}
	}
	return width
}

// Sequence is the number that the next packet has; Rewind sets it. ok is false where packets have none.
func (r *Resealer) Sequence() (next uint64, ok bool) { return r.next, r.seq >= 0 }

// Rewind makes the next packet have a sequence number again.
func (r *Resealer) Rewind(to uint64) { r.next = to }

// Sealed is what is replaced, in the carrier.
func (r *Resealer) Sealed() *Sealed { return &r.sealed }

// Text is where the text and the tag lie in the packet that was written last, in bytes: data[start:end].
func (r *Resealer) Text() (start, end int) { return r.start, r.end }

// Append appends a packet whose text is plain, sealed with c. It fails where no such packet is: the text is too long,
// the sequence number does not rise any more.
func (r *Resealer) Append(buf []byte, plain []byte, c *Cipher) ([]byte, error) {
	return r.Forge(buf, plain, c, nil)
}

// Forge is Append of a packet that a reader must not open: forge, when it is not nil, changes the nonce and the
// additional data that it is sealed with, which its fields then do not say.
func (r *Resealer) Forge(buf []byte, plain []byte, c *Cipher, forge func(nonce, ad []byte)) ([]byte, error) {
	packet, s, err := r.around(len(plain))
	if err != nil {
		return buf, err
	}
	t := &r.encoder.read
	nonce, ad := t.sealInput(s)
	if forge != nil {
		forge(nonce, ad)
	}
	copy(s.Bytes, c.Cipher.Seal(r.room[:0], nonce, plain, ad, t.sealStart(s)))
	return append(buf, packet...), nil
}

// around writes a packet for a text of n bytes, which are zeros; what is sealed lies in it.
func (r *Resealer) around(n int) (packet []byte, s *Sealed, err error) {
	if r.seq >= 0 && r.next > r.most {
		return nil, nil, fmt.Errorf("%w above %d", ErrSequence, r.most)
	}
	src := &resealed{from: replay{&r.carrier}, r: r, text: make([]byte, n)}
	r.room, err = r.encoder.Append(r.room[:0], src, r.carrier.From)
	if err != nil {
		return nil, nil, err
	}
	r.next++
	for s := range r.encoder.read.Sealed() {
		if s.SealedText == r.sealed.SealedText {
			r.start, r.end = s.Bit/8, s.Bit/8+len(s.Bytes)
			return r.encoder.read.Payload, &s, nil
		}
	}
	panic("pktscope: internal error: a resealed packet has nothing sealed in it")
}

// resealed is the carrier with a text of another length.
type resealed struct {
	from replay
	r    *Resealer
	text []byte
}

// Code gives the sequence number, and the width that it has.
func (s *resealed) Code(a *Query) (uint64, error) {
	switch a.Leaf {
	case s.r.seq:
		return s.r.next, nil
	case s.r.wide:
		return s.r.code, nil
	}
	if size, ok := s.r.sizes[a.Leaf]; ok {
		value, ok := size.Value(uint64(len(s.text)))
		if !ok {
			return 0, &EncodeError{Path: a.Path(), Bit: a.Bit, Problem: "no length stands for a text of this size"}
		}
		return a.Trace.Plan.Info[a.Leaf].CodeOf(uint64(value), a.Width), nil
	}
	if a.Derivable { // the length of a window
		return 0, ErrDerive
	}
	return s.from.Code(a)
}

// Bytes gives zeros for the text.
func (s *resealed) Bytes(a *Query, size int) ([]byte, error) {
	if a.Point == s.r.sealed.Data.Point {
		return s.text, nil
	}
	return s.from.Bytes(a, size)
}

// More is the carrier's.
func (s *resealed) More(a *Query) (bool, error) { return s.from.More(a) }

// Branch is the carrier's.
func (s *resealed) Branch(a *Query, n int) (int, error) { return s.from.Branch(a, n) }

// Count is none of its business.
func (s *resealed) Count(*Query, uint64) error { return nil }

// Ignored is the carrier's.
func (s *resealed) Ignored(a *Query) uint64 { return s.from.Ignored(a) }
