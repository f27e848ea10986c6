package selffuzz

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/wire"
)

// wireCursor is where a rule is asked about bits.
type wireCursor struct {
	order wire.Order
	data  []byte
	bit   int
	left  int // bits
}

// take reads a value of n bits, which are there.
func (w *wireCursor) take(n int) uint64 {
	v := w.order.Load(w.data, w.bit, n)
	w.bit, w.left = w.bit+n, w.left-n
	return v
}

// rest is the bytes from here on, at most most.
func (w *wireCursor) rest(most int) []byte {
	return w.order.AppendBytes(nil, w.data, w.bit, min(w.left/8, most))
}

// wireRules holds each rule of package wire against the standard library's, decode/slow's or its own inverse. It is
// asked where as many bits as it needs are left.
var wireRules = []struct {
	name  string
	bits  int
	check func(*wireCursor) error
}{
	{"padding", 1, checkPadding},
	{"varint", 8, checkVarint},
	{"ladder", 32, checkLadder},
	{"quantized", 128, checkQuantized},
	{"smallest three", 32, checkSmallest},
	{"text", 8, checkText},
	{"wide text", 32, checkWide},
	{"checksum", 64, checkChecksum},
	{"swapped bytes", 64, checkSwap},
}

func checkPadding(c *wireCursor) error {
	want := -1
	for i := c.bit; i < c.bit+c.left && want < 0; i++ {
		if slow.Bit(c.order, c.data, i) != 0 {
			want = i
		}
	}
	if got := c.order.FirstSet(c.data, c.bit, c.left); got != want {
		return fmt.Errorf("want the first set bit at %d, got %d", want, got)
	}
	return nil
}

func checkVarint(c *wireCursor) error {
	b := c.rest(10)
	want, n := binary.Uvarint(b)
	if n == 0 { // it goes on past the end
		return nil
	}
	var v wire.Varint
	read := 0
	for more := true; more && read < len(b); read++ {
		more = v.Add(uint64(b[read]), 64)
	}
	switch {
	case n < 0:
		if !v.Over {
			return fmt.Errorf("% x has more than 64 bits, got %d", b, v.Code)
		}
	case v.Over || v.Code != want || read != n || v.Overlong != (wire.VarintBytes(want) < n):
		return fmt.Errorf("% x: want %d of %d bytes, got %+v of %d", b, want, n, v, read)
	}
	if back := wire.ZigZag(wire.UnZigZag(v.Code)); back != v.Code {
		return fmt.Errorf("%d comes back from its sign as %d", v.Code, back)
	}
	return nil
}

func checkLadder(c *wireCursor) error {
	step := c.take(32) >> (c.bit % 32) // small ones, too
	for i, ladder := range []*[wire.Rungs]wire.Rung{&wire.RelativeLadder, &wire.IndexLadder} {
		rungs := slow.RelativeRungs
		if i == 1 {
			rungs = slow.IndexRungs
		}
		for k := range ladder {
			got, want := ladder[k], rungs[k]
			if (got.Lo <= step && step <= got.Hi) != (want.Lo <= step && step <= want.Hi) {
				return fmt.Errorf("a step of %d: want rung %d to be %v, got %v", step, k, want, got)
			}
			if width := got.Width(); (got.Hi-got.Lo)>>width != 0 {
				return fmt.Errorf("rung %d has %d bits", k, width)
			}
		}
	}
	return nil
}

func checkQuantized(c *wireCursor) error {
	lo, hi := math.Float32frombits(uint32(c.take(32))), math.Float32frombits(uint32(c.take(32)))
	step, code := math.Float32frombits(uint32(c.take(32))), c.take(32)
	if delta := float64(hi - lo); !(lo < hi && step > 0) || math.IsInf(delta, 0) || math.IsInf(float64(step), 0) {
		return nil // no schema has it
	}
	q := wire.NewQuantized(lo, hi, step)
	if q.Steps < 1 || q.Width() > 32 {
		return fmt.Errorf("%v..%v by %v: %d steps in %d bits", lo, hi, step, q.Steps, q.Width())
	}
	code %= uint64(q.Steps) + 1
	v := q.Value(uint32(code))
	if want := slow.Dequantize(&schema.QuantizedType{Quantized: q}, code); v != want {
		return fmt.Errorf("code %d of %v..%v by %v: want %v, got %v", code, lo, hi, step, want, v)
	}
	if back := q.Code(v); back > q.Steps {
		return fmt.Errorf("%v is written as code %d of %d", v, back, q.Steps)
	}
	return nil
}

func checkSmallest(c *wireCursor) error {
	largest, n := c.take(2), 10
	codes := [3]uint64{c.take(n), c.take(n), c.take(n)}
	if unit, _ := wire.SmallestJudge(codes[:], n); !unit {
		return nil
	}
	q, sum := wire.SmallestQuat(largest, &codes, n), 0.0
	for _, v := range q {
		sum += float64(v) * float64(v)
	}
	if !(math.Abs(sum-1) < 1e-5) {
		return fmt.Errorf("%v has the length √%v", q, sum)
	}
	if _, again, ok := wire.SmallestCodes(&q, n); ok {
		if unit, _ := wire.SmallestJudge(again[:], n); !unit {
			return fmt.Errorf("%v is written as %v, which no reader takes", q, again)
		}
	}
	return nil
}

func checkText(c *wireCursor) error {
	b := c.rest(256)
	if fault := wire.UTF8Fault(b); (fault == wire.TextFault{}) != utf8.Valid(b) || !utf8.Valid(b[:fault.At]) {
		return fmt.Errorf("% x: UTF-8 is %v, got %+v", b, utf8.Valid(b), fault)
	}
	nul := strings.IndexByte(string(b), 0)
	if fault := wire.StringFault(b); (fault == wire.TextFault{}) != (nul < 0 && utf8.Valid(b)) {
		return fmt.Errorf("% x: got %+v", b, fault)
	}
	text, fault := wire.CharText(b)
	clean := nul < 0 || strings.Trim(string(b[nul:]), "\x00") == ""
	if (fault == wire.TextFault{}) != clean || clean && string(text) != strings.TrimRight(string(b), "\x00") {
		return fmt.Errorf("% x: got %q, %+v", b, text, fault)
	}
	if label := string(b); wire.LabelHash(label) != slow.LabelHash(label) {
		return fmt.Errorf("label % x: want %#x, got %#x", b, slow.LabelHash(label), wire.LabelHash(label))
	}
	return nil
}

func checkWide(c *wireCursor) error {
	bit, size := c.bit, min(c.left/32, 64)
	var units []uint16
	clean := true
	for range size {
		u := c.take(32)
		clean = clean && u != 0 && u <= 0xffff
		units = append(units, uint16(u))
	}
	want := string(utf16.Decode(units))
	// Half of a pair becomes U+FFFD, which a text can have of its own.
	halves := strings.Count(want, "\ufffd")
	for _, u := range units {
		if u == 0xfffd {
			halves--
		}
	}
	if fault := c.order.WideFault(c.data, bit, size); (fault == wire.TextFault{}) != (clean && halves == 0) {
		return fmt.Errorf("% x: got %+v", units, fault)
	}
	if got := string(c.order.AppendWide(nil, c.data, bit, size)); clean && got != want {
		return fmt.Errorf("% x: want %q, got %q", units, want, got)
	}
	return nil
}

func checkChecksum(c *wireCursor) error {
	b := c.rest(1 << 12)
	a := &wire.Algorithms[int(b[2])%len(wire.Algorithms)]
	sum := wire.Checksum{Algorithm: a, OverRest: b[0]&2 != 0, PrefixLen: int(b[0] >> 2 % 3 * 4)}
	size := a.Width / 8
	copy(sum.Prefix[:], b)
	at := int(b[1]) % (len(b) - size + 1)
	covered := append([]byte(nil), sum.Prefix[:sum.PrefixLen]...)
	if !sum.OverRest {
		covered = append(append(covered, b[:at]...), make([]byte, size)...)
	}
	covered = append(covered, b[at+size:]...)
	want, width := slow.Checksum(a.Name, covered)
	if got := sum.Sum(b, at); got != want || width != a.Width {
		return fmt.Errorf("%+v over % x at byte %d: want %#x, got %#x", sum, b, at, want, got)
	}
	return nil
}

func checkSwap(c *wireCursor) error {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], c.take(64))
	for n := 0; n <= 64; n += 8 {
		little, big := wire.LoadLSB(b[:], 0, n), wire.LoadMSB(b[:], 0, n)
		if wire.SwapBytes(little, n) != big {
			return fmt.Errorf("%d bits of % x: want %#x, got %#x", n, b, big, wire.SwapBytes(little, n))
		}
		if signed := wire.SignExtend(little, n); uint64(signed)&wire.Mask(n) != little {
			return fmt.Errorf("%d bits of % x as a signed number: %d", n, b, signed)
		}
	}
	return nil
}
