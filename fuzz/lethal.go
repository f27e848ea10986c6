package fuzz

import (
	"fmt"
	"slices"

	"github.com/pktscope/pktscope/decode/reject"
)

// What a reader dies of, hangs on or fills its memory with, where no stack tells the place. The field decides: the one that is
// wrong and without which the reader lives, or, of a packet with which nothing is wrong, the one with another value of which it
// lives.

// lethal reports whether a finding is about a reader that gives no answer any more.
func (f *Finding) lethal() bool {
	return f.Kind == FoundCrash || f.Kind == FoundHang || f.Kind == FoundLeak
}

// unplaced reports whether what a finding is about is to be found out by trying. What takes packets before it may be a mistake
// of theirs, and what the target could not try cannot be tried.
func (f *Finding) unplaced() bool {
	return f.lethal() && f.Cause == "" && len(f.Before) == 0 && f.Undone == AllDone
}

// deaths say what the reader does with what decides.
var deaths = map[FindingKind]string{
	FoundCrash: "dies of", FoundHang: "hangs on", FoundLeak: "takes memory without measure for", FoundRejectedValid: "refuses",
}

// mend puts right what is wrong with the packet of z.least, part by part, as long as the finding stays: all at once, which leaves
// a packet with which nothing is wrong, or what need not be wrong. What it is then is the finding at hand.
func (z *minimiser) mend() {
	z.loose = true
	defer func() {
		f := *z.least
		z.f, z.loose = &f, false
	}()
	if most := z.m.plan.Schema.MaxDatagram; z.least.Reject == reject.DatagramSize && len(z.least.Packet) > most {
		z.shows(nil, z.least.Packet[:most])
	}
	if !z.heal(z.least.Packet, z.f.From, &z.h) {
		return
	}
	wrong := z.h
	wrong.patches = slices.Clone(wrong.patches)
	try := func(part healed) bool {
		trace := z.h.trace
		z.h = part
		z.h.trace, z.h.patches = trace, slices.Clone(part.patches)
		z.donor.use(&z.h.trace)
		return z.attempt(func() bool { return true })
	}
	again := func() bool { // heals what is left anew, for what it was before has other places now
		ok := z.heal(z.least.Packet, z.f.From, &z.h)
		wrong = z.h
		wrong.patches = slices.Clone(wrong.patches)
		return ok
	}
	switch n := wrong.parts(); {
	case n == 0:
	case try(healed{}):
	case n > 1:
		for i := 0; i < wrong.parts() && again(); {
			if !try(wrong.without(i)) {
				i++
			}
		}
	}
}

// parts is how many things are wrong.
func (h *healed) parts() int {
	n := len(h.patches)
	for _, is := range []bool{h.short, len(h.tail) > 0, h.sum != 0} {
		if is {
			n++
		}
	}
	return n
}

// without is what is wrong but for one of its parts.
func (h *healed) without(part int) healed {
	left := *h
	if part < len(h.patches) {
		left.patches = slices.Delete(slices.Clone(h.patches), part, part+1)
		return left
	}
	part -= len(h.patches)
	switch {
	case h.short && part == 0:
		left.short, left.cut = false, patch{}
	case len(h.tail) > 0 && part == 0 || h.short && len(h.tail) > 0 && part == 1:
		left.tail = nil
	default:
		left.sum = 0
	}
	return left
}

// placed names what decides.
func (z *minimiser) placed(f *Finding) {
	if f.Reject == reject.None {
		c, ok := z.blames(f.Packet, f.From)
		if !ok {
			return
		}
		z.names(f, c)
		if !slices.Contains(z.causes, c) {
			z.causes = append(z.causes, c)
		}
		return
	}
	z.judge.Truth(f.Packet, f.From)
	f.Cause = fmt.Sprintf("the reader %s %v at %s", deaths[f.Kind], f.Reject, declarationOf(z.m.plan, z.judge.broken()))
}

// places finds what decides of a finding whose packet is not to be made simple, and reports whether it is shown again.
func (z *minimiser) places(f *Finding) *Finding {
	if !z.shows(nil, f.Packet) {
		return f
	}
	z.mend()
	least := z.taken(f)
	if least.Undone = f.Undone; least.Rule != f.Rule || least.Reject != f.Reject {
		least.Changed, least.Done = "", "" // how the packet was made says nothing any more
	}
	if !z.skipped {
		z.placed(least)
	}
	return least
}
