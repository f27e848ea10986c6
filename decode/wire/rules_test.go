package wire_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/pktscope/pktscope/decode/wire"
)

func TestVarint(t *testing.T) {
	rows := []struct {
		bytes          []byte
		n              int
		code           uint64
		over, overlong bool
		read           int // bytes
	}{
		{[]byte{0x00}, 7, 0, false, false, 1},
		{[]byte{0x7f}, 7, 127, false, false, 1},
		{[]byte{0x80, 0x01}, 7, 0, true, false, 1}, // a second group would hold bits past 7
		{[]byte{0x80, 0x01}, 8, 128, false, false, 2},
		{[]byte{0x80, 0x02}, 8, 256, true, false, 2},
		{[]byte{0x81, 0x00}, 8, 1, false, true, 2},
		{[]byte{0x80, 0x80, 0x00}, 21, 0, false, true, 3},
		{[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, 64, math.MaxUint64, false, false, 10},
		{[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}, 64, math.MaxUint64, true, false, 10},
		{[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81}, 64, math.MaxUint64, true, false, 10},
		{[]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, 64, 1 << 63, false, false, 10},
		{[]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02}, 64, math.MaxUint64, true, false, 10},
		{[]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, 64, 0, false, true, 10},
	}
	for _, row := range rows {
		var v wire.Varint
		read := 0
		for more := true; more; read++ {
			more = v.Add(uint64(row.bytes[read]), row.n)
		}
		if v.Code != row.code || v.Over != row.over || v.Overlong != row.overlong || read != row.read {
			t.Errorf("% x of %d bits: want %d, over %v, overlong %v after %d bytes, got %d, %v, %v after %d",
				row.bytes, row.n, row.code, row.over, row.overlong, row.read, v.Code, v.Over, v.Overlong, read)
		}
	}
	for _, code := range []uint64{0, 1, 127, 128, 1<<63 - 1, 1 << 63, math.MaxUint64} {
		if got, want := wire.VarintBytes(code), len(binary.AppendUvarint(nil, code)); got != want {
			t.Errorf("%d: want %d bytes, got %d", code, want, got)
		}
		if got := wire.ZigZag(wire.UnZigZag(code)); got != code {
			t.Errorf("zigzag %d: got %d back", code, got)
		}
	}
}

// The rungs of a ladder follow each other without a gap, and each step has one.
func TestLadders(t *testing.T) {
	for _, ladder := range []*[wire.Rungs]wire.Rung{&wire.RelativeLadder, &wire.IndexLadder} {
		next := uint64(1)
		for i, r := range ladder {
			if r.Lo != next || r.Hi < r.Lo || r.Hi-r.Lo > wire.Mask(r.Width()) {
				t.Errorf("rung %d is %d..%d in %d bits, the one before ends at %d", i, r.Lo, r.Hi, r.Width(), next-1)
			}
			next = r.Hi + 1
		}
	}
	if last := wire.IndexLadder[wire.Rungs-1].Hi; last+1 != wire.IndexLast {
		t.Errorf("the last rung of indexes begins at %d, the one before ends at %d", wire.IndexLast, last)
	}
	for _, row := range []struct {
		most, span uint64
		ok         bool
	}{{0, 0, false}, {124, 0, false}, {125, 0, true}, {126, 1, true}, {1000, 875, true}} {
		if span, ok := wire.IndexSpan(row.most); ok != row.ok || ok && span != row.span {
			t.Errorf("a list of %d: want a span of %d, %v, got %d, %v", row.most+1, row.span, row.ok, span, ok)
		}
	}
}

func TestText(t *testing.T) {
	rows := []struct {
		name string
		got  wire.TextFault
		want wire.TextFault
	}{
		{"char, full", second(wire.CharText([]byte("ab\xff"))), wire.TextFault{}},
		{"char, NULs after", second(wire.CharText([]byte("a\x00\x00"))), wire.TextFault{}},
		{"char, text after a NUL", second(wire.CharText([]byte("a\x00\x00b"))), wire.TextFault{Rule: wire.TextAfterNUL, At: 3, Got: 'b'}},
		{"string", wire.StringFault([]byte("gr\u00fc\u00dfe")), wire.TextFault{}},
		{"string, NUL", wire.StringFault([]byte("a\x00b")), wire.TextFault{Rule: wire.TextNoNUL, At: 1}},
		{"string, NUL before bad UTF-8", wire.StringFault([]byte("\xff\x00")), wire.TextFault{Rule: wire.TextNoNUL, At: 1}},
		{"string, half a rune", wire.StringFault([]byte("a\xc3")), wire.TextFault{Rule: wire.TextUTF8, At: 1, Got: 0xc3}},
		{"UTF-8 with a real U+FFFD", wire.UTF8Fault([]byte("\ufffd")), wire.TextFault{}},
		{"wide", wide('a', 0xd83d, 0xde00), wire.TextFault{}},
		{"wide, nothing", wide(), wire.TextFault{}},
		{"wide, zero", wide('a', 0), wire.TextFault{Rule: wire.TextNoZero, At: 1}},
		{"wide, above a unit", wide(0x10000), wire.TextFault{Rule: wire.TextUnit, Got: 0x10000}},
		{"wide, low half first", wide(0xde00), wire.TextFault{Rule: wire.TextSurrogate, Got: 0xde00}},
		{"wide, two high halves", wide(0xd83d, 0xd83d), wire.TextFault{Rule: wire.TextSurrogate, At: 1, Got: 0xd83d}},
		{"wide, high half last", wide('a', 0xd83d), wire.TextFault{Rule: wire.TextSurrogate, At: 1, Got: 0xd83d}},
	}
	for _, row := range rows {
		if row.got != row.want {
			t.Errorf("%s: want %+v, got %+v", row.name, row.want, row.got)
		}
	}
}

func second(_ []byte, f wire.TextFault) wire.TextFault { return f }

func wide(units ...uint32) wire.TextFault {
	var data []byte
	for _, u := range units {
		data = binary.LittleEndian.AppendUint32(data, u)
	}
	return wire.LSB.WideFault(data, 0, len(units))
}

// The worked values of wire.md, and what wire.md says of values outside the range.
func TestQuantized(t *testing.T) {
	q := wire.NewQuantized(0, 10, 0.01)
	if q.Steps != 1000 || q.Width() != 10 {
		t.Fatalf("want 1000 steps in 10 bits, got %d in %d", q.Steps, q.Width())
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, row := range []struct {
		v    float32
		want uint32
	}{{0.005, 1}, {9.995, 1000}, {-1, 0}, {11, 1000}, {nan, 0}, {inf, 1000}, {-inf, 0}} {
		if got := q.Code(row.v); got != row.want {
			t.Errorf("%v: want code %d, got %d", row.v, row.want, got)
		}
	}
	for code := range q.Steps + 1 {
		if got := q.Code(q.Value(code)); got != code {
			t.Errorf("code %d reads as %v, which writes %d", code, q.Value(code), got)
		}
	}
	most := wire.NewQuantized(0, 1, 1e-30)
	if got := most.Code(1); got != most.Steps {
		t.Errorf("float32(steps) rounds up: want %d, got %d", most.Steps, got)
	}
}

func TestSmallest(t *testing.T) {
	for _, q := range [][4]float32{{0, 0, 0, 1}, {1, 0, 0, 0}, {-0.5, 0.5, -0.5, 0.5}, {0.1, -0.7, 0.1, 0.7}} {
		length := float32(math.Sqrt(float64(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3])))
		for i := range q {
			q[i] /= length
		}
		largest, codes, ok := wire.SmallestCodes(&q, 15)
		unit, _ := wire.SmallestJudge(codes[:], 15)
		if !ok || !unit {
			t.Errorf("%v: no rotation", q)
			continue
		}
		back, dot := wire.SmallestQuat(largest, &codes, 15), float32(0)
		for i := range q {
			dot += q[i] * back[i]
		}
		if math.Abs(math.Abs(float64(dot))-1) > 1e-3 {
			t.Errorf("%v came back as %v", q, back)
		}
	}
	most := wire.Mask(10)
	if unit, _ := wire.SmallestJudge([]uint64{most, most, most}, 10); unit {
		t.Error("three components of 1/√2 leave a fourth")
	}
	if _, _, ok := wire.SmallestCodes(&[4]float32{1, 1, 0, 0}, 10); ok {
		t.Error("a quaternion of length √2 was written")
	}
}
