package wire

import (
	"unicode/utf8"
)

// Encoding is how the bytes of a text stand for characters: a rule after bytes(e), char(n) and cstring(n).
type Encoding uint8

// The encodings. UTF-16 is in one of two byte orders.
const (
	EncodingNone Encoding = iota // any bytes
	EncodingUTF8
	EncodingASCII
	EncodingLatin1 // ISO 8859-1: a byte is the character of its number
	EncodingUTF16LE
	EncodingUTF16BE
)

// encodings have the word of the language, the name that people know, the bytes of a unit, and whether the bytes of a
// text differ from its UTF-8.
var encodings = [...]struct {
	word, name string
	unit       int
	converts   bool
}{
	EncodingNone:    {"", "bytes", 1, false},
	EncodingUTF8:    {"utf8", "UTF-8", 1, false},
	EncodingASCII:   {"ascii", "ASCII", 1, false},
	EncodingLatin1:  {"latin1", "Latin-1", 1, true},
	EncodingUTF16LE: {"utf16", "UTF-16", 2, true},
	EncodingUTF16BE: {"utf16", "UTF-16", 2, true},
}

// EncodingOf is the encoding of a word of the language, of UTF-16 the little-endian one; EncodingNone of any other
// word.
func EncodingOf(word string) Encoding {
	for e := EncodingUTF8; e <= EncodingUTF16LE; e++ {
		if encodings[e].word == word {
			return e
		}
	}
	return EncodingNone
}

// String is the word of the language.
func (e Encoding) String() string { return encodings[e].word }

// Name is what people call it: UTF-8.
func (e Encoding) Name() string { return encodings[e].name }

// Unit is the bytes of a unit: 2 of UTF-16, else 1.
func (e Encoding) Unit() int { return encodings[e].unit }

// Converts reports whether a text has other bytes than as UTF-8.
func (e Encoding) Converts() bool { return encodings[e].converts }

// Refuses reports whether there are bytes that are no text: not in Latin-1.
func (e Encoding) Refuses() bool { return e != EncodingNone && e != EncodingLatin1 }

// Fault judges the bytes of a text.
func (e Encoding) Fault(data []byte) TextFault {
	switch e {
	case EncodingUTF8:
		return UTF8Fault(data)
	case EncodingASCII:
		return ASCIIFault(data)
	case EncodingUTF16LE, EncodingUTF16BE:
		return MSB.UTF16Fault(data, 0, len(data), e == EncodingUTF16BE)
	}
	return TextFault{}
}

// AppendText appends the size bytes from a bit on as UTF-8.
func (e Encoding) AppendText(b []byte, o Order, data []byte, bit, size int) []byte {
	switch e {
	case EncodingLatin1:
		return o.AppendLatin1(b, data, bit, size)
	case EncodingUTF16LE, EncodingUTF16BE:
		return o.AppendUTF16(b, data, bit, size, e == EncodingUTF16BE)
	}
	return o.AppendBytes(b, data, bit, size)
}

// Size is how many bytes a text has that is given as UTF-8.
func (e Encoding) Size(text []byte) int {
	switch e {
	case EncodingLatin1:
		return utf8.RuneCount(text)
	case EncodingUTF16LE, EncodingUTF16BE:
		return 2 * WideSize(text)
	}
	return len(text)
}

// Has reports whether a text has only characters that there are in the encoding.
func (e Encoding) Has(text string) bool {
	for _, r := range text {
		if e == EncodingASCII && r >= utf8.RuneSelf || e == EncodingLatin1 && r > 0xff {
			return false
		}
	}
	return true
}

// Append appends the bytes of a text that is given as UTF-8. lacks is the place of the first character that the
// encoding has not, counted in characters, -1 where it has them all.
func (e Encoding) Append(b, text []byte) (out []byte, lacks int) {
	if !e.Converts() {
		return append(b, text...), -1
	}
	lacks = -1
	for n := 0; len(text) > 0; n++ {
		r, size := utf8.DecodeRune(text)
		if lacks < 0 && (r == utf8.RuneError && size == 1 || e == EncodingLatin1 && r > 0xff) {
			lacks = n
		}
		if e == EncodingLatin1 {
			b = append(b, byte(r))
		} else {
			unit, low, _ := WideUnit(text)
			b = appendUnit(b, unit, e)
			if low != 0 {
				b = appendUnit(b, low, e)
			}
		}
		text = text[size:]
	}
	return b, lacks
}

func appendUnit(b []byte, unit rune, e Encoding) []byte {
	if e == EncodingUTF16BE {
		return append(b, byte(unit>>8), byte(unit))
	}
	return append(b, byte(unit), byte(unit>>8))
}
