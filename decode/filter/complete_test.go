package filter_test

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
)

// What is offered for the end of a filter: paths, and after == and != the names that a path can have.
func TestComplete(t *testing.T) {
	rtype, err := protocols.Load("rtype")
	if err != nil {
		t.Fatal(err)
	}
	c := filter.NewCompleter([]*plan.Plan{rtype.Plan()})
	for _, row := range []struct{ typed, keeps, want string }{
		{"pkt.src_p", "", "pkt.src_port"},
		{"pkt.bits > 3 && pkt.verd", "pkt.bits > 3 && ", "pkt.verdict"},
		{"pkt.verdict == ", "pkt.verdict == ", `"accept" "reject" "cut"…`},
		{"pkt.verdict==", "pkt.verdict==", `"accept" "reject" "cut"…`},
		{`pkt.verdict == "re`, "pkt.verdict == ", `"reject"`},
		{"pkt.verdict != re", "pkt.verdict != ", `"reject"`},
		{"pkt.direction == ", "pkt.direction == ", `"unknown" "client" "server"`},
		{"reject.kind == past", "reject.kind == ", `"past-end"`},
		{"case == Snap", "case == ", `"Snapshot"`},
		{"pkt.protocol == ", "pkt.protocol == ", `"rtype"`},
		{"body.players[3].id == 4 || case == Snap", "body.players[3].id == 4 || case == ", `"Snapshot"`},
		{"case == Nothing", "case == ", ""},
		{`case == "`, "case == ", `…`},
		{`pkt.file == "a`, "pkt.file == ", ""},
		{"pkt.bits == pkt.src_p", "pkt.bits == ", "pkt.src_port"}, // numbers compare with each other
		{`case == "Snapshot" && pkt.src_p`, `case == "Snapshot" && `, "pkt.src_port"},
		{"nothing == ", "nothing == ", "…"},
		{`"`, "", ""}, {"==", "==", "…"}, {"é.== ", "é.== ", "…"}, {"", "", "…"},
	} {
		at, list := c.Complete(row.typed)
		var words []string
		for _, w := range list {
			words = append(words, w.Text)
		}
		got := strings.Join(words, " ")
		want, more := strings.CutSuffix(row.want, "…")
		if row.typed[:at] != row.keeps || !strings.HasPrefix(got, want) || !more && got != want || more && got == want {
			t.Errorf("%q: keeps %q and offers %.100s, want %q and %s", row.typed, row.typed[:at], got, row.keeps, row.want)
		}
	}
}

// Each name that is offered is one that the filter takes: of every built-in protocol.
func TestCompletedValuesCompile(t *testing.T) {
	n := 0
	for _, name := range protocols.Names() {
		d, err := protocols.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		plans := []*plan.Plan{d.Plan()}
		c := filter.NewCompleter(plans)
		for _, p := range filter.AllPaths(plans) {
			path := strings.ReplaceAll(p.Path, "[*]", "[0]")
			_, list := c.Complete(path + " == ")
			for _, w := range list[:min(len(list), 5)] {
				if !w.Value {
					break
				}
				n++
				if _, err := filter.CompileAny(plans, path+" == "+w.Text); err != nil {
					t.Errorf("%s: %s == %s: %v", name, path, w.Text, err)
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d names were offered", n)
	}
}
