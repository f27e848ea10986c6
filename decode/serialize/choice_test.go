package serialize_test

import (
	"encoding/binary"
	"math"
	"math/bits"
	"testing"

	"github.com/pktscope/pktscope/decode/serialize"
)

// The ways of giving one function two directions, measured before one was chosen (the result is at serialize.Stream):
// the same reading over an interface, over a type parameter, by generated code, and by one concrete type. The readers
// here check and name as the Stream does, so what differs is how a field reaches them.

// fields is what choose97 needs.
type fields interface {
	integer(name string, v *int32, lo, hi int32)
	bits(name string, v *uint32, n int)
	bits64(name string, v *uint64)
	int64(name string, v *int64)
	boolean(name string, v *bool)
	float32(name string, v *float32)
	float64(name string, v *float64)
	quantized(name string, v *float32, q *quant97)
}

type quant97 struct {
	lo, delta float32
	steps     uint32
	n         int
}

// onlyReader reads; a writer of its own would be beside it.
type onlyReader struct {
	data   []byte
	bit    int
	failed string
}

func (o *onlyReader) take(name string, n int, span uint64) uint64 {
	i, at := uint(o.bit)/8, uint(o.bit)%8
	if i+9 <= uint(len(o.data)) {
		d := o.data[i : i+9]
		if code := (binary.LittleEndian.Uint64(d)>>at | uint64(d[8])<<1<<(63-at)) & (^uint64(0) >> uint(64-n)); code <= span {
			o.bit += n
			return code
		}
	} else if o.bit+n <= 8*len(o.data) {
		if code := loadTail(o.data, uint(o.bit), uint(n)); code <= span {
			o.bit += n
			return code
		}
	}
	if o.failed == "" {
		o.failed, o.data = name, nil
	}
	return 0
}

func (o *onlyReader) integer(name string, v *int32, lo, hi int32) {
	span := uint32(hi - lo)
	*v = lo + int32(o.take(name, bits.Len32(span), uint64(span)))
}
func (o *onlyReader) bits(name string, v *uint32, n int) {
	*v = uint32(o.take(name, n, math.MaxUint64))
}
func (o *onlyReader) bits64(name string, v *uint64) { *v = o.take(name, 64, math.MaxUint64) }
func (o *onlyReader) int64(name string, v *int64)   { *v = int64(o.take(name, 64, math.MaxUint64)) }
func (o *onlyReader) boolean(name string, v *bool)  { *v = o.take(name, 1, 1) != 0 }
func (o *onlyReader) float32(name string, v *float32) {
	*v = math.Float32frombits(uint32(o.take(name, 32, math.MaxUint32)))
}
func (o *onlyReader) float64(name string, v *float64) {
	*v = math.Float64frombits(o.take(name, 64, math.MaxUint64))
}
func (o *onlyReader) quantized(name string, v *float32, q *quant97) {
	code := o.take(name, q.n, uint64(q.steps))
	*v = float32(float32(float32(code)/float32(q.steps))*q.delta) + q.lo
}

var q97 = [...]quant97{{0, 30, 60, 6}, {0, 10, 500, 9}, {-100, 200, 800, 10}, {-2, 4, 16, 5}}

func BenchmarkChoice(b *testing.B) {
	packets := flat97Packets(b)
	var p flat97
	run := func(name string, read func(data []byte) bool) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(flat97Size)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if !read(packets[i%len(packets)]) {
					b.Fatal("refused")
				}
			}
		})
	}
	var s serialize.Stream
	run("concrete", func(data []byte) bool { return s.Read(0, data, &p) == nil })
	var r onlyReader
	var dispatched fields = &r
	run("interface", func(data []byte) bool {
		r = onlyReader{data: data}
		choose97(dispatched, &p)
		return r.failed == ""
	})
	run("generic", func(data []byte) bool {
		r = onlyReader{data: data}
		choose97(&r, &p)
		return r.failed == ""
	})
	run("generated", func(data []byte) bool { return p.readStraight(data) })
}
