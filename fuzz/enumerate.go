package fuzz

import (
	"bytes"
	"context"
	"iter"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz/coverage"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// enumeration is the packets that break every rule of a protocol, one at a time: what an audit sends, and a campaign
// first of all. Which they are and their order follows from the protocol, the bases and the seed.
type enumeration struct {
	mutator  *Mutator
	seed     uint64
	bases    []decode.Packet // valid packets to break, before the generated ones; a refused one is left out
	most     int             // packets of a turn
	room     int             // bytes for packets that wait for their round
	tooLarge bool            // the target gets a datagram that is too large: no reader outside ever sees one that UDP does not carry

	scope Scope

	// What is known once they have been made.
	count    int // of packets to begin with
	missed   []Missed
	untested []Untested
	nothing  *NothingTested
	over     map[turnOf]uint64 // packets beyond most
	planned  planned           // of rounds
	sources  *sources          // of what was made before; nil where that is not to be kept
}

// sources are what the packets of an enumeration are made of, kept so that they are made once: the packets to begin
// with, and those that no packet is made of.
type sources struct {
	list []source
	size int
	full bool // there were more
	done bool
}

// source is a packet to begin with, or, alone, one that no other is made of.
type source struct {
	attack
	alone bool
}

// maxSources is about how much memory sources have.
const maxSources = 32 << 20

// add copies a source.
func (s *sources) add(one source) {
	if s == nil || s.full {
		return
	}
	one.Data = bytes.Clone(one.Data)
	s.list = append(s.list, one)
	if s.size += putCost + len(one.Data); s.size > maxSources {
		s.list, s.full = nil, true
	}
}

// randomBases is how many random packets an enumeration breaks beside those at the boundaries.
const randomBases = 200

// mostPerTurn is how many packets an enumeration has of a turn, unless it is told another number: every bit under the
// checksum of some packets.
const mostPerTurn = 1 << 16

// newEnumeration makes an enumeration; most is 0 or an audit's MaxPerRule, and self says that the target is this
// project's own code.
func newEnumeration(m *Mutator, seed uint64, bases []decode.Packet, most int, self bool) *enumeration {
	e := &enumeration{mutator: m, seed: seed, bases: bases, most: mostPerTurn, room: maxWaiting, tooLarge: self || m.plan.Schema.MaxDatagram < schema.MaxUDPPayload}
	if most > 0 {
		e.most, m.most = most, uint64(most)
	}
	return e
}

// turnOf is what a round takes its packets of: a node, and a way to break or to keep its rule.
type turnOf struct {
	node    plan.NodeID
	class   Class
	verdict oracle.Expected
	kind    reject.Kind
}

func (m *Mutation) turn() turnOf { return turnOf{m.Node, m.Class, m.Expect.Verdict, m.Expect.Kind} }

// attacks yields every packet, until ctx ends. The data of one is valid until the next.
func (e *enumeration) attacks(ctx context.Context) iter.Seq[attack] {
	return func(yield func(attack) bool) {
		e.count, e.over = 0, map[turnOf]uint64{}
		made := map[turnOf]int{}
		number := 0
		e.all(ctx, func(at attack) bool {
			number++
			if !attacks(e.scope, &at) {
				return ctx.Err() == nil
			}
			turn := at.turn()
			at.number = number
			if made[turn]++; made[turn] > e.most {
				e.over[turn] = saturated(e.over[turn], 1+at.LeftOut)
				return ctx.Err() == nil
			}
			return ctx.Err() == nil && yield(at)
		})
	}
}

// all yields the packets, however many there are of a turn.
func (e *enumeration) all(ctx context.Context, yield func(attack) bool) {
	m, seen := e.mutator, Dedup{}
	each := func(one source) bool {
		if !yield(one.attack) {
			return false
		}
		if one.alone {
			return true
		}
		e.count++
		data := bytes.Clone(one.Data)
		for mutation := range m.Enumerate(data, one.from, seen) {
			if !yield(attack{Mutation: *mutation, from: one.from}) {
				return false
			}
		}
		return true
	}
	if s := e.sources; s != nil && s.done {
		for _, one := range s.list {
			if !each(one) {
				return
			}
		}
		return
	}
	e.begin(ctx, func(one source) bool {
		e.sources.add(one)
		return each(one)
	})
	if s := e.sources; s != nil {
		s.done = !s.full && ctx.Err() == nil
	}
}

// begin makes what the packets are made of.
func (e *enumeration) begin(ctx context.Context, yield func(source) bool) {
	d, p := e.mutator.decoder, e.mutator.plan
	g, valid := NewGenerator(d), coverage.New(p)
	e.missed, e.untested, e.nothing = nil, nil, nil
	var trace decode.Trace
	trace.RecordPath()
	some := false
	base := func(data []byte, from decode.Direction, node plan.NodeID, why string) bool {
		some = true
		_ = d.Decode(data, from, &trace) // it is valid
		valid.Add(&trace)
		whole := Mutation{Data: data, Node: node, Path: RuleName(p, node), Done: why, Expect: accepted, Class: classEdge}
		return yield(source{attack{Mutation: whole, from: from}, false})
	}
	for _, b := range e.bases {
		if d.Decode(b.Data, b.From, &trace) == nil && !base(b.Data, b.From, plan.NoNode, "a packet of the corpus") {
			return
		}
	}
	for p := range g.boundaries(ctx, e.seed, func(m Missed) { e.missed = append(e.missed, m) }) {
		if !base(p.Data, p.From, p.Node, p.Why) {
			return
		}
	}
	for outlier, from := range newOutliers(e.mutator).mutations(ctx, e.seed) {
		if !yield(source{attack{Mutation: *outlier, from: from}, true}) {
			return
		}
	}
	for n := range uint64(randomBases) {
		if ctx.Err() != nil {
			return
		}
		if p, err := g.random(ctx, e.seed, n); err == nil && !base(p.Data, p.From, plan.NoNode, "a random packet") {
			return
		}
	}
	stopped := false
	gaps := fillGaps(ctx, g, e.seed, valid, func(p Packet) bool {
		stopped = !base(p.Data, p.From, plan.NoNode, p.Why)
		return !stopped
	})
	if stopped || ctx.Err() != nil {
		return
	}
	e.untested = untested(gaps, valid)
	if !some {
		e.nothing = &NothingTested{g.tried, g.last}
	}
	if e.tooLarge {
		size := p.Schema.MaxDatagram + 1
		yield(source{attack{Mutation: Mutation{
			Data: make([]byte, size), Class: classTail, Node: plan.NoNode, Done: "one byte more than a datagram may have",
			Expect: refused(reject.DatagramSize, "", 0, 8*size),
		}}, true})
	}
}
