package fuzz

import (
	"context"
	"errors"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Replay sends a finding's packet to a new target, after the packets that have to come first, and judges the answer. If
// the target dies of an earlier packet, Replay judges that one.
func (m *Minimizer) Replay(ctx context.Context, f *Finding) (found []Finding, err error) {
	t, err := m.NewTarget(ctx)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	j := NewJudge(m.Decoder, m.SelfTest)
	if f.InState() {
		return j.sequence(t, f)
	}
	for _, b := range append(f.Before[:len(f.Before):len(f.Before)], decode.Packet{Data: f.Packet, From: f.From}) {
		reply, err := t.Send(b.Data, b.From)
		if err != nil {
			return found, err
		}
		found = j.Judge(&Mutation{Data: b.Data, Node: plan.NoNode, Done: "as it is"}, b.From, t, reply)
		if !reply.Outcome.Answered() && len(found) > 0 {
			return found, nil // what it died of was enough
		}
	}
	if len(found) == 0 {
		return newDeferredCrash(m.Decoder, j).found(t)
	}
	return found, nil
}

// sequence sends a finding's packets from the state on that they were sent from.
func (j *Judge) sequence(t oracle.Target, f *Finding) ([]Finding, error) {
	target, ok := t.(oracle.Stateful)
	if !ok {
		return nil, errors.New("the finding is of a dialogue's state: its packets say nothing to another target")
	}
	state := slices.Index(target.States(), f.Spoken.State)
	if state < 0 {
		return nil, errors.New("the dialogue has no state of the name that the finding has")
	}
	var packets [][]byte
	for _, b := range f.Before {
		packets = append(packets, b.Data)
	}
	_, reply, err := target.SendSequence(state, append(packets, f.Packet))
	if err != nil || reply.Outcome.Answered() {
		return nil, err
	}
	return j.Judge(&Mutation{Data: f.Packet, Node: plan.NoNode, Done: "as it is"}, f.From, t, reply), nil
}
