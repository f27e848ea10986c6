package fuzz_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// A reader that has lost its place has one mistake: the first field that it reads wrongly. Fields that are wrong among
// others that are right are mistakes each.
func TestLostPlace(t *testing.T) {
	s, diags := schema.Load("ten.pks", []byte("protocol ten\norder lsb\npacket {\n    a uint8\n    b uint8\n    c uint8\n    d uint8\n    e uint8\n    f uint8\n    g uint8\n    h uint8\n    list [2]uint8\n}\n"), nil)
	if s == nil {
		t.Fatal(diags)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		t.Fatal(diags)
	}
	d := decode.New(p)
	packet := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for _, row := range []struct {
		name string
		read [10]int
		want string // paths of what is wrong
		lost int
	}{
		{"right", [10]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, "", 0},
		{"one byte too many after b", [10]int{1, 2, 4, 5, 6, 7, 8, 9, 10, 0}, "c", 6},
		{"a byte too few after d", [10]int{1, 2, 3, 4, 4, 5, 6, 7, 8, 9}, "e", 4},
		{"three mistakes", [10]int{1, 99, 3, 99, 5, 6, 99, 8, 9, 10}, "b d g", 0},
		{"three at the end", [10]int{1, 2, 3, 4, 5, 6, 99, 99, 9, 99}, "g h list[1]", 0},
		{"many elements are one field", [10]int{1, 2, 3, 4, 5, 6, 7, 99, 99, 99}, "h list[0] list[1]", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			var trace decode.Trace
			if err := d.Decode(packet, decode.FromUnknown, &trace); err != nil {
				t.Fatal(err)
			}
			var parts []string
			for i, v := range row.read[:8] {
				parts = append(parts, fmt.Sprintf("%q:%d", string(rune('a'+i)), v))
			}
			line := fmt.Sprintf("{%s,\"list[0]\":%d,\"list[1]\":%d}", strings.Join(parts, ","), row.read[8], row.read[9])
			var paths []string
			wrong := oracle.CompareFields(&trace, []byte(line))
			for _, w := range wrong {
				paths = append(paths, w.Path)
			}
			if got := strings.Join(paths, " "); got != row.want {
				t.Errorf("want %q, got %q", row.want, got)
			}
			if says := len(wrong) > 0 && strings.Contains(wrong[0].What, fmt.Sprintf("lost its place: so it is with %d of the fields", row.lost)); says != (row.lost > 0) {
				t.Errorf("got %+v", wrong)
			}
		})
	}
}
