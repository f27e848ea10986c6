package schema

import (
	"fmt"
	"strings"
	"testing"
)

// TestCheckIsLinear: twice the source may not cost more than about twice the work, whatever is in it. Work is counted
// in allocations, which every list of candidates, copy of a scope and walk over cases makes.
func TestCheckIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("it checks sources of 4,000 lines")
	}
	rep := func(n int, line string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(strings.ReplaceAll(line, "#+", fmt.Sprint(i+1)), "#", fmt.Sprint(i)))
		}
		return b.String()
	}
	shapes := map[string]func(n int) string{
		"unknown names": func(n int) string { return "packet {\n" + rep(n, "a# bits(b#)\n") + "}" },
		"unknown types": func(n int) string { return "packet {\n" + rep(n, "a# B#\n") + "}" },
		"unknown members": func(n int) string {
			return "struct S {\n" + rep(n, "a# bool\n") + "}\npacket { s S\n" + rep(n, "b# bits(s.c#)\n") + "}"
		},
		"struct chain": func(n int) string { return rep(n, "struct S# { a S#+ }\n") + "packet { x uint8 }" },
		"wide structs": func(n int) string {
			return rep(n, "struct S# { x bits(3) }\n") + "packet {\n" + rep(n, "a# [3]S#\n") + "}"
		},
		"ifs":          func(n int) string { return "packet {\na bool\n" + rep(n, "if a { b# bool }\n") + "}" },
		"else ifs":     func(n int) string { return "packet {\na bool\n" + rep(n, "if a { b# bool } else { c# bool }\n") + "}" },
		"conditions":   func(n int) string { return "packet {\na uint8\nrequire a > 1" + rep(n/20, " && a > 1") + "\n}" },
		"alternatives": func(n int) string { return "packet {\na uint8\nrequire a > 1" + rep(n/20, " || a > 1") + "\n}" },
		"labels": func(n int) string {
			return enumOf(n, rep) + "packet { e E, s switch e {\n" + rep(n, "A#: empty\n") + "} }"
		},
		"missing cases": func(n int) string {
			return enumOf(n, rep) + "packet { e E\n" + rep(n, "s# switch e { A1: empty }\n") + "}"
		},
		"enum fields": func(n int) string { return enumOf(n, rep) + "packet {\n" + rep(n, "e# E\n") + "}" },
		"until": func(n int) string {
			return "struct S {\n" + rep(n, "a# bool\n") + "}\npacket {\n" + rep(n, "a# [until a1, max 2]S\n") + "}"
		},
		"missing values": func(n int) string {
			return "enum E : uint32 {\n" + rep(n, "A# = #\nB#\n") + "}\npacket { e E }"
		},
		"repeated values": func(n int) string { return "packet { a uint32 in {0" + rep(n, ", #, 5..#") + "} }" },
		"settable conditions": func(n int) string {
			return "param P = 1 in 0..9\npacket {\na uint8\n" + rep(n/20, "if a > P"+strings.Repeat(" && a > P", 20)+" { b# bool }\n") + "}"
		},
		"decided": func(n int) string { return "packet {\na uint8\n" + rep(n, "require a < 256\n") + "}" },
		"acks": func(n int) string {
			return "struct S {\n" + rep(n, "a# uint8\n") + "}\npacket { s S\n" + rep(n, "b# uint8 @ack(S.a1)\n") + "}"
		},
	}
	for name, shape := range shapes {
		// The second step starts where all that is capped (diagnostics, suggestions) has reached its cap.
		cost := func(n int) float64 {
			src := []byte("protocol t\norder lsb\n" + shape(n))
			return testing.AllocsPerRun(1, func() { Load("t", src, nil) })
		}
		one, two := cost(2000), cost(4000)
		if two > 2.4*one {
			t.Errorf("%s: %v allocations for one size, %v for twice that", name, one, two)
		}
	}
}

func enumOf(n int, rep func(int, string) string) string {
	return "enum E : uint32 {\n" + rep(n, "A# = #\n") + "}\n"
}
