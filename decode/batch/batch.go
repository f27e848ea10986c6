// Package batch moves work through three stages: one goroutine fills batches, several work on them, and the caller's
// drains them in the order they were filled. It knows nothing of what flows through.
//
// Memory is bounded by the number of batches, which are made once and used again; how large one grows is Fill's affair.
// A slow drain holds back the workers and then the reader; nothing queues without bound.
package batch

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
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
// batches, and leaves none of them after, except that it cannot interrupt a Fill that blocks: whoever can block in
// Fill must be able to end that before Run returns. A panic in Fill or Work is one of Run, with the stack of where it
// was, so that who calls Run can put things in order.
func Run[B any](workers int, s Stages[B]) error {
	workers = max(workers, 1)
	ahead := Most(workers)
	in := &Input[B]{ring: make([]*slot[B], ahead+s.Queue), ahead: ahead}
	in.room.L, in.work.L, in.ready.L = &in.mu, &in.mu, &in.mu
	feed := s.Feed
	if feed == nil {
		feed = func(in *Input[B]) error { return in.each(s.Fill) }
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		defer in.carry()
		in.end(feed(in))
	})
	for n := range workers {
		wg.Go(func() {
			defer in.carry()
			for b := in.begin(); b != nil; b = in.begin() {
				s.Work(n, &b.batch)
				in.worked(b)
			}
		})
	}
	err := in.drain(s.Drain)
	in.stop()
	if r := in.broken(); r != "" {
		panic(r) // without waiting: a Fill may block
	}
	wg.Wait()
	if r := in.broken(); r != "" {
		panic(r)
	}
	return err
}

// carry ends everything where a stage panics.
func (i *Input[B]) carry() {
	r := recover()
	if r == nil {
		return
	}
	i.mu.Lock()
	i.panicked = fmt.Sprintf("%v\n\n%s", r, debug.Stack())
	i.ready.Signal()
	i.mu.Unlock()
	i.stop()
}

// broken is the panic of a stage, "" without one.
func (i *Input[B]) broken() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.panicked
}

// Input is the batches of a run: a ring, of which number n is at n modulo its length. A batch that was drained is the
// next to be filled, for it is in the processor's cache; so no more are made than are ever on their way at a time.
//
// Invariant: drained ≤ begun ≤ sent ≤ drained+len(ring), begun ≤ drained+ahead. Fill's goroutine has batch number sent,
// workers those from drained to begun until they are done, Drain the one at drained once it is done.
type Input[B any] struct {
	mu                   sync.Mutex
	room, work, ready    sync.Cond  // for Fill, for workers, for Drain
	ring                 []*slot[B] // those from drained to sent, and the one that Next returned
	free                 []*slot[B] // that were drained, the last one at the end
	sent, begun, drained int
	ahead                int
	ended                bool // nothing more is sent
	stopped              bool // nobody wants more
	err                  error
	panicked             string // of a stage: its value and stack
}

type slot[B any] struct {
	batch B
	done  bool // it has been worked on
}

func (i *Input[B]) at(n int) *slot[B] { return i.ring[n%len(i.ring)] }

// Next is the batch to be filled, as it was when it was drained. It waits for one that is free; nil says that nobody
// wants more.
func (i *Input[B]) Next() *B {
	i.mu.Lock()
	defer i.mu.Unlock()
	for i.sent == i.drained+len(i.ring) && !i.stopped {
		i.room.Wait()
	}
	if i.stopped {
		return nil
	}
	s := &i.ring[i.sent%len(i.ring)]
	if last := len(i.free) - 1; *s == nil && last >= 0 {
		*s, i.free = i.free[last], i.free[:last]
	} else if *s == nil {
		*s = new(slot[B])
	}
	return &(*s).batch
}

// Send passes on the batch that Next or Again returned.
func (i *Input[B]) Send() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.sent++
	i.work.Signal()
}

// Again takes back the batch that was sent last, if no worker has begun it and more says that it takes more; nil
// otherwise.
func (i *Input[B]) Again(more func(*B) bool) *B {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.sent == i.begun || !more(&i.at(i.sent-1).batch) {
		return nil
	}
	i.sent--
	return &i.at(i.sent).batch
}

// each feeds what fill puts into one batch after the other.
func (i *Input[B]) each(fill func(*B) error) error {
	for {
		b := i.Next()
		if b == nil {
			return nil
		}
		err := fill(b)
		i.Send()
		if err != nil {
			return err
		}
	}
}

// end says that nothing more is sent, and why.
func (i *Input[B]) end(err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ended, i.err = true, err
	i.work.Broadcast()
	i.ready.Signal()
}

// stop says that nobody wants more.
func (i *Input[B]) stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.stopped = true
	i.work.Broadcast()
	i.room.Signal()
}

// begin waits for the next batch to work on; nil says that there will be none.
func (i *Input[B]) begin() *slot[B] {
	i.mu.Lock()
	defer i.mu.Unlock()
	for !i.stopped && (i.begun == i.sent && !i.ended || i.begun < i.sent && i.begun == i.drained+i.ahead) {
		i.work.Wait()
	}
	if i.stopped || i.begun == i.sent {
		return nil
	}
	i.begun++
	return i.at(i.begun - 1)
}

// worked says that a batch has been worked on.
func (i *Input[B]) worked(s *slot[B]) {
	i.mu.Lock()
	defer i.mu.Unlock()
	s.done = true
	if s == i.at(i.drained) {
		i.ready.Signal()
	}
}

// drain hands batches to take, in order.
func (i *Input[B]) drain(take func(*B) error) error {
	for {
		s, err := i.first()
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
		i.release(s)
	}
}

// first waits for the batch to be drained next; nil says that there is none, and why.
func (i *Input[B]) first() (*slot[B], error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for {
		switch s := i.at(i.drained); {
		case i.panicked != "" || i.ended && i.drained == i.sent:
			return nil, i.err
		case s != nil && s.done:
			return s, nil
		}
		i.ready.Wait()
	}
}

// release makes room for another batch.
func (i *Input[B]) release(s *slot[B]) {
	i.mu.Lock()
	defer i.mu.Unlock()
	s.done = false
	i.ring[i.drained%len(i.ring)] = nil
	i.free = append(i.free, s)
	i.drained++
	i.room.Signal()
	i.work.Signal()
}
