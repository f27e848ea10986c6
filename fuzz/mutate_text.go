package fuzz

import (
	"bytes"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// badUTF8 are the ways in which bytes are no UTF-8.
var badUTF8 = []struct{ bytes, done string }{
	{"\x80", "a continuation byte alone"},
	{"\xc0\x80", "an overlong NUL"},
	{"\xc1\xbf", "an overlong letter"},
	{"\xe0\x80\xaf", "an overlong slash in three bytes"},
	{"\xf0\x80\x80\xaf", "an overlong slash in four bytes"},
	{"\xed\xa0\x80", "a surrogate"},
	{"\xf4\x90\x80\x80", "a character above U+10FFFF"},
	{"\xf8\x88\x80\x80\x80", "a lead byte of five"},
	{"\xe2\x82", "a character cut short"},
	{"\xff", "a byte that never occurs"},
}

// blob breaks the rules of text and constants.
func (r *mutating) blob(ev *decode.Event, path string) bool {
	s := &r.trace.Records[ev.Record]
	b, size := r.plan.StepAt(s.Point).(*plan.Blob), int(s.N)
	order := b.Order
	if r.mute || size == 0 {
		return true
	}
	at := ev.Bit
	want := refused(reject.BadString, path, at, ev.Width)
	set := func(done string, offset int, text string, want oracle.Expectation) bool {
		data := r.copyPacket()
		for i := range len(text) {
			order.Store(data, at+8*(offset+i), 8, uint64(text[i]))
		}
		return r.give(classText, data, path, done, at+8*offset, 0, want)
	}
	constant := b.Rule != nil && (b.Rule.Kind == schema.RuleEq || b.Rule.Kind == schema.RuleNe)
	if constant && b.Text != 0 && b.Rule.Kind == schema.RuleEq {
		for _, i := range []int{0, size - 1} { // letters stay letters
			data, place := r.copyPacket(), at+b.Unit()*i
			order.Store(data, place, b.Unit(), order.Load(data, place, b.Unit())^1)
			if !r.give(classText, data, path, "another letter", place, 0, oracle.Expectation{}) {
				return false
			}
		}
	}
	if constant && b.Unit() == 8 && b.Rule.Kind == schema.RuleNe && len(b.Rule.Bytes) <= size {
		// Of char(n) NULs fill the rest; of what has another size this is another text.
		text := string(b.Rule.Bytes) + strings.Repeat("\x00", size-len(b.Rule.Bytes))
		if !set("what it may not be", 0, text, oracle.Expectation{}) {
			return false
		}
	}
	switch {
	case constant && b.Text == 0 && b.Rule.Kind == schema.RuleEq:
		return r.flips(classText, path, at, ev.Width, order, refused(reject.ConstMismatch, path, at, ev.Width))
	case b.Text == schema.TextWString:
		return r.wide(ev, path, order, size)
	case b.Text == schema.TextName:
		return r.name(ev, path, order)
	case b.Text == schema.TextCString:
		if !set("no NUL at the end", size, "x", oracle.Expectation{}) || !r.endless(ev, path, b.Max) {
			return false
		}
	case b.Text == schema.TextChar:
		if size >= 2 && !set("text behind a NUL", 0, "\x00x", want) {
			return false
		}
		if b.Rule == nil {
			// All that a byte can be is text here, control sequences included: nothing for a decoder to refuse.
			text := []byte("\x1b[2J\xff\xfe")
			for len(text) < size {
				text = append(text, 0)
			}
			return set("a control sequence", 0, string(text[:size]), accepted)
		}
	case b.Text == schema.TextString:
		want = refused(reject.BadString, path, r.length, at+ev.Width-r.length)
		for _, offset := range []int{0, size / 2, size - 1} {
			if !set("a NUL inside", offset, "\x00", want) {
				return false
			}
		}
	}
	if b.Encoding == wire.EncodingASCII {
		for _, offset := range []int{0, size / 2, size - 1} {
			for _, c := range []string{"\x80", "\xff"} {
				if !set("a byte above 0x7F", offset, c, want) {
					return false
				}
			}
		}
	}
	if b.Encoding.Unit() == 2 {
		return r.halves(ev, b, path, size)
	}
	if b.Encoding == wire.EncodingLatin1 && b.Text != schema.TextChar {
		return set("a byte of no ASCII", size-1, "\xff", accepted) && set("a control character", 0, "\x80", accepted)
	}
	utf8 := b.Text == schema.TextString || b.Encoding == wire.EncodingUTF8
	for _, bad := range badUTF8 {
		if !utf8 || len(bad.bytes) > size {
			continue
		}
		if b.Text == schema.TextChar {
			// The rest of the field stays as it is, so that a NUL there ends the text as before.
			if size > len(bad.bytes) && !set(bad.done, 0, bad.bytes, oracle.Expectation{}) {
				return false
			}
			continue
		}
		// A neighbour that is no ASCII may make it whole: the byte after it at the start, the one before it at the
		// end.
		end := size - len(bad.bytes)
		ascii := func(offset int) bool { return order.Load(r.packet, at+8*offset, 8) < 0x80 }
		head, tail := want, want
		if end > 0 && !ascii(len(bad.bytes)) {
			head = oracle.Expectation{}
		}
		if end > 0 && !ascii(end-1) {
			tail = oracle.Expectation{}
		}
		if !set(bad.done, 0, bad.bytes, head) || end > 0 && !set(bad.done, end, bad.bytes, tail) {
			return false
		}
	}
	return true
}

// endless writes as many bytes as a cstring may have and no NUL, whatever it has to be.
func (r *mutating) endless(ev *decode.Event, path string, most int) bool {
	return r.retext(ev, path, bytes.Repeat([]byte("x"), most), "no NUL among as many bytes as there may be")
}

// retext writes the packet anew with other bytes for the text of an event.
func (r *mutating) retext(ev *decode.Event, path string, text []byte, done string) bool {
	at := r.trace.Records[ev.Record].Point
	r.over = append(r.over[:0], decode.Override{Point: at, Leaf: -1, Nth: r.nth(ev), Bytes: text})
	data, err := r.broken.AppendOverridden(r.buf[:0], decode.Replay(&r.trace), r.from, r.over)
	if err != nil {
		return true // too long for a datagram
	}
	r.buf = data
	return r.giveAsIs(classText, data, path, done, ev.Bit, 0, oracle.Expectation{})
}

// halves puts into UTF-16 in bytes what is none: half of a pair, and half of a unit where nothing else knows its size.
func (r *mutating) halves(ev *decode.Event, b *plan.Blob, path string, size int) bool {
	want := refused(reject.BadString, path, ev.Bit, ev.Width)
	for _, bad := range []struct {
		unit string // the high byte first
		done string
	}{{"\xd8\x00", "half of a pair"}, {"\xdb\xff", "half of a pair"}, {"\xdc\x00", "the other half of a pair"}} {
		for _, i := range []int{0, size - 2} {
			data, first, second := r.copyPacket(), uint64(bad.unit[0]), uint64(bad.unit[1])
			if b.Encoding == wire.EncodingUTF16LE {
				first, second = second, first
			}
			b.Order.Store(data, ev.Bit+8*i, 8, first)
			b.Order.Store(data, ev.Bit+8*i+8, 8, second)
			want := want
			if bad.unit[0] != 0xdc && i+2 < size || bad.unit[0] == 0xdc && i > 0 {
				want = oracle.Expectation{} // its neighbour may make it whole
			}
			if !r.give(classText, data, path, bad.done, ev.Bit+8*i, 0, want) {
				return false
			}
		}
	}
	if !b.Rest {
		return true
	}
	at := r.trace.Records[ev.Record].Point
	raw := b.Order.AppendBytes(nil, r.packet, ev.Bit, size-1)
	r.over = append(r.over[:0], decode.Override{Point: at, Leaf: -1, Nth: r.nth(ev), Bytes: raw})
	data, err := r.broken.AppendOverridden(r.buf[:0], decode.Replay(&r.trace), r.from, r.over)
	if err != nil {
		return true // something else says how long the packet is
	}
	r.buf = data
	return r.giveAsIs(classText, data, path, "half of a unit", ev.Bit, 0, oracle.Expectation{})
}

// wide puts into a wstring what is no UTF-16.
func (r *mutating) wide(ev *decode.Event, path string, order wire.Order, size int) bool {
	want := refused(reject.BadString, path, r.length, ev.Bit+ev.Width-r.length)
	for _, bad := range []struct {
		unit uint64
		done string
	}{
		{0, "a NUL inside"}, {0x10041, "a unit above 0xFFFF"}, {0xffffffff, "all ones"}, {0xd800, "half of a pair"},
		{0xdc00, "the other half of a pair"},
	} {
		for _, i := range []int{0, size - 1} {
			data := r.copyPacket()
			order.Store(data, ev.Bit+32*i, 32, bad.unit)
			want := want
			if bad.unit == 0xd800 && i+1 < size || bad.unit == 0xdc00 && i > 0 {
				want = oracle.Expectation{} // its neighbour may make it whole
			}
			if !r.give(classText, data, path, bad.done, ev.Bit+32*i, bad.unit, want) {
				return false
			}
		}
	}
	return true
}
