package infer

import "math"

// clock compares a number with the time of capture: by how much both rise from packet to packet of a flow.
type clock struct {
	last  map[int32]moment // of each flow, the first maxClocks of them
	n     float64
	units [len(clockUnits)]struct{ x, xx, e, ee float64 } // time in the unit, and what the number rises more
}

// moment is a number, and when it was captured, in ns.
type moment struct {
	value uint64
	time  int64
}

// clockUnits are those in which clocks count: how many are a second, and their name.
var clockUnits = [...]struct {
	rate float64
	name string
}{{1, "s"}, {1e3, "ms"}, {1e6, "us"}, {1e9, "ns"}, {8000, "1/8000 s"}, {16000, "1/16000 s"}, {44100, "1/44100 s"}, {48000, "1/48000 s"}, {90000, "1/90000 s"}}

// What a clock is. Where packets come at one pace, a number that counts them looks like a clock: so the pace has to vary,
// and the number with it.
const (
	maxClocks  = 64
	leastClock = 12   // bits
	leastTicks = 24   // pairs of packets
	clockDrift = 0.02 // that the number rises more or less than time, in all
	clockNoise = 0.1  // of the pace's variance that the number does not follow at most
	leastUnits = 4    // between two packets, on average
)

func (c *clock) add(value uint64, width int, flow int32, time int64) {
	if time == 0 {
		return
	}
	before, ok := c.last[flow]
	if !ok && len(c.last) >= maxClocks {
		return
	}
	if c.last == nil {
		c.last = map[int32]moment{}
	}
	c.last[flow] = moment{value, time}
	if !ok {
		return
	}
	rise := float64(extend(value-before.value, width))
	c.n++
	for i := range c.units {
		u := &c.units[i]
		x := float64(time-before.time) / 1e9 * clockUnits[i].rate
		u.x, u.xx = u.x+x, u.xx+x*x
		u.e, u.ee = u.e+rise-x, u.ee+(rise-x)*(rise-x)
	}
}

// unit is the name of the unit that the number counts time in, "" where it does not.
func (c *clock) unit() string {
	if c.n < leastTicks {
		return ""
	}
	for i, u := range c.units {
		mean, more := u.x/c.n, u.e/c.n
		if mean >= leastUnits && math.Abs(more) <= clockDrift*mean && u.ee/c.n-more*more <= clockNoise*(u.xx/c.n-mean*mean) {
			return clockUnits[i].name
		}
	}
	return ""
}
