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
	"github.com/pktscope/pktscope/report/stats"
)

// capturing is one run of `live`: parcels of packets that are read, decoded and shown, and a watch beside it, for what
// is due when no packet comes.
type capturing struct {
	*program
	view    *view
	src     *live.Sources
	filter  *live.Filter
	stopAt  limits
	ticks   time.Duration
	board   *board        // of --stats; nil without
	counter *stats.Shared // of --stats and --metrics; nil without both

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
func (c *capturing) run() error {
	done := make(chan struct{})
	watched := c.watch(done)
	err := c.capture()
	close(done)
	<-watched
	if c.board != nil && err == nil {
		err = asWrite(c.board.draw(dropsHead(c.src), time.Now()))
	}
	_ = c.src.Close() // it was only read
	if c.err != nil {
		return c.err
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
func (c *capturing) watch(done <-chan struct{}) <-chan struct{} {
	ended := make(chan struct{})
	var both sync.WaitGroup
	both.Go(func() { c.watchSignals(done) })
	both.Go(func() { c.watchTicks(done) })
	go func() {
		both.Wait()
		close(ended)
	}()
	return ended
}

func (c *capturing) watchSignals(done <-chan struct{}) {
	defer signal.Stop(c.interrupt)
	var timeUp <-chan time.Time
	if c.stopAt.duration > 0 {
		timer := time.NewTimer(c.stopAt.duration)
		defer timer.Stop()
		timeUp = timer.C
	}
	for stopping := false; ; stopping = true {
		select {
		case <-c.interrupt:
			if stopping {
				signal.Stop(c.interrupt)
				_ = c.src.Close() // wakes the reader
				<-done
				return
			}
			c.stop()
		case <-timeUp:
			c.stop()
		case <-done:
			return
		}
	}
}

func (c *capturing) watchTicks(done <-chan struct{}) {
	ticker := time.NewTicker(c.ticks)
	defer ticker.Stop()
	var resizes chan os.Signal
	if c.board != nil {
		resizes = c.board.resizes
	}
	for {
		var err error
		select {
		case <-ticker.C:
			err = c.tick(time.Now())
		case <-resizes:
			err = c.resized()
		case <-done:
			return
		}
		if err != nil {
			_ = c.src.Close()
			return
		}
	}
}

// resized shows the board in the terminal's new size.
func (c *capturing) resized() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = asWrite(c.board.show())
	return c.err
}

// stop lets what has arrived be read, and no more.
func (c *capturing) stop() {
	if c.src.Stop() != nil {
		_ = c.src.Close() // it cannot be drained
	}
}

// tick does what is due: the file is brought up to date, or changed for the next; drops are told; the board is drawn.
func (c *capturing) tick(now time.Time) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if save := c.view.save; save != nil {
		if err = save.turn(now); err == nil {
			err = save.flush()
		}
	}
	if err == nil && c.board != nil {
		err = c.board.draw(dropsHead(c.src), now)
	} else if err == nil {
		err = c.tellNewDrops()
	}
	c.err = asWrite(err)
	return err
}

// dropsHead is what the head of a board says of the kernel's drops, "" without numbers.
func dropsHead(src *live.Sources) string {
	list, err := src.Accounts()
	if err != nil {
		return ""
	}
	s := live.Sum(list)
	return fmt.Sprintf("dropped by the kernel: %d of %d packets", s.Dropped, s.Received)
}

// tellNewDrops says how many packets the kernel has dropped, if more than before.
func (c *capturing) tellNewDrops() error {
	list, err := c.src.Accounts()
	stats := live.Sum(list)
	if err != nil || stats.Dropped <= c.dropped || c.quiet {
		return nil // without numbers there is nothing to say
	}
	c.dropped = stats.Dropped
	if _, err = io.WriteString(c.stderr, dropsLine(stats)); errors.Is(err, syscall.EPIPE) {
		return nil // whoever read messages has gone; the capture goes on
	}
	return err
}
