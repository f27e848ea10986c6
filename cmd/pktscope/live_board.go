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
	started  time.Time
	terminal bool
	resizes  chan os.Signal // of the terminal; nil where none comes

	// What was drawn last.
	head          string
	before, all   []*stats.Summary // before is nil the first time
	drawn         time.Time
	passed        time.Duration // since it was drawn before
	width, height int           // of the terminal
	rows          int           // on the terminal
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
	if b.terminal = isTerminal(p.stdout) && os.Getenv("TERM") != "dumb"; b.terminal {
		b.resizes = terminalResizes()
	}
	return b
}

// draw shows what was counted until now, below a line with the time and what the caller has to say, in ASCII.
func (b *board) draw(words string, now time.Time) error {
	b.head = fmt.Sprintf("%s, after %s", now.UTC().Format("2006-01-02 15:04:05 UTC"), now.Sub(b.started).Round(100*time.Millisecond))
	if words != "" {
		b.head += "; " + words
	}
	b.before, b.all = b.all, b.counter.Summaries(now.UnixNano())
	b.passed, b.drawn = now.Sub(b.drawn), now
	return b.show()
}

// show shows what was drawn last, in the terminal's size of now.
func (b *board) show() error {
	if b.head == "" {
		return nil // nothing was drawn
	}
	o := report.LiveOptions{Columns: lineWidth(b.program.stdout), Colour: b.program.coloured(b.program.stdout), Passed: b.passed}
	width, height := 0, 0
	if b.terminal {
		width = terminalWidth(b.program.stdout)
		o.Columns = min(o.Columns, width) // whatever COLUMNS says
		if height = terminalRows(b.program.stdout); height > 0 {
			const others = 8 // lines beside those of cases
			o.Cases = max(height-others, 1)
		}
	}
	head := b.head
	if b.terminal && len(head) > o.Columns {
		head = head[:o.Columns]
	}
	text := append([]byte(head), '\n')
	for i, sum := range b.all {
		if sum == nil {
			continue
		}
		var before *stats.Summary
		if b.before != nil {
			before = b.before[i]
		}
		text = report.AppendLive(text, before, sum, o)
	}
	if b.terminal {
		text = b.over(text, width, height)
	} else {
		text = append(text, '\n')
	}
	if _, err := b.program.out.Write(text); err != nil {
		return err
	}
	return b.program.out.Flush()
}

// What the board says to a terminal: lines that are too long are cut, not wrapped, or wrapped as before; the screen is
// empty, and the cursor at its beginning.
const (
	cutLines    = "\x1b[?7l"
	wrapLines   = "\x1b[?7h"
	emptyScreen = "\x1b[H\x1b[2J"
)

// over draws over what was drawn last: up so many lines, each cleared to its end, then what is left below. No more
// lines than the terminal has: what has scrolled away cannot be drawn over. A terminal of another size has put the lines
// anywhere: all of it is cleared.
func (b *board) over(text []byte, width, height int) []byte {
	out := []byte(cutLines)
	switch {
	case b.rows > 0 && (width != b.width || height != b.height):
		out = append(out, emptyScreen...)
	case b.rows > 0:
		out = fmt.Appendf(out, "\x1b[%dA\r", b.rows)
	}
	b.width, b.height = width, height
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
	return append(out, "\x1b[J"+wrapLines...)
}
