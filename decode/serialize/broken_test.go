package serialize_test

import (
	"bytes"
	"iter"
	"math/rand/v2"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// packet is a random value as serialize writes it.
func (w *twin) packet(tb testing.TB, r *rand.Rand) []byte {
	tb.Helper()
	packet, err := w.stream.Append(w.order, nil, w.random(r))
	if err != nil {
		tb.Fatal(err)
	}
	return packet
}

// edges are codes of a field at which its rules change, those beside the code that it has, and any.
func edges(p *plan.Plan, f *decode.Field, r *rand.Rand) []uint64 {
	code, top := f.Raw(), uint64(1)<<(f.Width()-1)
	all := []uint64{0, 1, 2, ^uint64(0), ^uint64(1), top, top - 1, code - 1, code + 1, r.Uint64()}
	if leaf := p.Nodes[f.Node()].Leaf; leaf >= 0 && int(leaf) < len(p.Leaves) {
		l := &p.Leaves[leaf]
		all = append(all, l.Lo-1, l.Lo, l.Lo+1, l.Lo+l.Count-1, l.Lo+l.Count)
	}
	return all
}

// changed goes over a packet with one thing changed and the checksum repaired, of a long one over some of these: each
// field at its edges, each field's neighbourhood all ones, each bit that may be no field's, bytes after it; last, with
// bits flipped under a checksum that is not repaired. Most are refused, by every rule that a packet has.
func (w *twin) changed(tb testing.TB, packet []byte, r *rand.Rand) iter.Seq[[]byte] {
	tb.Helper()
	var t decode.Trace
	if err := w.decoder.Decode(packet, decode.FromUnknown, &t); err != nil {
		tb.Fatal(err)
	}
	ends, fields := 8*len(packet), 0
	for range t.Fields() {
		fields++
	}
	return func(yield func([]byte) bool) {
		for f := range t.Fields() {
			if f.Width() < 1 || f.Width() > 64 || r.IntN(fields) >= 40 {
				continue
			}
			for _, code := range edges(w.decoder.Plan(), f, r) {
				broken := bytes.Clone(packet)
				w.order.Store(broken, f.Bit(), f.Width(), code&wire.Mask(f.Width()))
				if w.repair(broken); !yield(broken) {
					return
				}
			}
			broken := bytes.Clone(packet)
			for bit := f.Bit(); bit < min(f.Bit()+3*f.Width(), ends); bit++ {
				w.order.Store(broken, bit, 1, 1)
			}
			if w.repair(broken); !yield(broken) {
				return
			}
		}
		for bit := range ends {
			if r.IntN(ends) >= 150 {
				continue
			}
			broken := bytes.Clone(packet)
			broken[bit/8] ^= 1 << (bit % 8)
			if w.repair(broken); !yield(broken) {
				return
			}
		}
		for _, more := range [][]byte{{0}, {1}, {0, 0, 0, 0}, bytes.Repeat([]byte{0xff}, 9)} {
			broken := append(bytes.Clone(packet), more...)
			if w.repair(broken); !yield(broken) {
				return
			}
		}
		for range 8 {
			broken := bytes.Clone(packet)
			broken[r.IntN(len(broken))] ^= 1 << r.IntN(8)
			if !yield(broken) {
				return
			}
		}
	}
}
