package fuzz

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// What a reader dies of, hangs on or fills its memory with, where no stack tells the place. The field decides: the one
// that is wrong and without which the reader lives, or, of a packet with which nothing is wrong, the one with another
// value of which it lives. Where a stack tells the place, a wrong checksum alone is looked behind.

// lethal reports whether a finding is about a reader that gives no answer any more.
func (f *Finding) lethal() bool {
	return f.Kind == oracle.FoundCrash || f.Kind == oracle.FoundHang || f.Kind == oracle.FoundLeak || f.Kind == oracle.FoundLockedOut
}

// unplaced reports whether what a finding is about is to be found out by trying. What takes packets before it may be a
// mistake of theirs, and what the target could not try cannot be tried.
func (f *Finding) unplaced() bool {
	return f.lethal() && f.Cause == "" && len(f.Before) == 0 && f.Undone == oracle.AllDone
}

// behindSum reports whether a finding is about a reader that died, as its stack tells, of a packet whose checksum is wrong.
func (f *Finding) behindSum() bool {
	return f.lethal() && f.Cause != "" && f.Reject == reject.CRCMismatch && len(f.Before) == 0 && f.Undone == oracle.AllDone
}

// better reports whether the packet of a finding shows the mistake better than that of another: one that is known to do
// it does, then the shortest, but not behind a wrong checksum.
func (f *Finding) better(o *Finding) bool {
	if loose := f.loose(); loose != o.loose() {
		return !loose
	}
	if behind := f.behindSum(); behind != o.behindSum() {
		return !behind
	}
	return len(f.Packet) < len(o.Packet)
}

// loose reports whether nobody knows which of a finding's packets ends the target.
func (f *Finding) loose() bool {
	return len(f.Before) > 0 && f.Undone != oracle.AllDone && f.Undone != oracle.NotSimplified
}

// deaths say what the reader does with what decides.
var deaths = map[oracle.FindingKind]string{
	oracle.FoundCrash: "dies of", oracle.FoundHang: "hangs on", oracle.FoundLeak: "takes memory without measure for", oracle.FoundRejectedValid: "refuses", oracle.FoundLockedOut: "locks out who sends",
}

// mend puts right what is wrong with the packet of m.least, part by part, as long as the finding stays: all at once,
// which leaves a packet with which nothing is wrong, or what need not be wrong. What it is then is the finding at hand.
func (m *Minimizer) mend() {
	m.loose = true
	defer func() {
		f := *m.least
		m.f, m.loose = &f, false
	}()
	if most := m.mutator.plan.Schema.MaxDatagram; m.least.Reject == reject.DatagramSize && len(m.least.Packet) > most {
		m.shows(nil, m.least.Packet[:most])
	}
	if !m.fixUp(m.least.Packet, m.f.From, &m.h) {
		return
	}
	wrong := m.h
	wrong.patches = slices.Clone(wrong.patches)
	try := func(part fixup) bool {
		trace := m.h.trace
		m.h = part
		m.h.trace, m.h.patches = trace, slices.Clone(part.patches)
		m.base.use(&m.h.trace)
		return m.attempt(func() bool { return true })
	}
	again := func() bool { // fixes what is left up anew, for what it was before has other places now
		ok := m.fixUp(m.least.Packet, m.f.From, &m.h)
		wrong = m.h
		wrong.patches, wrong.sums = slices.Clone(wrong.patches), slices.Clone(wrong.sums)
		return ok
	}
	switch n := wrong.parts(); {
	case n == 0:
	case try(fixup{}):
	case n > 1:
		for i := 0; i < wrong.parts() && again(); {
			if !try(wrong.without(i)) {
				i++
			}
		}
	}
}

// resums puts the checksums of a packet right that a reader dies of, if it dies at the same place then: it goes on behind a
// wrong one, and what it dies of is another thing. That is the finding at hand then.
func (m *Minimizer) resums(f *Finding) *Finding {
	data, was := bytes.Clone(f.Packet), m.least
	for range maxFixups { // of several, each is seen when those before it are right
		_ = m.mutator.decoder.Decode(data, m.f.From, &m.h.trace) // the verdict is in the trace
		if r := m.h.trace.Reject(); r == nil || r.Kind != reject.CRCMismatch {
			break
		}
		sealsOf(&m.h.trace, m.mutator.seals).Repair(data, -1)
	}
	m.loose = true
	shown := m.shows(nil, data)
	m.loose = false
	if !shown || m.least.Cause != f.Cause {
		m.least = was
		return f
	}
	repaired := *m.least
	repaired.Count, repaired.Changed, repaired.Done = f.Count, "", "" // how it was made says nothing any more
	m.f, m.least = &repaired, &repaired
	return &repaired
}

// parts is how many things are wrong.
func (f *fixup) parts() int {
	n := len(f.patches) + len(f.sums)
	for _, is := range []bool{f.short, len(f.tail) > 0} {
		if is {
			n++
		}
	}
	return n
}

// without is what is wrong but for one of its parts.
func (f *fixup) without(part int) fixup {
	left := *f
	if part < len(f.patches) {
		left.patches = slices.Delete(slices.Clone(f.patches), part, part+1)
		return left
	}
	if part -= len(f.patches); part < len(f.sums) {
		left.sums = slices.Delete(slices.Clone(f.sums), part, part+1)
		return left
	}
	part -= len(f.sums)
	switch {
	case f.short && part == 0:
		left.short, left.cut = false, patch{}
	default:
		left.tail = nil
	}
	return left
}

// placed names what decides.
func (m *Minimizer) placed(f *Finding) {
	if f.Reject == reject.None {
		c, ok := m.blames(f.Packet, f.From)
		if !ok {
			return
		}
		if !m.knows(&c) {
			m.least = f
			c = m.narrow(c)
			f.Packet = m.least.Packet
		}
		m.names(f, c)
		return
	}
	m.judge.Truth(f.Packet, f.From)
	f.Cause = fmt.Sprintf("the reader %s %v at %s", deaths[f.Kind], f.Reject, declarationOf(m.mutator.plan, m.judge.broken()))
}

// places finds what decides of a finding whose packet is not to be made simple, and reports whether it is shown again.
func (m *Minimizer) places(f *Finding) *Finding {
	if f.behindSum() {
		return m.resums(f)
	}
	if !m.shows(nil, f.Packet) {
		return f
	}
	m.mend()
	least := m.taken(f)
	if least.Undone = f.Undone; least.Rule != f.Rule || least.Reject != f.Reject {
		least.Changed, least.Done = "", "" // how the packet was made says nothing any more
	}
	if !m.skipped {
		m.placed(least)
	}
	return least
}
