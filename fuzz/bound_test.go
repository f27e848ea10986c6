package fuzz_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"testing"
	"unicode/utf8"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// boundless is a size of a schema with a reader that knows all of the schema but the most of that size.
type boundless struct {
	name   string
	packet string      // its items
	most   int         // that it has
	kind   reject.Kind // of one too many
	read   func(r *naive) int
}

// naive reads bytes; a read past the end is a panic of its own.
type naive struct{ left []byte }

type pastEnd struct{}

func (r *naive) take(n int) []byte {
	if n > len(r.left) {
		panic(pastEnd{})
	}
	out := r.left[:n]
	r.left = r.left[n:]
	return out
}

func (r *naive) u8() int  { return int(r.take(1)[0]) }
func (r *naive) u16() int { return int(binary.LittleEndian.Uint16(r.take(2))) }

func (r *naive) must(ok bool) {
	if !ok {
		panic(pastEnd{})
	}
}

func (r *naive) varint() (n int) {
	for shift := 0; ; shift += 7 {
		b := r.u8()
		if n |= b & 0x7f << shift; b < 0x80 {
			r.must(b != 0 || shift == 0)
			return n
		}
		r.must(shift < 21)
	}
}

var boundlessReaders = []boundless{
	{"rest", "id uint8, data bytes(rest, max 16)", 16, reject.OutOfRange, func(r *naive) int {
		r.u8()
		return len(r.take(len(r.left)))
	}},
	{"rest-of-a-long-packet", "id uint8, data bytes(rest, max 400)", 400, reject.OutOfRange, func(r *naive) int {
		r.u8()
		return len(r.take(len(r.left)))
	}},
	{"list-to-the-end", "id uint16, all [rest, max 7]{ a uint16, b uint8 }", 7, reject.OutOfRange, func(r *naive) (n int) {
		r.u16()
		for ; len(r.left) > 0; n++ {
			r.take(3)
		}
		return n
	}},
	{"list-of-long-elements", "id uint8, all [rest, max 5]{ a [6]uint32 }", 5, reject.OutOfRange, func(r *naive) (n int) {
		r.u8()
		for ; len(r.left) > 0; n++ {
			r.take(24)
		}
		return n
	}},
	{"counted-bytes", "n uint8, data bytes(n, max 16)", 16, reject.OutOfRange, func(r *naive) int {
		n := r.u8()
		r.take(n)
		return n
	}},
	{"counted-behind-a-field", "n uint16, flag bool8, data bytes(n, max 40), tail uint16", 40, reject.OutOfRange, func(r *naive) int {
		n := r.u16()
		r.must(r.u8() <= 1)
		r.take(n + 2)
		return n
	}},
	{"words", "n uint16, data bytes(n * 4 + 1, max 64)", 61, reject.OutOfRange, func(r *naive) int {
		n := 4*r.u16() + 1
		r.take(n)
		return n
	}},
	{"list-of-a-wide-count", "n uint16 in 0..9, all [n]uint16", 9, reject.OutOfRange, func(r *naive) int {
		n := r.u16()
		r.take(2 * n)
		return n
	}},
	{"count-with-a-rule", "n uint8 in 0..4, all [n]uint16", 4, reject.OutOfRange, func(r *naive) int {
		n := r.u8()
		r.take(2 * n)
		return n
	}},
	{"varint-sized", "n varint(16), data bytes(n, max 20)", 20, reject.OutOfRange, func(r *naive) int {
		n := r.varint()
		r.take(n)
		return n
	}},
	{"varint-with-a-rule", "n varint(16) in 0..130, data bytes(n)", 130, reject.OutOfRange, func(r *naive) int {
		n := r.varint()
		r.take(n)
		return n
	}},
	{"until", "id uint8, all [until last, max 6]{ x uint8, last bool8 }", 6, reject.OutOfRange, func(r *naive) (n int) {
		r.u8()
		for last := 0; last == 0; n++ {
			r.u8()
			last = r.u8()
			r.must(last <= 1)
		}
		return n
	}},
	{"until-a-long-list", "all [until tag == 0, max 30]{ tag uint8, x uint8 }", 30, reject.OutOfRange, func(r *naive) (n int) {
		for tag := 1; tag != 0; n++ {
			tag = r.u8()
			r.u8()
		}
		return n
	}},
	{"sentinel-in-any-order", "all subset(sentinel any) [130]uint8", 130, reject.OutOfRange, func(r *naive) (n int) {
		for i := r.u8(); i != 130; i = r.u8() {
			r.must(i < 130)
			r.u8()
			n++
		}
		return n
	}},
	{"sum-over-elements", "all [while rest > 0, max 3]{ delta uint16, let number in 3..40_000 = prev(number, 0) + delta }", 40_000, reject.OutOfRange, func(r *naive) (sum int) {
		for n := 0; len(r.left) > 0; n++ {
			r.must(n < 3)
			sum += r.u16()
		}
		return sum
	}},
	{"while", "all [while rest > 4, max 8]uint16, tail uint32", 8, reject.OutOfRange, func(r *naive) (n int) {
		for ; len(r.left) > 4; n++ {
			r.u16()
		}
		r.take(4)
		return n
	}},
	{"cstring", "id uint8, name cstring(12)", 12, reject.BadString, func(r *naive) int {
		r.u8()
		n := bytes.IndexByte(r.left, 0)
		r.must(n >= 0)
		r.take(n + 1)
		return n + 1
	}},
	{"text-with-a-length", "id uint8, name string(11)", 10, reject.OutOfRange, func(r *naive) int {
		r.u8()
		n := r.u8()
		r.must(n < 16)
		text := r.take(n)
		r.must(utf8.Valid(text) && bytes.IndexByte(text, 0) < 0)
		return n
	}},
	{"list-that-counts-itself", "id uint8, all [..4]uint16", 4, reject.OutOfRange, func(r *naive) int {
		r.u8()
		r.must(len(r.left) > 0)
		n := int(r.left[0] & 7)
		r.take((3 + 16*n + 7) / 8)
		return n
	}},
	{"window", "n uint8, within(n) { id uint8, data bytes(rest, max 10) }, tail uint16", 10, reject.OutOfRange, func(r *naive) int {
		n := r.u8()
		r.must(n >= 1)
		r.take(n + 2)
		return n - 1
	}},
	{"counted-in-a-window", "len uint8, within(len) { n uint8 in 0..4, all [n]uint16 }", 4, reject.OutOfRange, func(r *naive) int {
		size := r.u8()
		n := r.u8()
		r.must(size == 1+2*n)
		r.take(2 * n)
		return n
	}},
	{"in-an-array", "count uint8 in 0..3, all [count]{ n uint8, data bytes(n, max 10) }", 10, reject.OutOfRange, func(r *naive) (most int) {
		count := r.u8()
		r.must(count <= 3)
		for range count {
			n := r.u8()
			r.take(n)
			most = max(most, n)
		}
		return most
	}},
	{"in-an-arm", "kind uint8, body switch kind { 1: uint32, 2: { n uint8, data bytes(n, max 10) } }", 10, reject.OutOfRange, func(r *naive) int {
		switch r.u8() {
		case 1:
			r.take(4)
			return 0
		case 2:
			n := r.u8()
			r.take(n)
			return n
		}
		panic(pastEnd{})
	}},
}

// reader is the target; it looks whether it was tried with the most, and with one more.
type boundlessReader struct {
	*boundless
	decoder      *decode.Decoder
	trace        decode.Trace
	atMost, over bool
}

func (b *boundlessReader) Send(packet []byte, from decode.Direction) (r oracle.Reply, _ error) {
	r = oracle.Reply{Outcome: oracle.Refused, Bits: -1}
	if len(packet) > b.decoder.Plan().Schema.MaxDatagram {
		return r, nil
	}
	defer func() {
		if why := recover(); why != nil {
			_ = why.(pastEnd)
		}
	}()
	in := naive{packet}
	n := b.read(&in)
	in.must(len(in.left) == 0)
	r.Outcome = oracle.Accepted
	err := b.decoder.Decode(packet, from, &b.trace)
	b.atMost = b.atMost || n == b.most && err == nil
	b.over = b.over || b.most < n && n <= b.most+4 && err != nil && b.trace.Reject().Kind == b.kind
	return r, nil
}

func (b *boundlessReader) Close() error { return nil }

func (b *boundless) compile(t testing.TB) *decode.Decoder {
	t.Helper()
	src := fmt.Appendf(nil, "protocol bound\norder lsb\nmax datagram 1500\npacket { %s }\n", b.packet)
	s, diags := schema.Load("bound.pks", src, nil)
	if syntax.HasErrors(diags) {
		t.Fatal(diags)
	}
	p, diags := plan.Compile(s)
	if syntax.HasErrors(diags) {
		t.Fatal(diags)
	}
	return decode.New(p)
}

// Whatever the seed, each size is tried with its most, which is accepted, and with one more, all of it there.
func TestAuditTriesBothSidesOfEveryBound(t *testing.T) {
	for i := range boundlessReaders {
		t.Run(boundlessReaders[i].name, func(t *testing.T) {
			if !need.OneIn(i, 3) {
				t.Skip("-short attacks each third")
			}
			b := boundlessReader{boundless: &boundlessReaders[i]}
			b.decoder = b.compile(t)
			for seed := range need.RoundsIn[uint64](t, need.Long, 20, 5, 1) {
				b.atMost, b.over = false, false
				a := fuzz.Audit{Decoder: b.decoder, Seed: 1 + seed, Workers: 1, NewTarget: func(context.Context) (oracle.Target, error) { return &b, nil }}
				r, err := a.Run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if !b.atMost || !b.over || len(r.Findings) == 0 || len(r.Unreached) > 0 {
					t.Errorf("seed %d: the most tried: %v, one more: %v, findings %d, not reached %v", a.Seed, b.atMost, b.over, len(r.Findings), r.Unreached)
				}
				for _, f := range r.Findings {
					if f.Kind != oracle.FoundAcceptedMalformed || f.Reject != b.kind {
						t.Errorf("seed %d: false alarm: %v: %s", a.Seed, f.Kind, f.What())
					}
				}
			}
		})
	}
}

// A campaign, too, tries one too many with all of it there.
func TestCampaignTriesOneTooMany(t *testing.T) {
	for i := range boundlessReaders {
		t.Run(boundlessReaders[i].name, func(t *testing.T) {
			if !need.OneIn(i, 3) {
				t.Skip("-short attacks each third")
			}
			b := boundlessReader{boundless: &boundlessReaders[i]}
			b.decoder = b.compile(t)
			for seed := range need.RoundsIn[uint64](t, need.Long, 3, 1, 1) {
				b.atMost, b.over = false, false
				c := fuzz.Campaign{Decoder: b.decoder, Seed: 1 + seed, Workers: 1, Execs: 4000, Sole: true, NewTarget: func(context.Context) (oracle.Target, error) { return &b, nil }}
				r, err := c.Run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if !b.atMost || !b.over || len(r.Findings) == 0 {
					t.Errorf("seed %d: the most tried: %v, one more: %v, findings %d", c.Seed, b.atMost, b.over, len(r.Findings))
				}
				for _, f := range r.Findings {
					if f.Kind != oracle.FoundAcceptedMalformed || f.Reject != b.kind {
						t.Errorf("seed %d: false alarm: %v: %s", c.Seed, f.Kind, f.What())
					}
				}
			}
		})
	}
}
