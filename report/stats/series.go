package stats

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/report/saved"
)

// MaxBuckets is how many buckets a time series has at most.
const MaxBuckets = 512

// series counts by time, in spans of whole seconds.
type series struct {
	spans[bucket]
	cases seriesCases
}

type bucket struct {
	packets, rejected, payload, overhead uint64 // payload and overhead in bits

	kinds [reject.OverBudget + 1]uint64 // rejected packets by reject.Kind
	cases []uint64                      // accepted packets by slot of the series' cases; short where the rest is 0
}

// merge adds another bucket. slots tell which slot here is which there; nil where they are the same.
func (b *bucket) merge(o *bucket, slots []int) {
	b.packets += o.packets
	b.rejected += o.rejected
	b.payload += o.payload
	b.overhead += o.overhead
	for k, n := range o.kinds {
		b.kinds[k] += n
	}
	for i, n := range o.cases {
		if slots != nil {
			i = slots[i]
		}
		if i >= 0 && n > 0 {
			b.addCase(i, n)
		}
	}
}

const maxShift = 35 // then two buckets are more than all int64 nanoseconds

// at is the number of the second that a time in ns lies in.
func second(ns int64) int64 {
	s := ns / 1e9
	if ns%1e9 < 0 {
		s--
	}
	return s
}

// add counts a packet. name says what a case is called that is new.
func (s *series) add(r *record, name func(tag uint64) string) {
	b := s.bucket(second(r.time))
	b.packets++
	switch {
	case r.verdict == decode.Refused:
		b.rejected++
		b.kinds[r.kind]++
	case r.verdict == decode.Accepted && r.hasTag:
		if i := s.slot(seriesCase{tag: r.tag, listed: r.listed}, name); i >= 0 {
			b.addCase(i, 1)
		}
	}
	b.payload += 8 * uint64(r.size)
	b.overhead += 8 * uint64(r.overhead)
}

// bucket is the bucket of a second, made where there is none.
func (s *series) bucket(sec int64) *bucket { return s.at(sec, addBucket) }

func addBucket(to, from *bucket) { to.merge(from, nil) }

func (s *series) merge(o *series) {
	if len(o.buckets) == 0 {
		return
	}
	s.widenTo(o.shift, addBucket)
	slots := s.take(&o.cases)
	for i := range o.buckets {
		s.bucket((o.start+int64(i))<<o.shift).merge(&o.buckets[i], slots)
	}
}

func (s *series) code(c *coder) {
	c.byte(&s.shift, maxShift)
	c.int(&s.start)
	n := c.length(len(s.buckets), MaxBuckets, 4)
	if !c.writing {
		s.buckets = make([]bucket, n)
	}
	for i := range s.buckets {
		b := &s.buckets[i]
		c.uint(&b.packets, saved.MaxCount)
		c.uint(&b.rejected, saved.MaxCount)
		c.uint(&b.payload, saved.MaxCount)
		c.uint(&b.overhead, saved.MaxCount)
	}
	if c.version >= 2 {
		s.codeSplit(c)
	}
	// Seconds of an int64's nanoseconds: what lies outside would overflow when buckets are counted.
	const most = 1 << 34
	c.check(s.start<<s.shift>>s.shift == s.start && s.start<<s.shift >= -most && s.start<<s.shift <= most, "the series of the saved part begins outside of time")
}
