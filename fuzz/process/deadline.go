package process

import (
	"fmt"
	"time"
)

// patience is how long an answer may take. It follows the target: ten times the slowest answer of late, within bounds.
type patience struct {
	least   time.Duration
	slowest time.Duration
	start   time.Duration // the slowest first answer of a process, of late
	missed  int           // first answers that did not come, before any did
	hangs   int           // confirmed
}

const (
	usualPatience = 250 * time.Millisecond
	knownHanger   = 20 * time.Millisecond // of a target that was caught: each further hang costs four deadlines
	mostPatience  = 10 * time.Second
	lastWords     = 5 * time.Second // for the rest of a death's report: sanitizers take long over the names in a stack
	timesSlowest  = 10
	timesStart    = 10 // the same for a process that begins: it may load much before its first answer
	timesUnknown  = 2  // as long as it is not known how much: twice the least, then four and eight times
	firstTries    = 3  // processes that may answer nothing at all
)

// answered notes how long an answer took.
func (p *patience) answered(took time.Duration) {
	p.slowest = max(took, p.slowest-p.slowest/16)
}

// begun notes how long the first answer of a process took.
func (p *patience) begun(took time.Duration) { p.start = max(took, p.start-p.start/16) }

// answer is the deadline of an answer.
func (p *patience) answer() time.Duration {
	least := p.least
	if p.hangs > 0 {
		least = min(least, knownHanger)
	}
	return min(max(least, timesSlowest*p.slowest), max(mostPatience, p.least))
}

// first is the deadline of the first answer of a process.
func (p *patience) first() time.Duration {
	if p.start == 0 {
		return timesUnknown * p.least << min(p.missed, firstTries-1)
	}
	return max(timesUnknown*p.least, p.answer()+timesStart*p.start)
}

// waited are the deadlines that first answers have missed, in words: "in 3 processes, within 500ms, 1s and 2s". over says
// that the time was, before there were more.
func (p *patience) waited(over bool) string {
	b := []byte("in 1 process, within ")
	if p.missed != 1 {
		b = fmt.Appendf(b[:0], "in %d processes, within ", p.missed)
	}
	for i := range p.missed {
		switch {
		case i > 0 && i == p.missed-1:
			b = append(b, " and "...)
		case i > 0:
			b = append(b, ", "...)
		}
		b = append(b, (timesUnknown * p.least << min(i, firstTries-1)).String()...)
	}
	if over {
		b = append(b, ", and the time was over"...)
	}
	return string(b)
}
