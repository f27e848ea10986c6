package infer

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/pktscope/pktscope/decode/wire"
)

// tag is a field whose values might tell kinds of packets apart.
type tag struct {
	at, width int
	values    int
	score     float64
}

// value is what the row has at some of its bits; 0 where it is too short.
func (s *shaper) value(r *row, at, width int) uint64 {
	if r.pos+at+width > r.end {
		return 0
	}
	return s.order.Load(r.data, r.pos+at, width)
}

// above is where a field begins that has the low bits of the one at a bit, and more above them.
func (s *shaper) above(at, more int) int {
	if s.order == wire.LSB {
		return at
	}
	return at - more
}

// tags are the fields that best say which packets are alike: the bits of a packet differ less from the one before with the
// same value than from the one before.
func (s *shaper) tags(r rows) []tag {
	w := r.window(wideRows)
	n := len(w.rows)
	least := r.least()
	span := min(maxTagBit, least)
	words := s.flipWords(&w)
	kinds := make([]uint8, n)
	var out []tag
	halves := make([]uint8, n)
	for at := range span {
		for width := 1; width <= min(16, least-at); width++ {
			if s.byByte && (at%min(8, width) != 0 || width != 4 && width != 8 && width != 16) || !s.byByte && width > 8 {
				continue
			}
			if s.spent() {
				return nil
			}
			values, ok := s.sort(&w, at, width, kinds)
			if !ok || s.isCounter(&w, at, width) {
				continue
			}
			if width == 16 { // one of its bytes that has as many values says as much
				first, _ := s.sort(&w, at, 8, halves)
				second, _ := s.sort(&w, at+8, 8, halves)
				if values <= max(first, second) {
					continue
				}
			}
			out = append(out, tag{at, width, values, s.alike(&w, words, kinds)})
		}
	}
	none := make([]uint8, n)
	base := s.alike(&w, words, none)
	out = slices.DeleteFunc(out, func(t tag) bool { return t.score > base })
	// Of bits that tell the same rows apart side by side, all are the tag: a score is that of one way to part the rows.
	slices.SortStableFunc(out, func(a, b tag) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(b.width, a.width))
	})
	kept := out[:0]
	for _, t := range out {
		if !slices.ContainsFunc(kept, func(b tag) bool {
			return b.score == t.score && b.values == t.values && t.at <= b.at+b.width && b.at <= t.at+t.width
		}) {
			kept = append(kept, t)
		}
	}
	out = kept
	// Many values explain much, be they kinds or not: the best of few values are tried, too. So are others than those
	// that share bits with two that are better.
	var best []tag
	for _, most := range [3]int{maxArms, 8, 4} {
		from := len(best)
		for n, i := 0, 0; n < tagTries && i < len(out); i++ {
			t := out[i]
			if t.values > most || slices.Contains(best, t) {
				continue
			}
			shared := 0
			for _, b := range best[from:] {
				if t.at < b.at+b.width && b.at < t.at+t.width {
					shared++
				}
			}
			if shared < 2 {
				best = append(best, t)
				n++
			}
		}
	}
	return best
}

// flipWords are the first bits of the rows, as words.
func (s *shaper) flipWords(w *window) [][flipBits / 64]uint64 {
	words := make([][flipBits / 64]uint64, len(w.rows))
	for i := range w.rows {
		for k := range words[i] {
			if at := w.rows[i].pos + 64*k; at < w.rows[i].end {
				words[i][k] = s.order.Peek(w.rows[i].data, at, w.rows[i].end, 64)
			}
		}
	}
	return words
}

// sort numbers the rows by the value of a field. ok is false where it is no tag: one value, or too many, or a first or
// last bit that never changes, without which it is the same tag.
func (s *shaper) sort(w *window, at, width int, kinds []uint8) (values int, ok bool) {
	var known [maxArms]uint64
	var counts [maxArms]int
	n := 0
	ones, zeros := uint64(0), uint64(0)
	for i := range w.rows {
		x := s.value(&w.rows[i], at, width)
		ones, zeros = ones|x, zeros|^x
		k := slices.Index(known[:n], x)
		if k < 0 {
			if n == maxArms {
				return n, false
			}
			known[n], k = x, n
			n++
		}
		counts[k]++
		kinds[i] = uint8(k)
	}
	s.work += int64(len(w.rows)) / 4
	edges := uint64(1) | 1<<(width-1)
	if n < 2 || !s.byByte && ones&zeros&edges != edges {
		return n, false
	}
	rare := 0
	for _, k := range counts[:n] {
		if k < 2 {
			rare += k
		}
	}
	return n, rare*20 <= len(w.rows)
}

// Bits above those of a tag that say whether they are of a counter, and the share of the steps that are one: of all, or of
// those that change a field which rests for most of them.
const (
	carryBits  = 3
	counterOne = 0.8
	carryOne   = 0.9
	carryRests = 4
)

// isCounter reports whether bits, with some above them, count the packets of a flow, or are high ones of a number that rises:
// each four of these seem to be of four kinds where something is sent with every fourth, and so do parts of a session.
func (s *shaper) isCounter(w *window, at, width int) bool {
	if at, width = s.above(at, carryBits), width+carryBits; at < 0 {
		return false
	}
	ones, changes, steps := 0, 0, 0
	for i, p := range w.prev {
		if p < 0 {
			continue
		}
		steps++
		if d := (s.value(&w.rows[i], at, width) - s.value(&w.rows[p], at, width)) & wire.Mask(width); d != 0 {
			if changes++; d == 1 {
				ones++
			}
		}
	}
	return steps >= fewest && float64(ones) >= counterOne*float64(steps) ||
		changes >= fewest && changes*carryRests <= steps && float64(ones) >= carryOne*float64(changes)
}

// alike is what it costs to say which bits of each row differ from the row before of its flow and kind, and the rows' lengths.
func (s *shaper) alike(w *window, words [][flipBits / 64]uint64, kinds []uint8) float64 {
	var flips [maxArms][flipBits]uint16
	var rows, firsts [maxArms]int
	last := map[[2]int32]int32{}
	sizes := [maxArms]map[int]int{}
	for i := range w.rows {
		k := kinds[i]
		rows[k]++
		if sizes[k] == nil {
			sizes[k] = map[int]int{}
		}
		sizes[k][w.rows[i].end-w.rows[i].pos]++
		key := [2]int32{w.rows[i].flow, int32(k)}
		p, ok := last[key]
		last[key] = int32(i)
		if !ok {
			firsts[k]++
			continue
		}
		for j := range words[i] {
			for x := words[i][j] ^ words[p][j]; x != 0; x &= x - 1 {
				flips[k][64*j+bits.TrailingZeros64(x)]++
			}
		}
	}
	s.work += int64(len(w.rows)) * 4
	sum := nlogn(len(w.rows))
	for k := range rows {
		if rows[k] == 0 {
			continue
		}
		sum += armCost - nlogn(rows[k])
		n := rows[k] - firsts[k]
		half := log2(n+1) / 2
		for _, f := range flips[k] {
			if f > 0 {
				sum += nlogn(n) - nlogn(int(f)) - nlogn(n-int(f)) + half
			}
		}
		var list []size
		for l, m := range sizes[k] {
			list = append(list, size{l, m})
		}
		sum += lengthCost(list) + float64(firsts[k])*64
	}
	return sum
}
