package main

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/pcap/live"
)

// capturing is one run of `live`: a loop that reads and shows, and a watch beside it, for what is due when no packet comes.
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
	taken   int64      // datagrams that passed the filter
	dropped uint64     // as told last
	err     error      // the watch's
}

// signals asks for the signals that end a run: before it says that it captures.
func signals() chan os.Signal {
	interrupt := make(chan os.Signal, 2)
	signal.Notify(interrupt, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(interrupt, syscall.SIGHUP)
	}
	return interrupt
}

// run captures until somebody or something ends it. A *writeError is one of the output, any other of the interface.
func (r *capturing) run() error {
	done := make(chan struct{})
	watched := r.watch(done)
	stopFlushing := r.out.flushEvery(flushInterval)
	err := r.capture()
	stopFlushing()
	close(done)
	<-watched
	if r.board != nil && err == nil {
		err = asWrite(r.board.last(r.src))
	}
	_ = r.src.Close() // it was only read
	if r.err != nil {
		return r.err
	}
	return err
}

func (r *capturing) capture() error {
	datagrams := pcap.NewDatagrams(r.src)
	defer func() { r.view.captures.skip(datagrams.Counts()) }()
	for {
		d, err := datagrams.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if !r.filter.Match(d.Src, d.Dst) {
			continue // a fragment of something else, which the kernel could not tell
		}
		if done, err := r.datagram(datagrams, d); done || err != nil {
			return asWrite(err)
		}
	}
}

func asWrite(err error) error {
	if err != nil {
		return &writeError{err}
	}
	return nil
}

// datagram shows, counts and saves one datagram; done says that a number of them was reached.
func (r *capturing) datagram(datagrams *pcap.Datagrams, d *pcap.Datagram) (done bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v := r.view
	shown := v.shown
	if r.board != nil {
		done = r.board.datagram(d)
	} else if done, err = v.datagram(d, ""); err != nil {
		return false, err
	}
	if v.save != nil && v.shown > shown {
		if err := v.save.add(datagrams); err != nil {
			return false, err
		}
		done = done || r.stopAt.bytes > 0 && v.save.size() >= r.stopAt.bytes
	}
	r.taken++
	return done || r.taken == r.stopAt.packets, nil
}

// watch stops the source at the first signal or when its time is up, closes it at the second signal, and does what is due
// each tick. It ends with done.
func (r *capturing) watch(done <-chan struct{}) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer signal.Stop(r.interrupt)
		ticker := time.NewTicker(r.ticks)
		defer ticker.Stop()
		var timeUp <-chan time.Time
		if r.stopAt.duration > 0 {
			timer := time.NewTimer(r.stopAt.duration)
			defer timer.Stop()
			timeUp = timer.C
		}
		for stopping := false; ; {
			select {
			case <-r.interrupt:
				if stopping {
					_ = r.src.Close() // wakes the reader
				}
				stopping = true
				r.stop()
			case <-timeUp:
				stopping = true
				r.stop()
			case <-ticker.C:
				if err := r.tick(time.Now()); err != nil {
					_ = r.src.Close()
					<-done
					return
				}
			case <-done:
				return
			}
		}
	}()
	return ended
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
		err = r.board.draw(r.src, now)
	} else if err == nil {
		err = r.tellNewDrops()
	}
	r.err = asWrite(err)
	return err
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
