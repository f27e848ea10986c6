package line

import (
	"math/rand/v2"
	"slices"
	"time"
)

// Fate is what becomes of a packet.
type Fate uint8

const (
	Sent    Fate = iota // it leaves when Pop gives it
	Dropped             // by Drop
	Crowded             // it would wait for Bandwidth for longer than Queue, or too much is on the way
)

// Wish is what is decided about a packet beside what its line decides.
type Wish uint8

const (
	Usual     Wish = iota
	Undelayed      // Delay, Jitter and the order are not this packet's
	Lost           // it is lost whatever the dice say, which are cast for it all the same: a seed means the same packets
)

// Line is one direction of one client. Use one by one goroutine at a time.
type Line struct {
	profile Profile
	network *Network

	// A stream of dice for each decision: one flag more does not change what the others decide.
	dropping, doubling, reordering, jittering *rand.Rand

	bad  bool      // amid a run of losses
	free time.Time // when the last bit of the last packet has left, at Bandwidth
	last time.Time // when the last packet leaves that is in order
	held []*packet // what Reorder holds
}

// dice are the streams of a Line, which its seed and its number decide.
func dice(seed, number, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, number|stream<<48))
}

// drops casts the dice for a packet, so that Drop of them are lost, in runs of Burst.
func (l *Line) drops() bool {
	drop, burst := l.profile.Drop, l.profile.Burst
	if drop == 0 {
		return false
	}
	roll := l.dropping.Float64()
	switch {
	case burst <= 1 || drop == 1:
		return roll < drop
	case l.bad:
		l.bad = roll >= 1/burst
	default:
		l.bad = roll < drop/(burst*(1-drop))
	}
	return l.bad
}

// Send sends data, which the Network keeps. now is not before that of an earlier packet. leave is called when it leaves,
// with data, by whoever calls Pop.
func (l *Line) Send(now time.Time, data []byte, wish Wish, leave func([]byte)) Fate {
	p, n := &l.profile, l.network
	drop := l.drops()
	double := p.Duplicate > 0 && l.doubling.Float64() < p.Duplicate
	reorder := p.Reorder > 0 && l.reordering.Float64() < p.Reorder
	delay := p.Delay
	if p.Jitter > 0 {
		delay = max(0, delay+time.Duration((2*l.jittering.Float64()-1)*float64(p.Jitter)))
	}
	if drop || wish == Lost {
		return Dropped
	}
	at := now
	if p.Bandwidth > 0 {
		begin := now
		if l.free.After(now) {
			begin = l.free
		}
		queue := p.Queue
		if queue == 0 {
			queue = usualQueue
		}
		if begin.Sub(now) > queue {
			return Crowded
		}
		at = begin.Add(time.Duration(float64(8*(len(data)+headers)) / float64(p.Bandwidth) * float64(time.Second)))
	}
	copies := 1
	if double {
		copies = 2
	}
	if n.held+copies*len(data) > n.Limit {
		return Crowded
	}
	if p.Bandwidth > 0 {
		l.free = at
	}
	if double {
		n.Duplicated++
	}
	if wish != Undelayed {
		at = at.Add(delay)
	}
	for range copies {
		one := &packet{data: data, leave: leave}
		switch {
		case wish == Undelayed:
			n.push(one, at)
		case reorder:
			n.Reordered++
			reorder = false // the copy overtakes it
			n.push(one, at.Add(hold))
			l.held = append(l.held, one)
		default:
			if at.Before(l.last) {
				at = l.last
			}
			l.last = at
			n.push(one, at)
			for _, h := range l.held {
				n.move(h, at)
			}
			l.held = slices.Delete(l.held, 0, len(l.held))
		}
	}
	return Sent
}
