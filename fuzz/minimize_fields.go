package fuzz

import (
	"bytes"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// What the minimizer tries with each part of a packet.

// lists leaves out elements: all, then all but one, then halves, then single ones.
func (m *Minimizer) lists() (changed bool) {
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
			ok := m.attempt(func() bool { return m.base.reshape(m.mutator.sizings, list, elems) })
			changed = changed || ok
			return ok
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
	return changed
}

// texts shortens bytes and texts.
func (m *Minimizer) texts() (changed bool) {
	for span := int32(0); int(span) < len(m.base.trace.Records); span++ {
		s := m.base.trace.Records[span]
		b, ok := m.mutator.plan.StepAt(s.Point).(*plan.Blob)
		if !ok {
			continue
		}
		size := int(s.N)
		if b.Text != 0 {
			size = m.textSize(span) // what pads it to a size that stays is never shorter
		}
		for _, n := range []int{0, 1, 2, 4, size / 2} {
			if n >= size {
				continue
			}
			text := bytes.Repeat([]byte("a"), n)
			if m.attempt(func() bool {
				m.base.texts[span] = text
				return b.Size < 0 || m.base.resize(m.mutator.sizings, span, uint64(n))
			}) {
				changed = true
				break
			}
		}
	}
	return changed
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

// values sets fields to their simplest values: all at once, then one by one.
func (m *Minimizer) values() (changed bool) {
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
	if set(all) {
		return true
	}
	for _, raw := range all {
		if int(raw) >= len(m.base.trace.Raw) {
			return true // it became another packet
		}
		before := len(m.base.trace.Records)
		if set([]int32{raw}) {
			changed = true
			if len(m.base.trace.Records) != before {
				return true
			}
		} else if path := m.pathOf(raw); path != "" {
			m.holds = append(m.holds, path)
		}
	}
	return changed
}
