package report

import (
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/report/scan"
)

// eachSecretPair gives the protocol of each pair of testdata/secret_pairs.txt, and two packets that differ in a secret
// alone.
func eachSecretPair(t *testing.T, each func(fields string, p *plan.Plan, a, b []byte)) {
	t.Helper()
	need.OneGoroutine(t)
	text, err := os.ReadFile("testdata/secret_pairs.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	pairs := 0
	for i := 0; i+2 < len(lines); i++ {
		if !strings.HasPrefix(lines[i+1], " ") || strings.HasPrefix(lines[i], " ") {
			continue
		}
		p := compile(t, "protocol pairs\norder msb\nmax datagram 100\nenum Kind : uint8 { A = 1, B = 2 }\nopen enum Open : uint8 { One = 1 }\n"+
			"flags Some : uint8 { X = 1, Y = 2, Z = 0x40 }\npacket { "+lines[i]+" }\n")
		a, errA := hex.DecodeString(strings.ReplaceAll(lines[i+1], " ", ""))
		b, errB := hex.DecodeString(strings.ReplaceAll(lines[i+2], " ", ""))
		if errA != nil || errB != nil || len(a) != len(b) {
			t.Fatalf("%s: %v, %v, %d and %d bytes", lines[i], errA, errB, len(a), len(b))
		}
		pairs++
		each(lines[i], p, a, b)
	}
	if pairs < 40 {
		t.Errorf("only %d pairs", pairs)
	}
}

// Whatever views show of two packets that differ in a secret alone is the same, and so it is of what is left of them
// when they are cut, as long as they are refused for the same.
func TestSecretPairs(t *testing.T) {
	eachSecretPair(t, func(fields string, p *plan.Plan, a, b []byte) {
		var paths []string
		for _, known := range slices.Concat(filter.EnvelopePaths(), filter.Paths(p), filter.MessagePaths(p)) {
			paths = append(paths, known.Path)
		}
		forms := allForms(p, paths)
		pieces := NewPieces(p)
		for n := len(a); n >= 0; n-- {
			for _, cut := range []bool{false, true} {
				x, y := decoded(p, a[:n:n]), decoded(p, b[:n:n])
				x.Cut, y.Cut = cut, cut
				rx, ry := x.Trace.Reject(), y.Trace.Reject()
				if (rx == nil) != (ry == nil) || rx != nil && rx.Kind != ry.Kind {
					if n == len(a) {
						t.Fatalf("%s: %v and %v", fields, rx, ry)
					}
					continue
				}
				views := map[string]func(*scan.Packet) string{
					"explain": func(q *scan.Packet) string { return string(NewExplain(p, ExplainOptions{Last: -1}).Append(nil, q)) },
					"explain json": func(q *scan.Packet) string {
						return string(NewExplainJSON(p, ExplainOptions{Last: -1}).Append(nil, q))
					},
					"pieces": func(q *scan.Packet) (out string) {
						pieces.Visit(q, func(x *Piece) bool {
							out += fmt.Sprintf("%s %d+%d %s %s %s %s %v\n", x.Kind, x.Bit, x.Width, x.Path, x.Code, x.Value, x.Allowed, x.Hidden)
							return true
						})
						return out + fmt.Sprint(NotesOf(q))
					},
				}
				for name, form := range forms {
					views[name] = func(q *scan.Packet) string { return string(form.Append(nil, q)) }
				}
				for name, view := range views {
					if one, two := view(x), view(y); one != two {
						t.Errorf("%s, %d bytes, %s:\n%s\n%s", fields, n, name, one, two)
					}
				}
			}
		}
	})
}
