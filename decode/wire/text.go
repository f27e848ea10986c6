package wire

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Text is the attacker's like everything else: a NUL inside cuts it short for one reader and not for the next, and
// bytes that are no UTF-8 are read differently by everybody. The rules are those of wire.md, "Alignment, bytes,
// strings".

// TextRule is a rule that text can break.
type TextRule uint8

// The rules, 0 for none.
const (
	TextAfterNUL    TextRule = iota + 1 // char(n): text after a NUL
	TextUTF8                            // not UTF-8
	TextNoNUL                           // a NUL inside
	TextEnd                             // cstring: no NUL among the bytes it may have
	TextASCII                           // a byte above 0x7F
	TextHalf                            // UTF-16 in bytes: half of a pair
	TextOdd                             // UTF-16 in bytes: half of a unit
	TextNameLabel                       // dnsname: 0x40..0xBF where a label or a pointer begins
	TextNameSize                        // dnsname: more than MaxName bytes
	TextNamePointer                     // dnsname: a pointer at its own labels, or at what follows
	TextNameHops                        // dnsname: more than MaxNamePointers pointers
	TextNameEnd                         // dnsname: labels after a pointer that do not end before the name
	TextUnit                            // wstring: a unit above 0xFFFF
	TextSurrogate                       // wstring: half of a pair
	TextNoZero                          // wstring: a zero unit inside
)

var textRules = [...]string{
	TextAfterNUL:  "nothing but NULs after a NUL",
	TextUTF8:      "UTF-8",
	TextNoNUL:     "no NUL inside",
	TextEnd:       "a NUL",
	TextASCII:     "ASCII",
	TextHalf:      "surrogates in pairs",
	TextOdd:       "an even number of bytes",
	TextUnit:      "a UTF-16 unit",
	TextSurrogate: "surrogates in pairs",
	TextNoZero:    "no NUL inside",

	TextNameLabel:   "a label of at most 63 bytes, or a pointer",
	TextNameSize:    "at most 255 bytes of labels",
	TextNamePointer: "a pointer at earlier labels",
	TextNameHops:    "at most 64 pointers",
	TextNameEnd:     "labels that end before the name",
}

// String is what a reader wants.
func (t TextRule) String() string { return textRules[t] }

// Wide reports whether the rule is about units of a wstring: TextFault.At counts units then, else bytes.
func (t TextRule) Wide() bool { return t >= TextUnit }

// Name reports whether the rule is about a dnsname: TextFault.At counts from the first byte of the datagram then.
func (t TextRule) Name() bool { return TextNameLabel <= t && t <= TextNameEnd }

// TextFault is how a text breaks a rule. The zero TextFault is a text that breaks none.
type TextFault struct {
	Rule TextRule
	At   int    // bytes, or units, from the start of the text
	Got  uint64 // the byte or unit there
}

// CharText is the text in the n bytes of a char(n): those before the first NUL, after which nothing else may be.
func CharText(data []byte) ([]byte, TextFault) {
	end := bytes.IndexByte(data, 0)
	if end < 0 {
		return data, TextFault{}
	}
	for i := end; i < len(data); i++ {
		if data[i] != 0 {
			return nil, TextFault{TextAfterNUL, i, uint64(data[i])}
		}
	}
	return data[:end], TextFault{}
}

// StringFault judges the bytes of a string(n): UTF-8 without a NUL.
func StringFault(data []byte) TextFault {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return TextFault{TextNoNUL, i, 0}
	}
	return UTF8Fault(data)
}

// UTF8Fault judges bytes that are to be UTF-8.
func UTF8Fault(data []byte) TextFault {
	if utf8.Valid(data) { // some bytes at a time
		return TextFault{}
	}
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return TextFault{TextUTF8, i, uint64(data[i])}
		}
		i += n
	}
	return TextFault{}
}

// ASCIIFault judges bytes that are to be ASCII.
func ASCIIFault(data []byte) TextFault {
	for i, c := range data {
		if c >= utf8.RuneSelf {
			return TextFault{TextASCII, i, uint64(c)}
		}
	}
	return TextFault{}
}

// UTF16Fault judges the size bytes from a bit on that are to be UTF-16.
func (o Order) UTF16Fault(data []byte, bit, size int, big bool) TextFault {
	high, u := false, uint64(0)
	for i := 0; i+1 < size; i += 2 {
		u = o.halves(data, bit+8*i, big)
		if low := u&0xfc00 == 0xdc00; low != high {
			return TextFault{TextHalf, i, u}
		}
		high = u&0xfc00 == 0xd800
	}
	switch {
	case high:
		return TextFault{TextHalf, size&^1 - 2, u}
	case size%2 != 0:
		return TextFault{TextOdd, size - 1, o.Load(data, bit+8*(size-1), 8)}
	}
	return TextFault{}
}

// halves is the UTF-16 unit in the two bytes at a bit.
func (o Order) halves(data []byte, bit int, big bool) uint64 {
	first, second := o.Load(data, bit, 8), o.Load(data, bit+8, 8)
	if big {
		return first<<8 | second
	}
	return second<<8 | first
}

// AppendUTF16 appends the size bytes of UTF-16 from a bit on as UTF-8, U+FFFD for what is none.
func (o Order) AppendUTF16(b, data []byte, bit, size int, big bool) []byte {
	for i := 0; i+1 < size; i += 2 {
		r := rune(o.halves(data, bit+8*i, big))
		if utf16.IsSurrogate(r) && i+3 < size {
			if pair := utf16.DecodeRune(r, rune(o.halves(data, bit+8*i+16, big))); pair != utf8.RuneError { // else half a pair, by itself
				i += 2
				r = pair
			}
		}
		b = utf8.AppendRune(b, r)
	}
	return b
}

// AppendLatin1 appends the size bytes of Latin-1 from a bit on as UTF-8.
func (o Order) AppendLatin1(b, data []byte, bit, size int) []byte {
	for i := range size {
		b = utf8.AppendRune(b, rune(o.Load(data, bit+8*i, 8)))
	}
	return b
}

// WideFault judges the size units of a wstring, 32 bits each, from a bit on. They are there.
func (o Order) WideFault(data []byte, bit, size int) TextFault {
	high, u := false, uint64(0)
	for i := range size {
		u = o.Load(data, bit+32*i, 32)
		low := 0xdc00 <= u && u <= 0xdfff
		switch {
		case u == 0:
			return TextFault{TextNoZero, i, u}
		case u > 0xffff:
			return TextFault{TextUnit, i, u}
		case low != high:
			return TextFault{TextSurrogate, i, u}
		}
		high = 0xd800 <= u && u <= 0xdbff
	}
	if high {
		return TextFault{TextSurrogate, size - 1, u}
	}
	return TextFault{}
}

// AppendWide appends the size units of a wstring from a bit on as UTF-8, U+FFFD for what is none.
func (o Order) AppendWide(b, data []byte, bit, size int) []byte {
	for i := 0; i < size; i++ {
		r := rune(o.Load(data, bit+32*i, 32))
		if utf16.IsSurrogate(r) && i+1 < size {
			if pair := utf16.DecodeRune(r, rune(o.Load(data, bit+32*(i+1), 32))); pair != utf8.RuneError { // else half a pair, by itself
				i++
				r = pair
			}
		}
		b = utf8.AppendRune(b, r)
	}
	return b
}

// WideUnit is the first character of a text in UTF-16: one unit, or two where low is not 0; size is its bytes. What is
// no UTF-8 becomes a unit that no reader takes.
func WideUnit(text []byte) (unit, low rune, size int) {
	unit, size = utf8.DecodeRune(text)
	if high, second := utf16.EncodeRune(unit); high != utf8.RuneError {
		return high, second, size
	}
	if unit == utf8.RuneError && size == 1 {
		unit = 0xd800
	}
	return unit, 0, size
}

// WideSize is how many UTF-16 units a text has.
func WideSize(text []byte) (n int) {
	for len(text) > 0 {
		_, low, size := WideUnit(text)
		if n++; low != 0 {
			n++
		}
		text = text[size:]
	}
	return n
}

// AppendBytes appends size bytes from a bit on, which lie at any bit in order bousk.
func (o Order) AppendBytes(b, data []byte, bit, size int) []byte {
	for i := range size {
		b = append(b, byte(o.Load(data, bit+8*i, 8)))
	}
	return b
}
