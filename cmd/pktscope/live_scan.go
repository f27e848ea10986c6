package main

import (
	"errors"
	"io"

	"github.com/pktscope/pktscope/decode/batch"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/pcap/live"
	"github.com/pktscope/pktscope/report/scan"
)

// liveSource is the datagrams of an interface up to the number of -a, 0 for all.
type liveSource struct {
	*scan.Datagrams
	filter *live.Filter
	most   int64
	taken  int64
}

func (l *liveSource) Next() (*pcap.Datagram, error) {
	if l.most > 0 && l.taken == l.most {
		return nil, io.EOF
	}
	for {
		d, err := l.Datagrams.Next()
		if err != nil || l.filter.Match(d.Src, d.Dst) { // else a fragment of something else, which the kernel could not tell
			l.taken++
			return d, err
		}
	}
}

// capture shows what comes until the source ends or enough was shown.
func (c *capturing) capture() error {
	if c.counter != nil {
		return scanLive(c, scan.Join(c.counter.Stage(), c.view.stage()))
	}
	return scanLive(c, c.view.stage())
}

// scanLive is a scan whose drain shares the view and the board with the watch.
func scanLive[B any](r *capturing, s scan.Stage[B]) error {
	shared := s
	shared.Drain = func(b *B) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.closed(r.flushed(s.Drain(b)))
	}
	shared.Large = func(p *scan.Packet) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.closed(s.Large(p))
	}
	src := &liveSource{Datagrams: scan.From(r.src), filter: r.filter, most: r.stopAt.packets}
	counts, err := scan.Run(src, r.view.scan, shared)
	r.view.counts.Add(&counts)
	return err
}

// flushed writes out what was shown and saved: somebody may be watching.
func (c *capturing) flushed(err error) error {
	if err != nil && !errors.Is(err, batch.ErrStop) {
		return err
	}
	if save := c.view.save; save != nil && save.path == "" {
		if failed := save.flush(); failed != nil {
			return asWrite(failed)
		}
	}
	if c.board == nil {
		if failed := c.view.out.Flush(); failed != nil {
			return asWrite(failed)
		}
	}
	return err
}

// closed closes the source after an error, which wakes the goroutine that reads it.
func (c *capturing) closed(err error) error {
	if err != nil {
		_ = c.src.Close()
	}
	return err
}
