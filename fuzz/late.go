package fuzz

import (
	"bytes"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// A reader may answer a packet and die of it all the same: when the next one comes, or when it looks at its heap again. Who
// wants to know of the last packet of all sends one more.

// lateness is that one more: a valid packet.
type lateness struct {
	judge *Judge
	valid Base
}

func newLateness(d *decode.Decoder, j *Judge) *lateness {
	const anySeed = 1
	l := &lateness{judge: j}
	if p, err := NewGenerator(d).Random(anySeed, 0); err == nil {
		l.valid = Base{bytes.Clone(p.Data), p.From}
	}
	return l
}

// found is what a target dies of when it has another packet, none of which is that one's mistake. Targets that are looked at
// behind each packet have nothing to add.
func (l *lateness) found(t Target) ([]Finding, error) {
	if _, ok := t.(Batcher); !ok || l.valid.Data == nil {
		return nil, nil
	}
	reply, err := t.Send(l.valid.Data, l.valid.From)
	if err != nil || len(reply.Culprit) == 0 {
		return nil, err
	}
	return l.judge.Judge(&Mutation{Data: l.valid.Data, Node: plan.NoNode, Done: "as it is"}, l.valid.From, t, reply), nil
}
