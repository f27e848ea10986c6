package fuzz

import (
	"bytes"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// What the minimizer tries with each part of a packet.

// lists leaves out elements: all, then all but one, then halves, then single ones.
func (m *Minimizer) lists() {
	for list := int32(0); int(list) < len(m.base.trace.Records); list++ {
		if !m.mutator.plan.ListAt(m.base.trace.Records[list].Point) {
			continue
		}
		without := func(from, to int) bool {
			n := int(m.base.trace.Records[list].N)
			if from >= to || to > n {
				return false
			}
			var elems []int32
			for i := range n {
				if i < from || i >= to {
					elems = append(elems, int32(i))
				}
			}
			return m.attempt(func() bool { return m.base.reshape(m.mutator.sizings, list, elems) })
		}
		n := int(m.base.trace.Records[list].N)
		if without(0, n) {
			continue
		}
		for size := n - 1; size > 0; size = (size + 1) / 2 {
			for from := int(m.base.trace.Records[list].N) - size; ; from -= size {
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
}

// texts shortens bytes and texts: to nothing, then to a few sizes.
func (m *Minimizer) texts() {
	shorten := func(spans []int32, n int) bool {
		text := bytes.Repeat([]byte("a"), n)
		return m.attempt(func() bool {
			for _, span := range spans {
				b, ok := m.mutator.plan.StepAt(m.base.trace.Records[span].Point).(*plan.Blob)
				if !ok {
					return false // as many records, and others
				}
				m.base.texts[span] = text
				if b.Size >= 0 && !m.base.resize(m.mutator.sizings, span, uint64(n)) {
					return false
				}
			}
			return true
		})
	}
	var all []int32
	for span := range m.base.trace.Records {
		if m.textLeft(int32(span)) > 0 {
			all = append(all, int32(span))
		}
	}
	bisect(m, all, func(some []int32) bool { return shorten(some, 0) }, func(span int32) {
		most := m.textLeft(span)
		for _, n := range []int{1, 2, 4, most / 2} {
			if n < most && shorten([]int32{span}, n) {
				break
			}
		}
	})
}

// bisect does something with all of a list; where that fails, with its halves, and so on; single ones with which it
// fails are given to alone. It ends when the packet has become another one, of which the list knows nothing.
func bisect[T any](m *Minimizer, all []T, does func(some []T) bool, alone func(T)) {
	records := len(m.base.trace.Records)
	var try func(some []T)
	try = func(some []T) {
		switch half := len(some) / 2; {
		case len(some) == 0, len(m.base.trace.Records) != records, does(some):
		case len(some) == 1:
			alone(some[0])
		default:
			try(some[:half])
			try(some[half:])
		}
	}
	try(all)
}

// textLeft is how much of bytes or a text can be left out; 0 for other records.
func (m *Minimizer) textLeft(span int32) int {
	r := &m.base.trace.Records[span]
	if b, ok := m.mutator.plan.StepAt(r.Point).(*plan.Blob); !ok {
		return 0
	} else if b.Text != 0 {
		return m.textSize(span) // what pads it to a size that stays is never shorter
	}
	return int(r.N)
}

// textSize is the size of a text without the NULs that pad it.
func (m *Minimizer) textSize(span int32) int {
	for ev := range m.base.trace.Walk() {
		if ev.Kind == decode.Blob && int32(ev.Record) == span {
			return len(bytes.TrimRight(ev.Data, "\x00"))
		}
	}
	return 0
}

// values sets fields to their simplest values: all at once, then fewer and fewer.
func (m *Minimizer) values() {
	m.holds = m.holds[:0]
	var all []int32
	leaves := map[int32]int{}
	for i := range m.base.trace.Records {
		s := &m.base.trace.Records[i]
		first, n := numbersOf(m.mutator.plan, s)
		for k := range n {
			raw, leaf := int32(s.Raw+k), first+int(k)
			if m.mutator.plan.Info[leaf].Writes() != plan.Given {
				continue
			}
			if !m.mutator.sizes[leaf] && m.base.trace.Raw[raw] != m.simplest(leaf) {
				all, leaves[raw] = append(all, raw), leaf
			}
		}
	}
	set := func(some []int32) bool {
		return m.attempt(func() bool {
			for _, raw := range some {
				m.base.codes[raw] = m.simplest(leaves[raw])
			}
			return len(some) > 0
		})
	}
	bisect(m, all, set, func(raw int32) {
		if path := m.pathOf(raw); path != "" {
			m.holds = append(m.holds, path)
		}
	})
}
