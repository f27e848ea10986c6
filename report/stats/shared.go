package stats

import (
	"sync"

	"github.com/pktscope/pktscope/report/scan"
)

// Shared is a Counter that others look at while it counts. Its own lock is held for as long as it counts a batch, or
// makes a Summary: nobody waits for what becomes of the packets otherwise.
type Shared struct {
	mu      sync.Mutex
	counter *Counter
}

// NewShared makes a Counter that is shared.
func NewShared(decoders *scan.Decoders) *Shared { return &Shared{counter: NewCounter(decoders)} }

// Stage counts packets.
func (s *Shared) Stage() scan.Stage[Batch] {
	stage := s.counter.Stage()
	drain := stage.Drain
	stage.Drain = func(b *Batch) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		return drain(b)
	}
	return stage
}

// Summaries is what was counted until now, in ns since the Unix epoch: of each decoder, then of each section. nil is of
// one that is not to be shown, see Counter.Has.
func (s *Shared) Summaries(now int64) []*Summary {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*Summary, len(s.counter.All()))
	for i, one := range s.counter.All() {
		if s.counter.Has(i) {
			all[i] = one.SummaryAt(now)
		}
	}
	return all
}
