package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/stats"
)

// board is --stats of `live` and `tap`: on a terminal one table that is drawn over and over, elsewhere a block each
// time.
type board struct {
	program  *program
	counter  *stats.Shared
	before   []*stats.Summary
	drawn    time.Time
	started  time.Time
	terminal bool
	rows     int // drawn last on the terminal
}

// addStats adds the flag of a board to those of a view.
func addStats(cmd *cobra.Command, every *time.Duration) {
	timeVar(cmd, every, "stats", 0, 100*time.Millisecond, "show statistics every `TIME` (such as 1s) and no packets")
	completeWords(cmd, "stats", []string{"1s", "10s", "1m"})
	excludes(cmd, "--stats shows no packets", "stats", "format", "verbose", "bits")
}

// checkStats judges --stats beside the flags of a view.
func checkStats(cmd *cobra.Command, every time.Duration, f *viewFlags) error {
	if every > 0 && f.write == "-" {
		return usagef(cmd, "-w - writes the capture to stdout, where --stats would be in its way")
	}
	return nil
}

// newBoard makes a board of the packets of a view, which shows none itself. They are counted by counter.
func newBoard(p *program, v *view, counter *stats.Shared) *board {
	v.silent = true
	b := &board{program: p, started: time.Now(), counter: counter}
	b.drawn = b.started
	b.terminal = isTerminal(p.stdout) && os.Getenv("TERM") != "dumb"
	return b
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
	all := b.counter.Summaries(now.UnixNano())
	for i, sum := range all {
		if sum == nil {
			continue
		}
		var before *stats.Summary
		if b.before != nil {
			before = b.before[i]
		}
		text = report.AppendLive(text, before, sum, o)
	}
	b.before = all
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

// over draws over what was drawn last: up so many lines, each cleared to its end, then what is left below. No more
// lines than the terminal has: what has scrolled away cannot be drawn over.
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
