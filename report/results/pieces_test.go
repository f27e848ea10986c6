package results_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/report/results"
)

// 150 pieces are the whole in the order of a shell's names (p0 p1 p10 p100 …), and shuffled.
func TestManyPieces(t *testing.T) {
	p, list := rtype(t), session(t)
	n := need.Rounds(150, 20)
	whole, err := json.Marshal(read(t, savedAgain(t, counted(t, p, list))).Statistics[0].Summary())
	if err != nil {
		t.Fatal(err)
	}
	names := map[string][]byte{}
	var order []string
	for i := range n {
		name := fmt.Sprintf("p%d", i)
		names[name] = savedAgain(t, counted(t, p, list[len(list)*i/n:len(list)*(i+1)/n]))
		order = append(order, name)
	}
	slices.Sort(order)
	for round := range need.Rounds(2, 1) {
		s := &results.Set{}
		for _, name := range order {
			if err := s.Add(read(t, names[name])); err != nil {
				t.Fatal(err)
			}
		}
		s.Merge()
		got, err := json.Marshal(s.Statistics[0].Summary())
		if err != nil || !bytes.Equal(got, whole) {
			t.Errorf("round %d: %v\n%.3000s\nwant\n%.3000s", round, err, got, whole)
		}
		rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
}

// A part that is given twice is refused.
func TestTwice(t *testing.T) {
	p, list := rtype(t), session(t)[:500]
	part := savedAgain(t, counted(t, p, list))
	s := read(t, part)
	if err := s.Add(read(t, part)); err == nil {
		t.Error("a part was added twice")
	}
	s.Merge()
	if n := s.Statistics[0].Packets(); n != 500 {
		t.Errorf("%d packets", n)
	}
}
