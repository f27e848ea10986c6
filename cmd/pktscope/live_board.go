package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/stats"
)

// board is --stats of `live` and `tap`: on a terminal one table that is drawn over and over, elsewhere a block each time.
type board struct {
	program  *program
	view     *view
	stats    []*stats.Stats // of each decoder
	samplers map[*plan.Plan]*stats.Sampler
	batch    stats.Batch
	before   []*stats.Summary
	drawn    time.Time
	started  time.Time
	terminal bool
	rows     int // drawn last on the terminal
}

// addStats adds the flag of a board.
func addStats(cmd *cobra.Command, every *time.Duration) {
	cmd.Flags().DurationVar(every, "stats", 0, "show statistics every `TIME` (such as 1s) and no packets")
	completeWords(cmd, "stats", []string{"1s", "10s", "1m"})
}

// checkStats judges --stats beside the flags of a view.
func checkStats(cmd *cobra.Command, every time.Duration, f *viewFlags) error {
	set := cmd.Flags().Changed
	const least = 100 * time.Millisecond
	switch {
	case !set("stats"):
	case every < least:
		return usagef(cmd, "--stats %s: want at least %s", every, least)
	case set("format") || f.tree || f.bits:
		return usagef(cmd, "--stats shows no packets: leave out -T, -V and -x")
	case f.write == "-":
		return usagef(cmd, "-w - writes the capture to stdout, where --stats would be in its way")
	}
	return nil
}

func newBoard(p *program, v *view) *board {
	b := &board{program: p, view: v, started: time.Now(), samplers: newSamplers(v)}
	b.drawn = b.started
	for _, d := range v.spec.decoders {
		b.stats = append(b.stats, stats.New(d.Plan()))
	}
	b.before = make([]*stats.Summary, len(b.stats))
	b.terminal = isTerminal(p.stdout) && os.Getenv("TERM") != "dumb"
	return b
}

// newSamplers makes what takes from decoded packets of each protocol what is counted, for one goroutine.
func newSamplers(v *view) map[*plan.Plan]*stats.Sampler {
	list := map[*plan.Plan]*stats.Sampler{}
	for _, d := range v.spec.decoders {
		list[d.Plan()] = stats.NewSampler(d.Plan())
	}
	return list
}

// addSample adds what is counted of a datagram that was judged.
func addSample(samplers map[*plan.Plan]*stats.Sampler, to *stats.Batch, d *pcap.Datagram, pv *protocolView, t *decode.Trace) {
	p := stats.Packet{N: d.N, Time: d.Time, Src: d.Src, Dst: d.Dst, Size: d.Size, Cut: d.Cut, LengthMismatch: d.LengthMismatch}
	samplers[pv.decoder.Plan()].Add(to, &p, t)
}

// datagram counts one; done says that -c's number is reached.
func (b *board) datagram(d *pcap.Datagram) (done bool) {
	v := b.view
	pv := v.judge(d, "", &v.counts)
	if pv == nil {
		return false
	}
	b.batch.Reset()
	addSample(b.samplers, &b.batch, d, pv, &v.trace)
	b.take(&b.batch)
	v.shown++
	return v.shown == v.flags.count
}

// take counts what was taken from packets.
func (b *board) take(batch *stats.Batch) {
	for _, one := range b.stats {
		one.Take(batch)
	}
}

// draw shows what was counted until now, below a line with the time and what the caller has to say, in ASCII.
func (b *board) draw(words string, now time.Time) error {
	o := report.LiveOptions{Columns: lineWidth(b.program.stdout), Colour: b.program.coloured(b.program.stdout), Passed: now.Sub(b.drawn)}
	height := 0
	if b.terminal { // a line that wraps could not be drawn over, whatever COLUMNS says
		if width := terminalWidth(b.program.stdout); o.Columns > width {
			o.Columns = width
		}
		if height = terminalRows(b.program.stdout); height > 0 {
			const others = 8 // lines beside those of cases
			o.Cases = max(height-others, 1)
		}
	}
	head := fmt.Sprintf("%s, after %s", now.UTC().Format("2006-01-02 15:04:05 UTC"), now.Sub(b.started).Round(100*time.Millisecond))
	if words != "" {
		head += "; " + words
	}
	if b.terminal && len(head) > o.Columns {
		head = head[:o.Columns]
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
