package ops

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// Layout is how an OpRun's leaves are read: in words, each loaded once and shared by the leaves that lie in it. It
// follows from the leaves.
type Layout struct {
	Words []Word // hold each leaf once and in order
	// Judged are the numbers in the run of the leaves whose accepted codes are no interval, or deserve a note. A word
	// accepts every code of them.
	Judged []uint32
}

// lot is how many leaves are taken from one word.
const leavesPerWord = 4

// Word is up to four neighbouring leaves that lie within 64 bits. What reading them takes stands here once more, so
// that a word is in one piece in memory. A code is accepted iff code-Lo ≤ Span, without a sign.
type Word struct {
	Off   uint32               // of its first bit from the start of the run
	N     uint8                // leaves, 1..4; 1 in order bousk, where a value is no stretch of a wider one
	Flags uint8                // WordWide, WordSwap
	Shift [leavesPerWord]uint8 // 0..63: how far to the right the loaded word goes
	Width uint8                // of the first leaf
	Mask  [leavesPerWord]uint64
	Lo    [leavesPerWord]uint64
	Span  [leavesPerWord]uint64
	_     [16]byte // a multiple of a cache line
}

// What a word can need beside an eight-byte load.
const (
	WordWide uint8 = 1 << iota // it can touch nine bytes
	WordSwap                   // its bytes are turned around before leaves are taken: the leaves' Swap, which they share
)

// Turn is the word that a load gave, its bytes turned around where it wants that.
func (w *Word) Turn(word uint64) uint64 {
	if w.Flags&WordSwap != 0 {
		return bits.ReverseBytes64(word)
	}
	return word
}

// layOut finds how a run is read.
func (o *Program) layOut(op *Op) Layout {
	p := o.Plan
	var r Layout
	leaves, infos := p.Leaves[op.A:][:op.B], p.Info[op.A:][:op.B]
	for i := 0; i < len(leaves); {
		w := Word{Off: leaves[i].Off, Width: leaves[i].Width}
		swap := leaves[i].Swap
		if swap {
			w.Flags |= WordSwap
		}
		for ; int(w.N) < perWord(op) && i < len(leaves) && leaves[i].Swap == swap; i++ {
			l := &leaves[i]
			at := l.Off - w.Off
			end := at + uint32(l.Width)
			if end > 64 {
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
			if l.Count == 0 || infos[i].Any {
				w.Lo[w.N], w.Span[w.N] = 0, l.Mask
				r.Judged = append(r.Judged, uint32(i))
			} else {
				w.Lo[w.N], w.Span[w.N] = l.Lo, l.Count-1
				if l.Lo == 0 && l.Count == ^uint64(0) { // it has no room for the last of all 64-bit codes
					if kind, _ := infos[i].Judge(^uint64(0), 64); kind == reject.None {
						w.Span[w.N] = ^uint64(0)
					}
				}
			}
			w.N++
		}
		r.Words = append(r.Words, w)
	}
	return r
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
	if op.Imm >= uint64(len(o.Runs)) || !slices.Equal(o.Runs[op.Imm].Words, want.Words) || !slices.Equal(o.Runs[op.Imm].Judged, want.Judged) {
		return fmt.Errorf("the run is not laid out as its leaves are")
	}
	return nil
}
