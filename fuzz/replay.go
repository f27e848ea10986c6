package fuzz

import (
	"context"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
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
