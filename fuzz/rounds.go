package fuzz

import (
	"bytes"
	"context"
	"iter"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz/coverage"
)

// An audit whose time is short must not spend it on the first rule: 5,770 of 5,784 packets that a server had of R-Type
// were unknown types. So it goes round the rules: the first packet of each, then three more of each, then twelve. The
// packets are those of any audit.

// roundsGrow is how many times as many packets of a rule have been sent after a round as before it.
const roundsGrow = 4

// maxWaiting is about how much memory packets have that wait for their round; those beyond it are made anew in each.
const maxWaiting = 64 << 20

// putCost is about what a packet takes beside its bytes.
const putCost = 256

// rounds yields the packets in rounds, until ctx ends.
func (e *enumeration) rounds(ctx context.Context) iter.Seq[attack] {
	return func(yield func(attack) bool) {
		seen, size, put := map[turnOf]int{}, 0, 0 // put: the first packets, of which those that wait are kept
		var kept []waiting
		e.planned, e.sources = planned{}, &sources{}
		for at := range e.attacks(ctx) {
			e.planned.add(at.Node)
			n := seen[at.turn()]
			seen[at.turn()]++
			if size < e.room {
				if put++; n > 0 {
					at.Data = bytes.Clone(at.Data)
					kept = append(kept, waiting{at, n})
					size += putCost + len(at.Data)
					continue
				}
			}
			if n == 0 && !yield(at) {
				return
			}
		}
		if ctx.Err() != nil {
			return
		}
		e.planned.whole = true
		most := 0
		for _, n := range seen {
			most = max(most, n)
		}
		for from := 1; from < most; from *= roundsGrow {
			left := kept[:0]
			for _, w := range kept {
				if w.nth >= roundsGrow*from {
					left = append(left, w)
				} else if ctx.Err() != nil || !yield(w.attack) {
					return
				}
			}
			kept = left
			if size < e.room {
				continue // all are kept
			}
			again := *e
			clear(seen)
			number := 0
			for at := range again.attacks(ctx) {
				n := seen[at.turn()]
				seen[at.turn()]++
				if number++; number > put && n >= from && n < roundsGrow*from && !yield(at) {
					return
				}
			}
			if ctx.Err() != nil {
				return
			}
		}
	}
}

// waiting is a packet that waits for its round: how many of its turn come before it.
type waiting struct {
	attack
	nth int
}

// planned is how many packets an audit makes of each node. Not whole, it is those that were made so far.
type planned struct {
	of    map[plan.NodeID]int
	order []plan.NodeID
	whole bool
}

func (p *planned) add(node plan.NodeID) {
	if p.of == nil {
		p.of = map[plan.NodeID]int{}
	}
	if p.of[node]++; p.of[node] == 1 {
		p.order = append(p.order, node)
	}
}

// Unfinished is a rule of which an audit that ended early had not sent all packets.
type Unfinished struct {
	Rule      string
	Tried, Of int
	// AtLeast says that the audit ended before all of its packets were made: there are more than Of.
	AtLeast bool
}

// unfinished are the rules that were not finished, in the order in which they are first met. tried is by their nodes.
// Where the end came before the first round's, the packets are counted for a moment more; then what was not counted is
// said to be more.
func (e *enumeration) unfinished(ctx context.Context, tried map[plan.NodeID]int) (list []Unfinished) {
	all, p := &e.planned, e.mutator.plan
	if !all.whole {
		counting, end := outlast(ctx, lastOfAudit)
		*all = planned{}
		again := *e
		for one := range again.attacks(counting) {
			if counting.Err() != nil {
				break
			}
			all.add(one.Node)
		}
		all.whole = counting.Err() == nil
		end()
	}
	at := map[string]int{}
	rule := func(name string) *Unfinished {
		i, ok := at[name]
		if !ok {
			i = len(list)
			at[name] = i
			list = append(list, Unfinished{Rule: name, AtLeast: !all.whole})
		}
		return &list[i]
	}
	for _, node := range all.order {
		rule(RuleName(p, node)).Of += all.of[node]
	}
	for node, n := range tried {
		if i, ok := at[RuleName(p, node)]; ok {
			list[i].Tried += n
		}
	}
	if !all.whole {
		for _, r := range coverage.NewRejectIndex(p).List {
			if r.Unreachable == "" {
				rule(RuleName(p, r.Node))
			}
		}
	}
	left := list[:0]
	for _, one := range list {
		if one.Tried < one.Of || one.AtLeast {
			one.Of = max(one.Of, one.Tried)
			left = append(left, one)
		}
	}
	return left
}
