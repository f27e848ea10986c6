package stats

import (
	"fmt"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/report/scan"
)

// MaxIntervals bounds Intervals: whoever writes a capture says when its packets came.
const MaxIntervals = 100_000

// Intervals counts packets by when they came: interval 0 begins with the first datagram of the first capture, whether
// that is counted or not. A packet with a time before it counts as of interval 0.
type Intervals struct {
	decoders *scan.Decoders
	size     time.Duration
	begun    bool
	first    int64
	rows     [][]Interval // of each decoder
	n        int
}

// Interval is the packets of one protocol in one interval.
type Interval struct {
	Accepted, Rejected, Cut, NeedsContext uint64
	Bytes                                 uint64 // of payload
}

// Packets is all of them.
func (i *Interval) Packets() uint64 { return i.Accepted + i.Rejected + i.Cut + i.NeedsContext }

// NewIntervals makes Intervals of a size, which is above 0.
func NewIntervals(decoders *scan.Decoders, size time.Duration) *Intervals {
	return &Intervals{decoders: decoders, size: size, rows: make([][]Interval, decoders.Len())}
}

// Arrivals are packets on their way to Intervals.
type Arrivals []arrival

type arrival struct {
	time, first int64
	decoder     int
	verdict     decode.Verdict
	bytes       int
}

// Stage counts packets. Its error says that they are spread over more than MaxIntervals.
func (v *Intervals) Stage() scan.Stage[Arrivals] {
	return scan.Stage[Arrivals]{
		New: func() func(*Arrivals, *scan.Packet) {
			return func(m *Arrivals, p *scan.Packet) {
				*m = append(*m, arrival{p.Time, p.First, p.Which(), p.Verdict(), p.Trace.Size})
			}
		},
		Drain: func(m *Arrivals) error {
			for i := range *m {
				if err := v.add(&(*m)[i]); err != nil {
					return err
				}
			}
			*m = (*m)[:0]
			return nil
		},
	}
}

func (v *Intervals) add(m *arrival) error {
	if !v.begun {
		v.begun, v.first = true, m.first
	}
	at := 0
	if passed := m.time - v.first; m.time > v.first && passed > 0 {
		if uint64(passed)/uint64(v.size) >= MaxIntervals {
			most := time.Duration(passed)/MaxIntervals + 1
			return fmt.Errorf("more than %d intervals of %s: want %s or more", MaxIntervals, v.size, most.Round(time.Millisecond)+time.Millisecond)
		}
		at = int(passed / int64(v.size))
	}
	rows := v.rows[m.decoder]
	for len(rows) <= at {
		rows = append(rows, Interval{})
	}
	v.rows[m.decoder], v.n = rows, max(v.n, at+1)
	row := &rows[at]
	row.Bytes += uint64(m.bytes)
	switch m.verdict {
	case decode.Accepted:
		row.Accepted++
	case decode.Refused:
		row.Rejected++
	case decode.Cut:
		row.Cut++
	case decode.NeedsContext:
		row.NeedsContext++
	}
	return nil
}

// Size is how long an interval is.
func (v *Intervals) Size() time.Duration { return v.size }

// Each yields the intervals from the first to the last with a packet, of each those of all protocols that have any
// packets, empty ones included: its number, and the protocol's name.
func (v *Intervals) Each(yield func(n int, protocol string, i Interval) bool) {
	for n := range v.n {
		for d, rows := range v.rows {
			if len(rows) == 0 {
				continue
			}
			var row Interval
			if n < len(rows) {
				row = rows[n]
			}
			if !yield(n, v.decoders.At(d).Schema().Name, row) {
				return
			}
		}
	}
}
