package budget

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/report/saved"
)

// However captures are cut, and in whatever order and tree their pieces are saved, read and merged: the result is that
// of one run, byte for byte. With one piece twice it is refused, and stays as it was.
func TestPiecesAreTheWhole(t *testing.T) {
	for name, file := range captures {
		p := builtIn(t, name)
		packets := capture(t, p, file)
		one := counted(p, packets, 100)
		one.SetPiece(saved.Whole(7))
		whole := one.AppendJSON(nil)
		for seed := range need.Rounds(12, 1) {
			r := rand.New(rand.NewPCG(uint64(seed), 22))
			places := []int{0, len(packets)}
			for range 1 + r.IntN(12) {
				places = append(places, r.IntN(len(packets)+1)) // empty pieces too
			}
			slices.Sort(places)
			var parts []*Budget
			var bytesOf [][]byte
			for i := range len(places) - 1 {
				b := counted(p, packets[places[i]:places[i+1]], 100)
				b.SetPiece(saved.Piece{Stream: 7, Plan: 1, From: uint64(i), To: uint64(i + 1), Of: uint64(len(places) - 1)})
				bytesOf = append(bytesOf, b.AppendJSON(nil))
				parts = append(parts, readOne(t, bytesOf[i]))
			}
			again := readOne(t, bytesOf[r.IntN(len(bytesOf))])
			for len(parts) > 1 {
				i := r.IntN(len(parts))
				into := parts[i]
				parts = slices.Delete(parts, i, i+1)
				j := r.IntN(len(parts))
				if err := into.Merge(parts[j]); err != nil {
					t.Fatal(err)
				}
				parts[j] = readOne(t, into.AppendJSON(nil))
			}
			if err := parts[0].Merge(again); err == nil || !strings.Contains(err.Error(), "counted twice") {
				t.Errorf("%s: seed %d: a piece was merged twice: %v", name, seed, err)
			}
			if got := parts[0].AppendJSON(nil); !bytes.Equal(got, whole) {
				t.Errorf("%s: seed %d: %d pieces merged\n%.600s\nwhole\n%.600s", name, seed, len(bytesOf), got, whole)
			}
		}
	}
}

// A part that does not say of what it is, as they were before, merges with those that do.
func TestPartWithoutPieces(t *testing.T) {
	p := builtIn(t, "rtype")
	packets := capture(t, p, captures["rtype"])
	old := readOne(t, counted(p, packets[:50], 0).AppendJSON(nil))
	if old.Pieces() != nil || bytes.Contains(old.AppendJSON(nil), []byte(`"pieces"`)) {
		t.Errorf("pieces %v of nobody knows what", old.Pieces())
	}
	next := counted(p, packets[50:60], 0)
	next.SetPiece(saved.Whole(9))
	if err := old.Merge(next); err != nil || old.Packets() == 0 || !slices.Equal(old.Pieces(), saved.Pieces{saved.Whole(9)}) {
		t.Errorf("%v: pieces %v", err, old.Pieces())
	}
}

func TestReadRefusesPieces(t *testing.T) {
	line := aPart(t)
	piece := saved.Piece{Stream: 7, Plan: 1, From: 3, To: 5, Of: 16}
	for want, list := range map[string]saved.Pieces{
		"pieces: a piece that is none":                        {{Stream: 7, From: 5, To: 5, Of: 16}},
		"pieces: pieces that overlap, touch or do not ascend": {piece, {Stream: 7, Plan: 1, From: 5, To: 6, Of: 16}},
		"pieces: pieces of two plans":                         {piece, {Stream: 7, Plan: 2, From: 6, To: 7, Of: 16}},
		"pieces: more than 4096 pieces":                       make(saved.Pieces, saved.MaxPieces+1),
		"budget 1: pieces: a piece that is none":              {{Stream: 7, Plan: 1, From: 0, To: 16, Of: 16}}, // it is whole
	} {
		_, err := Read(strings.NewReader(broken(t, line, func(p *part) { p.Pieces = list })))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q, got %v", list[0], want, err)
		}
	}
	if _, err := Read(strings.NewReader(strings.Replace(string(line), `"packets"`, `"pieces":[{"stream":"x"}],"packets"`, 1))); err == nil {
		t.Error("a stream that is no number was read")
	}
}

func readOne(t *testing.T, line []byte) *Budget {
	t.Helper()
	list, err := Read(bytes.NewReader(line))
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %d budgets", err, len(list))
	}
	return list[0]
}
