package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report"
)

// How often a campaign shows how far it has come: on a terminal a screen that is written over, else lines.
const (
	screenEvery = 250 * time.Millisecond
	linesEvery  = 5 * time.Second
)

// screen shows a campaign on stderr while it runs.
type screen struct {
	p     *program
	view  *report.Campaign
	live  bool // it may be written over
	start time.Time
	last  time.Time
	drawn int // lines
}

func (p *program) newScreen(view *report.Campaign) *screen {
	now := time.Now()
	return &screen{p: p, view: view, live: isTerminal(p.stderr) && os.Getenv("TERM") != "dumb", start: now, last: now}
}

// progress is called after each round, some hundred times a second.
func (s *screen) progress(state *fuzz.CampaignState) {
	if s.p.quiet {
		return
	}
	every := linesEvery
	if s.live {
		every = screenEvery
	}
	now := time.Now()
	if now.Sub(s.last) < every {
		return
	}
	s.last = now
	s.view.State, s.view.Passed = state, now.Sub(s.start)
	if s.live {
		s.draw()
		return
	}
	fmt.Fprintln(s.p.stderr, s.view.Line())
}

// draw writes the screen over the one before.
func (s *screen) draw() {
	s.erase()
	lines := s.view.Screen(terminalWidth(s.p.stderr)-1, s.p.coloured(s.p.stderr))
	fmt.Fprint(s.p.stderr, strings.Join(lines, "\n")+"\n")
	s.drawn = len(lines)
}

// erase removes the screen: up to its first line, and everything from there.
func (s *screen) erase() {
	if s.drawn > 0 {
		fmt.Fprintf(s.p.stderr, "\x1b[%dA\x1b[J", s.drawn)
		s.drawn = 0
	}
}

// found tells a new finding where no screen shows it.
func (s *screen) found(f *fuzz.Finding) {
	if !s.live && !s.p.quiet {
		s.p.complain("found: %v: %s", f.Kind, f.What())
	}
}

// end removes the screen; what the campaign came to is for stdout.
func (s *screen) end(state *fuzz.CampaignState) {
	s.erase()
	s.view.State, s.view.Passed = state, time.Since(s.start)
	if !s.p.quiet {
		fmt.Fprintln(s.p.stderr, s.view.Line())
	}
}
