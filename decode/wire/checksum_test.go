package wire_test

import (
	"hash/adler32"
	"hash/crc32"
	"hash/crc64"
	"math/bits"
	"testing"

	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/wire"
)

// The check values are those that the catalogues of checksums give for "123456789".
func TestChecksums(t *testing.T) {
	text := []byte("123456789")
	for i := range wire.Algorithms {
		a := &wire.Algorithms[i]
		if got, width := slow.Checksum(a.Name, text); got != a.Check || width != a.Width {
			t.Errorf("%s, a bit at a time: want %#x in %d bits, got %#x in %d", a.Name, a.Check, a.Width, got, width)
		}
		c := a.Summer()
		for cut := range len(text) + 1 {
			if got := c.End(c.Bytes(c.Bytes(c.Begin(), text[:cut]), text[cut:])); got != a.Check {
				t.Errorf("%s, in two parts of %d bytes and the rest: want %#x, got %#x", a.Name, cut, a.Check, got)
			}
		}
		if got := c.End(wire.SumValue(c, wire.SumValue(c, c.Byte(c.Begin(), '1'), 0x32333435, 4, true), 0x39383736, 4, false)); got != a.Check {
			t.Errorf("%s, of values: want %#x, got %#x", a.Name, a.Check, got)
		}
		if wire.AlgorithmNamed(a.Name) != a {
			t.Errorf("%s is not found by its name", a.Name)
		}
	}
	if wire.AlgorithmNamed("crc16") != nil {
		t.Error("crc16 is no algorithm, and was found")
	}
}

// Long data of all kinds, in parts of all lengths: both engines, and the library's.
func TestChecksumsOfLongData(t *testing.T) {
	data := make([]byte, 9001)
	x := uint32(1)
	for i := range data {
		x = x*1664525 + 1013904223
		data[i] = byte(x >> 24)
	}
	for i := range 300 {
		data[4000+i] = 0xFF // the sums are at their largest
	}
	for i := range wire.Algorithms {
		a := &wire.Algorithms[i]
		c := a.Summer()
		for _, n := range []int{0, 1, 2, 3, 254, 255, 256, 257, 4095, 4096, 4097, 9001} {
			want, _ := slow.Checksum(a.Name, data[:n])
			s := c.Begin()
			for at := 0; at < n; {
				step := min(1+at%37, n-at)
				s = c.Bytes(s, data[at:at+step])
				at += step
			}
			if got := c.End(s); got != want {
				t.Errorf("%s of %d bytes in parts: want %#x, got %#x", a.Name, n, want, got)
			}
			if got := c.End(c.Bytes(c.Begin(), data[:n])); got != want {
				t.Errorf("%s of %d bytes: want %#x, got %#x", a.Name, n, want, got)
			}
		}
	}
	for name, want := range map[string]uint64{
		"adler32": uint64(adler32.Checksum(data)), "crc32": uint64(crc32.ChecksumIEEE(data)),
		"crc64_xz": crc64.Checksum(data, crc64.MakeTable(crc64.ECMA)), "crc64_go_iso": crc64.Checksum(data, crc64.MakeTable(crc64.ISO)),
	} {
		c := wire.AlgorithmNamed(name).Summer()
		if got := c.End(c.Bytes(c.Begin(), data)); got != want {
			t.Errorf("%s: the library has %#x, got %#x", name, want, got)
		}
	}
}

// Of a CRC whose bits come in one way and go out the other, the register is turned at the end.
func TestChecksumTurnedOneWay(t *testing.T) {
	text := []byte("123456789")
	for i := range wire.Algorithms {
		a := &wire.Algorithms[i]
		if a.Polynomial == 0 {
			continue
		}
		c := wire.NewCRC(a.Width, a.Polynomial, a.Initial, a.RefIn, !a.RefOut, 0)
		want := bits.Reverse64(a.Check^a.Final) >> (64 - a.Width)
		if got := c.End(c.Bytes(c.Begin(), text)); got != want {
			t.Errorf("%s: want %#x, got %#x", a.Name, want, got)
		}
	}
}

// The field's own bytes count as zeros, wherever they are.
func TestSumCovered(t *testing.T) {
	data := []byte("12\xff\xff\xff\xff\xff\xff\xff\xff789")
	for i := range wire.Algorithms {
		a := &wire.Algorithms[i]
		c, size := a.Summer(), a.Width/8
		for from := range len(data) {
			for to := from; to <= len(data); to++ {
				for at := range len(data) - size + 1 {
					if at < to && at+size > from && (at < from || at+size > to) {
						continue // half inside: no schema has it
					}
					zeroed := append([]byte(nil), data...)
					clear(zeroed[at : at+size])
					want, _ := slow.Checksum(a.Name, zeroed[from:to])
					if got := c.End(wire.SumCovered(c, c.Begin(), data, from, to, at, size)); got != want {
						t.Fatalf("%s of %d..%d at %d: want %#x, got %#x", a.Name, from, to, at, want, got)
					}
				}
			}
		}
	}
}

// No checksum of RFC 1071 tells 0 from 0xFFFF; all others do.
func TestSame(t *testing.T) {
	for i := range wire.Algorithms {
		a := &wire.Algorithms[i]
		c := a.Summer()
		if !c.Same(5, 5) || c.Same(5, 6) || c.Same(0, wire.Mask(a.Width)) != (a.Name == "inet16") || c.Same(0, wire.Mask(a.Width)-1) {
			t.Errorf("%s: Same is wrong", a.Name)
		}
	}
}

func TestSummersAllocateNothing(t *testing.T) {
	data := make([]byte, 1200)
	for i := range wire.Algorithms {
		c := wire.Algorithms[i].Summer()
		if n := testing.AllocsPerRun(10, func() { c.End(wire.SumCovered(c, c.Begin(), data, 0, len(data), 8, 4)) }); n != 0 {
			t.Errorf("%s: %g allocations", wire.Algorithms[i].Name, n)
		}
	}
}

func BenchmarkChecksums(b *testing.B) {
	data := make([]byte, 1200)
	for i := range wire.Algorithms {
		a := &wire.Algorithms[i]
		b.Run(a.Name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			c := a.Summer()
			for b.Loop() {
				c.End(c.Bytes(c.Begin(), data))
			}
		})
	}
}
