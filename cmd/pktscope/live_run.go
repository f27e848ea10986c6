package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/pktscope/pktscope/pcap/live"
	"github.com/pktscope/pktscope/report/saved"
)

// capturing is one run of `live`: parcels of packets that are read, decoded and shown, and a watch beside it, for what
// is due when no packet comes.
type capturing struct {
	*program
	view   *view
	src    *live.Source
	filter *live.Filter
	stopAt limits
	ticks  time.Duration
	board  *board // of --stats; nil without

	interrupt chan os.Signal

	mu      sync.Mutex // over all that both look at: the view, the board, and what follows
	dropped uint64     // as told last
	err     error      // the watch's
}

// signals asks for the signals that end a run: before it says that it captures.
func signals() chan os.Signal {
	interrupt := make(chan os.Signal, 2)
	signal.Notify(interrupt, saved.EndingSignals()...)
	return interrupt
}

// run captures until somebody or something ends it. A *writeError is one of the output, any other of the interface.
func (r *capturing) run() error {
	done := make(chan struct{})
	watched := r.watch(done)
	err := r.capture()
	close(done)
	<-watched
	if r.board != nil && err == nil {
		err = asWrite(r.board.draw(dropsHead(r.src), time.Now()))
	}
	_ = r.src.Close() // it was only read
	if r.err != nil {
		return r.err
	}
	return err
}

func asWrite(err error) error {
	if err != nil {
		return &writeError{err}
	}
	return nil
}

// watch stops the source at the first signal or when its time is up, and closes it at the second signal; after that a
// signal is what it is without us, for whom the end waits in vain: stdout can be a pipe that nobody reads. Beside it
// runs what is due each tick, which can wait for the same pipe. It ends with done.
func (r *capturing) watch(done <-chan struct{}) <-chan struct{} {
	ended := make(chan struct{})
	var both sync.WaitGroup
	both.Go(func() { r.watchSignals(done) })
	both.Go(func() { r.watchTicks(done) })
	go func() {
		both.Wait()
		close(ended)
	}()
	return ended
}

func (r *capturing) watchSignals(done <-chan struct{}) {
	defer signal.Stop(r.interrupt)
	var timeUp <-chan time.Time
	if r.stopAt.duration > 0 {
		timer := time.NewTimer(r.stopAt.duration)
		defer timer.Stop()
		timeUp = timer.C
	}
	for stopping := false; ; stopping = true {
		select {
		case <-r.interrupt:
			if stopping {
				signal.Stop(r.interrupt)
				_ = r.src.Close() // wakes the reader
				<-done
				return
			}
			r.stop()
		case <-timeUp:
			r.stop()
		case <-done:
			return
		}
	}
}

func (r *capturing) watchTicks(done <-chan struct{}) {
	ticker := time.NewTicker(r.ticks)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if r.tick(time.Now()) != nil {
				_ = r.src.Close()
				return
			}
		case <-done:
			return
		}
	}
}

// stop lets what has arrived be read, and no more.
func (r *capturing) stop() {
	if r.src.Stop() != nil {
		_ = r.src.Close() // it cannot be drained
	}
}

// tick does what is due: the file is brought up to date, or changed for the next; drops are told; the board is drawn.
func (r *capturing) tick(now time.Time) (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if save := r.view.save; save != nil {
		if err = save.turn(now); err == nil {
			err = save.flush()
		}
	}
	if err == nil && r.board != nil {
		err = r.board.draw(dropsHead(r.src), now)
	} else if err == nil {
		err = r.tellNewDrops()
	}
	r.err = asWrite(err)
	return err
}

// dropsHead is what the head of a board says of the kernel's drops, "" without numbers.
func dropsHead(src *live.Source) string {
	s, err := src.Stats()
	if err != nil {
		return ""
	}
	return fmt.Sprintf("dropped by the kernel: %d of %d packets", s.Dropped, s.Received)
}

// tellNewDrops says how many packets the kernel has dropped, if more than before.
func (r *capturing) tellNewDrops() error {
	stats, err := r.src.Stats()
	if err != nil || stats.Dropped <= r.dropped || r.quiet {
		return nil // without numbers there is nothing to say
	}
	r.dropped = stats.Dropped
	if _, err = io.WriteString(r.stderr, dropsLine(stats)); errors.Is(err, syscall.EPIPE) {
		return nil // whoever read messages has gone; the capture goes on
	}
	return err
}
