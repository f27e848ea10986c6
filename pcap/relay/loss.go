package relay

import (
	"math/rand/v2"
	"time"
)

// Loss chooses packets to lose, as a bad network does. Use one in a Handler, which runs for one packet at a time.
type Loss struct {
	share  float64
	random *rand.Rand

	rate   int
	second time.Time // when the second began that is counted
	passed int       // packets in it
}

// NewLoss loses share of the packets, 0..1, at random, the same ones again with the same seed; and what is more than
// rate packets in a second, where rate is not 0.
func NewLoss(share float64, seed uint64, rate int) *Loss {
	return &Loss{share: share, random: rand.New(rand.NewPCG(seed, 0)), rate: rate}
}

// Drops casts the dice for the next packet. Call it for every packet, so that a seed means the same ones.
func (l *Loss) Drops() bool { return l.share > 0 && l.random.Float64() < l.share }

// Exceeds counts a packet at now, and reports whether it is beyond the rate.
func (l *Loss) Exceeds(now time.Time) bool {
	if l.rate == 0 {
		return false
	}
	if now.Sub(l.second) >= time.Second {
		l.second, l.passed = now, 0
	}
	l.passed++
	return l.passed > l.rate
}
