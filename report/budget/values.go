package budget

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// sample is the values of one field. While there are few it has all of them. When there are more than it may keep, it
// keeps those whose hash begins with level zero bits (Wegman's adaptive sampling), each with its true count: a value
// that stays was never dropped, because the level only rises. What is kept depends on the set of values and not on
// their order, so merging is exact.
type sample struct {
	limit  int // most values kept; a power of two
	level  uint8
	used   int
	codes  []uint64 // open addressing; a free place has count 0
	counts []uint64
}

// smallSample is the places of a table that was just begun.
const smallSample = 16

// mix spreads codes over 64 bits (the finalizer of MurmurHash3). It has no seed: results of different runs merge.
func mix(code uint64) uint64 {
	code ^= code >> 33
	code *= 0xff51afd7ed558ccd
	code ^= code >> 33
	code *= 0xc4ceb9fe1a85ec53
	return code ^ code>>33
}

func (s *sample) add(code uint64) { s.addMany(code, 1) }

func (s *sample) addMany(code, n uint64) {
	h := mix(code)
	if uint8(bits.LeadingZeros64(h)) < s.level {
		return
	}
	if s.codes == nil {
		s.codes, s.counts = make([]uint64, smallSample), make([]uint64, smallSample)
	}
	mask := uint64(len(s.codes) - 1)
	at := h & mask
	for s.counts[at] != 0 {
		if s.codes[at] == code {
			s.counts[at] += n
			return
		}
		at = (at + 1) & mask
	}
	s.codes[at], s.counts[at] = code, n
	s.used++
	switch {
	case s.used > s.limit:
		s.thin(s.level + 1)
	case 2*s.used > len(s.codes):
		s.rebuild(2 * len(s.codes))
	}
}

// thin raises the level until what is left fits.
func (s *sample) thin(level uint8) {
	s.level = max(s.level, level)
	s.rebuild(len(s.codes))
	for s.used > s.limit && s.level < 64 {
		s.level++
		s.rebuild(len(s.codes))
	}
}

// rebuild makes a table of size places of what the level still allows.
func (s *sample) rebuild(size int) {
	codes, counts := s.codes, s.counts
	s.codes, s.counts, s.used = make([]uint64, size), make([]uint64, size), 0
	mask := uint64(size - 1)
	for i, n := range counts {
		h := mix(codes[i])
		if n == 0 || uint8(bits.LeadingZeros64(h)) < s.level {
			continue
		}
		at := h & mask
		for s.counts[at] != 0 {
			at = (at + 1) & mask
		}
		s.codes[at], s.counts[at] = codes[i], n
		s.used++
	}
}

func (s *sample) merge(o *sample) {
	if o.level > s.level {
		s.level = o.level
		if s.codes != nil {
			s.rebuild(len(s.codes))
		}
	}
	for i, n := range o.counts {
		if n > 0 {
			s.addMany(o.codes[i], n)
		}
	}
}

// pair is a value and how often it came.
type pair struct{ code, n uint64 }

// all is what was kept, by code.
func (s *sample) all() []pair {
	out := make([]pair, 0, s.used)
	for i, n := range s.counts {
		if n > 0 {
			out = append(out, pair{s.codes[i], n})
		}
	}
	slices.SortFunc(out, func(a, b pair) int { return cmp.Compare(a.code, b.code) })
	return out
}

// Measured is an estimate, exact when Error is 0.
type Measured struct {
	Value float64
	Error float64 // standard error, in Value's unit
}

func (s *sample) distinct() Measured {
	d := float64(s.used) * math.Ldexp(1, int(s.level))
	if s.level == 0 || s.used == 0 {
		return Measured{Value: d}
	}
	return Measured{d, d * 1.2 / math.Sqrt(float64(s.used))}
}

// entropy is the bits that one value carries if each is independent of those before: Σ p·log2(1/p). Of a sample the
// frequent values count as they are, the rare ones for all those that their hash left out, and a frequent value that
// was left out as one: it is the count that is missing.
func (s *sample) entropy(n uint64) float64 {
	if n == 0 {
		return 0
	}
	total := float64(n)
	sum, frequent, rare, rareSum := 0.0, 0.0, 0.0, 0.0
	for _, p := range s.all() { // in one order, so that the sum is the same after every merge
		c := float64(p.n)
		bitsOf := c / total * math.Log2(total/c)
		if s.level == 0 || c >= total/128 {
			sum += bitsOf
			frequent += c
		} else {
			rareSum += bitsOf
			rare += c
		}
	}
	if s.level == 0 {
		return sum
	}
	scale := math.Ldexp(1, int(s.level))
	left := total - frequent
	if rare*scale > left {
		scale = left / rare
	}
	sum += rareSum * scale
	if missing := left - rare*scale; missing > total/128 {
		sum += missing / total * math.Log2(total/missing)
	}
	return sum
}
