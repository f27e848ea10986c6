package fuzz

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"slices"
)

// Packets yields count packets: first those of Boundaries, then those of Random. missed is called for each boundary
// without a packet; without missed there are none at boundaries. An error is of a random packet that could not be made,
// which counts as one; mostFailing of them in a row are the last.
func (g *Generator) Packets(seed uint64, count int64, missed func(Missed)) iter.Seq2[Packet, error] {
	return func(yield func(Packet, error) bool) {
		made := int64(0)
		if missed != nil {
			for packet := range g.Boundaries(seed, missed) {
				if made == count || !yield(packet, nil) {
					return
				}
				made++
			}
		}
		failing := 0
		for n := uint64(0); made < count && failing < mostFailing; n++ {
			packet, err := g.Random(seed, n)
			if failing++; err != nil {
				err = fmt.Errorf("random packet %d of seed %d: %w", n, seed, err)
			} else {
				failing = 0
			}
			if !yield(packet, err) {
				return
			}
			made++
		}
	}
}

// mostFailing is how many random packets in a row may not be found.
const mostFailing = 50

// Spread makes at most n different packets out of tries random ones, from the shortest to the longest in even steps;
// those above size bytes are left out if there are others. The caller keeps them. There are none where none can be
// made.
func (g *Generator) Spread(tries, n, size int) []Packet {
	var all []Packet
	for try := range uint64(tries) {
		packet, err := g.Random(1, try)
		if err != nil || slices.ContainsFunc(all, func(p Packet) bool { return bytes.Equal(p.Data, packet.Data) }) {
			continue
		}
		packet.Data = bytes.Clone(packet.Data)
		all = append(all, packet)
	}
	slices.SortStableFunc(all, func(a, b Packet) int { return cmp.Compare(len(a.Data), len(b.Data)) })
	small := 0
	for small < len(all) && len(all[small].Data) <= size {
		small++
	}
	all = all[:min(len(all), max(1, small))]
	if len(all) <= n {
		return all
	}
	var spread []Packet
	for i := range n {
		spread = append(spread, all[i*(len(all)-1)/max(n-1, 1)])
	}
	return spread
}
