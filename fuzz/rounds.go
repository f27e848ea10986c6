package fuzz

import (
	"context"
	"iter"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
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

// rounds yields the attacks of the audit in rounds.
func (a *Audit) rounds(ctx context.Context, r *AuditResult) iter.Seq[attack] {
	return func(yield func(attack) bool) {
		into := r // what the first round counts, no other counts again
		for from, to := 0, 1; ; from, to = to, roundsGrow*to {
			more := false
			seen := map[turnOf]int{}
			for at := range a.attacks(ctx, into) {
				key := turnOf{at.Node, at.Class, at.Expect.Verdict, at.Expect.Kind}
				n := seen[key]
				seen[key]++
				more = more || n >= to
				if n >= from && n < to && !yield(at) {
					return
				}
			}
			if !more || ctx.Err() != nil {
				return
			}
			into = &AuditResult{}
		}
	}
}

// Unfinished is a rule of which an audit that ended early had not sent all packets.
type Unfinished struct {
	Rule      string
	Tried, Of int
}

// unfinished are the rules that were not finished, in the order in which they are first met. tried is by their nodes.
func (a *Audit) unfinished(ctx context.Context, tried map[plan.NodeID]int) (list []Unfinished) {
	at := map[string]int{}
	for one := range a.attacks(ctx, &AuditResult{}) {
		name := RuleName(a.Decoder.Plan(), one.Node)
		i, ok := at[name]
		if !ok {
			i = len(list)
			at[name] = i
			list = append(list, Unfinished{Rule: name})
		}
		list[i].Of++
	}
	for node, n := range tried {
		if i, ok := at[RuleName(a.Decoder.Plan(), node)]; ok {
			list[i].Tried += n
		}
	}
	left := list[:0]
	for _, one := range list {
		if one.Tried < one.Of {
			left = append(left, one)
		}
	}
	return left
}
