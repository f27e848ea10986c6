package ops

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// Layout is how an OpRun's leaves are read: in words, each loaded once and shared by the leaves that lie in it. It
// follows from the leaves.
type Layout struct {
	Words []Word // hold each leaf once and in order
	// Guards hold, in order, the leaves that a word can refuse, and no others. Who only asks whether a packet is accepted
	// reads no more than these and the Judged.
	Guards []Word
	// Judged are the numbers in the run of the leaves whose accepted codes are no interval, or deserve a note. A word
	// accepts every code of them.
	Judged []uint32
}

// lot is how many leaves are taken from one word.
const leavesPerWord = 4

// Word is up to four neighbouring leaves that lie within 64 bits. What reading them takes is here once more, so
// that a word is in one piece in memory. A code is accepted iff code-Lo ≤ Span, without a sign.
type Word struct {
	Off   uint32               // of its first bit from the start of the run
	N     uint8                // leaves, 1..4; 1 in order bousk, where a value is no stretch of a wider one
	Flags uint8                // WordWide, WordSwap, WordApart
	Shift [leavesPerWord]uint8 // 0..63: how far to the right the loaded word goes
	Width uint8                // of the first leaf
	Bits  uint8                // of all its leaves
	Mask  [leavesPerWord]uint64
	Lo    [leavesPerWord]uint64
	Span  [leavesPerWord]uint64
	_     [16]byte // a multiple of a cache line
}

// What a word can need beside an eight-byte load.
const (
	WordWide  uint8 = 1 << iota // it can touch nine bytes
	WordSwap                    // its bytes are turned around before leaves are taken: the leaves' Swap, which they share
	WordApart                   // of a writer alone: the leaves are not written at once
)

// Turn is the word that a load gave, its bytes turned around where it wants that.
func (w *Word) Turn(word uint64) uint64 {
	if w.Flags&WordSwap != 0 {
		return bits.ReverseBytes64(word)
	}
	return word
}

// Passes reports whether the codes of a word's leaves are accepted.
func (w *Word) Passes(word uint64) bool {
	// One leaf after another, without a loop: see package decode's hot loops.
	pass := word>>(w.Shift[0]&63)&w.Mask[0]-w.Lo[0] <= w.Span[0]
	if w.N > 1 {
		pass = pass && word>>(w.Shift[1]&63)&w.Mask[1]-w.Lo[1] <= w.Span[1]
		if w.N > 2 {
			pass = pass && word>>(w.Shift[2]&63)&w.Mask[2]-w.Lo[2] <= w.Span[2]
			if w.N > 3 {
				pass = pass && word>>(w.Shift[3]&63)&w.Mask[3]-w.Lo[3] <= w.Span[3]
			}
		}
	}
	return pass
}

// layOut finds how a run is read.
func (o *Program) layOut(op *Op) Layout {
	var r Layout
	var guarded []uint32
	all := make([]uint32, op.B)
	for i := range all {
		all[i] = uint32(i)
		l, info := &o.Plan.Leaves[op.A:][i], &o.Plan.Info[op.A:][i]
		if l.Count == 0 || info.Any {
			r.Judged = append(r.Judged, uint32(i))
		} else if lo, span := accepted(l, info); lo != 0 || span < l.Mask {
			guarded = append(guarded, uint32(i))
		}
	}
	r.Words, r.Guards = o.words(op, all), o.words(op, guarded)
	return r
}

// words puts the leaves of a run that have these numbers, in ascending order, into as few words as hold them.
func (o *Program) words(op *Op, numbers []uint32) (words []Word) {
	leaves, infos := o.Plan.Leaves[op.A:][:op.B], o.Plan.Info[op.A:][:op.B]
	for len(numbers) > 0 {
		first := &leaves[numbers[0]]
		w := Word{Off: first.Off, Width: first.Width}
		swap := first.Swap
		if swap {
			w.Flags |= WordSwap
		}
		for int(w.N) < perWord(op) && len(numbers) > 0 && leaves[numbers[0]].Swap == swap {
			l := &leaves[numbers[0]]
			at := l.Off - w.Off
			end := at + uint32(l.Width)
			if end > 64 || swap && at%8 != 0 { // turned around, only whole bytes stay together
				break
			}
			if (op.Order == wire.MSB) != swap { // it lies as far from the word's upper end
				at = 64 - end
			}
			if end > 57 { // from the last bit of a byte on, eight bytes have no more
				w.Flags |= WordWide
			}
			w.Shift[w.N] = uint8(at % 64) // 64 only where a leaf has no bits
			w.Mask[w.N] = l.Mask
			w.Lo[w.N], w.Span[w.N] = accepted(l, &infos[numbers[0]])
			w.N++
			w.Bits += l.Width
			numbers = numbers[1:]
		}
		words = append(words, w)
	}
	return words
}

// accepted is which codes a word accepts of a leaf: those with code-lo ≤ span. Of one that is Judged it is all.
func accepted(l *plan.Leaf, info *plan.LeafInfo) (lo, span uint64) {
	if l.Count == 0 || info.Any {
		return 0, l.Mask
	}
	if l.Lo == 0 && l.Count == ^uint64(0) { // it has no room for the last of all 64-bit codes
		if kind, _ := info.Judge(^uint64(0), 64); kind == reject.None {
			return 0, ^uint64(0)
		}
	}
	return l.Lo, l.Count - 1
}

func perWord(op *Op) int {
	if op.Order == wire.Bytewise {
		return 1
	}
	return leavesPerWord
}

// onlyRun reports whether the array at pc has one run as its body. The run's width bounds the elements by the datagram.
func (o *Program) onlyRun(pc int) bool {
	body := &o.Ops[pc+1]
	return int(o.Ops[pc].B) == pc+3 && body.Code == OpRun && body.C > 0
}

// verifyLayout checks that a run is laid out as its leaves are.
func (o *Program) verifyLayout(op *Op) error {
	want := o.layOut(op)
	if op.Imm < uint64(len(o.Runs)) {
		r := &o.Runs[op.Imm]
		if slices.Equal(r.Words, want.Words) && slices.Equal(r.Guards, want.Guards) && slices.Equal(r.Judged, want.Judged) {
			return nil
		}
	}
	return fmt.Errorf("the run is not laid out as its leaves are")
}
