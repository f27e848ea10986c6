package main

import (
	"fmt"
	"os"
	"time"

	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/pcap/live"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/stats"
)

// board is --stats of `live`: on a terminal one table that is drawn over and over, elsewhere a block each time.
type board struct {
	program  *program
	view     *view
	stats    []*stats.Stats // of each decoder
	samplers []*stats.Sampler
	which    map[*protocolView]int
	batch    stats.Batch
	before   []*stats.Summary
	drawn    time.Time
	started  time.Time
	terminal bool
	rows     int // drawn last on the terminal
}

func newBoard(p *program, v *view) *board {
	b := &board{program: p, view: v, started: time.Now(), which: map[*protocolView]int{}}
	b.drawn = b.started
	for i, d := range v.spec.decoders {
		b.stats = append(b.stats, stats.New(d.Plan()))
		b.samplers = append(b.samplers, stats.NewSampler(d.Plan()))
		b.which[&v.viewer.protocols[i]] = i
	}
	b.before = make([]*stats.Summary, len(b.stats))
	b.terminal = isTerminal(p.stdout) && os.Getenv("TERM") != "dumb"
	return b
}

// datagram counts one; done says that -c's number is reached.
func (b *board) datagram(d *pcap.Datagram) (done bool) {
	v := b.view
	pv := v.judge(d, "", &v.counts)
	if pv == nil {
		return false
	}
	i := b.which[pv]
	p := stats.Packet{N: d.N, Time: d.Time, Src: d.Src, Dst: d.Dst, Size: d.Size, Cut: d.Cut, LengthMismatch: d.LengthMismatch}
	b.batch.Reset()
	b.samplers[i].Add(&b.batch, &p, &v.trace)
	b.stats[i].Take(&b.batch)
	v.shown++
	return v.shown == v.flags.count
}

// draw shows what was counted until now.
func (b *board) draw(src *live.Source, now time.Time) error {
	o := report.LiveOptions{Columns: terminalWidth(b.program.stdout), Colour: b.program.coloured(b.program.stdout), Passed: now.Sub(b.drawn)}
	height := 0
	if b.terminal {
		if height = terminalRows(b.program.stdout); height > 0 {
			const others = 8 // lines beside those of cases
			o.Cases = max(height-others, 1)
		}
	}
	head := fmt.Sprintf("%s, after %s", now.UTC().Format("2006-01-02 15:04:05 UTC"), now.Sub(b.started).Round(100*time.Millisecond))
	if s, err := src.Stats(); err == nil { // without numbers there is nothing to say
		head += fmt.Sprintf("; dropped by the kernel: %d of %d packets", s.Dropped, s.Received)
	}
	if b.terminal && len(head) > o.Columns {
		head = head[:o.Columns] // a line that wraps could not be drawn over; it is ASCII
	}
	text := append([]byte(head), '\n')
	for i, one := range b.stats {
		if one.Packets() == 0 && len(b.stats) > 1 {
			continue
		}
		sum := one.SummaryAt(now.UnixNano())
		text = report.AppendLive(text, b.before[i], sum, o)
		b.before[i] = sum
	}
	b.drawn = now
	if b.terminal {
		text = b.over(text, height)
	} else {
		text = append(text, '\n')
	}
	if _, err := b.program.out.Write(text); err != nil {
		return err
	}
	return b.program.out.Flush()
}

// over draws over what was drawn last: up so many lines, each cleared to its end, then what is left below. No more lines
// than the terminal has: what has scrolled away cannot be drawn over.
func (b *board) over(text []byte, height int) []byte {
	var out []byte
	if b.rows > 0 {
		out = fmt.Appendf(out, "\x1b[%dA\r", b.rows)
	}
	rows := 0
	for _, c := range text {
		if c != '\n' {
			out = append(out, c)
			continue
		}
		out = append(out, "\x1b[K\n"...)
		if rows++; height > 1 && rows == height-1 {
			break
		}
	}
	b.rows = rows
	return append(out, "\x1b[J"...)
}

// last shows what came since it was drawn.
func (b *board) last(src *live.Source) error { return b.draw(src, time.Now()) }
