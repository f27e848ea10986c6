package report

import (
	"github.com/fatih/color"

	"github.com/pktscope/pktscope/report/internal/table"
)

// style is the colours of text. They are the terminal's own eight, without white and black, so they can be read on dark
// and on light; what a colour says, a word says too.
type style struct {
	dim, client, server, name, kind, accept, refused, note, secret table.Paint
}

func newStyle(colour bool) style {
	return style{
		dim:     table.NewPaint(colour, color.Faint),
		client:  table.NewPaint(colour, color.FgCyan),
		server:  table.NewPaint(colour, color.FgMagenta),
		name:    table.NewPaint(colour, color.FgCyan),
		kind:    table.NewPaint(colour, color.Bold),
		accept:  table.NewPaint(colour, color.FgGreen),
		refused: table.NewPaint(colour, color.FgRed, color.Bold),
		note:    table.NewPaint(colour, color.FgYellow),
		secret:  table.NewPaint(colour, color.FgMagenta),
	}
}
