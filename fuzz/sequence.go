package fuzz

import (
	"bytes"
	"context"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// Packets on their way to a target and back: one by one, or in batches where it takes them.

// sequenceOf is what is known of the culprits of a reply: nobody broke a rule to make them what they are.
func sequenceOf(r Reply) *Mutation {
	packets, done := r.Culprit, "packets that end the target together"
	switch {
	case r.Outcome == Exhausted:
		done = "packets that fill the target's memory together"
	case len(packets) == 1:
		done = "a packet that ends the target when it has the next one"
	}
	return &Mutation{Data: packets[len(packets)-1], Node: plan.NoNode, Done: done}
}

// answers sends a batch and judges the replies. A target of no use is the last verdict.
func (j *Judge) answers(ctx context.Context, b *auditBatch, t Target) {
	if err := ctx.Err(); err != nil {
		b.verdicts = append(b.verdicts, verdict{failed: err})
		return
	}
	batcher, ok := t.(Batcher)
	if !ok {
		for i := range b.attacks {
			v := verdict{failed: ctx.Err()} // looked at here: a batch of large packets can take a minute
			if v.failed == nil {
				v = j.answer(&b.attacks[i], t)
			}
			if b.verdicts = append(b.verdicts, v); v.failed != nil {
				return
			}
		}
		return
	}
	packets, from := make([][]byte, len(b.attacks)), make([]decode.Direction, len(b.attacks))
	for i := range b.attacks {
		packets[i], from[i] = b.attacks[i].Data, b.attacks[i].from
	}
	err := batcher.SendBatch(packets, from, func(i int, r Reply) {
		b.verdicts = append(b.verdicts, j.verdict(&b.attacks[i], t, r))
	})
	if err != nil {
		b.verdicts = append(b.verdicts, verdict{failed: err})
	}
}

// answer sends an attack and judges the reply.
func (j *Judge) answer(a *attack, t Target) verdict {
	reply, err := t.Send(a.Data, a.from)
	if err != nil {
		return verdict{failed: err}
	}
	return j.verdict(a, t, reply)
}

// verdict judges the reply to an attack.
func (j *Judge) verdict(a *attack, t Target, reply Reply) verdict {
	found := j.Judge(&a.Mutation, a.from, t, reply)
	if len(reply.Culprit) > 0 {
		j.Truth(a.Data, a.from) // the count is of the packet that was sent
	}
	v := verdict{rule: RuleName(j.trace.Plan, a.Node), known: a.Expect.Verdict != Unknown, steps: j.trace.Steps, found: found, unsaid: reply.Outcome == Survived}
	if r := j.trace.Reject(); r != nil {
		v.kind, v.rule = r.Kind, j.rule()
	}
	for i := range found {
		found[i].Packet = bytes.Clone(found[i].Packet)
		if len(reply.Culprit) == 0 && j.sent != nil {
			found[i].sent = j.sent.Sent()
		}
	}
	if j.sent != nil {
		j.sent.after(a.Data, a.from, reply)
	}
	return v
}

// after notes a packet that was answered. What a target died of, hung at or was stopped for begins it anew.
func (h *History) after(packet []byte, from decode.Direction, r Reply) {
	switch r.Outcome {
	case Crashed, Hung, Exhausted:
		h.Reset()
	default:
		h.Add(packet, from)
	}
}
