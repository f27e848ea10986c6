// Package packets draws packets for schemas, and schemas with them, for tests of what is generated from schemas: a test
// holds the generated reader against the decoder of each.
package packets

import (
	"iter"
	"math/rand/v2"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// Schemas are the decoders of the schemas of package anyschema with the seeds below some number; those that are too large
// for a plan are left out.
func Schemas(seeds uint64) iter.Seq2[uint64, *decode.Decoder] {
	return func(yield func(seed uint64, d *decode.Decoder) bool) {
		for seed := range seeds {
			s, _ := schema.Load("any.pks", []byte(Source(seed)), nil)
			if s == nil {
				continue
			}
			if p, _ := plan.Compile(s); p != nil && !yield(seed, decode.New(p)) {
				return
			}
		}
	}
}

// Source is the text of the schema of a seed.
func Source(seed uint64) string { return anyschema.Source(anyschema.Seeded(seed), 3+int(seed)%40) }

// Drawn are n packets of all kinds: bytes that mean nothing, mostly zeros, and of those the decoder reads furthest into,
// changed copies. A checksum that is wrong is made right in one of two.
func Drawn(d *decode.Decoder, seed uint64, n int) (all [][]byte) {
	r := rand.New(rand.NewPCG(seed, 7))
	var trace decode.Trace
	type known struct {
		data []byte
		bits int
	}
	var best []known
	most := min(d.Schema().MaxDatagram, 400)
	keep := func(data []byte) {
		_ = d.Decode(data, decode.FromUnknown, &trace)
		if r.IntN(2) == 0 && trace.Seals.Repair(data, -1) {
			_ = d.Decode(data, decode.FromUnknown, &trace)
		}
		all = append(all, data)
		bits := trace.Bits
		if !trace.Rejected() {
			bits += 1 << 20
		}
		best = append(best, known{append([]byte(nil), data...), bits})
		for i := len(best) - 1; i > 0 && best[i].bits > best[i-1].bits; i-- {
			best[i], best[i-1] = best[i-1], best[i]
		}
		best = best[:min(len(best), 12)]
	}
	keep(nil)
	for len(all) < n {
		if len(all) < n/4 {
			data := make([]byte, r.IntN(most+1))
			for i := range data {
				if r.IntN(3) == 0 {
					data[i] = byte(r.Uint32()) >> r.IntN(8)
				}
			}
			keep(data)
			continue
		}
		data := append([]byte(nil), best[r.IntN(len(best))].data...)
		for range 1 + r.IntN(3) {
			switch {
			case len(data) == 0 || r.IntN(8) == 0 && len(data) < most:
				data = append(data, make([]byte, 1+r.IntN(8))...)
			case r.IntN(8) == 0:
				data = data[:r.IntN(len(data))]
			case r.IntN(2) == 0:
				data[r.IntN(len(data))] ^= 1 << r.IntN(8)
			default:
				data[r.IntN(len(data))] = byte(r.Uint32())
			}
		}
		keep(data)
	}
	return all
}
