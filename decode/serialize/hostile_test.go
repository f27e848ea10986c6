package serialize_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/serialize"
	"github.com/pktscope/pktscope/decode/wire"
)

// serializerFunc is a packet of a test.
type serializerFunc func(s *serialize.Stream)

func (sf serializerFunc) Serialize(s *serialize.Stream) { sf(s) }

// panics is what do panics with, "" if it does not.
func panics(do func()) (message string) {
	defer func() {
		if v := recover(); v != nil {
			message = v.(string)
		}
	}()
	do()
	return ""
}

// The articles' list that ends with an index: the packet ends first. The stream's loop ends, and so does one that asks
// OK; the loop that only believes its index has nothing to end it, and is stopped.
func TestSentinelLoopEnds(t *testing.T) {
	const n = 63 // six bits, and none of those in the packet is the sentinel
	packet := []byte{0x40, 0x20, 0x0c}
	var s serialize.Stream
	var flags [n]bool

	turns := 0
	err := s.Read(wire.LSB, packet, serializerFunc(func(s *serialize.Stream) {
		for range serialize.Sentinel.Each(s, "objects", n, func(i int) *bool { return &flags[i] }) {
			turns++
		}
	}))
	if !errors.Is(err, reject.PastEnd) || turns != 4 {
		t.Errorf("want past-end after 4 turns, got %v after %d", err, turns)
	}

	turns = 0
	err = s.Read(wire.LSB, packet, serializerFunc(func(s *serialize.Stream) {
		for i := 0; s.OK() && i != n; turns++ {
			serialize.Int(s, "index", &i, 0, n)
		}
	}))
	if !errors.Is(err, reject.PastEnd) || turns != 5 {
		t.Errorf("asking OK: want past-end after 5 turns, got %v after %d", err, turns)
	}

	turns = 0
	message := panics(func() {
		_ = s.Read(wire.LSB, packet, serializerFunc(func(s *serialize.Stream) {
			for i := 0; i != n; turns++ {
				serialize.Int(s, "index", &i, 0, n)
			}
		}))
	})
	if !strings.HasPrefix(message, "pktscope: internal error: ") || turns < 8*65507 || turns > 1<<21 {
		t.Errorf("the loop without end: stopped after %d turns with %q", turns, message)
	}
	// The Stream is as good as new.
	var p PacketC
	if err := s.Read(wire.LSB, make([]byte, 7), &p); err != nil {
		t.Error(err)
	}
}

// Every kind of field in an endless loop is stopped.
func TestEveryFieldCountsAfterARefusal(t *testing.T) {
	need.OneGoroutine(t)
	var (
		u8   uint8
		i32  int32
		flag bool
		f32  float32
		f64  float64
		text string
		data []byte
		list []bool
		quat [4]float32
		s    serialize.Stream
	)
	at := func(int) *bool { return &flag }
	for name, field := range map[string]func(s *serialize.Stream){
		"Int":       func(s *serialize.Stream) { serialize.Int(s, "", &u8, 0, 9) },
		"Enum":      func(s *serialize.Stream) { serialize.Enum(s, "", &u8, 0, 9) },
		"Bits":      func(s *serialize.Stream) { serialize.Bits(s, "", &u8, 3) },
		"Flags":     func(s *serialize.Stream) { serialize.Flags(s, "", &u8, 3, 1) },
		"Varint":    func(s *serialize.Stream) { serialize.Varint(s, "", &i32) },
		"Relative":  func(s *serialize.Stream) { serialize.Ladder(s, "", &i32, 3) },
		"Slice":     func(s *serialize.Stream) { serialize.Slice(s, "", &list, 3)(func(int, *bool) bool { return true }) },
		"Bool":      func(s *serialize.Stream) { s.Bool("", &flag) },
		"Reserved":  func(s *serialize.Stream) { s.Reserved(1) },
		"Const":     func(s *serialize.Stream) { s.Const("", 1, 1) },
		"Require":   func(s *serialize.Stream) { s.Require("", false) },
		"Float32":   func(s *serialize.Stream) { s.Float32("", &f32) },
		"Float64":   func(s *serialize.Stream) { s.Float64("", &f64) },
		"Float32In": func(s *serialize.Stream) { s.Float32In("", &f32, 0, 1) },
		"Float64In": func(s *serialize.Stream) { s.Float64In("", &f64, 0, 1) },
		"Quantized": func(s *serialize.Stream) { s.Quantized("", &f32, &quantQ) },
		"Vector":    func(s *serialize.Stream) { s.Vector("", quat[:]) },
		"Smallest":  func(s *serialize.Stream) { s.SmallestThree("", &quat, 9) },
		"Align":     func(s *serialize.Stream) { s.Align(8) },
		"Bytes":     func(s *serialize.Stream) { s.Bytes("", data) },
		"BytesN":    func(s *serialize.Stream) { s.BytesN("", &data, 1) },
		"String":    func(s *serialize.Stream) { s.String("", &text, 9) },
		"WString":   func(s *serialize.Stream) { s.WString("", &text, 9) },
		"Char":      func(s *serialize.Stream) { s.Char("", &text, 9) },
		"CString":   func(s *serialize.Stream) { s.CString("", &text, 9) },
		"Check":     func(s *serialize.Stream) { s.Check(1) },
		"Label":     func(s *serialize.Stream) { s.CheckLabel("end") },
		"CRC32":     func(s *serialize.Stream) { s.CRC32("", serialize.Prefix32(1)) },
		"Object":    func(s *serialize.Stream) { s.Object("", new(PacketA)) },
		"Array":     func(s *serialize.Stream) { s.Array("", 9)(func(int) bool { return true }) },
		"Subset":    func(s *serialize.Stream) { serialize.Index.Each(s, "", 9, at)(func(int) bool { return true }) },
	} {
		endless := serializerFunc(func(s *serialize.Stream) {
			s.Require("the packet is refused", false)
			for range 3 << 20 {
				field(s)
			}
		})
		if panics(func() { _ = s.Read(wire.LSB, nil, endless) }) == "" {
			t.Errorf("%s: a loop of it does not end", name)
		}
	}
}

// What a count declares is not allocated, and not walked when its elements take no bits.
func TestDeclaredCountsAreNotBelieved(t *testing.T) {
	packet := bytes.Repeat([]byte{0xff}, 40)
	var s serialize.Stream
	var data []byte
	var text string
	var list []uint64
	var wide []struct{}
	turns := 0
	for name, c := range map[string]struct {
		kind   reject.Kind
		allocs float64
		field  func(s *serialize.Stream, n int)
	}{
		"BytesN":             {reject.PastEnd, 0, func(s *serialize.Stream, n int) { s.BytesN("f", &data, n) }},
		"String":             {reject.PastEnd, 0, func(s *serialize.Stream, n int) { s.String("f", &text, min(math.MaxInt, 1<<31)) }},
		"WString":            {reject.PastEnd, 0, func(s *serialize.Stream, n int) { s.WString("f", &text, min(math.MaxInt, 1<<31)) }},
		"Char":               {reject.PastEnd, 0, func(s *serialize.Stream, n int) { s.Char("f", &text, n) }},
		"CString":            {reject.PastEnd, 0, func(s *serialize.Stream, n int) { s.CString("f", &text, n) }},
		"BytesN that wraps":  {reject.PastEnd, 0, func(s *serialize.Stream, n int) { s.BytesN("f", &data, math.MaxInt) }},
		"WString that wraps": {reject.PastEnd, 0, func(s *serialize.Stream, n int) { s.WString("f", &text, math.MaxInt/2+1) }},
		"Slice": {reject.PastEnd, 0, func(s *serialize.Stream, n int) {
			for _, e := range serialize.Slice(s, "f", &list, n) {
				serialize.Bits(s, "", e, 64)
			}
		}},
		"Array": {reject.OverBudget, 0, func(s *serialize.Stream, n int) {
			for range s.Array("f", n) {
				turns++
			}
		}},
		"Slice of nothing": {reject.OverBudget, 0, func(s *serialize.Stream, n int) {
			for range serialize.Slice(s, "f", &wide, n) {
				turns++
			}
		}},
	} {
		value := serializerFunc(func(s *serialize.Stream) {
			var n uint32
			serialize.Bits(s, "n", &n, 31)
			c.field(s, int(n))
		})
		turns = 0
		err := s.Read(wire.Bytewise, packet, value)
		if !errors.Is(err, c.kind) || turns > 5000 || len(list) > 5 || len(data)+len(text) > 0 {
			t.Errorf("%s: want %v, got %v after %d turns", name, c.kind, err, turns)
		}
		var boxed serialize.Serializer = value
		if n := testing.AllocsPerRun(10, func() { _ = s.Read(wire.Bytewise, packet, boxed) }); n > c.allocs {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// chain is a type inside itself: as deep as the packet says.
type chain struct {
	depth *int
	next  *chain
}

func (c *chain) Serialize(s *serialize.Stream) {
	*c.depth++
	more := c.next != nil
	s.Bool("more", &more)
	if more {
		if c.next == nil {
			c.next = &chain{depth: c.depth}
		}
		s.Object("next", c.next)
	}
}

func TestNestingIsBounded(t *testing.T) {
	var s serialize.Stream
	depth := 0
	err := s.Read(wire.LSB, bytes.Repeat([]byte{0xff}, 1000), &chain{depth: &depth})
	if !errors.Is(err, reject.OverBudget) || depth != 65 || strings.Count(err.Error(), "next") != 65 {
		t.Errorf("at depth %d: %v", depth, err)
	}
}

// What was not read is the least of its range, so it can be used for nothing wrong.
func TestRefusedValuesAreInside(t *testing.T) {
	var s serialize.Stream
	a, b, e := int16(-1), uint64(99), uint8(200)
	f, q, text, data, flag := float32(9), float32(9), "old", []byte("old"), true
	quat := [4]float32{9, 9, 9, 9}
	calls := 0
	err := s.Read(wire.MSB, nil, serializerFunc(func(s *serialize.Stream) {
		serialize.Int(s, "a", &a, 5, 300)
		serialize.Bits(s, "b", &b, 64)
		serialize.Enum(s, "e", &e, 2, 3)
		s.Float32In("f", &f, 3, 4)
		s.Quantized("q", &q, &quantQ)
		s.String("t", &text, 9)
		s.BytesN("d", &data, 3)
		s.Bool("g", &flag)
		s.SmallestThree("r", &quat, 9)
		s.Object("o", serializerFunc(func(*serialize.Stream) { calls++ }))
	}))
	if !errors.Is(err, reject.PastEnd) || err.(*reject.Reject).Path() != "a" {
		t.Errorf("want past-end at a, got %v", err)
	}
	if a != 5 || b != 0 || e != 2 || f != 3 || q != -3 || text != "" || len(data) != 0 || flag || quat != [4]float32{3: 1} || calls != 0 {
		t.Error(a, b, e, f, q, text, data, flag, quat, calls)
	}
}

// A value that a reader would refuse is not written, and the buffer comes back as it was.
func TestWriteRefuses(t *testing.T) {
	nan := float32(math.NaN())
	for want, write := range map[string]func(s *serialize.Stream){
		"v: out-of-range at bit 3 (byte 0+3): want 0..100 in 7 bits, got 101":    func(s *serialize.Stream) { v := 101; serialize.Int(s, "v", &v, 0, 100) },
		"v: out-of-range at bit 3 (byte 0+3): want -8..7 in 4 bits, got -9":      func(s *serialize.Stream) { v := int8(-9); serialize.Bits(s, "v", &v, 4) },
		"v: out-of-range at bit 3 (byte 0+3): want 0..7 in 3 bits, got 8":        func(s *serialize.Stream) { v := uint16(8); serialize.Bits(s, "v", &v, 3) },
		"v: unknown-case at bit 3 (byte 0+3): want 1..2 in 1 bit, got 0":         func(s *serialize.Stream) { v := 0; serialize.Enum(s, "v", &v, 1, 2) },
		"v: reserved-nonzero at bit 3 (byte 0+3): want 0, got 0x4":               func(s *serialize.Stream) { v := 5; serialize.Flags(s, "v", &v, 4, 3) },
		"v: out-of-range at bit 3 (byte 0+3): want 0..1023 in 16 bits, got 1024": func(s *serialize.Stream) { v := uint16(1024); serialize.VarintBits(s, "v", &v, 10) },
		"v: not-increasing at bit 3 (byte 0+3): want more than 7, got 7":         func(s *serialize.Stream) { v := 7; serialize.Ladder(s, "v", &v, 7) },
		"v: out-of-range at bit 3 (byte 0+3): want 0..2147483647, got 2147483648": func(s *serialize.Stream) {
			v := uint32(1 << 31)
			serialize.Ladder(s, "v", &v, 7)
		},
		"v: not-finite at bit 3 (byte 0+3): want a finite number, got 0x7fc00000": func(s *serialize.Stream) { s.Float32In("v", &nan, 0, 1) },
		"v: out-of-range at bit 3 (byte 0+3): want 0..1 in 64 bits, got 1.5":      func(s *serialize.Stream) { v := 1.5; s.Float64In("v", &v, 0, 1) },
		"v.y: not-finite at bit 15 (byte 1+7): want a finite number, got 0x7fc00000": func(s *serialize.Stream) {
			v := []float32{0, nan}
			s.QuantizedVector("v", v, &radiansPerSec)
		},
		"v: non-unit at bit 3 (byte 0+3): want squares that sum to 1 at most, got 0x00000000": func(s *serialize.Stream) {
			s.SmallestThree("v", &[4]float32{1, 1, 0, 0}, 10)
		},
		"v.length: out-of-range at bit 3 (byte 0+3): want 0..3 in 2 bits, got 4":     func(s *serialize.Stream) { v := "four"; s.String("v", &v, 4) },
		"v: bad-string at bit 3 (byte 0+3): want UTF-8, got 0xff at byte 1":          func(s *serialize.Stream) { v := "a\xff"; s.String("v", &v, 9) },
		"v: bad-string at bit 3 (byte 0+3): want no NUL inside, got 0x00 at byte 1":  func(s *serialize.Stream) { v := "a\x00"; s.WString("v", &v, 9) },
		"v: bad-string at bit 8 (byte 1): want no NUL inside, got 0x00 at byte 0":    func(s *serialize.Stream) { v := "\x00"; s.Char("v", &v, 9) },
		"v: rule-broken at bit 8 (byte 1): want a length of 2 at most, got 3":        func(s *serialize.Stream) { v := "two"; s.CString("v", &v, 3) },
		"v: rule-broken at bit 8 (byte 1): want a length of 3 at most, got 4":        func(s *serialize.Stream) { v := "four"; s.Char("v", &v, 3) },
		"v: bad-string at bit 8 (byte 1): want no NUL inside, got 0x00 at byte 1":    func(s *serialize.Stream) { v := "a\x00"; s.CString("v", &v, 9) },
		"v: out-of-range at bit 3 (byte 0+3): want 0..127, got 18446744073709551615": func(s *serialize.Stream) { v := int8(-1); serialize.Ladder(s, "v", &v, 7) },
		"v: rule-broken at bit 3 (byte 0+3): want a length of 2, got 3":              func(s *serialize.Stream) { v := []byte("abc"); s.BytesN("v", &v, 2) },
		"l: rule-broken at bit 3 (byte 0+3): want a length of 2, got 1":              func(s *serialize.Stream) { v := []bool{true}; serialize.Slice(s, "l", &v, 2)(nil) },
		"packet: rule-broken at bit 3 (byte 0+3): want first ≤ last, got false":      func(s *serialize.Stream) { s.Require("first ≤ last", false) },
		"crc: over-budget at bit 40 (byte 5): want 1, got 2":                         func(s *serialize.Stream) { s.CRC32("crc", serialize.Prefix{}); s.CRC32("crc", serialize.Prefix{}) },
		"players[2].health: out-of-range at bit 5 (byte 0+5): want 0..1 in 1 bit, got 2": func(s *serialize.Stream) {
			for i := range s.Array("players", 9) {
				serialize.Int(s, "health", &i, 0, 1)
			}
		},
	} {
		value := serializerFunc(func(s *serialize.Stream) {
			serialize.Bits(s, "", new(int), 3)
			write(s)
		})
		var s serialize.Stream
		got, err := s.Append(wire.LSB, []byte("kept"), value)
		if err == nil || err.Error() != want || string(got) != "kept" {
			t.Errorf("want %s\ngot  %v (%q)", want, err, got)
		}
		if _, err := s.Measure(wire.LSB, value); err == nil {
			t.Errorf("%s: measured", want)
		}
	}
}

// Bad callers are told.
func TestBadCallersPanic(t *testing.T) {
	var s serialize.Stream
	v, text := uint8(0), ""
	for name, do := range map[string]func(){
		"an empty range":            func() { serialize.Int(&s, "v", &v, 9, 3) },
		"more bits than the type":   func() { serialize.Bits(&s, "v", &v, 9) },
		"negative bits":             func() { serialize.Bits(&s, "v", &v, -1) },
		"no varint bits":            func() { serialize.VarintBits(&s, "v", &v, 0) },
		"a constant too wide":       func() { s.Const("v", 8, 3) },
		"an alignment of 12":        func() { s.Align(12) },
		"a text without room":       func() { s.String("v", &text, 0) },
		"a negative size":           func() { s.BytesN("v", new([]byte), -1) },
		"a negative text":           func() { s.Char("v", &text, -1) },
		"a terminator without room": func() { s.CString("v", &text, 0) },
		"a negative subset":         func() { serialize.Index.Each(&s, "v", -1, nil)(nil) },
		"too many reserved bits":    func() { s.Reserved(65) },
		"a vector of five":          func() { s.Vector("v", make([]float32, 5)) },
		"a smallest-three of none":  func() { s.SmallestThree("v", new([4]float32), 0) },
		"a range upside down":       func() { serialize.NewQuantized(1, 0, 1) },
		"a step of nothing":         func() { serialize.NewQuantized(0, 1, 0) },
		"an order":                  func() { _ = s.Read(3, nil, new(PacketA)) },
	} {
		if m := panics(do); !strings.HasPrefix(m, "pktscope: internal error: serialize: ") {
			t.Errorf("%s: got %q", name, m)
		}
	}
}

// Zero values do what their docs say.
func TestZeroValues(t *testing.T) {
	var q serialize.Quantized
	f := float32(7)
	var s serialize.Stream
	if err := s.Read(wire.LSB, nil, serializerFunc(func(s *serialize.Stream) { s.Quantized("f", &f, &q) })); err != nil || f != 0 || q.Width() != 0 {
		t.Error(err, f)
	}
	var idle serialize.Stream
	var v uint8
	serialize.Int(&idle, "v", &v, 0, 7)
	if idle.Bit() != 3 || !idle.OK() || idle.Reading() || !idle.Writing() || idle.Err() != nil {
		t.Error("a zero Stream measures")
	}
	var w serialize.Subset
	if w != serialize.Bitmap {
		t.Error("a zero Subset is Bitmap")
	}
}

// Several may write one value at once: writing does not touch it.
func TestConcurrentWriters(t *testing.T) {
	p := randomEverything(rand.New(rand.NewPCG(1, 1))).(*everything)
	var wg sync.WaitGroup
	var out [4][]byte
	for i := range out {
		wg.Go(func() {
			var s serialize.Stream
			for range 20 {
				out[i], _ = s.Append(wire.LSB, nil, p)
				_, _ = s.Measure(wire.LSB, p)
			}
		})
	}
	wg.Wait()
	for _, b := range out {
		if len(b) == 0 || !bytes.Equal(b, out[0]) {
			t.Errorf("want %x, got %x", out[0], b)
		}
	}
}
