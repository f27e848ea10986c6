package browse

import (
	"context"
	"io"
	"net/netip"
	"sort"
	"sync/atomic"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/scan"
)

// capture is a store with its index, and how its packets are decoded.
type capture struct {
	store    *Store
	index    *index
	options  scan.Options
	stateful bool
	texts    []*report.Text // of each decoder; of the goroutine that loads
}

// warmPackets is how many packets before the one at hand are decoded, where packets set what later ones are read by, or
// bring pieces of messages.
const warmPackets = 16384

// warmed is the page where decoding begins so that page i is read as far as possible as in its capture.
func (c *capture) warmed(i int) int {
	if !c.stateful || i == 0 {
		return i
	}
	before := c.index.all.rank(c.index.part(i).Base + 1)
	if before <= warmPackets {
		return 0
	}
	return c.index.pageOf(c.index.all.at(before - warmPackets))
}

// row is a packet in the list.
type row struct {
	n, time  int64
	timed    bool   // time is one also where it is 0
	text     string // may be shown
	verdict  decode.Verdict
	noted    bool
	src, dst netip.AddrPort
	from     decode.Direction
}

// peer is the client's end, or the sender where ports do not tell.
func (r *row) peer() netip.AddrPort {
	if r.from == decode.Server {
		return r.dst
	}
	return r.src
}

// each decodes packets from page i on, in order, until take returns false. wanted says which packets take is to get, and
// last is the last record of interest. The packet is valid until take returns.
func (c *capture) each(ctx context.Context, i int, last int64, wanted func(n int64) bool, take func(*scan.Packet) bool) error {
	part := c.index.part(c.warmed(i))
	var seen atomic.Int64
	src := c.source(ctx, part, last, &seen)
	var got *scan.Packet
	one := scan.NewSerial(c.options, scan.Stage[struct{}]{
		New:   func() func(*struct{}, *scan.Packet) { return func(_ *struct{}, p *scan.Packet) { got = p } },
		Drain: func(*struct{}) error { return nil },
	})
	for {
		d, err := src.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if !c.stateful && !wanted(d.N) {
			continue
		}
		got = nil
		if err := one.Take(d); err != nil {
			return err
		}
		if got != nil && wanted(d.N) && !take(got) {
			return nil
		}
	}
}

// rows makes rows of packets, of which the numbers rise.
func (c *capture) rows(ctx context.Context, numbers []int64, take func(*row)) error {
	for len(numbers) > 0 {
		i, n := c.index.pageOf(numbers[0]), 1
		for n < len(numbers) && c.index.pageOf(numbers[n]) == i {
			n++
		}
		these := numbers[:n]
		err := c.each(ctx, i, these[n-1], func(n int64) bool {
			at := sort.Search(len(these), func(i int) bool { return these[i] >= n })
			return at < len(these) && these[at] == n
		}, func(p *scan.Packet) bool {
			take(c.row(p))
			return true
		})
		if err != nil {
			return err
		}
		numbers = numbers[n:]
	}
	return nil
}

func (c *capture) row(p *scan.Packet) *row {
	text := c.texts[p.Which()].AppendSummary(nil, p)
	return &row{p.N, p.Time, p.Timed, string(text), p.Verdict(), p.Notes() > 0, p.Src, p.Dst, p.Trace.From}
}

// packet hands one packet to take; false where it is not there.
func (c *capture) packet(ctx context.Context, n int64, take func(*scan.Packet)) (found bool, err error) {
	err = c.each(ctx, c.index.pageOf(n), n, func(one int64) bool { return one == n }, func(p *scan.Packet) bool {
		found = true
		take(p)
		return false
	})
	return found, err
}

// compare renders how two packets differ, in lines that may be shown. first is the first of them.
func (c *capture) compare(ctx context.Context, a, b int64) (lines []byte, first *packet, err error) {
	name := func(n int64) string { return "packet " + number(n) }
	_, err = c.packet(ctx, a, func(pa *scan.Packet) {
		first = newPacket(pa)
		_, err2 := c.packet(ctx, b, func(pb *scan.Packet) {
			if pa.Trace.Plan != pb.Trace.Plan {
				lines = []byte("the packets are of two protocols\n")
				return
			}
			lines = report.NewDifferences(pa.Trace.Plan, report.TextOptions{}, maxDifferences).Append(nil, pa, pb, name(a), name(b))
		})
		if err2 != nil {
			err = err2
		}
	})
	return lines, first, err
}

// maxDifferences is how many fields that differ are shown.
const maxDifferences = 1000
