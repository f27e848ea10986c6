package results

import (
	_ "embed"
	"strings"

	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/budget"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/stats"
)

//go:embed results.schema.json
var schemaFrame string

// Schema is the JSON Schema of all that is saved: the definitions of the packages whose objects they are, in one
// document.
func Schema() string {
	const open, end = "  \"$defs\": {\n", "\n  }\n}\n"
	var defs []string
	for _, doc := range []string{saved.Schema, report.SavedSchema, rejects.Schema, stats.Schema, budget.Schema} {
		_, body, _ := strings.Cut(doc, open)
		defs = append(defs, strings.TrimSuffix(body, end))
	}
	frame, _, _ := strings.Cut(schemaFrame, open)
	return frame + open + strings.Join(defs, ",\n") + strings.TrimSuffix(end, "\n")
}
