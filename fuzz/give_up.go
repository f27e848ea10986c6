package fuzz

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz/coverage"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// A packet that a target hangs on, or fills its memory with, costs seconds: it is tried again until it is certain. An
// audit can have thousands of a kind. So after a few of them it gives up their like: what shares with them a point of
// coverage at which half of the packets and more are lost. These packets are put off, because the first that are lost
// say little about what they share with others; at the end of the enumeration they are looked at once more, and those
// that are still likely to be lost are counted and never sent. Now and then one of them is sent all the same: as long as
// most of these are answered it goes on, and what was held against the others passes.

const (
	enoughLosses = 3   // with fewer at a point nothing is given up
	likelyLost   = 0.5 // and with no larger share of losses there
	mostInVain   = 24  // so many losses in a row, and not even an arm that had no packet gets one
	probeEvery   = 8   // one of so many packets that are put off is sent
	probeLosses  = 4   // of these so many may be lost, and one more for each so many that are answered
)

// givingUp is what an audit has learned about packets that are lost. The lanes share it.
type givingUp struct {
	mu      sync.Mutex
	decoder *decode.Decoder
	fates   *fates        // nil as long as nothing was lost
	packet  *coverage.Set // the one at hand
	sent    *coverage.Set // of the packets since the first that was lost, and those shortly before
	choices []coverage.Choice
	vain    int // losses in a row
	trace   decode.Trace
	lost    map[oracle.Outcome]int
	off     map[int]bool // packets that are put off, by number

	held, probed, probeLost int
	probes                  map[int]bool // that are on their way, by number
}

func newGivingUp(d *decode.Decoder) *givingUp {
	g := &givingUp{decoder: d, lost: map[oracle.Outcome]int{}, off: map[int]bool{}, probes: map[int]bool{}}
	g.trace.RecordPath()
	return g
}

// isLoss reports whether an answer is none and took the target's time.
func isLoss(o oracle.Outcome) bool { return !o.Answered() && o != oracle.Crashed }

// reaches takes a packet in hand.
func (g *givingUp) reaches(data []byte, from decode.Direction) {
	_ = g.decoder.Decode(data, from, &g.trace) // the verdict is in the trace
	g.packet.Reset()
	g.packet.Add(&g.trace)
}

// against is how many packets were lost that speak against one, which is put off then, or given up; 0 for most.
func (g *givingUp) against(a *attack) (losses int) {
	if g == nil {
		return 0
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fates == nil {
		return 0
	}
	g.reaches(a.Data, a.from)
	for lost, share := range g.fates.of(g.packet, enoughLosses, nil) {
		if share >= likelyLost {
			losses = max(losses, int(lost))
		}
	}
	if losses > 0 && g.vain < mostInVain && slices.ContainsFunc(g.choices, func(c coverage.Choice) bool { return c.In(g.packet) && !c.In(g.sent) }) {
		losses = 0 // an arm, or an element, that no packet had
	}
	if losses > 0 && g.probeLost < probeLosses+(g.probed-g.probeLost)/probeLosses {
		if g.held++; g.held%probeEvery == 1 {
			g.probes[a.number] = true
			losses = 0
		}
	}
	if losses > 0 {
		g.off[a.number] = true
	} else {
		delete(g.off, a.number)
	}
	return losses
}

// again are the packets that were put off, of an enumeration that is made once more.
func (g *givingUp) again(attacks iter.Seq[attack]) iter.Seq[attack] {
	off := maps.Clone(g.off)
	return func(yield func(attack) bool) {
		for at := range attacks {
			if off[at.number] {
				if !yield(at) {
					return
				}
				if delete(off, at.number); len(off) == 0 {
					return
				}
			}
		}
	}
}

// answered learns from an answer; before is what the target had before.
func (g *givingUp) answered(a *attack, o oracle.Outcome, before []decode.Packet) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fates == nil {
		if !isLoss(o) {
			return
		}
		g.packet = coverage.New(g.decoder.Plan())
		g.sent = g.packet.Empty()
		g.choices = g.packet.Choices()
		none := newFates(g.packet.Size())
		g.fates = &none
		for _, p := range before {
			g.reaches(p.Data, p.From)
			g.count(false)
		}
	}
	if g.probes[a.number] {
		delete(g.probes, a.number)
		if g.probed++; isLoss(o) {
			g.probeLost++
		}
	}
	g.reaches(a.Data, a.from)
	if !isLoss(o) {
		g.vain = 0
		g.count(false)
		return
	}
	g.vain++
	g.lost[o]++
	g.count(true)
}

func (g *givingUp) count(lost bool) {
	g.fates.count(g.packet, lost)
	g.sent.Merge(g.packet)
}

// givenUp is the Part of what is Untested because an audit gave its packets up.
const givenUp = "given up"

// notSent counts packets that an audit did not send, and the losses that spoke against them.
type notSent struct{ packets, losses int }

// untested are the rules of which packets were given up.
func (g *givingUp) untested(p *plan.Plan, given map[plan.NodeID]notSent) (list []Untested) {
	var words []string
	for _, o := range []oracle.Outcome{oracle.Hung, oracle.Exhausted, oracle.LockedOut} {
		if g.lost[o] > 0 {
			words = append(words, map[oracle.Outcome]string{oracle.Hung: "hangs", oracle.Exhausted: "leaks", oracle.LockedOut: "lock-outs"}[o])
		}
	}
	what := strings.Join(words, " and ")
	of := map[string]notSent{}
	for node, n := range given {
		name := RuleName(p, node)
		of[name] = notSent{of[name].packets + n.packets, max(of[name].losses, n.losses)}
	}
	for name, n := range of {
		sent := "packets of this rule were not sent"
		if n.packets == 1 {
			sent = "packet of this rule was not sent"
		}
		list = append(list, Untested{Rule: name, Part: givenUp, Why: fmt.Sprintf("after %d %s: %d %s", n.losses, what, n.packets, sent)})
	}
	slices.SortFunc(list, func(a, b Untested) int { return strings.Compare(a.Rule, b.Rule) })
	return list
}
