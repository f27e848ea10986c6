package fuzz

import (
	"context"
	"iter"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz/coverage"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// An audit whose time is short must not spend it on the first rule: 5,770 of 5,784 packets that a server had of R-Type
// were unknown types. So it goes round the rules: the first packet of each, then three more of each, then twelve. The
// packets are those of any audit.

// roundsGrow is how many times as many packets of a rule have been sent after a round as before it.
const roundsGrow = 4

// turnOf is what a round takes its packets of: a node, and a way to break or to keep its rule.
type turnOf struct {
	node    plan.NodeID
	class   Class
	verdict oracle.Expected
	kind    reject.Kind
}

// rounds yields the attacks of the audit in rounds, until ctx ends.
func (a *Audit) rounds(ctx context.Context, r *AuditResult) iter.Seq[attack] {
	return func(yield func(attack) bool) {
		into := r // what the first round counts, no other counts again
		for from, to := 0, 1; ; from, to = to, roundsGrow*to {
			more := false
			seen := map[turnOf]int{}
			for at := range a.attacks(ctx, into) {
				if ctx.Err() != nil {
					return
				}
				if !r.planned.whole {
					r.planned.add(at.Node)
				}
				key := turnOf{at.Node, at.Class, at.Expect.Verdict, at.Expect.Kind}
				n := seen[key]
				seen[key]++
				more = more || n >= to
				if n >= from && n < to && !yield(at) {
					return
				}
			}
			if ctx.Err() != nil {
				return
			}
			if r.planned.whole = true; !more {
				return
			}
			into = &AuditResult{}
		}
	}
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
func (a *Audit) unfinished(ctx context.Context, all *planned, tried map[plan.NodeID]int) (list []Unfinished) {
	if !all.whole {
		counting, end := outlast(ctx, lastOfAudit)
		*all = planned{}
		for one := range a.attacks(counting, &AuditResult{}) {
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
		rule(RuleName(a.Decoder.Plan(), node)).Of += all.of[node]
	}
	for node, n := range tried {
		if i, ok := at[RuleName(a.Decoder.Plan(), node)]; ok {
			list[i].Tried += n
		}
	}
	if !all.whole {
		for _, r := range coverage.NewRejectIndex(a.Decoder.Plan()).List {
			if r.Unreachable == "" {
				rule(RuleName(a.Decoder.Plan(), r.Node))
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
