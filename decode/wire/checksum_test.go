package wire_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/wire"
)

// The check values are those that the catalogues of checksums give for "123456789".
func TestChecksums(t *testing.T) {
	known := map[string]uint32{"crc32": 0xCBF43926, "crc32c": 0xE3069283, "crc16_modbus": 0x4B37}
	text := "123456789"
	for i := range wire.Algorithms {
		a := &wire.Algorithms[i]
		want, ok := known[a.Name]
		if !ok {
			t.Errorf("%s: no known answer", a.Name)
		}
		if got, width := slow.Checksum(a.Name, []byte(text)); got != want || width != a.Width {
			t.Errorf("%s, a bit at a time: want %#x in %d bits, got %#x in %d", a.Name, want, a.Width, got, width)
		}
		for cut := range len(text) + 1 {
			if got := a.Update(a.Update(a.Empty(), []byte(text[:cut])), []byte(text[cut:])); got != want {
				t.Errorf("%s, in two parts of %d bytes and the rest: want %#x, got %#x", a.Name, cut, want, got)
			}
		}
		sum, size := wire.Checksum{Algorithm: a}, a.Width/8
		zeros := make([]byte, size)
		if got, want := sum.Sum([]byte("12\xff\xff\xff\xff789")[:2+size], 2), a.Update(a.Update(a.Empty(), []byte("12")), zeros); got != want {
			t.Errorf("%s: the field's own bytes count: want %#x, got %#x", a.Name, want, got)
		}
		if wire.AlgorithmNamed(a.Name) != a {
			t.Errorf("%s is not found by its name", a.Name)
		}
	}
	if wire.AlgorithmNamed("crc16") != nil {
		t.Error("crc16 is no algorithm, and was found")
	}
}
