package table

import (
	"strings"

	"github.com/fatih/color"
)

// Paint is a colour as the bytes around a text. The zero Paint adds none, so a renderer is the same with and without
// colour.
type Paint struct{ On, Off string }

// NewPaint takes the codes from the colour library. The caller decides about colour: the library's own guess about the
// terminal and the environment is never asked.
func NewPaint(colour bool, attrs ...color.Attribute) Paint {
	if !colour {
		return Paint{}
	}
	c := color.New(attrs...)
	c.EnableColor()
	on, off, _ := strings.Cut(c.Sprint("\x00"), "\x00")
	return Paint{on, off}
}

// Append appends the text in its colour.
func (p Paint) Append(b []byte, s string) []byte {
	return append(append(append(b, p.On...), s...), p.Off...)
}
