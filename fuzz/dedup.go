package fuzz

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// Dedup remembers what an enumeration has had: fields at their places in arrays.
type Dedup map[dedupKey]bool

// seenAt is a leaf, or a point where there is none, and where it stood in the innermost array around it.
type dedupKey struct {
	leaf int
	at   plan.Point
	// inside is where a decoder reads what comes first after the size of a window: what is cut there is another thing
	// in each arm.
	inside plan.Point
	place  place
	// reach is what decides how much can be tried there: how long a text is, how many rungs overshoot from an index.
	reach uint8
	// phase is 1 + the field's first bit modulo 8 in what is noted about cuts: a field can be cut in some phases only.
	phase uint8
	// last says of what is noted about cuts that nothing follows but what is in the same list: what a cut there takes along
	// are elements of that alone.
	last bool
	// codes is what is noted about a leaf that was tried with its codes, wherever it stood.
	codes bool
}

// place is where in an array something is. What goes wrong in loops goes wrong at their ends.
type place uint8

const (
	alone place = iota
	first
	middle
	last
)

func placeOf(index, of int, ok bool) place {
	switch {
	case !ok:
		return alone
	case index == 0:
		return first
	case index == of-1:
		return last
	}
	return middle
}

// visit notes where the walk has come to, and mutes what was there before.
func (r *mutating) visit(ev *decode.Event) {
	if r.seen == nil {
		return
	}
	at := dedupKey{leaf: ev.Leaf, place: placeOf(r.trace.Element(ev))}
	s := &r.trace.Records[ev.Record]
	step := r.plan.StepAt(s.Point)
	if _, ok := step.(*plan.Blob); ok {
		at.reach = uint8(min(s.N, 5))
	} else if follows(step) {
		at.reach = r.overshoots(ev, step.(*plan.Number))
	} else if n, ok := step.(*plan.Number); ok && n.Kind == plan.NumberBelow && ev.Raw == 0 {
		at.reach = uint8(1 + ev.Width) // of zero all other bits are tried
	}
	if ev.Leaf < 0 {
		at.at = s.Point
	} else if r.sizes[ev.Leaf] && ev.Raw != 0 {
		at.reach = 1 // there is an element to copy
		if r.narrows[ev.Leaf] {
			if ev.Record+1 < len(r.trace.Records) {
				at.inside = r.trace.Records[ev.Record+1].Point
			}
			at.reach = uint8(min(ev.Raw, 254)) + 1
		}
	}
	r.mute = r.seen[at]
	codes := dedupKey{leaf: at.leaf, codes: true}
	r.again = at.leaf >= 0 && r.seen[codes]
	if at.leaf >= 0 {
		r.seen[codes] = true
	}
	r.anew = r.anew || !r.mute
	r.seen[at] = true
	cut := dedupKey{leaf: at.leaf, at: at.at, phase: uint8(1 + ev.Bit%8), last: s.Parent >= 0 && s.Parent == r.lastList}
	r.muteCuts = r.mute && r.seen[cut]
	r.seen[cut] = true
}

// lastList is the record of the list that the last bits of a packet are in; -1 of none.
func lastList(t *decode.Trace) int32 {
	for i := len(t.Records) - 1; i >= 0; i-- {
		if s := &t.Records[i]; s.N > 0 && t.Plan.ShapeAt(s.Point) != plan.ShapeOpen {
			return s.Parent
		}
	}
	return -1
}
