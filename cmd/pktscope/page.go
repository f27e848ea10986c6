package main

import (
	"io"

	"github.com/pktscope/pktscope/report/page"
)

// result is where a command writes what it found: to itself, or for -T html what makes a page of the JSON that it is
// given. It has to be closed. inputs are the captures.
func result(to io.Writer, format, title string, inputs ...string) io.WriteCloser {
	if format == "html" {
		return page.NewResult(to, title, version(), inputs...)
	}
	return unclosed{to}
}

// unclosed is a writer that others close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
