package stats

import (
	"cmp"
	"net/netip"
	"slices"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/report/saved"
)

// What of a connection changes over time: how much was lost, how long answers took, how regularly packets came. It is
// counted for what is saved or drawn (KeepTime).
//
// A moment has what is certain whatever came before the first packet: what is not stays where it is kept until that is
// known, with its tick, and is counted at that tick by a merge, or by Summary as if nothing came before. Those are the
// losses of a counter's edge, and answers: which of several values a receiver's answers are is known in the end only.

// The bounds of a timeline.
const (
	momentUnit = int64(time.Second / 4) // the least width of a moment
	maxMoment  = 48                     // buckets of a moment's sketch
	maxShort   = 120                    // moments of less than a second: with more, they are a second wide
	// MaxLanes is how many peers have their packets over time: those with the most.
	MaxLanes = 12
)

// timeline counts by time.
type timeline struct {
	spans[moment]
	answered cellBound
}

// moment is a stretch of time.
type moment struct {
	Count
	refused  uint64
	largest  uint64    // bytes of a payload
	received [3]uint64 // values of counters, by sender: schema.Direction
	lost     [3]int64  // negative where more came late than were missing; without those of edges
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
	to.jitter.Merge(&from.jitter)
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

// tick is a unit of time as edges and answers remember it: above 0, or 0 where there was no time.
type tick int64

const (
	tickZero = 1 << 37 // of the epoch
	maxTick  = 1<<38 - 1
)

func tickOf(ns int64) tick {
	if ns == 0 {
		return 0
	}
	return tick(unitOf(ns) + tickZero)
}

func (t tick) unit() int64 { return int64(t) - tickZero }

// KeepTime makes s count what Summary.Timeline has, from the next packet on: 300 KB, 8 KB for each peer, and at most
// 3 MB of when what was answered.
func (s *Stats) KeepTime() {
	if s.peers.timeline == nil {
		s.peers.timeline = &timeline{}
	}
}

// moment is where what happens at a tick is counted, nil where nobody asks for it or there is no time.
func (t *timeline) moment(at tick) *moment {
	if t == nil || at == 0 {
		return nil
	}
	return t.at(at.unit(), addMoment)
}

// lose counts values of a side's counter that were lost; below 0, that came late.
func (t *timeline) lose(side schema.Direction, at tick, lost int64) {
	if lost == 0 {
		return
	}
	if m := t.moment(at); m != nil {
		m.lost[side] += lost
	}
}

// settle counts the losses of a peer's edges as if nothing came before them.
func (t *timeline) settle(p *peer, sh *shape) {
	if t == nil {
		return
	}
	for h := range p.halves {
		for i := range p.halves[h].seqs {
			p.halves[h].seqs[i].edgeLosses(sh.seqs[i].modulus, func(at tick, lost int64) { t.lose(p.side(h), at, lost) })
		}
	}
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

func (m *moment) interval(from, to, every int64) {
	if to < from {
		return
	}
	m.jitter.Add(jitterOf(from, to, every))
	m.jitter.coarsen(maxMoment)
}

// mergeTime continues the timeline with that of o. Where one of the two has none, there is none; whoever is empty has
// no say.
func (s *Stats) mergeTime(o *Stats) {
	switch {
	case o.peers.timeline != nil && s.Empty():
		s.KeepTime()
	case o.peers.timeline == nil && !o.Empty():
		s.peers.timeline = nil
		s.peers.eachAnswers(func(a *answers) { a.when = cells{} })
	}
	if s.peers.timeline == nil || o.peers.timeline == nil {
		return
	}
	s.peers.timeline.add(&o.peers.timeline.spans, addMoment)
	s.peers.raise(o.peers.timeline.answered.shift)
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
	// Latency is the time to what was acknowledged in the moment, of all @ack, from sketches of at most 16 buckets for each
	// peer; with very many peers, in the stretch of 2, 4, … moments that the moment lies in. Jitter is how far the
	// intervals that ended in the moment were from @every, of all @every, from a sketch of at most 48 buckets: see Sketch.
	Latency, Jitter Spread
}

// Lane is the packets between two ends, whatever became of them, for each moment.
type Lane struct {
	Peer, With       netip.AddrPort
	Packets, Refused []uint64
}

// overTime is nil without a moment.
func (s *Stats) overTime() *Timeline {
	if s.peers.timeline == nil || len(s.peers.timeline.buckets) == 0 {
		return nil
	}
	list := s.peers.inOrder()
	t := &timeline{}
	t.add(&s.peers.timeline.spans, addMoment)
	for _, p := range list {
		t.settle(p, &s.shape)
	}
	for len(t.buckets) > maxShort && momentUnit<<t.shift < int64(time.Second) {
		t.widen(addMoment)
	}
	units, second := t.start<<t.shift, int64(time.Second)/momentUnit
	out := &Timeline{Start: time.Unix(units/second, units%second*momentUnit).UTC(), Width: float64(uint64(1)<<t.shift) / float64(second)}
	for i := range t.buckets {
		m := &t.buckets[i]
		out.Moments = append(out.Moments, Moment{Packets: m.Packets, Refused: m.refused, PayloadBits: m.PayloadBits, Largest: m.largest,
			Received: m.received, Lost: m.lost, Jitter: m.jitter.spread()})
	}
	s.answersOverTime(out, t, list)
	all := slices.SortedStableFunc(byEnds(list), func(a, b []*peer) int { return cmp.Compare(packetsOf(b), packetsOf(a)) })
	for _, flows := range all[:min(len(all), MaxLanes)] {
		lane := Lane{Peer: flows[0].key.peer, With: flows[0].key.other, Packets: make([]uint64, len(t.buckets)), Refused: make([]uint64, len(t.buckets))}
		timed := false
		for _, one := range flows {
			for i, l := range one.lane.buckets {
				at := (one.lane.start+int64(i))<<one.lane.shift>>t.shift - t.start
				if at < 0 || at >= int64(len(t.buckets)) {
					continue // of a part that tells lies
				}
				lane.Packets[at] += l.packets
				lane.Refused[at] += l.refused
			}
			timed = timed || len(one.lane.buckets) > 0
		}
		if timed {
			out.Lanes = append(out.Lanes, lane)
		}
	}
	return out
}

// answersOverTime tells each moment its answers: those of the stretch that it lies in, as wide as the cells.
func (s *Stats) answersOverTime(out *Timeline, t *timeline, list []*peer) {
	all := spans[Sketch]{shift: max(s.peers.timeline.answered.shift, t.shift)}
	add := func(a *answers) {
		if a == nil || a.when.bound == nil {
			return
		}
		for i := range a.when.list {
			c := &a.when.list[i]
			addLatency(all.at(c.at<<a.when.bound.shift, addLatency), &c.Sketch)
		}
	}
	for _, p := range list {
		for h := range p.halves {
			for i := range p.halves[h].acks {
				add(best(p.halves[h].acks[i]))
			}
		}
	}
	for i := range s.peers.rest.acks {
		add(&s.peers.rest.acks[i])
	}
	for i := range out.Moments {
		at := (t.start+int64(i))<<t.shift>>all.shift - all.start
		if at >= 0 && at < int64(len(all.buckets)) {
			out.Moments[i].Latency = all.buckets[at].spread()
		}
	}
}

func addLatency(to, from *Sketch) {
	to.Merge(from)
	to.coarsen(maxMoment)
}

// codeTime has whether there is a timeline, and it.
func (s *Stats) codeTime(c *coder) {
	c.timed, c.cells = s.peers.timeline != nil, cells{}
	if c.version < partTimed {
		c.timed = false
		return
	}
	c.bool(&c.timed)
	if !c.timed {
		return
	}
	s.KeepTime()
	s.peers.timeline.code(c)
	c.cells = s.peers.newCells()
}

// code is the timeline without what peers keep of it.
func (t *timeline) code(c *coder) {
	codeSpans(c, &t.spans, 10, func(m *moment) {
		m.Count.code(c)
		c.uint(&m.refused, saved.MaxCount)
		c.check(m.refused <= m.Packets, "a moment of the saved part has more rejects than packets")
		c.uint(&m.largest, saved.MaxCount)
		for side := range m.lost {
			c.uint(&m.received[side], saved.MaxCount)
			c.int(&m.lost[side])
			c.check(m.lost[side] >= -saved.MaxCount && m.lost[side] <= saved.MaxCount, "a moment of the saved part has lost more than there is")
		}
		m.jitter.code(c)
		c.check(len(m.jitter.buckets) <= maxMoment, "a sketch of the saved part is too fine")
	})
	c.byte(&t.answered.shift, maxTickShift)
}

func (l *laneSpan) code(c *coder) {
	c.uint(&l.packets, saved.MaxCount)
	if l.packets > 0 {
		c.uint(&l.refused, l.packets)
	}
}

// codeSpans is spans of units; each of them needs so many bytes at least.
func codeSpans[T any](c *coder, s *spans[T], least int, each func(*T)) {
	n := c.length(len(s.buckets), MaxBuckets, least)
	if n == 0 {
		return // however wide: the first one says where they begin
	}
	c.byte(&s.shift, maxTickShift)
	c.int(&s.start)
	c.unit(s.start, s.shift)
	if c.err != nil {
		return
	}
	if !c.writing {
		s.buckets = make([]T, n)
	}
	for i := range s.buckets {
		each(&s.buckets[i])
	}
}
