package report

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Progress is how far a run has come.
type Progress interface {
	// Line is that in one line, without a line end.
	Line() string
	// Screen is that as lines of at most width cells, for a terminal that shows them again and again.
	Screen(width int, colour bool) []string
}

// Watch shows a run while it goes on: on a terminal lines that are written over, elsewhere a line after 2 s and then every 5 s. It is for
// one goroutine; what the output does with it is nobody's concern. A nil Watch shows nothing.
type Watch struct {
	to     io.Writer
	width  func() int // cells; nil where lines cannot be written over
	colour bool
	start  time.Time
	next   time.Duration
	drawn  int // lines
}

// How often a run is shown, and when for the first time: what is over by then needs no screen.
const (
	screenAfter = 500 * time.Millisecond
	screenEvery = 250 * time.Millisecond
	linesAfter  = 2 * time.Second
	linesEvery  = 5 * time.Second
)

// NewWatch begins to watch. width, in cells, is nil where lines cannot be written over.
func NewWatch(to io.Writer, width func() int, colour bool) *Watch {
	w := &Watch{to: to, width: width, colour: colour, start: time.Now(), next: linesAfter}
	if width != nil {
		w.next = screenAfter
	}
	return w
}

// Passed is the time since it began.
func (w *Watch) Passed() time.Duration {
	if w == nil {
		return 0
	}
	return time.Since(w.start)
}

// Due reports whether it is time to Show, and then not again for a while.
func (w *Watch) Due() bool {
	if w == nil || w.Passed() < w.next {
		return false
	}
	w.next = w.Passed() + linesEvery
	if w.width != nil {
		w.next = w.Passed() + screenEvery
	}
	return true
}

// Show shows how far the run has come.
func (w *Watch) Show(p Progress) {
	switch {
	case w == nil:
	case w.width == nil:
		fmt.Fprintln(w.to, p.Line())
	default:
		w.Erase()
		lines := p.Screen(w.width(), w.colour)
		fmt.Fprint(w.to, strings.Join(lines, "\n")+"\n")
		w.drawn = len(lines)
	}
}

// Found reports whether a finding is to be told: where no screen shows it.
func (w *Watch) Found() bool { return w != nil && w.width == nil }

// Erase removes the screen: up to its first line, and everything from there.
func (w *Watch) Erase() {
	if w != nil && w.drawn > 0 {
		fmt.Fprintf(w.to, "\x1b[%dA\x1b[J", w.drawn)
		w.drawn = 0
	}
}
