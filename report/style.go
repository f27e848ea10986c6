package report

import (
	"strings"

	"github.com/fatih/color"
)

// paint is a colour as the bytes around the text; both are "" without colour, so a renderer is the same with and without.
type paint struct{ on, off string }

// newPaint takes the codes from the colour library, told whether to use them: its own guess about the terminal and the
// environment is never asked here.
func newPaint(colour bool, attrs ...color.Attribute) paint {
	c := color.New(attrs...)
	if !colour {
		return paint{}
	}
	c.EnableColor()
	on, off, _ := strings.Cut(c.Sprint("\x00"), "\x00")
	return paint{on, off}
}

func (p paint) append(b []byte, s string) []byte {
	return append(append(append(b, p.on...), s...), p.off...)
}

// style is the colours of text. They are the terminal's own eight, without white and black, so they can be read on dark
// and on light; what a colour says, a word says too.
type style struct {
	dim, client, server, name, kind, accept, refused, note, secret paint
}

func newStyle(colour bool) style {
	return style{
		dim:     newPaint(colour, color.Faint),
		client:  newPaint(colour, color.FgCyan),
		server:  newPaint(colour, color.FgMagenta),
		name:    newPaint(colour, color.FgCyan),
		kind:    newPaint(colour, color.Bold),
		accept:  newPaint(colour, color.FgGreen),
		refused: newPaint(colour, color.FgRed, color.Bold),
		note:    newPaint(colour, color.FgYellow),
		secret:  newPaint(colour, color.FgMagenta),
	}
}
