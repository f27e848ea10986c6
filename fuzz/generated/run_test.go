package generated_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
)

// runForms are runs of fixed-width fields where generated code has words, bounds and first failures of its own. ORDER
// is each order in turn.
var runForms = []struct{ name, source string }{
	{"quaternions between runs", "order ORDER\npacket { a bits(5), q quat smallest3(4), b bits(3), r quat smallest3(10), c bits(9) in 0..400, d bool }"},
	{"quaternions at any phase", "order ORDER\npacket { a bool, if a { b bits(3) }, q quat smallest3(20), c bits(9) in 0..400, r quat smallest3(21), d bool }"},
	{"wide fields at any phase", "order ORDER\npacket { a bool, if a { b bits(3) }, c bits(61), d uint64, e bits(58), f bits(7) in 0..100, g bits(59), h bits(1) }"},
	{"the last bits at any phase", "order ORDER\npacket { a bits(2), if a > 0 { b bits(5) }, if a > 1 { c bits(57) in 0..1000 }, if a > 2 { d bits(60), e bits(3) }, f bits(14) in 0..9000 }"},
	{"a list of runs in a window", "order ORDER\nstruct E { a bits(12) in 0..4000, b int16 }\npacket { n uint8, within(n) { m uint8 in 0..9, l [m, max 9]E }, z uint8 }"},
	{"lists of runs at any phase", "order ORDER\nstruct E { a bits(7) in 0..100, b uint64, q quat smallest3(5), c bits(5) }\n" +
		"packet { a bool, if a { b bits(3) }, m bits(3), l [m, max 7]E, k [2]E, j [m, max 7]bool }"},
	{"runs after branches", "order ORDER\npacket { a bool, b bits(30), if a { c bits(33), d uint64, if d > 9 { e bits(3) } } else { f bits(2) }, g bits(47) in 0..1000, h uint32, i bits(13) }"},
}

// Fields that are read and written as words have the meaning that they have alone.
func TestRunFormsAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("-short builds the forms of TestOpenFormsAgree")
	}
	g := &program{dir: t.TempDir()}
	for _, row := range runForms {
		for _, order := range []string{"lsb", "msb", "bousk"} {
			name := fmt.Sprintf("%s, %s", row.name, order)
			source := "protocol form\n" + strings.ReplaceAll(row.source, "ORDER", order) + "\n"
			for _, fixed := range []bool{false, true}[:1+strings.Count(row.name, "list")] {
				g.fixed = fixed
				if err := g.add(t, name, compile(t, "form.pks", []byte(source))); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
		}
	}
	g.build(t)
	g.vet(t)
	b := &batch{g: g}
	for n := range g.plans {
		m := fuzz.NewMutator(decode.New(g.plans[n]))
		if made := b.makes(t, n, 1, need.Rounds(12, 6), need.Rounds(60, 20)); made == 0 {
			t.Errorf("%s: no packet was made", g.names[n])
		}
		b.attack(t, n, m, make([]byte, 90), decode.FromUnknown, need.Rounds(100, 20))
		b.attack(t, n, m, []byte(strings.Repeat("\xff\x80\x12\x00\x7f", 18)), decode.FromUnknown, need.Rounds(100, 20))
	}
	b.hold(t)
	derived, written, refused := b.counts()
	t.Logf("%d packets, %d derived, %d changed and written, %d changed and refused", b.held, derived, written, refused)
	if enough := need.Rounds(1000, 20); written < enough || refused < enough/2 {
		t.Error("too few to show anything")
	}
}
