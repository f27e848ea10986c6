package relay

import "time"

// rate bounds packets a second.
type rate struct {
	most   int       // 0: no bound
	second time.Time // when the second began that is counted
	passed int       // packets in it
}

// exceeds counts a packet at now, and reports whether it is beyond the rate.
func (r *rate) exceeds(now time.Time) bool {
	if r.most == 0 {
		return false
	}
	if now.Sub(r.second) >= time.Second {
		r.second, r.passed = now, 0
	}
	r.passed++
	return r.passed > r.most
}
