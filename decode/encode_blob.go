package decode

import (
	"fmt"
	"strconv"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// pad writes zeros to a multiple of n bits, or what may be there instead.
func (w *writer) pad(n int, any bool, at *plan.Base) {
	width := -w.bit & (n - 1)
	if width > 0 {
		w.gap(w.bit, width, false)
	}
	if len(w.over) > 0 {
		if o := w.forced(-1); o != nil {
			w.putForced(o, min(width, 64), at.Order)
			width = -w.bit & (n - 1)
		}
	}
	w.fill(width, any, at)
}

// fill writes width zeros, or what may be there instead.
func (w *writer) fill(width int, any bool, at *plan.Base) {
	for width > 0 {
		n := min(64, width)
		code := uint64(0)
		if any {
			code = w.src.Ignored(w.question(at.Node, -1, n)) & wire.Mask(n)
		}
		w.put(code, n, at.Order)
		width -= n
	}
}

// reserved writes more reserved bits than a leaf holds.
func (w *writer) reserved(s *plan.Reserved) {
	start, width := w.bit, s.Bits
	if o := w.forced(-1); o != nil {
		w.putForced(o, min(width, 64), s.Order)
		width -= w.bit - start
	}
	w.fill(width, s.Any, &s.Base)
	w.recordFrom(start, 0, s.Bits)
}

// blob writes raw bytes or text.
func (w *writer) blob(b *plan.Blob) error {
	start := w.bit
	if b.Text == schema.TextString || b.Text == schema.TextWString {
		start = w.lengthBit(b)
	}
	if !b.Packed {
		w.pad(8, false, &b.Base)
	}
	if b.Text == 0 || b.Text == schema.TextChar || b.Text == schema.TextCString {
		start = w.bit
	}
	if b.Text == schema.TextName {
		return w.name(b)
	}
	size, err := w.blobSize(b)
	if err != nil {
		return err
	}
	if size > (8*w.p.Schema.MaxDatagram+w.spare-w.bit)/b.Unit() { // before the source is asked for so many bytes: a size may say 2^32-1
		return errTooLong
	}
	data, err := w.bytesOf(b, size)
	if err != nil {
		return err
	}
	at, order := w.bit, b.Order
	if o := w.forcedBytes(); o != nil {
		w.putBytes(o.Bytes, order)
		w.moved(w.bit - at - 8*len(data))
		w.recordFrom(at, 0, len(data))
		return nil
	}
	if b.Encoding.Converts() {
		if data, err = w.encoded(b, data); err != nil {
			return err
		}
	}
	n := len(data)
	if b.Text == schema.TextWString {
		n = w.putWide(data, order)
	} else {
		w.putBytes(data, order)
	}
	switch {
	case size >= 0 && b.Text == schema.TextChar && n < size:
		w.fill(8*(size-n), false, &b.Base)
		n = size
	case size >= 0 && n != size, n > b.Max:
		want := size
		if size < 0 {
			want = b.Max
		}
		return w.problem(b.Node, fmt.Sprintf("%s %s given, want %s%s", w.sizeText(b.Node, n), unitName(b), w.sizeText(b.Node, want), w.p.Behind(b)))
	}
	w.recordFrom(at, 0, n)
	if b.Rest {
		w.take(b, 8)
		if n > 0 {
			w.kept = w.bit
		}
	}
	if err := w.judgeBytes(b, start, at, n, order); err != nil {
		return err
	}
	if b.Text == schema.TextCString {
		w.put(0, 8, order)
	}
	return nil
}

// encoded is the bytes of a text that the source gives as UTF-8.
func (w *writer) encoded(b *plan.Blob, text []byte) ([]byte, error) {
	data, lacks := b.Encoding.Append(nil, text)
	if lacks >= 0 {
		return nil, w.problem(b.Node, fmt.Sprintf("%s has no such character as number %d of the text", b.Encoding.Name(), lacks+1))
	}
	return data, nil
}

// name writes a domain name: what the source has of its bytes, where that reads as the text that the source has, else
// the text.
func (w *writer) name(b *plan.Blob) error {
	at := w.bit
	if o := w.forcedBytes(); o != nil {
		w.putBytes(o.Bytes, b.Order)
		w.recordFrom(at, 0, len(o.Bytes))
		return nil
	}
	text, err := w.bytesOf(b, -1)
	if err != nil {
		return err
	}
	own := w.query.Own
	w.pointed = w.pointed || own != nil
	w.putBytes(own, b.Order)
	if own == nil || text != nil {
		plain, wrong, where := wire.AppendName(nil, text)
		if wrong != "" {
			if w.p.Nodes[b.Node].Secret {
				return w.problem(b.Node, wrong)
			}
			return w.problem(b.Node, fmt.Sprintf("%s, at byte %d", wrong, where))
		}
		if !w.reads(at/8, plain) {
			clear(w.data[at/8 : w.bit/8])
			w.bit = at
			w.putBytes(plain, b.Order)
		}
	}
	w.recordFrom(at, 0, (w.bit-at)/8)
	return nil
}

// reads reports whether what has been written from a byte on is the name that plain is without pointers.
func (w *writer) reads(at int, plain []byte) bool {
	end := w.bit / 8
	text, n := wire.ReadName(nil, w.data, at, end)
	want, _ := wire.ReadName(nil, plain, 0, len(plain))
	return !n.Cut && n.Fault.Rule == 0 && at+n.Size == end && string(text) == string(want)
}

func unitName(b *plan.Blob) string {
	if b.Text == schema.TextWString {
		return "UTF-16 units"
	}
	return "bytes"
}

// blobSize is how many bytes (units) the packet has said, -1 when what is given decides.
func (w *writer) blobSize(b *plan.Blob) (int, error) {
	switch {
	case b.Rest || b.Text == schema.TextCString:
		return -1, nil
	case b.Size < 0:
		return b.Max, nil
	}
	if w.unknown(uint32(b.Size)) || w.guessed[b.Size] && !w.sure() {
		return -1, nil
	}
	n := w.eval(uint32(b.Size))
	if n > uint64(b.Max) {
		return 0, w.fail(w.refuse(reject.OutOfRange, w.bit, 0, -1, n, uint64(b.Max)))
	}
	return int(n), nil
}

// bytesOf is what the source has for a blob, or what alone it can be.
func (w *writer) bytesOf(b *plan.Blob, size int) ([]byte, error) {
	a := w.question(b.Node, -1, 0)
	constant := b.Rule != nil && b.Rule.Kind == schema.RuleEq
	a.Derivable = constant || size == 0
	data, err := w.src.Bytes(a, size)
	switch {
	case err == nil:
		return data, nil
	case err != ErrDerive:
		return nil, err
	case constant:
		return b.Rule.Bytes, nil
	case size == 0:
		return nil, nil
	}
	return nil, w.missing(a)
}

func (w *writer) forcedBytes() *Override {
	for i := range w.over {
		if o := &w.over[i]; o.Point == w.at && o.Bytes != nil {
			n := w.seen[i]
			w.seen[i]++
			if n == o.Nth {
				return o
			}
		}
	}
	return nil
}

func (w *writer) putBytes(data []byte, order wire.Order) {
	w.room(8 * len(data))
	if w.bit%8 == 0 {
		copy(w.data[w.bit/8:], data)
		w.bit += 8 * len(data)
		return
	}
	for _, c := range data {
		w.put(uint64(c), 8, order)
	}
}

// putWide writes text as UTF-16 units and returns how many.
func (w *writer) putWide(data []byte, order wire.Order) int {
	start := w.bit
	for len(data) > 0 {
		unit, low, size := wire.WideUnit(data)
		w.put(uint64(unit), 32, order)
		if low != 0 {
			w.put(uint64(low), 32, order)
		}
		data = data[size:]
	}
	return (w.bit - start) / 32
}

// judgeBytes refuses what a reader would refuse.
func (w *writer) judgeBytes(b *plan.Blob, start, at, n int, order wire.Order) error {
	var kind reject.Kind
	var code, limit uint64
	if b.Text == schema.TextCString {
		data := w.bytes(at, n, order)
		for i, c := range data {
			if c == 0 {
				return w.problem(b.Node, fmt.Sprintf("a NUL inside, at byte %d", i))
			}
		}
		if n >= b.Max {
			return w.problem(b.Node, fmt.Sprintf("%s bytes given, want less than %d", w.sizeText(b.Node, n), b.Max))
		}
		if b.Rule != nil {
			kind, code, limit = judgeRule(b, data)
		}
	} else if b.Text != 0 || b.Rule != nil {
		kind, code, limit = w.judgeText(b, at, n, order)
	}
	if kind == reject.None {
		return nil
	}
	w.t.Payload, w.t.Size = w.data, len(w.data) // the words of the refusal read it
	return w.fail(w.refuse(kind, start, w.bit-start, -1, code, limit))
}

// sizeText is a size in an error, or a mask where the size of a node is a secret.
func (w *writer) sizeText(node plan.NodeID, n int) string {
	if w.p.Nodes[node].Unsized {
		return reject.Masked
	}
	return strconv.Itoa(n)
}
