package browse

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/pktscope/pktscope/decode/batch"
	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
)

// search finds, in the background, the packets for which a filter is true.
type search struct {
	text     string
	programs []*filter.Program
	found    set
	seen     atomic.Int64 // the record looked at last
	done     atomic.Bool
	stopped  atomic.Bool // before its end
	cancel   context.CancelFunc
}

// run looks through the store to its end. A search that ends early keeps what it has found.
func (s *search) run(c *capture, ctx context.Context) {
	src, o := c.source(ctx, pcap.Part{}, 0, &s.seen), c.options
	o.Filters = s.programs
	_, err := scan.Run(src, o, scan.Stage[[]int64]{
		New: func() func(*[]int64, *scan.Packet) {
			return func(b *[]int64, p *scan.Packet) { *b = append(*b, p.N) }
		},
		Drain: func(b *[]int64) error {
			s.found.add(*b...)
			*b = (*b)[:0]
			return nil
		},
	})
	s.stopped.Store(errors.Is(err, errStopped))
	s.done.Store(true)
}

// quest is a search for one packet: the next, or the one before, that was refused, among those of a filter.
type quest struct {
	from     int64
	backward bool
	programs []*filter.Program // nil: no filter
	seen     atomic.Int64
	cancel   context.CancelFunc
}

// groupPages is how many pages a quest backward looks at together.
const groupPages = 64

// run finds the packet's number; 0 where there is none.
func (q *quest) run(c *capture, ctx context.Context) (int64, error) {
	size := c.store.length()
	if !q.backward {
		return q.pass(c, ctx, c.index.pageOf(q.from), q.from+1, 0, size, true)
	}
	for high := c.index.pageOf(q.from); ; {
		low := max(high-groupPages+1, 0)
		start := c.index.part(low).Base + 1
		last := q.from - 1
		if next := c.index.part(high); next.Base >= q.from {
			last = next.Base
		}
		found, err := q.pass(c, ctx, low, start, last, size, false)
		if found > 0 || err != nil || low == 0 {
			return found, err
		}
		q.from, high = start, low-1
	}
}

// pass looks at the records first..last of some pages, where last is 0 for all, and gives the first or the last that is
// asked for.
func (q *quest) pass(c *capture, ctx context.Context, pages int, first, last, size int64, theFirst bool) (found int64, err error) {
	o := c.options
	o.Only, o.Filters = scan.Rejects, q.programs
	part := c.index.part(c.warmed(pages))
	part.To = size
	src := c.source(ctx, part, last, &q.seen)
	_, err = scan.Run(src, o, scan.Stage[[]int64]{
		New: func() func(*[]int64, *scan.Packet) {
			return func(b *[]int64, p *scan.Packet) { *b = append(*b, p.N) }
		},
		Drain: func(b *[]int64) error {
			defer func() { *b = (*b)[:0] }()
			for _, n := range *b {
				if n >= first {
					found = n
					if theFirst {
						return batch.ErrStop
					}
				}
			}
			return nil
		},
	})
	return found, err
}

// source is datagrams of a store that a context can stop, up to a record.
type source struct {
	*scan.Datagrams
	in   *tail
	last int64 // record; 0 is all
	seen *atomic.Int64
}

// source reads a part, or with the zero Part all that there is and comes.
func (c *capture) source(ctx context.Context, part pcap.Part, last int64, seen *atomic.Int64) *source {
	in := &tail{store: c.store, ctx: ctx, at: part.Warm, upTo: part.To}
	r := pcap.NewReader(nil)
	r.ResetPart(in, &part)
	return &source{scan.From(r), in, last, seen}
}

func (s *source) Next() (*pcap.Datagram, error) {
	d, err := s.Datagrams.Next()
	if err != nil {
		return nil, err
	}
	if s.last > 0 && d.N > s.last {
		return nil, io.EOF
	}
	s.seen.Store(d.N)
	return d, nil
}

// Waiting has send called before the source waits for a store that grows.
func (s *source) Waiting(send func()) bool {
	s.in.idle = send
	return s.in.store.grows && s.in.upTo == 0
}
