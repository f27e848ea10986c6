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
	// Work does it. It is called from several goroutines, for one batch from one; worker, from 0, says which, so that
	// each can have its own scratch.
	Work func(worker int, b *B)
	// Drain takes the result, in the order of Fill, on Run's own goroutine. An error stops everything: batches behind it
	// are not drained, and Fill is not called again.
	Drain func(*B) error
}

// ErrStop is what Drain returns to end the run without fault.
var ErrStop = errors.New("stop")

// item is a batch on its way.
type item[B any] struct {
	batch B
	err   error         // Fill's last word
	done  chan struct{} // holds one value when the batch has been worked on
}

// Run moves batches until Fill or Drain ends it, and returns the first error: Drain's, unless that is ErrStop, or Fill's,
// unless that is io.EOF. It uses workers goroutines for Work and one for Fill, at most 2×workers+2 batches, and leaves
// none of them behind, except that it cannot interrupt a Fill that blocks: whoever can block in Fill must be able to end
// that before Run returns.
func Run[B any](workers int, s Stages[B]) error {
	workers = max(workers, 1)
	batches := 2*workers + 2
	free := make(chan *item[B], batches)
	work := make(chan *item[B], batches)
	order := make(chan *item[B], batches)
	stop := make(chan struct{})
	for range batches {
		free <- &item[B]{done: make(chan struct{}, 1)}
	}

	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(work)
		defer close(order)
		for {
			var it *item[B]
			select {
			case it = <-free:
			case <-stop:
				return
			}
			it.err = s.Fill(&it.batch)
			// Neither can block: each has room for every batch there is.
			order <- it
			work <- it
			if it.err != nil {
				return
			}
		}
	})
	for n := range workers {
		wg.Go(func() {
			for it := range work {
				s.Work(n, &it.batch)
				it.done <- struct{}{}
			}
		})
	}

	err := drain(order, free, s.Drain)
	close(stop)
	wg.Wait()
	return err
}

func drain[B any](order <-chan *item[B], free chan<- *item[B], take func(*B) error) error {
	for it := range order {
		<-it.done
		if err := take(&it.batch); err != nil {
			if errors.Is(err, ErrStop) {
				return nil
			}
			return err
		}
		if it.err != nil {
			if errors.Is(it.err, io.EOF) {
				return nil
			}
			return it.err
		}
		free <- it
	}
	return nil
}
