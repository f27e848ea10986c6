package wire_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/wire"
)

// Every bit of every padding counts, the first one set is the one reported, and ones around the padding are not
// padding.
func TestFirstSet(t *testing.T) {
	for _, o := range orders {
		for _, to := range []int{1, 8, 32, 128, 256} {
			for bit := range 2 * to {
				end := (bit + to - 1) / to * to
				around := make([]byte, 64)
				for i := range 8 * len(around) {
					if i < bit || i >= end {
						slow.SetBit(o, around, i, 1)
					}
				}
				if set := o.FirstSet(around, bit, end-bit); set != -1 {
					t.Fatalf("%v: bits %d to %d, none set: want -1, got %d", o, bit, end, set)
				}
				for first := bit; first < end; first++ {
					for _, second := range []int{first, end - 1} {
						data := append([]byte(nil), around...)
						slow.SetBit(o, data, first, 1)
						slow.SetBit(o, data, second, 1)
						if set := o.FirstSet(data, bit, end-bit); set != first {
							t.Fatalf("%v: bits %d to %d, %d and %d set: want %d, got %d", o, bit, end, first, second, first, set)
						}
					}
				}
			}
		}
	}
}

func TestNothingAllocates(t *testing.T) {
	data, room := noise(64), make([]byte, 0, 256)
	q := wire.NewQuantized(-1, 1, 0.01)
	sum := &wire.Checksum{Algorithm: wire.AlgorithmNamed("crc32")}
	if n := testing.AllocsPerRun(100, func() {
		for _, o := range orders {
			o.Store(data, 3, 57, o.Load(data, 64, 57))
			sink += uint64(o.FirstSet(data, 5, 300)) + uint64(q.Code(q.Value(7)))
			o.WideFault(data, 1, 3)
			room = o.AppendWide(o.AppendBytes(room[:0], data, 1, 9), data, 3, 4)
		}
		wire.StringFault(data)
		sink += uint64(sum.Sum(data, 4))
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
