package main

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
)

// looseBounds are the sides of bounds that no packet of a search has, and why. The others have one of exactly so many
// bits.
var looseBounds = map[string]string{
	"dns most":     "a search comes to 6 bytes less: a record is found for a name, not for what is left of 4096 bytes",
	"gaffer least": "8 bits: the step that ends an empty `relative` list has more than the one bit of the shortest step",
	"gaffer most":  "a search by bytes does not fill a list that is packed in bits; no condition ties its elements",
	"osc least":    "24 bits: that `align(32)` pads a text to whole words is known to a byte only",
	"osc most":     "a search finds no bundle whose elements fill the datagram to its last word",
	"serial least": "32 bits: that a frame begins with a byte that is not 0, which `peek` saw, is not followed",
	"webrtc least": "8 bits: that the byte which `peek` saw is not 0 is not followed",
	"yojimbo most": "a search by bytes does not fill lists that are packed in bits; the datagram is the bound",
}

// longPackets are packets that were made by hand, where a change of one byte leads to none that is longer.
var longPackets = map[string][]byte{
	"rtype": slices.Concat([]byte{0, 0x40}, make([]byte, 10),
		[]byte{4}, bytes.Repeat([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 4), []byte{32}, make([]byte, 32*7),
		[]byte{16}, make([]byte, 16*8), []byte{32}, make([]byte, 32*7)),
	"tftp": []byte("\x00\x01" + strings.Repeat("a", 255) + "\x00octet-octet-oct\x00" +
		strings.Repeat(strings.Repeat("a", 63)+"\x00", 19) + "aaaaaaaaa\x00"),
	"ptp": slices.Concat([]byte{0, 2, 1500 >> 8, 1500 & 255}, make([]byte, 40),
		[]byte{0, 3, 1400 >> 8, 1400 & 255}, make([]byte, 1400),
		[]byte{0, 3, 0, 48}, make([]byte, 48)),
}

// A bound of a packet's bits is one that a packet has: the search begins with what a generator makes.
func TestGalleryBounds(t *testing.T) {
	for _, row := range corpus.Gallery[:need.Rounds(len(corpus.Gallery), 4)] {
		name := row.Protocol
		d := loadDecoder(t, name)
		b := d.Plan().Bound
		s := newExtremes(d, longPackets[name])
		for _, side := range []struct {
			of    string
			sign  int
			bound int64
		}{{" least", -1, b.MinBits}, {" most", 1, b.MaxBits}} {
			rounds := 300000
			_, loose := looseBounds[name+side.of]
			if loose {
				rounds = 1000 // it finds none in more, too
			}
			got := s.climb(side.sign, int(side.bound), rounds)
			if tight := got == int(side.bound); tight == loose || side.sign*(got-int(side.bound)) > 0 {
				t.Errorf("%s: the bound is %d bits, a search found %d%s", name, side.bound, got, side.of)
			}
		}
	}
}

// sizedPacket is an accepted packet and its bits.
type sizedPacket struct {
	fuzz.Packet
	bits int
}

// extremes searches the shortest and the longest packets that a decoder accepts.
type extremes struct {
	d     *decode.Decoder
	all   []sizedPacket
	trace decode.Trace
}

func newExtremes(d *decode.Decoder, long []byte) *extremes {
	s := &extremes{d: d}
	see := func(p fuzz.Packet) {
		if d.Decode(p.Data, p.From, &s.trace) == nil {
			s.all = append(s.all, sizedPacket{fuzz.Packet{Data: slices.Clone(p.Data), From: p.From}, s.trace.Bits})
		}
	}
	see(fuzz.Packet{Data: long, From: decode.Client})
	see(fuzz.Packet{Data: long, From: decode.Server})
	g := fuzz.NewGenerator(d)
	for p, err := range g.Packets(1, 200, nil) {
		if err == nil {
			see(p)
		}
	}
	for p := range g.Boundaries(1, nil) {
		see(p)
	}
	return s
}

// climb gives the most bits of an accepted packet, or with -1 the fewest. It changes bytes of some packets, the best and
// others, and keeps what is no worse, until one has as many as wanted.
func (s *extremes) climb(sign, want, rounds int) int {
	slices.SortStableFunc(s.all, func(a, b sizedPacket) int { return sign * (b.bits - a.bits) })
	pool := slices.Clone(s.all[:min(8, len(s.all))])
	for i := 0; i < len(s.all); i += 1 + len(s.all)/64 {
		pool = append(pool, s.all[i])
	}
	best, r := pool[0].bits, rand.New(rand.NewPCG(1, 1))
	for n := 0; n < rounds && sign*(want-best) > 0; n++ {
		at := &pool[r.IntN(len(pool))]
		data := changed(r, at.Data, pool[r.IntN(len(pool))].Data)
		data = data[:min(len(data), s.d.Plan().Schema.MaxDatagram)]
		s.d.Plan().RepairChecksum(data)
		if s.d.Decode(data, at.From, &s.trace) == nil && sign*(s.trace.Bits-at.bits) >= 0 {
			at.Data, at.bits = data, s.trace.Bits
			if sign*(at.bits-best) > 0 {
				best = at.bits
			}
		}
	}
	return best
}

// changed is a packet with bytes changed, put in or taken out.
func changed(r *rand.Rand, data, other []byte) []byte {
	out := slices.Clone(data)
	for range 1 + r.IntN(3) {
		at, n := r.IntN(len(out)+1), 1<<r.IntN(10)
		if r.IntN(2) == 0 {
			at = r.IntN(min(len(out), 24) + 1)
		}
		if r.IntN(2) == 0 {
			n = 1 + r.IntN(8)
		}
		switch k := r.IntN(7); {
		case k < 2 && at < len(out):
			out[at] = [...]byte{0, 255, byte(r.Uint32()), out[at] + 1, out[at] - 1, out[at] ^ 1<<r.IntN(8)}[r.IntN(6)]
		case k == 2:
			out = slices.Delete(out, at, min(at+n, len(out)))
		case k == 3:
			from := r.IntN(len(out) + 1)
			out = slices.Insert(out, at, slices.Clone(out[from:min(from+n, len(out))])...)
		case k == 4:
			out = slices.Insert(out, at, make([]byte, n)...)
		case k == 5:
			out = append(out, make([]byte, n)...)
		case k == 6:
			out = slices.Insert(out, [...]int{at, len(out)}[r.IntN(2)], other...)
		default:
			out = out[:at]
		}
	}
	return out
}
