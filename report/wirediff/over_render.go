package wirediff

import (
	"fmt"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/cuts"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/internal/table"
)

// Names are what a comparison over a capture is of.
type Names struct{ Capture, A, B string }

// verdict is what a schema does with the packet on which two differ.
func verdict(d *cuts.Difference, i int) string {
	text := "AB"[i:i+1] + " " + map[decode.Verdict]string{
		decode.Accepted: "accepts it", decode.Refused: "refuses it", decode.Cut: "says that the capture cut it",
		decode.NeedsContext: "needs packets that are not in the capture",
	}[d.Verdicts[i]]
	if d.Why[i] != "" {
		text += ": " + d.Why[i]
	}
	return text
}

// scoreLines are a score in sentences.
func scoreLines(s *cuts.Score) (lines []string) {
	if d := s.First; d != nil {
		which := fmt.Sprint(d.N)
		if d.Type != "-" {
			which += " (" + d.Type + ")"
		}
		lines = append(lines, fmt.Sprintf("verdicts differ on %s, first on packet %s: %s; %s", table.Count(s.Differ, "packet"), which, verdict(d, 0), verdict(d, 1)))
	} else {
		lines = append(lines, "the verdicts are the same on every packet")
	}
	if s.Scored == 0 {
		return append(lines, "of no type A accepts three packets: boundaries are not scored")
	}
	return append(lines, fmt.Sprintf("boundaries of B against those of A, mean of %s: precision %.3f, recall %.3f, F1 %.3f; fields of A exact in B %.3f",
		table.Count(s.Scored, "type"), s.Precision, s.Recall, s.F1, s.Exact))
}

// scoreTitles are the columns of scoreRows.
var scoreTitles = []string{"type", "packets", "A accepts", "B accepts", "precision", "recall", "exact", "verdicts differ", "first"}

// scoreRows are the types of a score. One that does not count is marked.
func scoreRows(s *cuts.Score) (rows [][]string, note string) {
	for i := range s.Types {
		t := &s.Types[i]
		row := []string{t.Name, table.Grouped(t.Packets), table.Grouped(t.Accepted[0]), table.Grouped(t.Accepted[1]),
			fmt.Sprintf("%.3f", t.Precision()), fmt.Sprintf("%.3f", t.Recall()), fmt.Sprintf("%.3f", t.Exact()), table.Grouped(t.Differ), "-"}
		if t.Accepted[0] == 0 {
			row[4], row[5], row[6] = "-", "-", "-"
		}
		if t.First != nil {
			row[8] = fmt.Sprint(t.First.N)
		}
		if !t.Scored {
			row[0] += " *"
			note = "* too few packets that A accepts to count for the mean: under 3, or under 0.5 %"
		}
		rows = append(rows, row)
	}
	return rows, note
}

func scoreText(b []byte, s *cuts.Score, n Names) []byte {
	say := func(text string) { b = append(syntax.AppendEscaped(b, text), '\n') }
	for i, name := range []string{n.A, n.B} {
		say(fmt.Sprintf("%c is %s: accepts %s of %s of %s", 'A'+i, name, table.Grouped(s.Accepted[i]), table.Count(s.Packets, "packet"), n.Capture))
	}
	for _, line := range scoreLines(s) {
		say(line)
	}
	t := table.New(scoreTitles...)
	t.Left(0)
	rows, note := scoreRows(s)
	t.Note = note
	for _, row := range rows {
		row[0] = syntax.EscapeText(row[0])
		t.Row(row...)
	}
	if len(rows) > 0 {
		b = append(b, '\n')
	}
	const cells = 120
	return t.Append(b, cells, table.Paint{}, table.Paint{})
}

func scoreMarkdown(b []byte, s *cuts.Score, n Names) []byte {
	say := func(format string, args ...any) { b = append(fmt.Appendf(b, format, args...), '\n') }
	say("### %s → %s over %s\n", code(n.A), code(n.B), code(n.Capture))
	for i, name := range []string{n.A, n.B} {
		say("- %c is %s: accepts %s of %s", 'A'+i, code(name), table.Grouped(s.Accepted[i]), table.Count(s.Packets, "packet"))
	}
	for _, line := range scoreLines(s) {
		say("- %s", code(line))
	}
	line := func(cells []string) {
		for _, cell := range cells {
			b = append(append(b, "| "...), cell...)
			b = append(b, ' ')
		}
		b = append(b, "|\n"...)
	}
	rows, note := scoreRows(s)
	if len(rows) == 0 {
		return b
	}
	say("")
	line(scoreTitles)
	rule := make([]string, len(scoreTitles))
	for i := range rule {
		rule[i] = "---:"
	}
	rule[0] = "---"
	line(rule)
	for _, row := range rows {
		row[0] = code(row[0])
		line(row)
	}
	if note != "" {
		say("\n\\%s", note)
	}
	return b
}

// The objects of scoreJSON.
type (
	jsonScore struct {
		SchemaVersion int             `json:"schema_version"`
		Kind          string          `json:"kind"`
		Capture       string          `json:"capture"`
		A             string          `json:"a"`
		B             string          `json:"b"`
		Packets       int64           `json:"packets"`
		AcceptedA     int64           `json:"accepted_a"`
		AcceptedB     int64           `json:"accepted_b"`
		Differ        int64           `json:"verdicts_differ"`
		First         *jsonDifference `json:"first_difference,omitempty"`
		Scored        int             `json:"scored_types"`
		Precision     float64         `json:"precision"`
		Recall        float64         `json:"recall"`
		F1            float64         `json:"f1"`
		Exact         float64         `json:"exact"`
		Types         []jsonType      `json:"types"`
	}
	jsonType struct {
		Type      string          `json:"type"`
		Packets   int64           `json:"packets"`
		AcceptedA int64           `json:"accepted_a"`
		AcceptedB int64           `json:"accepted_b"`
		Differ    int64           `json:"verdicts_differ"`
		First     *jsonDifference `json:"first_difference,omitempty"`
		Scored    bool            `json:"scored"`
		CutsA     uint64          `json:"boundaries_a"`
		CutsB     uint64          `json:"boundaries_b"`
		Common    uint64          `json:"boundaries_common"`
		Fields    uint64          `json:"fields_a"`
		Same      uint64          `json:"fields_exact"`
	}
	jsonDifference struct {
		N        int64  `json:"n"`
		Type     string `json:"type"`
		VerdictA string `json:"verdict_a"`
		VerdictB string `json:"verdict_b"`
		WhyA     string `json:"why_a,omitempty"`
		WhyB     string `json:"why_b,omitempty"`
	}
)

func differenceJSON(d *cuts.Difference) *jsonDifference {
	if d == nil {
		return nil
	}
	return &jsonDifference{d.N, d.Type, d.Verdicts[0].String(), d.Verdicts[1].String(), d.Why[0], d.Why[1]}
}

func scoreJSON(b []byte, s *cuts.Score, n Names) []byte {
	out := jsonScore{1, "schema-diff-on", n.Capture, n.A, n.B, s.Packets, s.Accepted[0], s.Accepted[1], s.Differ, differenceJSON(s.First),
		s.Scored, s.Precision, s.Recall, s.F1, s.Exact, []jsonType{}}
	for i := range s.Types {
		t := &s.Types[i]
		out.Types = append(out.Types, jsonType{t.Name, t.Packets, t.Accepted[0], t.Accepted[1], t.Differ, differenceJSON(t.First), t.Scored,
			t.Boundaries[0], t.Boundaries[1], t.Common, t.Fields, t.Same})
	}
	return appendObject(b, out)
}
