package fuzz

import (
	"bytes"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// What the minimiser tries with each part of a packet.

// lists leaves out elements: all, then all but one, then halves, then single ones.
func (z *minimiser) lists() (changed bool) {
	for list := int32(0); int(list) < len(z.donor.trace.Spans); list++ {
		if !z.m.plan.ListAt(z.donor.trace.Spans[list].Point) {
			continue
		}
		without := func(from, to int) bool {
			n := int(z.donor.trace.Spans[list].N)
			if from >= to || to > n {
				return false
			}
			var elems []int32
			for i := range n {
				if i < from || i >= to {
					elems = append(elems, int32(i))
				}
			}
			ok := z.attempt(func() bool { return z.donor.reshape(z.m.sizings, list, elems) })
			changed = changed || ok
			return ok
		}
		n := int(z.donor.trace.Spans[list].N)
		if without(0, n) {
			continue
		}
		for size := n - 1; size > 0; size = (size + 1) / 2 {
			for from := int(z.donor.trace.Spans[list].N) - size; ; from -= size {
				without(max(from, 0), max(from, 0)+size)
				if from <= 0 {
					break
				}
			}
			if size == 1 {
				break
			}
		}
	}
	return changed
}

// texts shortens bytes and texts.
func (z *minimiser) texts() (changed bool) {
	for span := int32(0); int(span) < len(z.donor.trace.Spans); span++ {
		s := z.donor.trace.Spans[span]
		b, ok := z.m.plan.StepAt(s.Point).(*plan.Blob)
		if !ok {
			continue
		}
		size := int(s.N)
		if b.Text != 0 {
			size = z.textSize(span) // what pads it to a size that stays is never shorter
		}
		for _, n := range []int{0, 1, 2, 4, size / 2} {
			if n >= size {
				continue
			}
			text := bytes.Repeat([]byte("a"), n)
			if z.attempt(func() bool {
				z.donor.texts[span] = text
				return b.Size < 0 || z.donor.resize(z.m.sizings, span, uint64(n))
			}) {
				changed = true
				break
			}
		}
	}
	return changed
}

// textSize is the size of a text without the NULs that pad it.
func (z *minimiser) textSize(span int32) int {
	for ev := range z.donor.trace.Walk() {
		if ev.Kind == decode.Blob && int32(ev.Span) == span {
			return len(bytes.TrimRight(ev.Data, "\x00"))
		}
	}
	return 0
}

// values sets fields to their simplest values: all at once, then one by one.
func (z *minimiser) values() (changed bool) {
	z.holds = z.holds[:0]
	var all []int32
	leaves := map[int32]int{}
	for i := range z.donor.trace.Spans {
		s := &z.donor.trace.Spans[i]
		first, n := numbersOf(z.m.plan, s)
		for k := range n {
			raw, leaf := int32(s.Raw+k), first+int(k)
			if z.m.plan.Info[leaf].Form() == plan.FormHex {
				continue
			}
			if !z.m.sizes[leaf] && z.donor.trace.Raw[raw] != z.simplest(leaf) {
				all, leaves[raw] = append(all, raw), leaf
			}
		}
	}
	set := func(some []int32) bool {
		return z.attempt(func() bool {
			for _, raw := range some {
				z.donor.codes[raw] = z.simplest(leaves[raw])
			}
			return len(some) > 0
		})
	}
	if set(all) {
		return true
	}
	for _, raw := range all {
		if int(raw) >= len(z.donor.trace.Raw) {
			return true // it became another packet
		}
		before := len(z.donor.trace.Spans)
		if set([]int32{raw}) {
			changed = true
			if len(z.donor.trace.Spans) != before {
				return true
			}
		} else if path := z.pathOf(raw); path != "" {
			z.holds = append(z.holds, path)
		}
	}
	return changed
}
