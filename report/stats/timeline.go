package stats

import (
	"cmp"
	"net/netip"
	"slices"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema"
)

// What of a connection changes over time: how much was lost, how long answers took, how regularly packets came. It is
// counted for pages alone (KeepTime) and no saved part has it.

// The bounds of a timeline.
const (
	momentUnit = int64(time.Second / 4) // the least width of a moment
	maxMoment  = 48                     // buckets of a moment's sketch
	maxShort   = 120                    // moments of less than a second: with more, they are a second wide
	// MaxLanes is how many peers have their packets over time: those with the most.
	MaxLanes = 12
)

// timeline counts by time.
type timeline struct{ spans[moment] }

// moment is a stretch of time.
type moment struct {
	Count
	refused  uint64
	largest  uint64    // bytes of a payload
	received [3]uint64 // values of counters, by sender: schema.Direction
	lost     [3]int64  // negative where more came late than were missing
	latency  Sketch
	jitter   Sketch
}

func addMoment(to, from *moment) {
	to.Count.merge(&from.Count)
	to.refused += from.refused
	to.largest = max(to.largest, from.largest)
	for side := range to.lost {
		to.received[side] += from.received[side]
		to.lost[side] += from.lost[side]
	}
	to.latency.Merge(&from.latency)
	to.jitter.Merge(&from.jitter)
	to.latency.coarsen(maxMoment)
	to.jitter.coarsen(maxMoment)
}

// laneSpan is packets between two ends in a stretch of time.
type laneSpan struct{ packets, refused uint64 }

func addLane(to, from *laneSpan) {
	to.packets += from.packets
	to.refused += from.refused
}

// unitOf is the number of the momentUnit that a time in ns lies in.
func unitOf(ns int64) int64 {
	u := ns / momentUnit
	if ns%momentUnit < 0 {
		u--
	}
	return u
}

// KeepTime makes s count what Summary.Timeline has, from the next packet on: 300 KB, and 8 KB for each peer.
func (s *Stats) KeepTime() {
	if s.timeline == nil {
		s.timeline = &timeline{}
	}
}

// moment is where what happens at a time is counted, nil where nobody asks for it or there is no time.
func (s *Stats) moment(at int64) *moment {
	if s.timeline == nil || at == 0 {
		return nil
	}
	return s.timeline.at(unitOf(at), addMoment)
}

// add counts a packet, whatever became of it.
func (m *moment) add(r *record, lane *spans[laneSpan]) {
	m.Count.add(int(r.size), int(r.overhead))
	m.largest = max(m.largest, uint64(r.size))
	l := lane.at(unitOf(r.time), addLane)
	l.packets++
	if r.verdict == decode.Refused {
		m.refused++
		l.refused++
	}
}

// sequence counts a counter's value, with how many of its values were lost before and after it.
func (m *moment) sequence(side schema.Direction, before, after uint64) {
	m.received[side]++
	m.lost[side] += int64(after - before)
}

func (m *moment) answered(ns uint64) {
	m.latency.Add(ns)
	m.latency.coarsen(maxMoment)
}

func (m *moment) interval(from, to, every int64) {
	if to < from {
		return
	}
	m.jitter.Add(jitterOf(from, to, every))
	m.jitter.coarsen(maxMoment)
}

// mergeTime continues the timeline with that of o. Where one of the two has none, there is none.
func (s *Stats) mergeTime(o *Stats) {
	switch {
	case s.timeline == nil || o.timeline == nil && !o.Empty():
		s.timeline = nil
	case o.timeline != nil:
		s.timeline.add(&o.timeline.spans, addMoment)
	}
}

// Timeline is how a connection was over time: moment i begins at Start + i × Width.
type Timeline struct {
	Start   time.Time
	Width   float64  // seconds
	Moments []Moment // at most MaxBuckets
	Lanes   []Lane   // at most MaxLanes, the most packets first
}

// Moment is one stretch of time.
type Moment struct {
	Packets, Refused uint64
	PayloadBits      uint64
	Largest          uint64 // bytes of the largest payload
	// Received are values of all counters, and Lost those that were missing, by sender (schema.Direction); below 0 where
	// more came late than were missing.
	Received [3]uint64
	Lost     [3]int64
	// Latency is the time to what was acknowledged in the moment, Jitter how far the intervals that ended in it were from
	// @every, of all @ack and all @every. They are of sketches of at most 48 buckets: see Sketch.
	Latency, Jitter Spread
}

// Lane is the packets between two ends, whatever became of them, for each moment.
type Lane struct {
	Peer, With       netip.AddrPort
	Packets, Refused []uint64
}

// summary is nil without a moment.
func (t *timeline) summary(p *peers) *Timeline {
	if t == nil || len(t.buckets) == 0 {
		return nil
	}
	for len(t.buckets) > maxShort && momentUnit<<t.shift < int64(time.Second) {
		wide := &timeline{}
		wide.add(&t.spans, addMoment)
		wide.widen(addMoment)
		t = wide
	}
	units, second := t.start<<t.shift, int64(time.Second)/momentUnit
	out := &Timeline{Start: time.Unix(units/second, units%second*momentUnit).UTC(), Width: float64(uint64(1)<<t.shift) / float64(second)}
	for i := range t.buckets {
		m := &t.buckets[i]
		out.Moments = append(out.Moments, Moment{m.Packets, m.refused, m.PayloadBits, m.largest, m.received, m.lost, m.latency.spread(), m.jitter.spread()})
	}
	list := p.inOrder()
	slices.SortStableFunc(list, func(a, b *peer) int { return cmp.Compare(b.packets(), a.packets()) })
	for _, one := range list[:min(len(list), MaxLanes)] {
		if len(one.lane.buckets) == 0 {
			continue
		}
		lane := Lane{Peer: one.key.peer, With: one.key.other, Packets: make([]uint64, len(t.buckets)), Refused: make([]uint64, len(t.buckets))}
		for i, l := range one.lane.buckets {
			at := (one.lane.start+int64(i))<<one.lane.shift>>t.shift - t.start
			lane.Packets[at] += l.packets
			lane.Refused[at] += l.refused
		}
		out.Lanes = append(out.Lanes, lane)
	}
	return out
}
