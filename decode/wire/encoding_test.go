package wire_test

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode/wire"
)

var allEncodings = []wire.Encoding{wire.EncodingUTF8, wire.EncodingASCII, wire.EncodingLatin1, wire.EncodingUTF16LE, wire.EncodingUTF16BE}

// Bytes that an encoding has come back from their UTF-8, at any bit in any order; those that it has not are found by
// the library's decoders, too.
func TestEncodingsBack(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 1))
	for range 20000 {
		data := make([]byte, random.IntN(9))
		for i := range data {
			data[i] = byte(random.Uint32())
			if random.IntN(3) > 0 { // what surrogates and letters are made of
				data[i] = []byte{0xd8, 0xdc, 0xdb, 0xdf, 0, 'a', 0xc3, 0xa9, 0xe2, 0x82, 0xac}[random.IntN(11)]
			}
		}
		for _, e := range allEncodings {
			good := true
			switch e {
			case wire.EncodingUTF8:
				good = utf8.Valid(data)
			case wire.EncodingASCII:
				good = bytes.IndexFunc(data, func(r rune) bool { return r > 0x7f }) < 0
			case wire.EncodingUTF16LE, wire.EncodingUTF16BE:
				var units []uint16
				for i := 0; i+1 < len(data); i += 2 {
					u := uint16(data[i]) | uint16(data[i+1])<<8
					if e == wire.EncodingUTF16BE {
						u = u<<8 | u>>8
					}
					units = append(units, u)
				}
				again := utf16.Encode(utf16.Decode(units))
				good = len(data)%2 == 0 && len(again) == len(units)
				for i := range again {
					good = good && again[i] == units[i]
				}
			}
			fault := e.Fault(data)
			if (fault.Rule == 0) != good || fault.At > len(data) {
				t.Fatalf("%v of %x: %+v", e, data, fault)
			}
			if !good {
				continue
			}
			for _, o := range []wire.Order{wire.LSB, wire.MSB, wire.Bytewise} {
				at := random.IntN(8)
				packet := make([]byte, len(data)+8)
				for i, c := range data {
					o.Store(packet, at+8*i, 8, uint64(c))
				}
				text := e.AppendText(nil, o, packet, at, len(data))
				got, lacks := e.Append(nil, text)
				if !utf8.Valid(text) || lacks >= 0 || !bytes.Equal(got, data) || e.Size(text) != len(data) || !e.Has(string(text)) {
					t.Fatalf("%v of %x in order %v: %q, back %x, lacks %d, size %d", e, data, o, text, got, lacks, e.Size(text))
				}
			}
		}
	}
}

// What an encoding lacks has a place, counted in characters.
func TestEncodingLacks(t *testing.T) {
	for _, row := range []struct {
		e     wire.Encoding
		text  string
		lacks int
	}{
		{wire.EncodingLatin1, "é€", 1}, {wire.EncodingLatin1, "éÿ", -1}, {wire.EncodingLatin1, "a\xff", 1},
		{wire.EncodingUTF16LE, "é🚀", -1}, {wire.EncodingUTF16BE, "é🚀\xf0\x9f", 2}, {wire.EncodingUTF16BE, "\xed\xa0\x80", 0},
	} {
		if _, lacks := row.e.Append(nil, []byte(row.text)); lacks != row.lacks {
			t.Errorf("%v of %q: want %d, got %d", row.e, row.text, row.lacks, lacks)
		}
	}
}

// Where a text breaks a rule is a byte of it.
func TestEncodingFaults(t *testing.T) {
	for _, row := range []struct {
		e    wire.Encoding
		data string
		want wire.TextFault
	}{
		{wire.EncodingUTF8, "aé\xc3", wire.TextFault{Rule: wire.TextUTF8, At: 3, Got: 0xc3}},
		{wire.EncodingASCII, "ab\x80", wire.TextFault{Rule: wire.TextASCII, At: 2, Got: 0x80}},
		{wire.EncodingUTF16BE, "\x00a\xd8\x3d\x00a", wire.TextFault{Rule: wire.TextHalf, At: 4, Got: 'a'}},
		{wire.EncodingUTF16BE, "\x00a\xd8\x3d", wire.TextFault{Rule: wire.TextHalf, At: 2, Got: 0xd83d}},
		{wire.EncodingUTF16LE, "\x00\xde", wire.TextFault{Rule: wire.TextHalf, At: 0, Got: 0xde00}},
		{wire.EncodingUTF16LE, "a\x00b", wire.TextFault{Rule: wire.TextOdd, At: 2, Got: 'b'}},
		{wire.EncodingLatin1, "\x80\x00\xff", wire.TextFault{}},
	} {
		if got := row.e.Fault([]byte(row.data)); got != row.want {
			t.Errorf("%v of %q: want %+v, got %+v", row.e, row.data, row.want, got)
		}
	}
}
