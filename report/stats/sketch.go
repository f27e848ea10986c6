package stats

import (
	"math"
	"math/bits"
	"slices"

	"github.com/pktscope/pktscope/report/saved"
)

// SketchError is the most by which a percentile of a Sketch is off, as a part of its value.
const SketchError = 1.0 / 128

// Sketch is the distribution of durations, in ns: how many fell into each of at most 3,776 buckets, whose width grows
// with the value. Percentiles are within SketchError of the duration that has their rank; the number, the mean, the
// least and the greatest are exact. Merging is adding, so that it does not matter who counted what in which order.
//
// A bucket has a value's first seven bits (as in HdrHistogram). That is integer arithmetic: the same on every machine.
//
// A Sketch that keeps fewer buckets (see coarsen) makes each group of 2^level neighbors one. Its level is the least with
// which the values fit, so that it does not depend on their order either (as in UDDSketch: Epicoco and others 2020), and
// its percentiles are within SketchError × 2^level, or 2^level / 2 ns where that is more.
type Sketch struct {
	level    uint8
	buckets  []sketchBucket // by at, none empty
	n        uint64
	sum      uint64 // ns; stays at the end of its range
	min, max uint64 // valid iff n > 0
}

type sketchBucket struct {
	at uint16 // bucketOf a value, without its last level bits
	n  uint64
}

const (
	maxSketchBuckets = 58*64 + 64
	maxSketchLevel   = 8
)

// bucketOf is the bucket of a value; those below 128 have one each.
func bucketOf(v uint64) uint16 {
	if v < 128 {
		return uint16(v)
	}
	e := bits.Len64(v) - 7
	return uint16(e*64) + uint16(v>>e)
}

// least is the least value of a bucket; 2^64, which is 0, of the one after the last.
func least(at uint16) uint64 {
	if at < 128 {
		return uint64(at)
	}
	e := at/64 - 1
	return uint64(at-e*64) << e
}

// middle is the value in the middle of a bucket of a level.
func middle(at uint16, level uint8) uint64 {
	from := least(at << level)
	return from + (least((at+1)<<level)-from)/2
}

// Error is the most by which a percentile is off, as a part of its value.
func (s *Sketch) Error() float64 { return SketchError * float64(uint64(1)<<s.level) }

// Add counts a duration, which is not negative.
func (s *Sketch) Add(ns uint64) { s.add(ns, 1) }

func (s *Sketch) add(v, times uint64) {
	s.bound(v, v)
	s.n += times
	s.sum = addUp(s.sum, v)
	s.fill(bucketOf(v)>>s.level, times)
}

// coarsen raises the level until there are at most most buckets.
func (s *Sketch) coarsen(most int) {
	for len(s.buckets) > most {
		s.raise(s.level + 1)
	}
}

func (s *Sketch) raise(level uint8) {
	by := level - s.level
	s.level = level
	kept := s.buckets[:0]
	for _, b := range s.buckets {
		b.at >>= by
		if n := len(kept); n > 0 && kept[n-1].at == b.at {
			kept[n-1].n += b.n
			continue
		}
		kept = append(kept, b)
	}
	s.buckets = kept
}

func (s *Sketch) bound(lo, hi uint64) {
	if s.n == 0 {
		s.min, s.max = lo, hi
	}
	s.min, s.max = min(s.min, lo), max(s.max, hi)
}

func (s *Sketch) find(at uint16) (int, bool) {
	return slices.BinarySearchFunc(s.buckets, at, func(b sketchBucket, at uint16) int { return int(b.at) - int(at) })
}

func (s *Sketch) fill(at uint16, n uint64) {
	i, found := s.find(at)
	if !found {
		s.buckets = slices.Insert(s.buckets, i, sketchBucket{at: at})
	}
	s.buckets[i].n += n
}

// Merge adds another sketch.
func (s *Sketch) Merge(o *Sketch) {
	if o.n == 0 {
		return
	}
	s.bound(o.min, o.max)
	s.n += o.n
	s.sum = addUp(s.sum, o.sum)
	if o.level > s.level {
		s.raise(o.level)
	}
	for _, b := range o.buckets {
		s.fill(b.at>>(s.level-o.level), b.n)
	}
}

// N is how many durations were counted.
func (s *Sketch) N() uint64 { return s.n }

// Quantile is the duration, in ns, of which the part q (0..1) of all is no longer; 0 without any.
func (s *Sketch) Quantile(q float64) uint64 {
	if s.n == 0 {
		return 0
	}
	rank := max(uint64(math.Ceil(q*float64(s.n))), 1)
	if rank >= s.n {
		return s.max
	}
	for _, b := range s.buckets {
		if rank <= b.n {
			return min(max(middle(b.at, s.level), s.min), s.max)
		}
		rank -= b.n
	}
	return s.max
}

// Mean is the average in ns, 0 without any.
func (s *Sketch) Mean() float64 {
	if s.n == 0 {
		return 0
	}
	return float64(s.sum) / float64(s.n)
}

// addUp is a+b, or the largest number. Times are the capture's to choose, so sums of them reach it.
func addUp(a, b uint64) uint64 {
	if sum, carry := bits.Add64(a, b, 0); carry == 0 {
		return sum
	}
	return math.MaxUint64
}

func (s *Sketch) code(c *coder) {
	c.uint(&s.n, saved.MaxCount)
	if s.n == 0 {
		return
	}
	c.uint(&s.sum, math.MaxUint64)
	c.uint(&s.min, math.MaxUint64)
	c.uint(&s.max, math.MaxUint64)
	if c.version >= 3 {
		c.byte(&s.level, maxSketchLevel)
	}
	most := maxSketchBuckets >> s.level
	n := c.length(len(s.buckets), most, 2)
	if !c.writing {
		s.buckets = make([]sketchBucket, n)
	}
	from, total := uint64(0), uint64(0)
	for i := range s.buckets {
		b := &s.buckets[i]
		step := uint64(b.at) - from
		c.uint(&step, uint64(most))
		c.uint(&b.n, saved.MaxCount)
		at := from + step
		c.check(i == 0 || step > 0, "the buckets of a sketch do not ascend")
		c.check(at < uint64(most) && b.n > 0, "a sketch has a bucket that cannot be")
		b.at, from = uint16(at), at
		total += b.n // cannot overflow: 3,776 × saved.MaxCount
	}
	c.check(total == s.n, "a sketch's buckets do not add up")
	c.check(s.min <= s.max, "a sketch's least value is above its greatest")
	c.check(fits(s.n, s.min, s.max, s.sum), "a sketch's sum does not fit its values")
}
