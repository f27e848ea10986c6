package report

import (
	"strings"
	"testing"
)

// An arm of several labels is shown by the one that was read; one of a secret tag by none.
func TestSharedArm(t *testing.T) {
	p := compile(t, `protocol t
order msb
enum Op : uint8 { Rrq = 1, Wrq = 2, Data = 3, Ack = 4, Both = 7 }
struct Twice(tag in 0..9) { v switch tag { 5, 6: { u uint8 }, 7, 8: optional { u uint8 } } }
struct Part { kind uint8, part switch kind { 1, 3..5: { x uint8 }, 9: { y uint8 } } }
packet {
    op Op
    body switch op { Rrq, Wrq: { list [2]Part }, Data..Ack: { z uint8 }, Both: { first uint8 in 5..8, second uint8 in 5..8, a Twice(first), b Twice(second) } }
    key uint8 @secret
    hidden switch key { 1, 2: { w uint8 }, default: empty }
}
`)
	x := NewText(p, TextOptions{})
	for _, row := range []struct {
		packet string
		want   []string
	}{
		{"02 04 07 09 08 02 00", []string{"body Wrq\n", "part 4\n", "part 9\n", "hidden ‹secret›\n"}},
		{"01 01 07 03 08 02 00", []string{"body Rrq\n", "part 1\n", "part 3\n", "hidden ‹secret›\n"}},
		{"04 07 00", []string{"body Ack\n"}},
		{"07 05 06 aa bb 00", []string{"a\nv 5\n", "b\nv 6\n"}},
		{"07 08 07 80 40 00 00", []string{"a\nv 8\n", "b\nv 7\n"}},
		{"03 07 00", []string{"body Data\n"}},
	} {
		var names []string
		for line := range strings.Lines(string(x.AppendTree(nil, packet(t, p, row.packet)))) {
			names = append(names, strings.Join(strings.Fields(line), " ")+"\n")
		}
		got := strings.Join(names, "")
		for _, want := range row.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", row.packet, want, got)
			}
		}
	}
}
