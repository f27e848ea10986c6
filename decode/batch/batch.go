// Package batch moves work through three stages: one goroutine fills batches, several work on them, and the caller's
// drains them in the order they were filled. It knows nothing of what flows through.
//
// Memory is bounded by the number of batches, which are made once and used again; how large one grows is Fill's affair.
// A slow drain holds back the workers and then the reader; nothing queues without bound.
package batch

import (
	"errors"
	"io"
	"sync"
)

// Stages is what is done with batches of type B.
type Stages[B any] struct {
	// Fill puts the next work into a batch, which it first empties. It is called from one goroutine. An error ends the
	// input, io.EOF without fault; what the batch holds by then is still worked on and drained.
	Fill func(*B) error
	// Feed is in place of Fill for an input that can wait in the middle of a batch. It is called once, fills and sends
	// batches until in.Next returns nil, and returns what ended the input.
	Feed func(in *Input[B]) error
	// Queue is how many batches may wait for a worker, beyond those that are worked on and drained.
	Queue int
	// Work processes a batch. Several goroutines call it, each for its own batch. worker, from 0, is the goroutine's
	// number, so that each can have its own scratch.
	Work func(worker int, b *B)
	// Drain takes the result, in the order of Fill, on Run's own goroutine. An error stops everything: batches after it
	// are not drained, and Fill is not called again.
	Drain func(*B) error
}

// ErrStop is what Drain returns to end the run without fault.
var ErrStop = errors.New("stop")

// Most is how many batches are worked on and drained at a time; Queue more wait.
func Most(workers int) int { return 2*max(workers, 1) + 2 }

// Run moves batches until Fill or Drain ends it, and returns the first error: Drain's, unless that is ErrStop, or
// Fill's, unless that is io.EOF. It uses workers goroutines for Work and one for Fill, at most Most(workers)+Queue
// batches, and leaves none of them behind, except that it cannot interrupt a Fill that blocks: whoever can block in
// Fill must be able to end that before Run returns.
func Run[B any](workers int, s Stages[B]) error {
	workers = max(workers, 1)
	ahead := Most(workers)
	in := &Input[B]{ring: make([]slot[B], ahead+s.Queue), ahead: ahead}
	in.room.L, in.work.L, in.ready.L = &in.mu, &in.mu, &in.mu
	feed := s.Feed
	if feed == nil {
		feed = func(in *Input[B]) error { return in.each(s.Fill) }
	}
	var wg sync.WaitGroup
	wg.Go(func() { in.end(feed(in)) })
	for n := range workers {
		wg.Go(func() {
			for b := in.begin(); b != nil; b = in.begin() {
				s.Work(n, &b.batch)
				in.worked(b)
			}
		})
	}
	err := in.drain(s.Drain)
	in.stop()
	wg.Wait()
	return err
}

// Input is the batches of a run: a ring, of which number n is at n modulo its length.
//
// Invariant: drained ≤ begun ≤ sent ≤ drained+len(ring), begun ≤ drained+ahead. Fill's goroutine has batch number sent,
// workers those from drained to begun until they are done, Drain the one at drained once it is done.
type Input[B any] struct {
	mu                   sync.Mutex
	room, work, ready    sync.Cond // for Fill, for workers, for Drain
	ring                 []slot[B]
	sent, begun, drained int
	ahead                int
	ended                bool // nothing more is sent
	stopped              bool // nobody wants more
	err                  error
}

type slot[B any] struct {
	batch B
	done  bool // it has been worked on
}

func (in *Input[B]) at(n int) *slot[B] { return &in.ring[n%len(in.ring)] }

// Next is the batch to be filled, as it was when it was drained. It waits for one that is free; nil says that nobody
// wants more.
func (in *Input[B]) Next() *B {
	in.mu.Lock()
	defer in.mu.Unlock()
	for in.sent == in.drained+len(in.ring) && !in.stopped {
		in.room.Wait()
	}
	if in.stopped {
		return nil
	}
	return &in.at(in.sent).batch
}

// Send passes on the batch that Next or Again returned.
func (in *Input[B]) Send() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.sent++
	in.work.Signal()
}

// Again takes back the batch that was sent last, if no worker has begun it and more says that it takes more; nil
// otherwise.
func (in *Input[B]) Again(more func(*B) bool) *B {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.sent == in.begun || !more(&in.at(in.sent-1).batch) {
		return nil
	}
	in.sent--
	return &in.at(in.sent).batch
}

// each feeds what fill puts into one batch after the other.
func (in *Input[B]) each(fill func(*B) error) error {
	for {
		b := in.Next()
		if b == nil {
			return nil
		}
		err := fill(b)
		in.Send()
		if err != nil {
			return err
		}
	}
}

// end says that nothing more is sent, and why.
func (in *Input[B]) end(err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.ended, in.err = true, err
	in.work.Broadcast()
	in.ready.Signal()
}

// stop says that nobody wants more.
func (in *Input[B]) stop() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.stopped = true
	in.work.Broadcast()
	in.room.Signal()
}

// begin waits for the next batch to work on; nil says that there will be none.
func (in *Input[B]) begin() *slot[B] {
	in.mu.Lock()
	defer in.mu.Unlock()
	for !in.stopped && (in.begun == in.sent && !in.ended || in.begun < in.sent && in.begun == in.drained+in.ahead) {
		in.work.Wait()
	}
	if in.stopped || in.begun == in.sent {
		return nil
	}
	in.begun++
	return in.at(in.begun - 1)
}

// worked says that a batch has been worked on.
func (in *Input[B]) worked(s *slot[B]) {
	in.mu.Lock()
	defer in.mu.Unlock()
	s.done = true
	if s == in.at(in.drained) {
		in.ready.Signal()
	}
}

// drain hands batches to take, in order.
func (in *Input[B]) drain(take func(*B) error) error {
	for {
		s, err := in.first()
		if s == nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := take(&s.batch); err != nil {
			if errors.Is(err, ErrStop) {
				return nil
			}
			return err
		}
		in.release(s)
	}
}

// first waits for the batch to be drained next; nil says that there is none, and why.
func (in *Input[B]) first() (*slot[B], error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	s := in.at(in.drained)
	for !s.done && !(in.ended && in.drained == in.sent) {
		in.ready.Wait()
	}
	if !s.done {
		return nil, in.err
	}
	return s, nil
}

// release makes room for another batch.
func (in *Input[B]) release(s *slot[B]) {
	in.mu.Lock()
	defer in.mu.Unlock()
	s.done = false
	in.drained++
	in.room.Signal()
	in.work.Signal()
}
