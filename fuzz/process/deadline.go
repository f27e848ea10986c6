package process

import "time"

// patience is how long an answer may take. It follows the target: ten times the slowest answer of late, within bounds.
type patience struct {
	least   time.Duration
	slowest time.Duration
	start   time.Duration // the slowest first answer of a process, of late
	hangs   int           // confirmed
}

const (
	usualPatience = 250 * time.Millisecond
	knownHanger   = 20 * time.Millisecond // of a target that was caught: each further hang costs four deadlines
	mostPatience  = 10 * time.Second
	lastWords     = 5 * time.Second // for the rest of a death's report: sanitizers take long over the names in a stack
	timesSlowest  = 10
	timesFirst    = 20 // a process that begins may load much before its first answer
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
		return timesFirst*p.least + p.answer()
	}
	return p.answer() + timesSlowest*p.start
}
