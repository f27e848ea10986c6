package fuzz

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/coverage"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// hazards knows which packets a target is likely to die of: for each point of coverage, how many packets with it the
// target died of, and how many it answered.
//
// A death costs the time of hundreds of packets, for the target is started again. A reader with one frequent crash
// would have a campaign do little else. So deaths have a share of the time: while they have had more, packets that are
// likely to be one more are held back, but for those that reach something new.
type hazards struct {
	fates  fates
	deaths int64   // packets that it died of
	debt   int64   // the time that deaths have had above their share, in packets; below 0: what they have left
	risk   float64 // packets of this risk and more are held back
}

// Costs, in packets that are sent and answered.
const (
	crashCost     = 1000 // starting a process takes some 150, with sanitizers several thousand
	hangCost      = 8000
	dearerEvery   = 32             // so many deaths make the next ones dearer by as much again: they tell less and less that is new,
	mostTimes     = 16             // up to so many times
	firstCredit   = 24 * crashCost // before anything is held back
	heldPerPacket = 16             // packets that are made and held back take the time of one that is sent
	enoughDeaths  = 4              // with fewer at a point it says nothing
	mostRisk      = 0.5
	leastRisk     = 0.02 // below it nothing tells the packets apart
	riskyBatch    = 16   // packets that are sent at once while deaths are to be saved: what one tells comes too late for them
)

func newHazards(points int) *hazards {
	return &hazards{fates: newFates(points), debt: -firstCredit, risk: mostRisk}
}

// costOf is the time that an answer is taken to cost above that of others. It does not ask the clock: what a campaign
// sends follows from its seed.
func (h *hazards) costOf(r oracle.Reply) int64 {
	times := min(1+h.deaths/dearerEvery, mostTimes)
	switch r.Outcome {
	case oracle.Crashed:
		return times * crashCost
	case oracle.Hung, oracle.Exhausted, oracle.LockedOut:
		return times * hangCost
	}
	return 0
}

// riskOf is the share of deaths among the packets with that point of the packet that has the most.
func (t *taskHazards) riskOf(packet *coverage.Set) (risk float64) {
	for _, share := range t.hazards.fates.of(packet, enoughDeaths, &t.own) {
		risk = max(risk, share)
	}
	return risk
}

// learn takes in what a round's task met.
func (h *hazards) learn(t *taskHazards) {
	h.fates.add(&t.own)
	h.debt += t.debt
	h.deaths += t.deaths
}

// adjust finds, after a round, the risk above which packets are held back.
func (h *hazards) adjust() {
	if h.debt > 0 {
		h.risk = max(h.risk*0.9, leastRisk)
	} else {
		h.risk = min(h.risk*1.1, mostRisk)
	}
	h.debt = max(h.debt, -firstCredit)
}

// taskHazards are what a task learns, beside what it knows: the campaign's as they were when its round began.
type taskHazards struct {
	*hazards
	own    fates
	deaths int64
	debt   int64 // what the task adds to it
	held   int   // packets that were not sent
	packet *coverage.Set
	trace  decode.Trace
}

func newTaskHazards(h *hazards, c *coverage.Set) *taskHazards {
	t := &taskHazards{hazards: h, own: newFates(len(h.fates.lost)), packet: c.Empty()}
	t.trace.RecordPath()
	return t
}

func (t *taskHazards) reset() {
	t.own.reset()
	t.deaths, t.debt, t.held = 0, 0, 0
}

// holds reports whether a packet is held back. What is held back pays off some of what deaths have cost, for it takes
// time to make: so there is no target that is never sent a packet again.
func (t *taskHazards) holds(d *decode.Decoder, m *Mutation, from decode.Direction, cover *coverage.Set) bool {
	if t.hazards.debt/tasksPerRound+t.debt <= 0 { // each task of a round has its part of what is left
		return false
	}
	_ = d.Decode(m.Data, from, &t.trace) // the verdict is in the trace
	t.packet.Reset()
	t.packet.Add(&t.trace)
	if !cover.Covers(t.packet) || t.riskOf(t.packet) < t.risk {
		return false
	}
	if t.held++; t.held%heldPerPacket == 0 {
		t.debt--
	}
	return true
}

// batch is how many packets are sent at once.
func (t *taskHazards) batch() int {
	if t.hazards.debt+t.debt <= -firstCredit {
		return attacksPerBatch
	}
	return riskyBatch
}

// answered notes what a target did with a packet.
func (t *taskHazards) answered(trace *decode.Trace, r oracle.Reply) {
	t.packet.Reset()
	t.packet.Add(trace)
	cost := t.costOf(r)
	t.own.count(t.packet, cost > 0)
	if cost > 0 {
		t.deaths++
		t.debt += cost
	} else {
		t.debt--
	}
}
