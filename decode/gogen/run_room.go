package gogen

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// The writer's buffer grows where a run does not fit. One question for a block makes its code shorter, and leaves the
// buffer where it is, in registers, from one run to the next.

// mostAhead is how many bits room is made for at once, at most.
const mostAhead = 8 * 256

// makeRoom asks for the size bytes that a run of some bits is stored into, from byte p on, and for what the steps after
// it may need: one question for a block that has no lists, and one buffer, which the compiler then keeps where it is.
func (f *function) makeRoom(id plan.StepID, bits, size int) {
	if f.room < bits {
		f.room = bits
		if more, _ := f.g.ahead(f.rest, mostAhead-bits); more > 0 {
			f.room += more
			size = (f.room+7)/8 + 8 // a run's last word begins before its end, wherever the run begins
		}
		f.p("if uint(len(b)) < p%d+%d { b = room(b, int(p%d), %d) }", id, size, id, size)
	}
	f.room -= bits
}

// ahead is how many bits, of at most so many, the steps have at most that a block begins with and that are runs, or
// branches to nothing but runs; all says that these are all of its steps.
func (g *gen) ahead(b []plan.Step, most int) (bits int, all bool) {
	for _, s := range b {
		n := 0
		if run, ok := s.(*plan.Run); ok && run.Order != wire.Bytewise {
			n = int(run.Bits)
		} else if branch, ok := s.(*plan.If); ok {
			then, wholeThen := g.ahead(flat(branch.Then), most-bits)
			other, wholeOther := g.ahead(flat(branch.Else), most-bits)
			if n = max(then, other); !wholeThen || !wholeOther {
				return bits, false
			}
		} else if !noBits(s) {
			return bits, false
		}
		if bits += n; bits > most {
			return bits - n, false
		}
	}
	return bits, true
}

// noBits reports whether a step writes nothing.
func noBits(s plan.Step) bool {
	_, unit := s.(*plan.Unit)
	_, mark := s.(*plan.Open)
	_, let := s.(*plan.Let)
	_, rule := s.(*plan.Require)
	return unit || mark || let || rule
}
