package report

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// What is said of a reader that answers wrongly about two packets that differ in a secret alone is the same, whatever
// the reader prints.
func TestFindingsOfSecretPairs(t *testing.T) {
	eachSecretPair(t, func(fields string, p *plan.Plan, a, b []byte) {
		d := decode.New(p)
		judge, right := fuzz.NewJudge(d, false), oracle.NewBuiltin(d)
		for n := len(a); n >= 0; n-- {
			x, y := decoded(p, a[:n:n]), decoded(p, b[:n:n])
			rx, ry := x.Trace.Reject(), y.Trace.Reject()
			if (rx == nil) != (ry == nil) || rx != nil && rx.Kind != ry.Kind {
				continue
			}
			for _, r := range []oracle.Reply{
				{Outcome: oracle.Accepted, Bits: 3},
				{Outcome: oracle.Refused, Bits: -1},
				{Outcome: oracle.Refused, Bits: -1, Why: &oracle.Reason{Kind: reject.BadString, Path: "a", Bit: 5, Width: 6}},
				{Outcome: oracle.Accepted, Bits: -1, Fields: []byte(`{"a":1,"b":1,"c":1}`)}, // none of them a secret's own
				{Outcome: oracle.Crashed, Bits: -1, Report: "PACKET"},
			} {
				text := func(data []byte) string {
					r := r
					if r.Report != "" {
						r.Report = fmt.Sprintf("panic: %x\nmain.read(...)\n\t/src/read.go:%d", data, len(data))
					}
					found := judge.Judge(&fuzz.Mutation{Data: data, Node: plan.NoNode}, decode.Client, right, r)
					var out bytes.Buffer
					for i := range found {
						out.Write(AppendFinding(nil, &Origin{Protocol: p.Schema.Name, Target: "exec:x", Plan: p}, &found[i]))
						fmt.Fprintf(&out, "%s\n%s\n", found[i].What(), found[i].Key())
					}
					return out.String()
				}
				if one, two := text(a[:n:n]), text(b[:n:n]); one != two {
					t.Errorf("%s, %d bytes, %v %s:\n%s\n%s", fields, n, r.Outcome, r.Fields, one, two)
				}
			}
		}
	})
}
