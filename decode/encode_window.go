package decode

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// window writes a window. Its end is what its length says, which is a guess until what is inside has been written.
func (w *writer) window(s *plan.Window) error {
	if !s.Packed {
		w.pad(8, false, &s.Base)
	}
	length := &w.windowed[s.ID]
	owner := w.owner(length.leaves)
	size, dark := w.eval(s.Size), false
	open := w.unknown(s.Size)
	if size > 1<<40 || open { // negative, or longer than any datagram
		if !open && (owner == nil || owner.known) {
			return w.fail(w.refuse(reject.OutOfRange, w.bit, 0, -1, size, 0))
		}
		size = 0
	}
	bits := int(size) * s.Unit
	if w.look != nil {
		dark = w.look.dark
		w.look.dark = open || owner != nil && !owner.known
	}
	start, parent, index, at := w.bit, w.parent, w.index, len(w.gaps)
	w.gap(start, bits, true)
	end := w.end - w.shift
	w.end = start + bits
	if err := w.fits(); err != nil {
		return err
	}
	if err := w.block(s.Body); err != nil {
		return err
	}
	w.at = s.Last
	used := w.bit - start
	need := (used + s.Unit - 1) / s.Unit
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
	left := bits - used
	switch {
	case left < 0:
		return w.problem(s.Node, fmt.Sprintf("%d bits inside, but its length says %d%s", used, bits, w.p.Behind(s)))
	case left >= 8:
		return w.fail(w.refuse(reject.TrailingBytes, w.bit, left, -1, uint64(left), 0))
	}
	w.gaps[at].Width = bits
	if left > 0 {
		w.gap(w.bit, left, false)
	}
	if o := w.forced(-1); o != nil {
		w.putForced(o, left, s.Order)
	} else {
		w.put(0, left, s.Order)
	}
	w.end = end + w.shift
	if w.look != nil {
		w.look.dark = dark
	}
	return nil
}

// owner is the length that the encoder finds for a leaf; nil when it was given. Of leaves that exclude each other, the
// one that was written last counts.
func (w *writer) owner(leaves []int32) *length {
	last := 0
	for _, leaf := range leaves {
		last = max(last, w.sized[leaf])
	}
	if last == 0 {
		return nil
	}
	return w.learned[last-1]
}
