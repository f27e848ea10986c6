package report

import (
	"fmt"
	"io"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/report/scan"
)

// A Renderer renders packets of one plan in one form. It is for one goroutine.
type Renderer interface {
	// Append appends a packet.
	Append(b []byte, p *scan.Packet) []byte
	// Write writes what Append appends, in pieces: the rendering of a large packet can be hundreds of times its size.
	Write(w io.Writer, p *scan.Packet) error
}

// A Format is a form of `decode -T`: a row of Formats.
type Format struct {
	Word string
	Help string // beside the word in a list of formats, "" for nothing
	// Conflicts says what options do not go with the form and what to do about it, "" where all do.
	Conflicts func(*FormatOptions) string
	New       func(*plan.Plan, *FormatOptions) Renderer
	// Header is what comes before the first packet, once for packets of several plans; nil for nothing.
	Header func(*FormatOptions) []byte
}

// FormatOptions are what a user chooses beside the form.
type FormatOptions struct {
	TextOptions
	Tree  bool     // every field
	Bits  bool     // every bit
	Paths []string // of columns; see NewColumns
}

// Formats are the forms of packets; the first is the default. A new form is a row here, and a file with its Renderer.
var Formats = []Format{
	{"text", "", textConflicts, newTextView, nil},
	{"json", "see pktscope help json", jsonConflicts, func(p *plan.Plan, _ *FormatOptions) Renderer { return NewJSON(p) }, nil},
	{"csv", "", columnConflicts("csv"), newColumnView(CSV), func(o *FormatOptions) []byte { return CSVHeader(o.Paths) }},
	{"fields", "", columnConflicts("fields"), newColumnView(Fields), nil},
}

// FormatOf is the row of a word; nil where there is none.
func FormatOf(word string) *Format {
	for i := range Formats {
		if Formats[i].Word == word {
			return &Formats[i]
		}
	}
	return nil
}

const pathsConflict = "-e is a column of -T csv or -T fields: name one of them"

func textConflicts(o *FormatOptions) string {
	if len(o.Paths) > 0 {
		return pathsConflict
	}
	return ""
}

// timeConflict is of forms whose times are always the same; "" where -t does not ask for another.
func timeConflict(o *FormatOptions, word string) string {
	if timeForm(o.Time) == &TimeForms[0] {
		return ""
	}
	return "-t is of text: leave it out, or -T " + word + ", whose times are UTC with the date"
}

func jsonConflicts(o *FormatOptions) string {
	if text := timeConflict(o, "json"); text != "" {
		return text
	}
	switch {
	case o.Tree:
		return "-V is a text view: leave out -V or -T json, which has every field"
	case o.Bits:
		return "-x is a text view: leave out -x or -T json"
	}
	return textConflicts(o)
}

func columnConflicts(word string) func(*FormatOptions) string {
	return func(o *FormatOptions) string {
		if text := timeConflict(o, word); text != "" {
			return text
		}
		switch {
		case o.Tree || o.Bits:
			return "-V and -x are text views: leave them out, or -T " + word
		case len(o.Paths) == 0:
			return fmt.Sprintf("-T %s needs -e PATH for each column, such as -e pkt.n -e case", word)
		}
		return ""
	}
}

// newColumnView makes rows. A path that the plan's packets never have is an empty column: NewColumns says which.
func newColumnView(format ColumnFormat) func(*plan.Plan, *FormatOptions) Renderer {
	return func(p *plan.Plan, o *FormatOptions) Renderer {
		c, _ := NewColumns(p, o.Paths, format)
		return c
	}
}

// textView is packets for eyes: a line each, or a tree, and the dump below it.
type textView struct {
	text *Text
	tree bool
	dump *Dump  // nil without
	b    []byte // of a line
}

func newTextView(p *plan.Plan, o *FormatOptions) Renderer {
	v := &textView{text: NewText(p, o.TextOptions), tree: o.Tree}
	if o.Bits {
		v.dump = NewDump(p, o.TextOptions)
	}
	return v
}

// Append appends the packet's line or tree, and its dump.
func (t *textView) Append(b []byte, p *scan.Packet) []byte {
	if t.tree {
		b = t.text.AppendTree(b, p)
	} else {
		b = t.text.AppendLine(b, p)
	}
	if t.dump != nil {
		b = t.dump.Append(b, p)
	}
	return b
}

// Write writes what Append appends, in pieces.
func (t *textView) Write(w io.Writer, p *scan.Packet) (err error) {
	if t.tree {
		err = t.text.WriteTree(w, p)
	} else {
		t.b = t.text.AppendLine(t.b[:0], p)
		_, err = w.Write(t.b)
	}
	if t.dump != nil && err == nil {
		err = t.dump.Write(w, p)
	}
	return err
}
