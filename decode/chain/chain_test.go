package chain_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/decode/chain"
)

type guest struct {
	chain.Links[guest]
	name int
}

func Example() {
	var queue chain.List[guest, *guest]
	first, second, third := &guest{name: 1}, &guest{name: 2}, &guest{name: 3}
	queue.Push(first)
	queue.Push(second)
	queue.Push(third)
	queue.Remove(second)
	for g := queue.First(); g != nil; g = g.Next() {
		fmt.Println(g.name)
	}
	// Output:
	// 1
	// 3
}

// A list has what a slice has after the same pushes and removals, in its order.
func TestList(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var list chain.List[guest, *guest]
	var want, out []*guest
	for i := range 16 {
		out = append(out, &guest{name: i})
	}
	for step := range 10_000 {
		if len(out) > 0 && (len(want) == 0 || random.IntN(2) == 0) {
			i := random.IntN(len(out))
			list.Push(out[i])
			want, out = append(want, out[i]), slices.Delete(out, i, i+1)
		} else {
			i := random.IntN(len(want))
			list.Remove(want[i])
			if want[i].Next() != nil {
				t.Fatal("an element that was taken out has a neighbor")
			}
			out, want = append(out, want[i]), slices.Delete(want, i, i+1)
		}
		var got []*guest
		for g := list.First(); g != nil; g = g.Next() {
			got = append(got, g)
		}
		if !slices.Equal(got, want) || list.Len() != len(want) {
			t.Fatalf("step %d: %d elements, want %d", step, len(got), len(want))
		}
	}
	one := &guest{}
	if n := testing.AllocsPerRun(100, func() { list.Push(one); list.Remove(one) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
