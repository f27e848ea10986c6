package udp

import "time"

// catchUp is how much of what was not sent in time is sent at once: a sleep of 50 µs takes more than a millisecond, and
// other programs run, too. So in no second more than rate·(1 + catchUp/1s) + 1 packets are sent.
const catchUp = 20 * time.Millisecond

// pace is when packets may be sent: one every so often, and what was missed a little later.
type pace struct {
	every time.Duration
	next  time.Time
}

func newPace(rate int) *pace { return &pace{every: time.Second / time.Duration(rate)} }

// take takes the next packet's time, and says how long that is from now; 0 when it has come.
func (p *pace) take(now time.Time) time.Duration {
	if earliest := now.Add(-catchUp); p.next.Before(earliest) {
		p.next = earliest
	}
	wait := p.next.Sub(now)
	p.next = p.next.Add(p.every)
	return max(wait, 0)
}
