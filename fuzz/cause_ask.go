package fuzz

import (
	"iter"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/coverage"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// A cause that is wider than one field is asked for: the reader has packets that each break one rule at one declaration,
// and where it refuses one of them, what it accepts are mistakes of their own.

// asking is a target that is asked about many packets. It is started anew where it dies of one.
type asking struct {
	m      *Minimizer
	target oracle.Target // nil while none is started
	left   int           // packets that may be sent
	deaths int
	over   bool   // there was more to ask
	fields []byte // what the reader said of them last
}

// askDeaths is how many packets a target may die of while it is asked.
const askDeaths = 8

// asks begins with at most so many packets. What it returns is to be closed.
func (m *Minimizer) asks(most int) *asking { return &asking{m: m, left: most} }

func (a *asking) close() {
	if a.target != nil {
		_ = a.target.Close() // there is nothing more to hear from it
		a.target = nil
	}
}

// accepts reports whether the reader accepts a packet; not known where it gives no answer.
func (a *asking) accepts(packet []byte, from decode.Direction) (accepted, known bool) {
	m := a.m
	if a.over = a.over || a.left == 0 || m.failed != nil || m.late(); a.over {
		return false, false
	}
	var err error
	if a.target == nil {
		if a.target, err = m.NewTarget(m.ctx); err != nil {
			a.over = true
			return m.fail(err), false
		}
	}
	a.left--
	m.trials++
	reply, err := a.target.Send(packet, from)
	switch {
	case err != nil:
		a.over = true
		return m.fail(err), false
	case !reply.Outcome.Answered():
		a.close()
		a.deaths++
		a.over = isLoss(reply.Outcome) || a.deaths > askDeaths
		return false, false
	}
	a.fields = reply.Fields
	return reply.Outcome == oracle.Accepted, true
}

// Bounds of the packets that are changed to ask about causes.
const (
	askRandom     = 128 // random ones
	askBoundaries = 128 // those at the boundaries of fields that have something new
	askBytes      = 4 << 20
)

// bases are the first so many of these packets, which are valid, each with its trace: that is the caller's until the next.
func (m *Minimizer) bases(most int, whole *decode.Trace) iter.Seq2[[]byte, decode.Direction] {
	if m.asked == nil {
		m.asked = m.newBases()
	}
	return func(yield func([]byte, decode.Direction) bool) {
		for _, p := range m.asked[:min(most, len(m.asked))] {
			if m.mutator.decoder.Decode(p.Data, p.From, whole) == nil && !yield(p.Data, p.From) {
				return
			}
		}
	}
}

// newBases makes them: a random one and one with something new in turn.
func (m *Minimizer) newBases() []decode.Packet {
	cover, g := coverage.New(m.mutator.plan), NewGenerator(m.mutator.decoder)
	var trace decode.Trace
	trace.RecordPath()
	random, fresh, size := []decode.Packet{}, []decode.Packet{}, 0
	keep := func(list []decode.Packet, p Packet) []decode.Packet {
		size += len(p.Data)
		return append(list, decode.Packet{Data: slices.Clone(p.Data), From: p.From})
	}
	for n := uint64(0); n < askRandom && size < askBytes; n++ {
		if p, err := g.Random(m.Seed, n); err == nil && m.mutator.decoder.Decode(p.Data, p.From, &trace) == nil {
			cover.Add(&trace)
			random = keep(random, p)
		}
	}
	for p := range g.boundaries(m.ctx, m.Seed, func(Missed) {}) {
		if len(fresh) == askBoundaries || size > askBytes {
			break
		}
		if m.mutator.decoder.Decode(p.Data, p.From, &trace) == nil && cover.Add(&trace) > 0 {
			fresh = keep(fresh, p)
		}
	}
	all := []decode.Packet{}
	for i := range max(len(random), len(fresh)) {
		all = append(append(all, random[min(i, len(random)):min(i+1, len(random))]...), fresh[min(i, len(fresh)):min(i+1, len(fresh))]...)
	}
	return all
}

// asked is what came of the packets that break a rule, by declaration.
type asked map[string]*askedOf

// askedOf is how many packets of a declaration were answered, and accepted.
type askedOf struct{ tried, accepted int }

// note takes an answer in.
func (a asked) note(name string, accepted bool) {
	t := a[name]
	if t == nil {
		t = &askedOf{}
		a[name] = t
	}
	if t.tried++; accepted {
		t.accepted++
	}
}

// try asks about a packet that breaks the rule at a declaration, unless enough is known: so many answers, or with strict a
// refusal.
func (a asked) try(of *asking, name string, most int, strict bool, packet []byte, from decode.Direction) {
	if t := a[name]; t == nil || t.tried < most && (t.accepted == t.tried || !strict) {
		if accepted, known := of.accepts(packet, from); known {
			a.note(name, accepted)
		}
	}
}

// some are the declarations of all; nil where the reader refused all packets of any of them.
func (a asked) some() (names []string) {
	for name, t := range a {
		if t.accepted == 0 {
			return nil
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// never are the declarations that a name is of, sorted; nil where the reader refused any packet of theirs.
func (a asked) never(of func(name string) bool) (names []string) {
	for name, t := range a {
		if !of(name) {
			continue
		}
		if t.accepted < t.tried {
			return nil
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// with is a sorted list of names and others.
func with(names []string, others ...string) []string {
	if len(others) == 0 {
		return names
	}
	names = append(slices.Clone(names), others...)
	slices.Sort(names)
	return slices.Compact(names)
}

// MaxPlaces is the most Places of a finding: a schema may have thousands.
const MaxPlaces = 64

// placesWith are the Places of a cause and others.
func placesWith(places []string, others ...string) []string {
	all := with(places, others...)
	return all[:min(len(all), MaxPlaces)]
}

// outer is the name of what a declaration is in: of Record.data<6>.name this is Record.data<6>, then Record.data, then
// Record; "" of what the packet has.
func outer(name string) string {
	if strings.HasSuffix(name, ">") {
		return name[:max(strings.LastIndexByte(name, '<'), 0)]
	}
	if list, ok := strings.CutSuffix(name, "[]"); ok {
		return list
	}
	return name[:max(strings.LastIndexByte(name, '.'), 0)]
}

// isIn reports whether a declaration is in what has a name; everything is in "".
func isIn(name, around string) bool {
	rest, ok := strings.CutPrefix(name, around)
	return ok && (around == "" || rest != "" && strings.IndexByte(".[<", rest[0]) >= 0)
}
