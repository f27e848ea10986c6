package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// messages is a protocol of n messages, each of 20 ranged fields and a list.
func messages(n int) string {
	var b strings.Builder
	b.WriteString("protocol large\norder lsb\nmax datagram 1500\n")
	for m := range n {
		fmt.Fprintf(&b, "struct M%d {\n", m)
		for i := range 20 {
			fmt.Fprintf(&b, "    f%d int(0..%d)\n", i, 101+6*i)
		}
		b.WriteString("    n uint8 in 0..10\n    els [n]uint16\n}\n")
	}
	b.WriteString("enum Kind : uint16 {\n")
	for m := range n {
		fmt.Fprintf(&b, "    T%d = %d\n", m, m)
	}
	b.WriteString("}\npacket {\n    kind Kind\n    body switch kind {\n")
	for m := range n {
		fmt.Fprintf(&b, "        T%d: M%d\n", m, m)
	}
	b.WriteString("    }\n}\n")
	return b.String()
}

// Size is counted as the plan has it, runs merged: a thousand messages of 20 fields are no large plan.
func TestManyMessages(t *testing.T) {
	s, diags := schema.Load("large.pks", []byte(messages(1000)), nil)
	if syntax.HasErrors(diags) {
		t.Fatal(diags)
	}
	p, diags := plan.Compile(s)
	if syntax.HasErrors(diags) {
		t.Fatal(diags)
	}
	if p.OpCount() > 6000 || len(p.Leaves) != 22*1000+1 {
		t.Errorf("%d ops and %d leaves, want at most 6000 and 22001", p.OpCount(), len(p.Leaves))
	}
}

// What expands without end is refused when it passes a limit, not when it is done.
func TestTooLarge(t *testing.T) {
	doubled := func(first string) string {
		var b strings.Builder
		b.WriteString("struct S0 {\n" + first + "\n}\n")
		for i := range 24 {
			fmt.Fprintf(&b, "struct S%d {\nif rest > 3 {\na S%d\n} else {\nb S%d\n}\n}\n", i+1, i, i)
		}
		return b.String() + "packet {\nbody S24\n}\n"
	}
	for _, row := range []struct{ name, src, want string }{
		{"leaves", doubled("a bool\nb bool\nc bool\nd bool\ne bool\nf bool"), "65536 ops and leaves"},
		{"ops", doubled(strings.Repeat("reserved(65)\n", 40)), "65536 ops and leaves"},
		{"places", doubled(strings.Repeat("a {\n", 30) + "x bool" + strings.Repeat("\n}", 30)), "262144 places in its tree"},
		{"values", doubled("x bool\ny bool\nrequire x || y\nrequire y || !x"), "4096 saved values"},
		{"expressions", doubled("x uint8\nrequire " + strings.Repeat("x > 1 && ", 60) + "x > 0"), "65536 steps of expressions"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, diags := schema.Load("large.pks", []byte("protocol large\norder lsb\nmax datagram 1500\n"+row.src), nil)
			if syntax.HasErrors(diags) {
				t.Fatal(diags)
			}
			_, diags = plan.Compile(s)
			if len(diags) != 1 || !strings.Contains(diags[0].Message, row.want) || diags[0].Pos.Line == 0 {
				t.Errorf("%v, want one error of %q", diags, row.want)
			}
		})
	}
}

func BenchmarkCompileMessages(b *testing.B) {
	s, diags := schema.Load("large.pks", []byte(messages(1000)), nil)
	if syntax.HasErrors(diags) {
		b.Fatal(diags)
	}
	for b.Loop() {
		if _, diags := plan.Compile(s); syntax.HasErrors(diags) {
			b.Fatal(diags)
		}
	}
}

func BenchmarkLoadMessages(b *testing.B) {
	src := []byte(messages(1000))
	for b.Loop() {
		if _, diags := schema.Load("large.pks", src, nil); syntax.HasErrors(diags) {
			b.Fatal(diags)
		}
	}
}
