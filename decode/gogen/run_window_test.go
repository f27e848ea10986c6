package gogen

import (
	"math/rand/v2"
	"testing"

	"github.com/pktscope/pktscope/decode/plan"
)

// randomRun is leaves that follow each other, and how many bits they have.
func randomRun(r *rand.Rand) (leaves []plan.Leaf, bits int) {
	most := 1 + r.IntN(64)
	for range 1 + r.IntN(12) {
		width := 1 + r.IntN(most)
		leaves = append(leaves, plan.Leaf{Off: uint32(bits), Width: uint8(width)})
		bits += width
	}
	return leaves, bits
}

// Windows have each leaf once, as a whole or as two halves, in bits that are of use; and they load no byte that a run
// of so many bits does not have, wherever it begins.
func TestWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	for range 20000 {
		leaves, bits := randomRun(r)
		phase := r.IntN(9) - 1
		look := newLookout(phase, bits)
		next := max(phase, 0)
		for _, w := range look.windows(leaves, func(int) bool { return true }) {
			switch {
			case w.own && (phase >= 0 || w.from != bits-unaligned || w.from < 0):
				t.Fatalf("phase %d, %d bits: a window of its own at bit %d", phase, bits, w.from)
			case !w.own && w.from%8 != 0, !w.own && look.bytes >= 8 && w.from/8+8 > look.bytes, !w.own && look.bytes > 0 && look.bytes < 8 && w.from != 0:
				t.Fatalf("phase %d, %d bits: a window at bit %d of %d bytes", phase, bits, w.from, look.bytes)
			case phase < 0 && look.bytes > bits/8, phase >= 0 && look.bytes != (phase+bits+7)/8:
				t.Fatalf("phase %d, %d bits: loaded from %d bytes", phase, bits, look.bytes)
			}
			for _, p := range w.pieces {
				if p.off != next || p.off < w.from || p.off+p.width > w.from+look.usable {
					t.Fatalf("phase %d, %d bits: want bit %d, got %+v in the window at %d", phase, bits, next, p, w.from)
				}
				if l := leaves[p.leaf]; p.first && p.width != halfBits || !p.first && p.off+p.width != max(phase, 0)+int(l.Off)+int(l.Width) {
					t.Fatalf("phase %d, %d bits: %+v of %+v", phase, bits, p, l)
				}
				next += p.width
			}
		}
		if next != max(phase, 0)+bits {
			t.Fatalf("phase %d: want %d bits, got %d", phase, max(phase, 0)+bits, next)
		}
	}
}

// Words of a run that is written have each field, of which only the last of a word goes on in the next; and of what a
// word has in the first byte of the next, seven bits are its own.
func TestLayOut(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 5))
	for range 20000 {
		leaves, bits := randomRun(r)
		phase := r.IntN(9) - 1
		var fields []part
		for _, l := range leaves {
			fields = append(fields, part{off: int(l.Off), width: int(l.Width)})
		}
		starts, usable := layOut(fields, phase)
		for j := range starts {
			if step := starts[j] - starts[max(j-1, 0)]; j > 0 && (step < 2 || step > usable/8) {
				t.Fatalf("phase %d, %d bits: words at %v", phase, bits, starts)
			}
		}
		if end := max(phase, 0) + bits; end > 8*starts[len(starts)-1]+usable || end <= 8*starts[len(starts)-1] {
			t.Fatalf("phase %d: %d bits in words at %v", phase, bits, starts)
		}
		for _, f := range fields {
			off, at := max(phase, 0)+f.off, 0
			for at+1 < len(starts) && 8*starts[at+1] <= off {
				at++
			}
			if end := off + f.width; end <= 8*starts[at]+usable && at+1 < len(starts) && end > 8*starts[at+1]+7 {
				t.Fatalf("phase %d: %+v reaches further than the first byte of the next of words at %v", phase, f, starts)
			}
		}
	}
}
