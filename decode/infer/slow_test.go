package infer

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/wire"
)

// slow prices each field by itself and leaves out nothing: what coster.widen is held against.
type slow struct {
	values []uint64
	prev   []int32
	flows  int
	w      int
	scale  float64
	best   choice
}

func (s *slow) try(data, once float64, m model) {
	if bits := s.scale*data + once; bits < s.best.bits {
		s.best = choice{bits: bits, model: m}
	}
}

// histogram tries numbers by their classes: as small ones and others, or all by their lengths.
func (s *slow) histogram(numbers []uint64, once float64, m model) {
	fine, coarse := map[int]int{}, map[int]int{}
	for _, x := range numbers {
		fine[class(x)]++
		coarse[bits.Len64(x)]++
	}
	data, rough := 0.0, 0.0
	for k := range exact + 2*65 {
		if n := fine[k]; n > 0 {
			data += float64(n*max(0, (k-exact)/2-2)) - nlogn(n)
		}
		if n := coarse[k]; n > 0 {
			rough += float64(n*max(0, k-1)) - nlogn(n)
		}
	}
	each, kinds := share(len(numbers), s.scale), len(fine)
	if s.scale*rough+each*float64(len(coarse)) <= s.scale*data+each*float64(kinds) {
		data, kinds = rough, len(coarse)
	}
	s.try(nlogn(len(numbers))+data, once+each*float64(kinds-1), m)
}

// normal tries numbers as a normal distribution.
func (s *slow) normal(numbers []int64, once float64, m model) {
	sum, squares, n := 0.0, 0.0, float64(len(numbers))
	for _, v := range numbers {
		sum += float64(v)
		squares += float64(v) * float64(v)
	}
	variance := max(0, squares/n-sum/n*(sum/n)) + 1./12
	s.try(n*max(0, math.Log2(2*math.Pi*math.E*variance)/2), once+log2(len(numbers)), m)
}

func (s *slow) price() choice {
	n, w, mask := len(s.values), s.w, wire.Mask(s.w)
	s.best = choice{bits: s.scale * float64(n*w) * anyGain, model: modelUniform}
	across := math.Log2(float64(slices.Max(s.values)-slices.Min(s.values)) + 1)
	s.try(float64(n)*across, float64(w)+across+2, modelRange)
	same := 0.0
	for k := w - 1; k >= 0 && slices.Max(s.values)>>k == slices.Min(s.values)>>k; k-- {
		if slices.Min(s.values)>>k != 0 {
			same = float64(w - k)
		}
	}
	s.histogram(s.values, 2+same, modelSize)
	var signed []uint64
	kinds := map[uint64]int{}
	for _, x := range s.values {
		signed = append(signed, wire.ZigZag(extend(x, w)))
		kinds[x]++
	}
	s.histogram(signed, 4+same, modelSigned)
	if w <= 32 && len(kinds) <= maxEnum {
		sum := nlogn(n)
		for _, k := range kinds {
			sum -= nlogn(k)
		}
		s.try(sum, float64(len(kinds))*(float64(w)+share(n, s.scale)), modelEnum)
	}
	var some, steps, bends []int64
	for r := n - 1; r >= 0 && len(some) < 15; r -= max(1, n/15) {
		if p := s.prev[r]; p >= 0 {
			some = append(some, extend(s.values[r]-s.values[p], w))
		}
	}
	slices.Sort(some)
	speeds := make([]uint64, n)
	var walk, smooth, rate []uint64
	usual, moved, length := uint64(0), 0, 0
	if len(some) > 0 {
		usual = uint64(some[len(some)/2]) & mask
	}
	for r, x := range s.values {
		p := s.prev[r]
		if p < 0 {
			continue
		}
		d := (x - s.values[p]) & mask
		speeds[r] = d
		long := bits.Len64(wire.ZigZag(extend(d, w)))
		if s.prev[p] >= 0 {
			bend := extend(d-speeds[p], w)
			bends, smooth = append(bends, bend), append(smooth, wire.ZigZag(bend))
			if before := bits.Len64(wire.ZigZag(extend(speeds[p], w))); before > 0 && long > before+4 {
				speeds[r] = 0
			}
		}
		if d != 0 {
			moved++
		}
		length += long
		steps, walk = append(steps, extend(d, w)), append(walk, wire.ZigZag(extend(d, w)))
		rate = append(rate, wire.ZigZag(extend(d-usual, w)))
	}
	if after := len(steps); after > 0 {
		first := float64(s.flows)*min(across, s.best.bits/s.scale/float64(n)) + same
		s.scale = (s.scale*float64(n) - float64(s.flows)) / float64(after)
		s.try(nlogn(after)-nlogn(moved)-nlogn(after-moved)+1.5*float64(length), first+4, modelStep)
		s.histogram(walk, first+4, modelWalk)
		s.normal(steps, first+6, modelWalk)
		if usual != 0 {
			s.histogram(rate, first+6+float64(bits.Len64(usual)), modelRate)
		}
		if w >= 8 {
			s.history(first)
		}
		if thirds := len(bends); thirds > 0 {
			seconds := float64(min(s.flows, after-thirds))
			first += seconds * min(across, s.best.bits/s.scale/float64(after))
			s.scale = (s.scale*float64(after) - seconds) / float64(thirds)
			s.histogram(smooth, first+6, modelSmooth)
			s.normal(bends, first+8, modelSmooth)
		}
	}
	return s.best
}

// history tries a shift register.
func (s *slow) history(first float64) {
	sum, odd := 0, 0
	for r, x := range s.values {
		if s.prev[r] < 0 {
			continue
		}
		cost := s.w + 2
		for k := 4; k >= 0; k-- {
			if x>>k == s.values[s.prev[r]]&(wire.Mask(s.w)>>k) {
				cost = k + 2
			}
		}
		if sum += cost; cost > 8 {
			odd++
		}
	}
	if odd <= len(s.values)/4 {
		s.try(float64(sum), first+8, modelHistory)
	}
}

// The prices that share what they look at, and leave out what cannot be the cheapest, are those of each field by itself.
func TestPrices(t *testing.T) {
	fillTables()
	r := rand.New(rand.NewPCG(4, 15))
	met := map[model]int{}
	for round := range need.Rounds(24, 6) {
		s := counters(r, 60+r.IntN(200))
		w := rows(s.rows).window(40 + r.IntN(200))
		w.all = len(w.rows) * (1 + r.IntN(7))
		c := coster{order: wire.Order(round % 3)}
		for i := round & 1; i < 88; i += 1 + r.IntN(3) {
			var col column
			phase := i & 7
			most := 1 + r.IntN(maxWidth)
			c.widen(&w, &col, i, 1+r.IntN(most), phase) // in two steps
			c.widen(&w, &col, i, most, phase)
			for width := 1; width <= most; width++ {
				if width > nearWidth && (width&7 != 0 || phase != 0) {
					continue
				}
				one := slow{prev: w.prev, flows: w.flows, w: width, scale: w.scale()}
				for k := range w.rows {
					one.values = append(one.values, c.order.Load(w.rows[k].data, i, width))
				}
				if constant := slices.Max(one.values) == slices.Min(one.values); constant != (width <= col.constant) {
					t.Fatalf("order %v, %d bits at %d: constant is %t", c.order, width, i, constant)
				} else if constant {
					continue
				}
				got, want := col.cells[width], one.price()
				if got.swap || got.model == modelFloat {
					continue
				}
				met[got.model]++
				if got.model != want.model || math.Abs(got.bits-want.bits) > nearly {
					t.Fatalf("order %v, %d bits at %d: %v, want %v", c.order, width, i, got, want)
				}
			}
		}
	}
	for m := modelUniform; m < modelFloat; m++ {
		if met[m] == 0 {
			t.Errorf("no field is %v", m)
		}
	}
}
