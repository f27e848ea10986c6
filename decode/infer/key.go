package infer

import (
	"math/bits"
	"slices"
)

// A server that relays, or a gateway, sends what several others say. A field of such packets says whose they are, and each is
// like the one before of the same origin, not like the one before of the flow.

// Limits of the search for such a field.
const (
	keyRows = 64  // that it is looked for in
	keyGain = 0.9 // of what changes from row to row is left at most, and of what a few rows cost
)

// keyed are rows of one layout, apart in flows by the field that says whose they are, if one does.
func (s *shaper) keyed(r rows, known fixed) rows {
	if len(r) < keyRows || s.spent() {
		return r
	}
	w := r.window(wideRows)
	words := s.flipWords(&w)
	kinds := make([]uint8, len(w.rows))
	least := r.least()
	var key tag
	limit := keyGain * s.flips(&w, words, kinds, least)
	for at := range min(maxTagBit, least) {
		for width := 1; width <= min(8, least-at); width++ {
			if s.byByte && (at%min(8, width) != 0 || width != 4 && width != 8) {
				continue
			}
			if _, ok := s.sort(&w, at, width, kinds); !ok {
				continue
			}
			if c := s.flips(&w, words, kinds, least); c < limit {
				limit, key = c, tag{at: at, width: width}
			}
		}
	}
	if key.width == 0 {
		return r
	}
	type whose struct {
		flow  int32
		value uint64
	}
	flows, counts, all := map[whose]int32{}, map[whose]int{}, map[int32]int{}
	out := slices.Clone(r)
	for i := range out {
		k := whose{r[i].flow, s.value(&r[i], key.at, key.width)}
		flow, ok := flows[k]
		if !ok {
			flow = int32(len(flows))
			flows[k] = flow
		}
		out[i].flow = flow
		counts[k]++
		all[r[i].flow]++
	}
	said := 0.0 // what it costs to say whose rows are
	for _, n := range all {
		said += nlogn(n)
	}
	for _, n := range counts {
		said -= nlogn(n)
	}
	_, plain := s.leaf(r, known, fewRows)
	if _, own := s.leaf(out, known, fewRows); own+said >= keyGain*plain {
		return r
	}
	return out
}

// flips is what it costs to say which bits of each row differ from the row before of its flow and kind, and half of those of a
// row without one.
func (s *shaper) flips(w *window, words [][flipBits / 64]uint64, kinds []uint8, span int) float64 {
	var flips [flipBits]uint16
	last := map[[2]int32]int32{}
	n := 0
	for i := range w.rows {
		key := [2]int32{w.rows[i].flow, int32(kinds[i])}
		p, ok := last[key]
		last[key] = int32(i)
		if !ok {
			continue
		}
		n++
		for j := range words[i] {
			for x := words[i][j] ^ words[p][j]; x != 0; x &= x - 1 {
				flips[64*j+bits.TrailingZeros64(x)]++
			}
		}
	}
	s.work += int64(len(w.rows)) * 4
	sum := 0.0
	for _, f := range flips {
		sum += nlogn(n) - nlogn(int(f)) - nlogn(n-int(f))
	}
	return sum + float64((len(w.rows)-n)*min(span, flipBits))/2
}
