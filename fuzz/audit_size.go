package fuzz

import (
	"context"
	"sync/atomic"
	"time"
)

// auditSize is how many packets an audit has: they are counted beside it, unless it is over soon.
type auditSize struct {
	n       atomic.Int64
	counted atomic.Bool
	end     func()
}

// countAfter is how long an audit runs before its packets are counted, and countFor how long they are at most: more
// than one can make in this time are "at least so many".
const (
	countAfter = 300 * time.Millisecond
	countFor   = 20 * time.Second
)

// count counts the packets until ctx ends.
func (a *Audit) count(ctx context.Context) *auditSize {
	ctx, end := context.WithCancel(ctx)
	done := make(chan struct{})
	s := &auditSize{end: func() { end(); <-done }}
	go func() {
		defer close(done)
		select {
		case <-ctx.Done():
			return
		case <-time.After(countAfter):
		}
		ctx, end := context.WithTimeout(ctx, countFor)
		defer end()
		for range a.enumeration().attacks(ctx) {
			s.n.Add(1)
		}
		s.counted.Store(ctx.Err() == nil)
	}()
	return s
}

// packets is how many have been counted; 0 of nil.
func (s *auditSize) packets() int {
	if s == nil {
		return 0
	}
	return int(s.n.Load())
}

// whole reports whether all have been.
func (s *auditSize) whole() bool { return s != nil && s.counted.Load() }
