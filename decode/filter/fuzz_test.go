package filter

import (
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// FuzzCompile: any text is a program or an error with a place in it; no program does more than its limits, panics on a
// packet, or says two things of one.
func FuzzCompile(f *testing.F) {
	for _, row := range rtypeFilters {
		f.Add(row.src)
	}
	for _, row := range refused {
		f.Add(row.src)
	}
	for _, row := range syntheticFilters {
		f.Add(row.src)
	}
	for _, row := range variableFilters {
		f.Add(row.src)
	}
	for _, w := range worst {
		f.Add(w.before + w.piece + w.between + w.piece + w.after)
	}
	f.Add("count(body.missiles, .x > 1) + 1 in [50, 51, 52, 53, 54, 55, 56, 57, 58, 59]")
	f.Add("1 < count(body.missiles, .x > 1) < count(body.missiles, .y > 1) < 3")
	f.Add("any(body.players,.x..x)")
	f.Add("((((((((((((((((((((((((((((((")
	f.Add("notes[0].kind==#.x[1:2]?.y")
	p := rtype(f)
	others := []*plan.Plan{planOf(f, lists), planOf(f, shared), planOf(f, floats), planOf(f, secrets), planOf(f, odd), planOf(f, clash), planOf(f, gaffer), planOf(f, tlv), planOf(f, numeric), planOf(f, nested), planOf(f, strs)}
	d := decode.New(p)
	packets := rtypePackets(f)
	traces := make([]decode.Trace, len(packets))
	for i := range packets {
		_ = d.Decode(packets[i].data, packets[i].from, &traces[i])
	}
	f.Fuzz(func(t *testing.T, src string) {
		for _, other := range others {
			check(t, other, src)
		}
		prog := check(t, p, src)
		if prog == nil {
			return
		}
		a, b := prog.NewMatcher(), prog.NewMatcher()
		for i := range traces {
			if first, second := a.Match(&traces[i], &packets[i].env), b.Match(&traces[i], &packets[i].env); first != second {
				t.Errorf("%s: %v, then %v", packets[i].name, first, second)
			}
			if a.steps > prog.Work() {
				t.Errorf("%s: %d steps, promised %d", packets[i].name, a.steps, prog.Work())
			}
		}
	})
}

// check compiles a text and holds the outcome to its promises.
func check(t *testing.T, p *plan.Plan, src string) *Program {
	prog, err := Compile(p, src)
	if err != nil {
		e := err.(*Error)
		if at := e.Diagnostic.Span; at.Pos.Off < 0 || at.End.Off < at.Pos.Off || int(at.End.Off) > len(src) {
			t.Errorf("an error at %d..%d of %d bytes", at.Pos.Off, at.End.Off, len(src))
		}
		for _, c := range string(e.AppendText(nil)) {
			if c < ' ' && c != '\n' && c != '\t' {
				t.Errorf("the error holds %q", c)
			}
		}
		return nil
	}
	if limit := max(minWork, workPerField*int(p.Bound.MaxFields)); prog.Work() > limit || len(prog.nodes) > maxSteps {
		t.Errorf("%d steps, %d nodes", prog.Work(), len(prog.nodes))
	}
	return prog
}

// FuzzSelector: any text is a selector or an error.
func FuzzSelector(f *testing.F) {
	for _, row := range selections {
		f.Add(row.path)
	}
	for _, row := range refusedPaths {
		f.Add(row.path)
	}
	p := rtype(f)
	d := decode.New(p)
	packets := rtypePackets(f)
	f.Fuzz(func(t *testing.T, path string) {
		s, err := NewSelector(p, path)
		if err != nil {
			_ = err.(*Error).AppendText(nil)
			return
		}
		var tr decode.Trace
		for i := range packets {
			_ = d.Decode(packets[i].data, packets[i].from, &tr)
			n := 0
			for range s.Each(&tr) {
				n++
			}
			if n > 1 && !s.Many() {
				t.Errorf("%d fields", n)
			}
		}
	})
}
