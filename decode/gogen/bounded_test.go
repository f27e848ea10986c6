package gogen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/gogen"
)

// A few hundred bytes of schema can be as many ops as a plan may have, each under a long path: the source has an end
// all the same, and functions that a compiler gets through.
func TestSourceIsBounded(t *testing.T) {
	need.OneGoroutine(t)
	doubling := func(name string, times int) string {
		var b strings.Builder
		b.WriteString("protocol big\norder lsb\nstruct S0 { a bits(3), c int(3..100), d [..3]uint16, e string(20) }\n")
		for i := 1; i <= times; i++ {
			fmt.Fprintf(&b, "struct S%d { %sx S%d, %sy S%d }\n", i, name, i-1, name, i-1)
		}
		return b.String() + fmt.Sprintf("packet { a S%d }\n", times)
	}
	_, err := gogen.Generate(compile(t, "long names", []byte(doubling(strings.Repeat("n", 127), 10))), gogen.Options{})
	if err == nil || !strings.Contains(err.Error(), "the source would be longer than 16777216 bytes") {
		t.Errorf("long names: %v", err)
	}
	out, err := gogen.Generate(compile(t, "short names", []byte(doubling("", 6))), gogen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lines, longest := 0, 0
	for line := range strings.Lines(string(out.Files[0].Source)) {
		if lines++; line == "}\n" || strings.HasPrefix(line, "func ") {
			lines = 0
		}
		longest = max(longest, lines)
	}
	if longest > 2000 {
		t.Errorf("a function of %d lines", longest)
	}
}
