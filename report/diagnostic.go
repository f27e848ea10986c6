package report

import (
	"fmt"

	"github.com/fatih/color"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/internal/table"
)

// AppendDiagnostics appends what a schema's check found in its files, as Diagnostic.AppendText does, with colour if so
// told: red and `error`, yellow and `warning`, green carets and `help`. The names of the files are shown as given.
func AppendDiagnostics(b []byte, d *schema.Diagnostics, colour bool) []byte {
	for _, one := range d.List {
		f, local := d.Files.Local(one)
		b = appendDiagnostic(b, f.Name, f.Src, &local, colour)
	}
	return b
}

func appendDiagnostic(b []byte, file string, src []byte, d *schema.Diagnostic, colour bool) []byte {
	if !colour {
		return d.AppendText(b, file, src)
	}
	bold := table.NewPaint(true, color.Bold)
	severity := table.NewPaint(true, color.FgRed, color.Bold)
	if d.Severity == schema.Warning {
		severity = table.NewPaint(true, color.FgYellow, color.Bold)
	}
	help := table.NewPaint(true, color.FgGreen, color.Bold)
	place := string(syntax.AppendLineStart(nil, file))
	if d.Pos.IsValid() {
		place += ":" + d.Pos.String()
	}
	b = bold.Append(b, place+":")
	b = severity.Append(append(b, ' '), d.Severity.String()+":")
	b = syntax.AppendEscaped(append(b, ' '), d.Message)
	b = append(b, '\n')
	if line, carets := d.Excerpt(src); carets != "" {
		b = append(append(b, line...), '\n')
		b = append(help.Append(b, carets), '\n')
	}
	if d.Fix != "" {
		b = help.Append(b, "help:")
		b = syntax.AppendEscaped(append(b, ' '), d.Fix)
		b = append(b, '\n')
	}
	return b
}

// AppendErrorCount appends a line with the number of errors among what a check found; nothing for less than two, which
// are counted at a glance.
func AppendErrorCount(b []byte, file string, list []schema.Diagnostic) []byte {
	var errors int64
	for _, d := range list {
		if d.Severity == schema.Error {
			errors++
		}
	}
	if errors < 2 {
		return b
	}
	b = syntax.AppendEscaped(b, file)
	return fmt.Appendf(b, ": %s\n", syntax.Count(errors, "error"))
}

// AppendBounds appends a line with what a check of a schema without errors proved: the sizes of its packets, and the
// most fields and steps that any datagram takes.
func AppendBounds(b []byte, file string, p *plan.Plan) []byte {
	b = append(syntax.AppendEscaped(b, file), ": ok: protocol "...)
	b = appendBound(append(b, p.Schema.Name...), &p.Bound)
	for _, section := range p.Sections {
		b = appendBound(append(append(b, "    message "...), section.Schema.Message.Name...), &section.Bound)
		if section.Schema.MaxDatagram > schema.MaxUDPPayload {
			b = fmt.Appendf(b[:len(b)-1], "; of %d bytes with --section\n", schema.MaxUDPPayload)
		}
	}
	return b
}

func appendBound(b []byte, of *plan.Bound) []byte {
	return fmt.Appendf(b, ": at least %d bytes; at most %d bytes, %d fields, %d steps\n",
		(of.MinBits+7)/8, (of.MaxBits+7)/8, of.MaxFields, of.MaxSteps)
}
