package fuzz

import (
	"bytes"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// sequenceOf is what is known of the culprits of a reply: nobody broke a rule to make them what they are.
func sequenceOf(r oracle.Reply) *Mutation {
	packets, done := r.Culprit, "packets that end the target together"
	switch {
	case r.Outcome == oracle.Exhausted:
		done = "packets that fill the target's memory together"
	case len(packets) == 1:
		done = "a packet that ends the target when it has the next one"
	}
	return &Mutation{Data: packets[len(packets)-1], Node: plan.NoNode, Done: done}
}

// verdict judges the reply to an attack. before is what the target had before it.
func (j *Judge) tally(a *attack, t oracle.Target, reply oracle.Reply, before []decode.Packet) tally {
	found := j.Judge(&a.Mutation, a.from, t, reply)
	if len(reply.Culprit) > 0 {
		j.Truth(a.Data, a.from) // the count is of the packet that was sent
	}
	v := tally{rule: RuleName(j.trace.Plan, a.Node), known: a.Expect.Verdict != oracle.Unknown, steps: j.trace.Steps, found: found, unsaid: reply.Outcome == oracle.Survived, kicked: reply.Kicked}
	if r := j.trace.Reject(); r != nil {
		v.kind, v.rule = r.Kind, j.rule()
	}
	for i := range found {
		found[i].Packet = bytes.Clone(found[i].Packet)
		if len(reply.Culprit) == 0 {
			found[i].sent = before
		}
	}
	return v
}
