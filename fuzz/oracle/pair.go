package oracle

import (
	"fmt"

	"github.com/pktscope/pktscope/decode"
)

// pair is two targets that get the same packets. Its replies are the first's; where the second's differ is a Wrong.
type pair struct {
	one, two Target
	name     string
	a, b     Reply // to the packet at hand
}

// NewPair makes a target of two: it answers as the first does, and finds where the second, which is called name in
// findings, answers otherwise: in its verdict, its reason to refuse, the number of bits it took, or a value. What they
// do not say is not compared. It takes batches where one of them does, and the first is not to be asked about each
// packet (Checker).
func NewPair(one, two Target, name string) Target {
	p := &pair{one: one, two: two, name: name}
	_, checks := one.(Checker)
	_, first := one.(Batcher)
	_, second := two.(Batcher)
	if !checks && (first || second) {
		return &batchPair{pair: *p}
	}
	return p
}

func (p *pair) Send(packet []byte, from decode.Direction) (Reply, error) {
	var err error
	if p.a, err = p.one.Send(packet, from); err != nil {
		return p.a, err
	}
	p.b, err = p.two.Send(packet, from)
	return p.a, err
}

// batchPair is a pair that takes batches.
type batchPair struct {
	pair
	replies [2][]Reply
}

func (b *batchPair) SendBatch(packets [][]byte, from []decode.Direction, each func(i int, r Reply) bool) error {
	first, err := sendAll(b.one, packets, from, b.replies[0][:0])
	second, other := sendAll(b.two, packets[:len(first)], from, b.replies[1][:0])
	b.replies = [2][]Reply{first, second}
	for i := range second {
		b.a, b.b = first[i], second[i]
		each(i, b.a)
	}
	if other != nil {
		return other
	}
	return err
}

// sendAll sends packets in the best way that a target has, and appends the replies.
func sendAll(t Target, packets [][]byte, from []decode.Direction, replies []Reply) ([]Reply, error) {
	keep := func(_ int, r Reply) bool {
		if r.Why != nil {
			why := *r.Why // the target's own
			r.Why = &why
		}
		replies = append(replies, r)
		return true
	}
	if b, ok := t.(Batcher); ok {
		err := b.SendBatch(packets, from, keep)
		return replies, err
	}
	for i := range packets {
		r, err := t.Send(packets[i], from[i])
		if err != nil {
			return replies, err
		}
		keep(i, r)
	}
	return replies, nil
}

func (p *pair) Check(t *decode.Trace) []Mismatch {
	var wrong []Mismatch
	if c, ok := p.one.(Checker); ok {
		wrong = c.Check(t)
	}
	differ := func(path, one, two string) {
		if len(one) == 0 {
			one = "nothing"
		}
		wrong = append(wrong, Mismatch{Kind: FoundDifference, Path: path, What: fmt.Sprintf("%s, and of %s %s", one, p.name, two)})
	}
	switch {
	case !p.a.Outcome.Is(p.b.Outcome) && !p.b.Outcome.Is(p.a.Outcome):
		differ("", p.a.Outcome.String(), p.b.Outcome.String())
	case p.a.Outcome == Refused && p.a.Why != nil && p.b.Why != nil && !p.a.Why.Agrees(p.b.Why):
		differ("", p.a.Why.Shown(t).String(), p.b.Why.Shown(t).String())
	case !p.a.Outcome.Is(Accepted) || !p.b.Outcome.Is(Accepted):
	case p.a.Fields != nil && p.b.Fields != nil:
		for _, d := range DifferingFields(t, p.a.Fields, p.b.Fields) {
			differ(d.Path, d.One, d.Two)
		}
		fallthrough
	default:
		if p.a.Bits >= 0 && p.b.Bits >= 0 && p.a.Bits != p.b.Bits {
			differ("", fmt.Sprintf("%d bits", p.a.Bits), fmt.Sprintf("%d bits", p.b.Bits))
		}
	}
	return wrong
}

func (p *pair) Close() error {
	err := p.one.Close()
	if other := p.two.Close(); err == nil {
		err = other
	}
	return err
}
