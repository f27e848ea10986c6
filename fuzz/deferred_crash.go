package fuzz

import (
	"bytes"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// A reader may answer a packet and die of it all the same: when the next one comes, or when it looks at its heap again.
// To see whether the last packet crashed it, send one more.

// deferredCrash sends that one more packet, a valid one.
type deferredCrash struct {
	judge *Judge
	valid decode.Packet
}

func newDeferredCrash(d *decode.Decoder, j *Judge) *deferredCrash {
	const anySeed = 1
	c := &deferredCrash{judge: j}
	if p, err := NewGenerator(d).Random(anySeed, 0); err == nil {
		c.valid = decode.Packet{Data: bytes.Clone(p.Data), From: p.From}
	}
	return c
}

// found reports what a target dies of when it gets another packet, which is not to blame. Targets that are looked at
// after each packet have nothing to add.
func (d *deferredCrash) found(t oracle.Target) ([]Finding, error) {
	if _, ok := t.(oracle.Batcher); !ok || d.valid.Data == nil {
		return nil, nil
	}
	reply, err := t.Send(d.valid.Data, d.valid.From)
	if err != nil || len(reply.Culprit) == 0 {
		return nil, err
	}
	return d.judge.Judge(&Mutation{Data: d.valid.Data, Node: plan.NoNode, Done: "as it is"}, d.valid.From, t, reply), nil
}
