package stats

// spans are stretches of time that follow each other, each 1<<shift units wide. They are twice as wide each time there
// would be more than MaxBuckets. They begin at multiples of their width since the Unix epoch, so that those of several
// parts have them in common.
type spans[T any] struct {
	shift   uint8
	start   int64 // number of the first span, counted from the epoch
	buckets []T
}

// at is the span that a unit lies in, made where there is none. merge adds one span to another: two become one.
func (s *spans[T]) at(unit int64, merge func(to, from *T)) *T {
	at := unit>>s.shift - s.start
	if at >= 0 && at < int64(len(s.buckets)) {
		return &s.buckets[at]
	}
	if len(s.buckets) == 0 {
		s.start = unit >> s.shift
		s.buckets = make([]T, 1)
		return &s.buckets[0]
	}
	for {
		at = unit>>s.shift - s.start
		if first, last := min(at, 0), max(at, int64(len(s.buckets)-1)); last-first < MaxBuckets {
			break
		}
		s.widen(merge)
	}
	if at < 0 {
		moved := make([]T, int64(len(s.buckets))-at)
		copy(moved[-at:], s.buckets)
		s.buckets, s.start, at = moved, s.start+at, 0
	}
	for at >= int64(len(s.buckets)) {
		var none T
		s.buckets = append(s.buckets, none)
	}
	return &s.buckets[at]
}

// widen makes two spans into one.
func (s *spans[T]) widen(merge func(to, from *T)) {
	start := s.start >> 1
	n := (s.start+int64(len(s.buckets))-1)>>1 - start + 1
	wide := make([]T, n)
	for i := range s.buckets {
		merge(&wide[(s.start+int64(i))>>1-start], &s.buckets[i])
	}
	s.buckets, s.start = wide, start
	s.shift++
}

// add adds other spans.
func (s *spans[T]) add(o *spans[T], merge func(to, from *T)) {
	if len(o.buckets) == 0 {
		return
	}
	s.widenTo(o.shift, merge)
	for i := range o.buckets {
		merge(s.at((o.start+int64(i))<<o.shift, merge), &o.buckets[i])
	}
}

// widenTo makes the spans at least as wide as a shift says.
func (s *spans[T]) widenTo(shift uint8, merge func(to, from *T)) {
	for len(s.buckets) > 0 && s.shift < shift {
		s.widen(merge)
	}
	s.shift = max(s.shift, shift)
}
