package scan

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/flow"
)

// Joined is the batches of two stages.
type Joined[A, B any] struct {
	a A
	b B
}

// Join makes one stage of two that look at the same packets. What is too large for one of them goes to its Large, and
// to the other as a batch of its own.
func Join[A, B any](a Stage[A], b Stage[B]) Stage[Joined[A, B]] {
	s := Stage[Joined[A, B]]{
		New: func() func(*Joined[A, B], *Packet) {
			one, other := a.New(), b.New()
			return func(j *Joined[A, B], p *Packet) {
				one(&j.a, p)
				other(&j.b, p)
			}
		},
		Drain: func(j *Joined[A, B]) error {
			if err := a.Drain(&j.a); err != nil {
				return err
			}
			return b.Drain(&j.b)
		},
	}
	if a.Lost != nil || b.Lost != nil {
		s.Lost = func(j *Joined[A, B], d *decode.Decoder, list []flow.Lost) {
			if a.Lost != nil {
				a.Lost(&j.a, d, list)
			}
			if b.Lost != nil {
				b.Lost(&j.b, d, list)
			}
		}
	}
	if a.Large != nil || b.Large != nil {
		one, other := a.single(), b.single()
		s.Large = func(p *Packet) error {
			if err := one(p); err != nil {
				return err
			}
			return other(p)
		}
	}
	return s
}

// single is what a stage does with a packet by itself: Large, or a batch of one.
func (s *Stage[B]) single() func(*Packet) error {
	if s.Large != nil {
		return s.Large
	}
	b, take := new(B), s.New()
	return func(p *Packet) error {
		take(b, p)
		return s.Drain(b)
	}
}
