package selffuzz_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/protocols"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/selffuzz"
)

// What a Func is given when an engine starts: nothing, and too little.
func TestFuncsTakeAnything(t *testing.T) {
	n := 0
	for h := range selffuzz.Entries() {
		n++
		target := h.New()
		for _, data := range [][]byte{nil, {0}, {1}, {2}, {3, 1, 2, 3}, {0, 255}, {255, 255, 255}, bytes.Repeat([]byte{255}, 40), make([]byte, 40),
			selffuzz.EncodeMutation(1<<32-1, decode.Server, 1, 2, 3), selffuzz.EncodeEnumerated(fuzz.ClassCode, 1<<24-1, decode.Client), selffuzz.EncodeEnumerated(200, 1, decode.Client),
			selffuzz.EncodeOverridden(1<<16-1, decode.Client, selffuzz.Code{Field: 1<<16 - 1, Code: 1<<64 - 1}), selffuzz.EncodeSpliced(9, 8, 1<<16-1, decode.FromUnknown)} {
			if _, err := target(data); err != nil {
				t.Errorf("%s: %x: %v", h.Name, data, err)
			}
		}
	}
	if n < 15 {
		t.Errorf("%d entries", n)
	}
	if _, err := selffuzz.Decode("nosuch"); err == nil || err.Error() != `"nosuch" is no built-in protocol: want `+strings.Join(protocols.Names(), ", ") {
		t.Errorf("got %v", err)
	}
}

// The ways in which Decode's input breaks a packet are all taken: other packets come of them.
func TestDecodeModes(t *testing.T) {
	for _, protocol := range corpus.Protocols() {
		target, err := selffuzz.Decode(protocol)
		if err != nil {
			t.Fatal(err)
		}
		accepted, refused := 0, 0
		for i, seed := range corpus.Seeds(protocol) {
			if i%need.Rounds(1, 5) > 0 {
				continue // an input names a seed by its number
			}
			from := fuzz.Sender(seed.From)
			if interesting, err := target(selffuzz.EncodeSeed(seed.Data, from)); err != nil || !interesting {
				t.Errorf("%s %s: %v, %v", protocol, seed.Name, interesting, err)
			}
			data := bytes.Clone(seed.Data)
			data[0] ^= 0xFF
			interesting, err := target(selffuzz.EncodeRepaired(data, from))
			if err != nil || interesting != (protocol != "rtype") {
				t.Errorf("%s %s with another first byte, repaired: %v, %v", protocol, seed.Name, interesting, err)
			}
			// A seed with nothing overridden, or spliced with itself, is the seed.
			for _, same := range [][]byte{selffuzz.EncodeOverridden(uint16(i), from, selffuzz.Code{})[:5], selffuzz.EncodeSpliced(uint16(i), uint16(i), 3, from)} {
				if interesting, err := target(same); err != nil || !interesting {
					t.Errorf("%s %s: %x: %v, %v", protocol, seed.Name, same, interesting, err)
				}
			}
			for _, class := range fuzz.Classes() {
				if _, err := target(selffuzz.EncodeEnumerated(class, uint32(7*i), from)); err != nil {
					t.Errorf("%s %s: %v: %v", protocol, seed.Name, class, err)
				}
			}
			// The class is that of the input: of these none is accepted.
			if interesting, _ := target(selffuzz.EncodeEnumerated(fuzz.ClassCode, uint32(i), from)); interesting {
				t.Errorf("%s %s: a code that is not allowed is accepted", protocol, seed.Name)
			}
			for field := range uint16(64) {
				for _, code := range []uint64{0, 1, 1<<64 - 1} {
					interesting, err := target(selffuzz.EncodeOverridden(uint16(i), from, selffuzz.Code{Field: field, Code: code}))
					switch {
					case err != nil:
						t.Errorf("%s %s: field %d = %d: %v", protocol, seed.Name, field, code, err)
					case interesting:
						accepted++
					default:
						refused++
					}
				}
			}
		}
		if accepted == 0 || refused == 0 {
			t.Errorf("%s: %d accepted, %d refused of those with one field overridden", protocol, accepted, refused)
		}
	}
}

// What the engines found in the entries themselves.
func TestFoundEntry(t *testing.T) {
	record := append(bytes.Repeat([]byte{0xfa}, 24), 0xbd, 0x47)
	file := append([]byte{0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 147, 0, 0, 0}, 0, 0, 0, 0, 0, 0, 0, 0, 26, 0, 0, 0, 26, 0, 0, 0)
	for _, row := range []struct {
		name   string
		target selffuzz.Func
		data   []byte
	}{
		{"a run of one byte that is no UTF-8, then another such", selffuzz.Compressed, append([]byte{5, 0, 0}, append(file, record...)...)},
	} {
		if interesting, err := row.target(row.data); err != nil || !interesting {
			t.Errorf("%s: %v, %v", row.name, interesting, err)
		}
	}
}
