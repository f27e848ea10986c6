package slow

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// Bytes and text. Nothing is allocated before the size is known to be in the packet.

// raw reads size bytes from here, which in bousk may be in the middle of one.
func (w *walk) raw(f frame, size int) ([]byte, bool) {
	if !w.fits(f, 8*size) {
		return nil, false
	}
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(w.load(f.order, w.bit+8*i, 8))
	}
	w.bit += 8 * size
	return data, true
}

// blob reads bytes(e), bytes(e, max n) and bytes(rest, max n).
func (w *walk) blob(f frame, v *schema.Value, t *schema.BlobType) bool {
	if !w.align(f) {
		return false
	}
	size := big.NewInt(int64(max(0, min(w.end, w.there)-w.bit) / 8))
	if t.Size != nil {
		size = w.eval(f.scope, t.Size)
	}
	if size.Sign() < 0 || size.Cmp(big.NewInt(int64(t.Max))) > 0 {
		return w.refuse(f, reject.OutOfRange, w.bit, 0)
	}
	start := w.bit
	data, ok := w.raw(f, int(size.Int64()))
	if !ok {
		return false
	}
	if v.Rule != nil && v.Rule.Kind == schema.RuleEncoding {
		text, ok := encoded(v.Rule.Encoding.String(), (f.order == schema.MSB) != v.Swap, data)
		if !ok {
			return w.refuse(f, reject.BadString, start, w.bit-start)
		}
		data = text
	} else if brokenTextRule(v.Rule, data) {
		return w.refuse(f, reject.ConstMismatch, start, w.bit-start)
	}
	w.readData(f, start, w.bit-start, data)
	if of := w.held; of != nil {
		holds := Fragment{Section: of.Section, Data: data}
		for _, x := range []struct {
			e    *schema.TypedExpr
			into **big.Int
		}{{of.ID, &holds.ID}, {of.At, &holds.At}, {of.Whole, &holds.Whole}, {of.Last, &holds.Last}} {
			if x.e != nil {
				*x.into = w.eval(f.scope, x.e)
			}
		}
		w.out.Fragments = append(w.out.Fragments, holds)
	}
	return true
}

// encoded is the text in bytes of an encoding, as UTF-8; big says of UTF-16 that the high byte comes first.
func encoded(word string, big bool, data []byte) (text []byte, ok bool) {
	switch word {
	case "utf8":
		return data, utf8.Valid(data)
	case "ascii":
		return data, !slices.ContainsFunc(data, func(b byte) bool { return b > 0x7f })
	case "latin1":
		text = []byte{}
		for _, b := range data {
			text = append(text, string(rune(b))...)
		}
		return text, true
	case "utf16":
		units := make([]uint16, len(data)/2)
		for i := range units {
			if units[i] = uint16(data[2*i]) | uint16(data[2*i+1])<<8; big {
				units[i] = uint16(data[2*i])<<8 | uint16(data[2*i+1])
			}
		}
		text = []byte(string(utf16.Decode(units)))
		return text, len(data)%2 == 0 && slices.Equal(utf16.Encode([]rune(string(text))), units)
	}
	panic("pktscope: internal error: slow: unknown encoding " + word)
}

// text reads one of the strings.
func (w *walk) text(f frame, v *schema.Value, t *schema.TextType) bool {
	start := w.bit // a string's length is before it and counts
	switch t.Kind {
	case schema.TextString:
		n, ok := w.counted(f.named("length"), 0, uint64(t.N-1))
		if !ok || !w.align(f) {
			return false
		}
		at := w.bit
		data, ok := w.raw(f, int(n))
		if !ok {
			return false
		}
		if bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) {
			return w.refuse(f, reject.BadString, start, w.bit-start)
		}
		return w.obeyText(f, v.Rule, start, at, data, data)
	case schema.TextWString:
		return w.wide(f, v.Rule, t)
	case schema.TextCString:
		if !w.align(f) {
			return false
		}
		return w.cstring(f, v.Rule, t)
	case schema.TextName:
		return w.align(f) && w.name(f)
	case schema.TextChar:
		if !w.align(f) {
			return false
		}
		start = w.bit
		data, ok := w.raw(f, t.N)
		if !ok {
			return false
		}
		text, padding, _ := bytes.Cut(data, []byte{0})
		if len(bytes.Trim(padding, "\x00")) > 0 {
			return w.refuse(f, reject.BadString, start, w.bit-start)
		}
		return w.obeyText(f, v.Rule, start, start, text, data)
	}
	panic(fmt.Sprintf("pktscope: internal error: slow: unknown text %d", t.Kind))
}

// obeyText holds a text against its rule and records it. The field began at start; data is at bit at.
func (w *walk) obeyText(f frame, rule *schema.Rule, start, at int, text, data []byte) bool {
	if rule != nil && rule.Kind == schema.RuleEncoding {
		if _, ok := encoded(rule.Encoding.String(), false, text); !ok {
			return w.refuse(f, reject.BadString, start, w.bit-start)
		}
		data, _ = encoded(rule.Encoding.String(), false, data)
	} else if brokenTextRule(rule, text) {
		return w.refuse(f, reject.ConstMismatch, start, w.bit-start)
	}
	w.readData(f, at, w.bit-at, data)
	return true
}

// brokenTextRule reports whether == or != does not hold.
func brokenTextRule(rule *schema.Rule, data []byte) bool {
	if rule == nil {
		return false
	}
	switch rule.Kind {
	case schema.RuleEq:
		return !bytes.Equal(data, rule.Bytes)
	case schema.RuleNe:
		return bytes.Equal(data, rule.Bytes)
	}
	panic(fmt.Sprintf("pktscope: internal error: slow: rule %d on bytes", rule.Kind))
}

// cstring reads up to the first NUL. Bytes that end before it are past-end: one more was needed. A NUL that is not
// among the first n bytes is no NUL.
func (w *walk) cstring(f frame, rule *schema.Rule, t *schema.TextType) bool {
	start := w.bit
	text := []byte{}
	for range t.N {
		if 8 > w.end-w.bit {
			return w.refuse(f, reject.PastEnd, start, 8*len(text)+8)
		}
		b, _ := w.take(f, 8)
		if b == 0 {
			return w.obeyText(f, rule, start, start, text, text)
		}
		text = append(text, byte(b))
	}
	return w.refuse(f, reject.BadString, start, w.bit-start)
}

// wide reads wstring(n): UTF-16 units in 32 bits each, aligned nowhere.
func (w *walk) wide(f frame, rule *schema.Rule, t *schema.TextType) bool {
	start := w.bit
	n, ok := w.counted(f.named("length"), 0, uint64(t.N-1))
	if !ok || !w.fits(f, 32*int(n)) {
		return false
	}
	at := w.bit
	var units []uint16
	bad := false
	for range n {
		u, _ := w.take(f, 32)
		bad = bad || u == 0 || u > 0xFFFF
		units = append(units, uint16(u))
	}
	if bad || unpaired(units) {
		return w.refuse(f, reject.BadString, start, w.bit-start)
	}
	data := []byte(string(utf16.Decode(units)))
	return w.obeyText(f, rule, start, at, data, data)
}

// unpaired reports a high surrogate without a low one after it, or a low one without a high one before it.
func unpaired(units []uint16) bool {
	for i := 0; i < len(units); i++ {
		switch u := units[i]; {
		case 0xD800 <= u && u <= 0xDBFF:
			if i++; i == len(units) || units[i] < 0xDC00 || units[i] > 0xDFFF {
				return true
			}
		case 0xDC00 <= u && u <= 0xDFFF:
			return true
		}
	}
	return false
}
