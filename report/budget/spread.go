package budget

import "math/bits"

// Spread is a histogram of sizes per packet: exact below 64, above that 32 buckets for each power of two, so a
// percentile is off by at most 1/64. It merges exactly. The zero Spread is empty.
type Spread struct {
	counts []uint64
	n      uint64
	max    uint64
}

const (
	exactSizes   = 64
	bucketExtent = 5                 // log2 of sizeBuckets
	sizeBuckets  = 1 << bucketExtent // for each power of two above
	largestSize  = 1 << 32           // larger ones count as this; a datagram has 524,056 bits
	mostBuckets  = exactSizes + (32-bucketExtent-1)*sizeBuckets + 1
)

func bucketOf(v uint64) int {
	if v < exactSizes {
		return int(v)
	}
	v = min(v, largestSize)
	shift := bits.Len64(v) - 1 - bucketExtent
	return exactSizes + (shift-1)*sizeBuckets + int(v>>shift) - sizeBuckets
}

// middle is the size that a bucket stands for.
func middle(bucket int) uint64 {
	if bucket < exactSizes {
		return uint64(bucket)
	}
	shift := (bucket-exactSizes)/sizeBuckets + 1
	lo := uint64((bucket-exactSizes)%sizeBuckets+sizeBuckets) << shift
	return lo + 1<<shift/2
}

func (s *Spread) add(v uint64) { s.addMany(v, 1) }

func (s *Spread) addMany(v, n uint64) {
	b := bucketOf(v)
	if b >= len(s.counts) {
		s.counts = append(s.counts, make([]uint64, b+1-len(s.counts))...)
	}
	s.counts[b] += n
	s.n += n
	s.max = max(s.max, v)
}

func (s *Spread) merge(o *Spread) {
	if len(o.counts) > len(s.counts) {
		s.counts = append(s.counts, make([]uint64, len(o.counts)-len(s.counts))...)
	}
	for b, n := range o.counts {
		s.counts[b] += n
	}
	s.n += o.n
	s.max = max(s.max, o.max)
}

// N is how many sizes were counted, Max the largest.
func (s *Spread) N() uint64 { return s.n }

// Max is the largest size, exactly.
func (s *Spread) Max() uint64 { return s.max }

// Percentile is the size that so many hundredths of all do not exceed; zeros more of size 0 count beside those added.
func (s *Spread) Percentile(hundredths float64, zeros uint64) uint64 {
	total := s.n + zeros
	if total == 0 {
		return 0
	}
	rank := uint64(float64(total)*hundredths/100 + 0.999999)
	rank = min(max(rank, 1), total)
	seen := zeros
	if rank <= seen {
		return 0
	}
	for b, n := range s.counts {
		if seen += n; seen >= rank {
			return min(middle(b), s.max)
		}
	}
	return s.max
}
