package fuzz

import (
	"context"
	"iter"
	"math/rand/v2"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// The most of every size: elements of a list, bytes of a blob, units of a text. A reader that forgets it takes one too many
// where all else is right, so that is what is made: by the Generator of a plan that allows one more of everything
// (plan.Raised), whose packets the true decoder has to refuse for that and nothing else.

// bound is the most of one size.
type bound struct {
	refusal int // of one too many
	ways    []goal
}

// overfull makes packets with one too many.
type overfull struct {
	raised  *Generator
	decoder *decode.Decoder
	all     *refusals
	bounds  []bound
	trace   decode.Trace
}

func newOverfull(m *Mutator) *overfull {
	o := &overfull{raised: NewGenerator(decode.New(m.raised)), decoder: m.decoder, all: newRefusals(m.plan)}
	for i := range o.all.list {
		if r := &o.all.list[i]; r.Unreachable == "" {
			if ways := waysTo(o.raised, r); len(ways) > 0 {
				o.bounds = append(o.bounds, bound{i, ways})
			}
		}
	}
	return o
}

// waysTo are the goals of a packet that has the most of the size which a refusal is about; none for any other refusal.
func waysTo(g *Generator, r *Refusal) []goal {
	p := g.plan
	if r.Op < 0 {
		return nil
	}
	op := &p.Ops[r.Op]
	switch {
	case op.Code == plan.OpBlob && p.Blobs[op.A].Text == schema.TextCString:
		if r.Kind == reject.BadString {
			return g.full(r.Op)
		}
	case r.Kind != reject.OutOfRange:
	case op.Code == plan.OpMore:
		return g.full(int(op.A))
	case op.Code == plan.OpBlob, op.Code == plan.OpArray:
		return g.full(r.Op)
	case r.Leaf >= 0:
		var ways []goal
		for _, s := range g.sizings[r.Leaf] {
			if p.Ops[s.Op].Code != plan.OpWindow {
				ways = append(ways, goal{op: r.Op, leaf: r.Leaf, to: int(s.Op), end: goalMost})
			}
		}
		return ways
	}
	return nil
}

// mutations yields a packet with one too many for each bound that has such packets, until ctx ends. The data of a mutation
// is valid until the next.
func (o *overfull) mutations(ctx context.Context, seed uint64) iter.Seq2[*Mutation, decode.Direction] {
	return func(yield func(*Mutation, decode.Direction) bool) {
		for i := range o.bounds {
			if ctx.Err() != nil {
				return
			}
			if m, from := o.mutation(seed, i); m != nil && !yield(m, from) {
				return
			}
		}
	}
}

// most is a valid packet of g with the most of bound i, valid until the next.
func (o *overfull) most(g *Generator, seed uint64, i int) (data []byte, from decode.Direction, ok bool) {
	ways := waysTo(g, &o.all.list[o.bounds[i].refusal])
	for try := range uint64(tries) {
		if len(ways) == 0 {
			break
		}
		r := rand.New(rand.NewPCG(^seed, uint64(i)<<16|try))
		if p, err := g.make(r, &ways[int(try)%len(ways)], true); err == nil && g.source.met {
			return p.Data, p.From, true
		}
	}
	return nil, 0, false
}

// mutation is one too many of bound i, nil where chance finds no such packet.
func (o *overfull) mutation(seed uint64, i int) (*Mutation, decode.Direction) {
	b := &o.bounds[i]
	for try := range uint64(tries) {
		r := rand.New(rand.NewPCG(seed, uint64(i)<<16|try))
		g := o.raised
		from := g.begin(r, &b.ways[int(try)%len(b.ways)], true)
		data, err := g.encoder.AppendBroken(g.source.buf[:0], &g.source, from, nil)
		if err != nil {
			continue
		}
		g.source.buf = data
		if o.decoder.Decode(data, from, &o.trace) == nil || o.all.find(o.trace.Reject()) != b.refusal {
			continue
		}
		said := o.trace.Reject()
		return &Mutation{
			Data: data, Class: ClassCount, Node: o.all.list[b.refusal].Node, Path: said.Path(), Done: "one too many, and all there",
			Bit: said.Bit, Width: said.Width, Expect: Expectation{Verdict: MustReject},
		}, from
	}
	return nil, 0
}
