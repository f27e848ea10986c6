package udp

import (
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
)

// At any rate as many packets are sent as were asked for, within 5 %, and in no second more than a fiftieth more,
// though every sleep is a millisecond late, every packet takes its time, and now and then nothing runs. The clock is
// not the machine's.
func TestPace(t *testing.T) {
	var sent []time.Time
	for _, rate := range []int{1, 7, 100, 1000, 5000, 20000, MaxRate} {
		p := newPace(rate)
		now := time.Unix(1000, 0)
		began := now
		sent = sent[:0]
		for now.Sub(began) < need.Rounds(20*time.Second, 5*time.Second) {
			if wait := p.take(now); wait > 0 {
				now = now.Add(wait + 1300*time.Microsecond)
			}
			sent = append(sent, now)
			now = now.Add(5 * time.Microsecond)
			if len(sent)%rate == rate/2 {
				now = now.Add(15 * time.Millisecond)
			}
		}
		got := float64(len(sent)) / now.Sub(began).Seconds()
		if got < 0.95*float64(rate) || got > 1.05*float64(rate)+1 {
			t.Errorf("%d packets/s: got %.1f", rate, got)
		}
		for first, last := 0, 0; last < len(sent); last++ {
			for sent[last].Sub(sent[first]) >= time.Second {
				first++
			}
			if n := last - first + 1; n > rate+rate/50+1 {
				t.Fatalf("%d packets/s: %d in a second", rate, n)
			}
		}
	}
	// What was missed for long is not made up for.
	p, now := newPace(1000), time.Unix(1000, 0)
	p.take(now)
	now = now.Add(time.Minute)
	n := 0
	for p.take(now) == 0 {
		n++
	}
	if n > 21 {
		t.Errorf("%d packets at once after a pause", n)
	}
}
