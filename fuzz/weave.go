package fuzz

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// What a server does depends on what it had before, so a campaign against one that a dialogue is spoken with sends
// sequences, too: packets in a session of their own, from a state of the dialogue on. A sequence that passes through
// something new (a state with a case, of a client or of the server, or two cases of the server in a row) is shortened
// and kept, and others are woven of those that are kept. Each packet alone in each state comes first.

// Bounds of weaving.
const (
	maxWoven     = 256 // sequences that are kept
	maxSequence  = 16  // packets of one
	maxPassed    = 1 << 16
	wovenAtOnce  = 4 // sequences of a round
	weaveQuiet   = 8 // rounds between two in which sequences are woven, where the last enoughQuiet brought nothing new
	enoughQuiet  = 64
	newest       = 8 // of those that are kept: half are woven of these
	weaveSeldom  = 256
	weaveTries   = 12 // shorter sequences that are tried of one that is new
	wovenPackets = 1 << 10
)

// sequence is packets of clients in one session.
type sequence struct {
	state   int // that the session is brought to first
	packets [][]byte
}

// weaver makes sequences of packets, and keeps those that reach something new.
type weaver struct {
	target  oracle.Stateful
	judge   *Judge
	havoc   *havoc
	openers [][]byte
	states  int
	first   []sequence // to be sent before any are woven
	kept    []sequence
	passed  map[string]bool
	every   uint64 // rounds: 1, and twice as many after each death
	quiet   int    // sequences since something was new
}

// newWeaver is nil for a target without states.
func newWeaver(c *Campaign, t oracle.Target, m *Mutator) *weaver {
	target, ok := t.(oracle.Stateful)
	if !ok {
		return nil
	}
	w := &weaver{
		target: target, judge: NewJudge(c.Decoder, false), havoc: newHavoc(m, NewGenerator(c.Decoder)), openers: target.Openers(),
		states: len(target.States()), passed: map[string]bool{}, every: 1,
	}
	for state := range w.states {
		for _, p := range w.openers {
			w.first = append(w.first, sequence{state, [][]byte{p}})
		}
	}
	return w
}

// weave sends some sequences in a round in which it is time for them.
func (c *campaign) weave(ctx context.Context) error {
	w := c.weaver
	if w == nil {
		return nil
	}
	every := w.every
	if w.quiet >= enoughQuiet {
		every = max(every, weaveQuiet)
	}
	if len(w.first) == 0 && c.rounds%every != 0 {
		return nil
	}
	w.havoc.random = rand.New(rand.NewPCG(c.Seed, ^c.rounds))
	for range wovenAtOnce {
		if ctx.Err() != nil {
			return nil
		}
		var s sequence
		if len(w.first) > 0 {
			s, w.first = w.first[0], w.first[1:]
		} else if s = w.next(); len(s.packets) == 0 {
			return nil
		}
		found, err := w.try(s, &c.state.Execs)
		for i := range found {
			c.backlog.add(&found[i])
		}
		if err != nil {
			return err
		}
		c.state.Passed, c.state.Sequences = len(w.passed), len(w.kept)
	}
	return nil
}

// try sends a sequence, and keeps it if it is new. The findings are those of a server that did not live through it.
func (w *weaver) try(s sequence, sent *int64) ([]Finding, error) {
	passed, reply, err := w.target.SendSequence(s.state, s.packets)
	if err != nil {
		return nil, err
	}
	*sent += int64(len(s.packets))
	if !reply.Outcome.Answered() {
		w.every = min(2*w.every, weaveSeldom)
		found := w.judge.Judge(&Mutation{Data: s.packets[len(s.packets)-1], Node: plan.NoNode, Done: "woven"}, decode.Client, w.target, reply)
		for i := range found {
			found[i].Done = "sent from state " + w.target.States()[s.state] + " on"
			found[i].Packet = bytes.Clone(found[i].Packet)
		}
		return found, nil
	}
	var fresh []string
	for _, one := range passed {
		if !w.passed[one] && len(w.passed) < maxPassed {
			w.passed[one] = true
			fresh = append(fresh, one)
		}
	}
	if w.quiet++; len(fresh) == 0 {
		return nil, nil
	}
	w.quiet = 0
	least, _, err := ShortenSequence(s.packets, weaveTries, func(less [][]byte) (bool, error) {
		passed, reply, err := w.target.SendSequence(s.state, less)
		*sent += int64(len(less))
		return err == nil && reply.Outcome.Answered() && holdsAll(passed, fresh), err
	})
	if errors.Is(err, oracle.ErrOver) {
		err = nil // as short as it is by now; the next packet meets the end
	}
	if len(w.kept) == maxWoven {
		w.kept = w.kept[1:]
	}
	w.kept = append(w.kept, sequence{s.state, least})
	return nil, err
}

func holdsAll(list, wanted []string) bool {
	has := map[string]bool{}
	for _, one := range list {
		has[one] = true
	}
	for _, one := range wanted {
		if !has[one] {
			return false
		}
	}
	return true
}

// next weaves a sequence of those that are kept: the head of one and the tail of another, with packets added, doubled,
// exchanged, left out or changed.
func (w *weaver) next() sequence {
	r := w.havoc.random
	s := sequence{state: r.IntN(w.states)}
	if len(w.kept) > 0 {
		from := w.kept
		if r.IntN(2) == 0 {
			from = from[max(0, len(from)-newest):]
		}
		one, other := from[r.IntN(len(from))], w.kept[r.IntN(len(w.kept))]
		s.state = one.state
		s.packets = append(s.packets, one.packets...)
		if r.IntN(2) == 0 {
			s.packets = append(s.packets[:r.IntN(len(one.packets)+1)], other.packets[r.IntN(len(other.packets)):]...)
		}
	}
	for range 1 + r.IntN(4) {
		n := len(s.packets)
		switch at := r.IntN(n + 1); {
		case n == 0 || r.IntN(3) == 0:
			if len(w.openers) == 0 {
				return s
			}
			s.packets = append(s.packets[:at:at], append([][]byte{w.openers[r.IntN(len(w.openers))]}, s.packets[at:]...)...)
		case at == n:
			s.packets = append(s.packets, s.packets[r.IntN(n)])
		case r.IntN(4) == 0 && n > 1:
			s.packets = append(s.packets[:at:at], s.packets[at+1:]...)
		case r.IntN(2) == 0:
			other := r.IntN(n)
			s.packets[at], s.packets[other] = s.packets[other], s.packets[at]
		default:
			s.packets[at] = w.changed(s.packets[at])
		}
	}
	s.packets = s.packets[:min(len(s.packets), maxSequence)]
	return s
}

// changed is a packet that was changed, or another in its place.
func (w *weaver) changed(packet []byte) []byte {
	other := w.openers[w.havoc.random.IntN(len(w.openers))]
	if !w.havoc.take(packet, other, decode.Client) {
		return other
	}
	p := w.havoc.mutate(decode.Client)
	if len(p) > wovenPackets {
		return other
	}
	return bytes.Clone(p)
}
