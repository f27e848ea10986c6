package stats

import "github.com/pktscope/pktscope/report/saved"

// cadence is how regularly a case with @every came: over all senders and receivers, the time between two accepted
// packets of one sender to one receiver.
type cadence struct {
	interval Sketch
	jitter   Sketch // how far the intervals are from @every, either way
	backward uint64 // packets whose time is before that of the one before them: no interval
}

func (k *cadence) add(from, to, every int64) {
	if to < from {
		k.backward++
		return
	}
	// Times are any int64, so their difference is one of unsigned numbers.
	k.interval.Add(uint64(to) - uint64(from))
	k.jitter.Add(jitterOf(from, to, every))
}

// jitterOf is how far an interval is from @every, either way.
func jitterOf(from, to, every int64) uint64 {
	d := uint64(to) - uint64(from)
	return max(d, uint64(every)) - min(d, uint64(every))
}

func (k *cadence) merge(o *cadence) {
	k.interval.Merge(&o.interval)
	k.jitter.Merge(&o.jitter)
	k.backward += o.backward
}

func (k *cadence) code(c *coder) {
	k.interval.code(c)
	k.jitter.code(c)
	c.uint(&k.backward, saved.MaxCount)
}

// stretch is when something was seen first and last, in the order of the capture: what a part needs to be continued.
// A time of 0 is unknown and not seen.
type stretch struct {
	first, last int64 // ns since the Unix epoch; 0 when never seen
}

func (s *stretch) see(at int64) {
	if s.first == 0 {
		s.first = at
	}
	s.last = at
}

// merge continues s with o.
func (s *stretch) merge(o *stretch) {
	if o.first == 0 {
		return
	}
	if s.first == 0 {
		s.first = o.first
	}
	s.last = o.last
}

func (s *stretch) code(c *coder) {
	seen := s.first != 0
	if c.version >= partFiles {
		c.bool(&seen)
	}
	if seen || c.version < partFiles {
		c.instant(&s.first)
	}
	if s.first == 0 {
		c.check(!seen, "a stretch of the saved part begins at no time")
		return
	}
	c.instant(&s.last)
	c.check(s.last != 0, "a stretch of the saved part begins and does not end")
}
