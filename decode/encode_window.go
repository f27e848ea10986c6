package decode

import (
	"cmp"
	"fmt"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// window writes a window. Its end is what its length says, which is a guess until what is inside has been written.
func (w *writer) window(s *plan.Window) error {
	if !s.Packed {
		w.pad(8, false, &s.Base)
		if err := w.fits(); err != nil {
			return err
		}
	}
	length := &w.windowed[s.ID]
	owner := w.owner(length.leaves)
	size, dark := w.eval(s.Size), false
	open := w.unknown(s.Size) || size > 1<<40 && owner == nil && w.guessed[s.Size] && !w.sure()
	if size > 1<<40 || open { // negative, or longer than any datagram
		if !open && (owner == nil || owner.known) {
			return w.fail(w.refuse(reject.OutOfRange, w.bit, 0, -1, size, 0))
		}
		size = 0
	}
	bits := int(size) * s.Unit
	if w.look != nil {
		dark = w.look.dark
		w.look.dark = dark || open || owner != nil && !owner.known // the first pass knows no bits, even where it knows the end
	}
	around := w.taken
	w.taken = taken{}
	start, parent, index, at, first, sums := w.bit, w.parent, w.index, len(w.gaps), len(w.t.Records), len(w.sums)
	w.kept, w.spare = start, s.Fill
	w.gap(start, bits, true)
	end := w.end - w.shift
	w.end = start + bits
	if err := w.fits(); err != nil {
		return err
	}
	if err := w.block(s.Body); err != nil {
		return err
	}
	w.at, w.spare = s.Last, 0
	used := w.bit - start
	need := (used + s.Unit - 1) / s.Unit
	if s.Fill > 0 {
		most := need
		if need = w.needed(start); owner != nil { // the first byte stays, as in MAVLink 2
			need = max(need, min(1, most))
		}
		for ; owner != nil && need < most && !w.allows(length, uint64(need)); need++ { // the shortest that may be
		}
		if src, ok := w.src.(filler); ok && owner != nil {
			need = src.Fill(w.question(s.Node, -1, 0), need, most)
		}
	}
	if owner != nil {
		value, ok := length.sizing.Value(uint64(need))
		owner.window, owner.parent, owner.index = length, parent, index
		switch {
		case ok:
			w.learn(owner, value)
		case !w.grow(owner, length.sizing.Missing(uint64(need))*s.Unit):
			return w.problem(s.Node, fmt.Sprintf("no length stands for the %d bits inside", used))
		}
	}
	if owner != nil || open { // it is as long as what is inside
		bits = need * s.Unit
	}
	if short := need*s.Unit > bits; !w.sure() && (short || bits-used >= 8) { // another pass has other bits inside, or another length
		bits = need * s.Unit
	}
	left := bits - used
	switch {
	case left < 0 && s.Fill > 0 && (bits >= 8*need || w.over != nil):
		w.cut(start, bits, first, at+1)
		left = 0
	case left < 0 && s.Fill > 0:
		return w.problem(s.Node, fmt.Sprintf("its length says %d bits, but what is inside is zero only after %d%s", bits, 8*need, w.p.Behind(s)))
	case left < 0:
		return w.problem(s.Node, fmt.Sprintf("%d bits inside, but its length says %d%s", used, bits, w.p.Behind(s)))
	case left >= 8:
		return w.fail(w.refuse(reject.TrailingBytes, w.bit, left, -1, uint64(left), 0))
	}
	if err := w.crowded(s.Node, start+bits); err != nil {
		return err
	}
	w.taken = around
	w.gaps[at].Width = bits
	if left > 0 {
		w.gap(w.bit, left, false)
	}
	if o := w.forced(-1); o != nil {
		w.putForced(o, left, s.Order)
	} else {
		w.put(0, left, s.Order)
	}
	w.sealFrom(sums)
	w.end = end + w.shift
	if w.look != nil {
		w.look.dark = dark
	}
	return nil
}

// needed is how many bytes of a window that is filled with zeros, from start on, cannot be cut: those up to the last
// that is not zero, and bytes that are as many as are there.
func (w *writer) needed(start int) int {
	at := (w.bit + 7) / 8
	for at > start/8 && 8*at > w.kept && w.data[at-1] == 0 {
		at--
	}
	return at - start/8
}

// allows reports whether a length may be so large, by its rule or by the ends that earlier fields give it.
func (w *writer) allows(window *windowSize, size uint64) bool {
	value, ok := window.sizing.Value(size)
	if !ok {
		return false
	}
	leaf := w.latest(window.leaves)
	width := int(w.p.Leaves[leaf].Width)
	code := w.p.Info[leaf].CodeOf(uint64(value), width)
	if kind, _ := w.p.Info[leaf].Judge(code, width); kind != reject.None {
		return false
	}
	q := w.bounds[leaf]
	return q == nil || w.compare(q.Lo, value) <= 0 && w.compare(q.Hi, value) >= 0
}

// compare compares an operand with a value.
func (w *writer) compare(operand uint32, value int64) int {
	bound := w.eval(operand)
	switch {
	case w.p.Operands[operand].Signed:
		return cmp.Compare(int64(bound), value)
	case value < 0:
		return 1
	}
	return cmp.Compare(bound, uint64(value))
}

// cut ends a window of so many bits that is filled with zeros before what its content takes, as a reader sees it;
// first is its first record, gaps its first gap.
func (w *writer) cut(start, bits, first, gaps int) {
	t, end := w.t, start/8+bits/8
	content := w.data[start/8 : (w.bit+7)/8]
	if len(t.filled) == 0 {
		t.filled = append(t.filled, w.data[:start/8]...)
	}
	t.fills = append(t.fills, fill{first, len(t.Records), 8 * end, len(t.filled) - start/8, bits == 0})
	t.filled = append(t.filled, content...)
	clear(w.data[end : (w.bit+7)/8]) // of what an override put there
	w.bit = 8 * end
	for i := gaps; i < len(w.gaps); i++ {
		g := &w.gaps[i]
		g.Bit, g.Width = t.fills[len(t.fills)-1].clip(g.Bit, g.Width)
	}
}

// owner is the length that the encoder finds for a leaf; nil when it was given.
func (w *writer) owner(leaves []int32) *length {
	if leaf := w.latest(leaves); leaf >= 0 && w.sized[leaf] > 0 {
		return w.learned[w.sized[leaf]-1]
	}
	return nil
}

// latest is the leaf that was written last of leaves that exclude each other, -1 of none.
func (w *writer) latest(leaves []int32) int32 {
	last := int32(-1)
	for _, leaf := range leaves {
		if last < 0 || w.sized[leaf] > w.sized[last] {
			last = leaf
		}
	}
	return last
}
