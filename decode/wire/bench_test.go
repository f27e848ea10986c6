package wire_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode/wire"
)

// The benchmarks read one datagram of fields of random widths per iteration: 1..64 bits ("any"), 1..16 bits
// ("small", what game packets mostly hold). ns/field is what to compare; MB/s follows from the widths.

var sink uint64

// randomWidths returns widths 1..most that fill a datagram of size bytes, and its bits.
func randomWidths(size, most int) (widths []int, total int) {
	for _, b := range noise(8 * size) {
		n := 1 + int(b)%most
		if total+n > 8*size {
			break
		}
		widths = append(widths, n)
		total += n
	}
	return widths, total
}

var benchShapes = []struct {
	name       string
	size, most int
}{
	{"any", 1200, 64},
	{"small", 1200, 16},
	{"tail", 9, 16}, // all but the first field are read off the fast path
}

// perField reports the time per field.
func perField(b *testing.B, fields int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(fields), "ns/field")
}

func BenchmarkLoad(b *testing.B) {
	loads := []func([]byte, int, int) uint64{wire.LoadLSB, wire.LoadMSB, wire.LoadBytewise}
	for o, load := range loads {
		for _, shape := range benchShapes {
			b.Run(orders[o].String()+"/"+shape.name, func(b *testing.B) {
				data := noise(shape.size)
				widths, total := randomWidths(shape.size, shape.most)
				b.SetBytes(int64(total / 8))
				b.ReportAllocs()
				for b.Loop() {
					bit := 0
					for _, n := range widths {
						sink ^= load(data, bit, n)
						bit += n
					}
				}
				perField(b, len(widths))
			})
		}
	}
}

// BenchmarkLoadDirect is LoadLSB called by name, as the interpreter does it.
func BenchmarkLoadDirect(b *testing.B) {
	data := noise(1200)
	widths, total := randomWidths(1200, 16)
	b.SetBytes(int64(total / 8))
	b.ReportAllocs()
	for b.Loop() {
		bit := 0
		var x uint64
		for _, n := range widths {
			x ^= wire.LoadLSB(data, bit, n)
			bit += n
		}
		sink ^= x
	}
	perField(b, len(widths))
}

func BenchmarkStore(b *testing.B) {
	for _, o := range orders {
		b.Run(o.String(), func(b *testing.B) {
			data := noise(1200)
			widths, total := randomWidths(1200, 64)
			b.SetBytes(int64(total / 8))
			b.ReportAllocs()
			for b.Loop() {
				bit := 0
				for _, n := range widths {
					o.Store(data, bit, n, 0x5DEECE66D5DEECE6&wire.Mask(n))
					bit += n
				}
			}
			perField(b, len(widths))
		})
	}
}
