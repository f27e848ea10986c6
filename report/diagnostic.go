package report

import (
	"github.com/fatih/color"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// AppendDiagnostics appends what a schema's check found, as Diagnostic.AppendText does, with colour if so told: red and
// `error`, yellow and `warning`, green carets and `help`. file is shown as given, src is the source that was checked.
func AppendDiagnostics(b []byte, file string, src []byte, list []schema.Diagnostic, colour bool) []byte {
	for i := range list {
		b = appendDiagnostic(b, file, src, &list[i], colour)
	}
	return b
}

func appendDiagnostic(b []byte, file string, src []byte, d *schema.Diagnostic, colour bool) []byte {
	if !colour {
		return d.AppendText(b, file, src)
	}
	bold := newPaint(true, color.Bold)
	severity := newPaint(true, color.FgRed, color.Bold)
	if d.Severity == schema.Warning {
		severity = newPaint(true, color.FgYellow, color.Bold)
	}
	help := newPaint(true, color.FgGreen, color.Bold)
	place := string(syntax.AppendLineStart(nil, file))
	if d.Pos.IsValid() {
		place += ":" + d.Pos.String()
	}
	b = bold.append(b, place+":")
	b = severity.append(append(b, ' '), d.Severity.String()+":")
	b = syntax.AppendEscaped(append(b, ' '), d.Message)
	b = append(b, '\n')
	if line, carets := d.Excerpt(src); carets != "" {
		b = append(append(b, line...), '\n')
		b = append(help.append(b, carets), '\n')
	}
	if d.Fix != "" {
		b = help.append(b, "help:")
		b = syntax.AppendEscaped(append(b, ' '), d.Fix)
		b = append(b, '\n')
	}
	return b
}
