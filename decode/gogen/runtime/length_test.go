package runtime

import (
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
)

// Lengths beyond those that a writer has room for allocate nothing from one packet to the next, and begin unknown in
// each.
func TestManyLengths(t *testing.T) {
	if need.Race {
		t.Skip("a race build empties pools")
	}
	const all = 5 * lengthRoom
	write := func() {
		var w writer
		defer w.found.give()
		for pass := range 2 {
			for i := range uint64(all) {
				value, at := w.ask(7)
				if want := [2]uint64{7, 3 * i}[pass]; value != want {
					t.Errorf("pass %d, length %d: %d", pass, i, value)
				}
				if at != i+1 || !w.learn(at, 3*i+1, 1, 1) {
					t.Errorf("pass %d, length %d: number %d", pass, i, at)
				}
			}
			if again := w.unsettled(); again != (pass == 0) {
				t.Errorf("pass %d: another: %v", pass, again)
			}
		}
	}
	write()
	if n := testing.AllocsPerRun(100, write); n >= 1 {
		t.Errorf("%v allocations", n)
	}
}
