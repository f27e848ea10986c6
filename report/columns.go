package report

import (
	"bytes"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
)

// ColumnFormat is how a row of columns is written.
type ColumnFormat uint8

// The formats.
const (
	// CSV is RFC 4180 with lines ended by LF: cells between commas, in quotes where they need them, under a header.
	CSV ColumnFormat = iota
	// Fields is cells between tabs, without a header and without quotes.
	Fields
)

// Columns renders packets of one plan as rows of chosen fields. A cell holds its value as JSON has it, without quotes:
// numbers, names, hexadecimal, text; flags are joined by `|`, the elements of a path with `[*]` by `;`, and so are the
// messages that a packet brings, in columns of `msg.`. What a packet does not have is an empty cell; a @secret field is a
// mask. Not for two goroutines at once.
//
// The text of a packet is escaped: what a terminal would obey as AppendQuoted does it, and `\` and `;`, so that no text
// passes for another or for two elements. A text that a spreadsheet would take for a formula, or a CI system for a
// command, gets an apostrophe in front, and so does one that begins with an apostrophe; numbers stay what they are.
// Both formats need this: a spreadsheet pastes cells between tabs from the clipboard.
type Columns struct {
	spill  spill
	cells  []column
	format ColumnFormat
	stamp  stamp
	text   []byte // of the cell at hand, before it is escaped
	cell   []byte

	// Of a column that can be a secret's.
	masks   func(*decode.Event) bool // shown, made once
	present bool
	trace   *decode.Trace
}

// column is one of the envelope (envelope ≠ nil), one of the packet's fields, one of the messages that it brings
// (sections ≠ nil), or one that this plan's packets never have.
type column struct {
	envelope func(*Columns, *scan.Packet)
	fields   *filter.Selector
	sections []*filter.Selector           // of each section, nil of one without such a field
	message  func(*Columns, *scan.Packet) // of messages of the others; nil without
}

// NewColumns makes a renderer of such paths as filter.EnvelopePaths and filter.Paths list; `$env.` in front makes a
// field of a path that is a name of the envelope. errs has an error for each path that packets of p never have, nil for
// the others; the column of such a path stays empty.
func NewColumns(p *plan.Plan, paths []string, format ColumnFormat) (c *Columns, errs []error) {
	c = &Columns{format: format, stamp: newStamp(jsonTime, time.UTC)}
	c.masks = c.shown
	errs = make([]error, len(paths))
	for i, path := range paths {
		var col column
		field, inside := strings.CutPrefix(path, "$env.")
		if name, ok := strings.CutPrefix(path, "msg."); ok && len(p.Sections) > 0 {
			col.sections, col.message, errs[i] = messageColumn(p, name)
		} else if col.envelope = envelopeColumns[path]; col.envelope == nil || inside {
			col.fields, errs[i] = filter.NewSelector(p, field)
			if errs[i] != nil {
				col.fields = nil
				errs[i] = unknownColumn(path, errs[i])
			}
		}
		c.cells = append(c.cells, col)
	}
	return c, errs
}

// unknownColumn is err, with the nearest name of the envelope where the path begins like one.
func unknownColumn(path string, err error) error {
	scope, _, dotted := strings.Cut(path, ".")
	e, ok := err.(*filter.Error)
	if !ok || !dotted || scope != "pkt" && scope != "reject" {
		return err
	}
	var names []string
	for _, known := range filter.EnvelopePaths() {
		if strings.HasPrefix(known.Path, scope+".") {
			names = append(names, known.Path)
		}
	}
	made := *e
	made.Diagnostic.Fix = "there are " + strings.Join(names, ", ")
	if best := syntax.Suggest(path, names); best != "" {
		made.Diagnostic.Fix = "did you mean `" + best + "`?"
	}
	return &made
}

// CSVHeader is the line of CSV that names the columns of paths.
func CSVHeader(paths []string) (b []byte) {
	c := Columns{format: CSV}
	for i, path := range paths {
		if i > 0 {
			b = append(b, ',')
		}
		c.cell = syntax.AppendEscaped(c.cell[:0], path)
		b = c.quoted(b, false)
	}
	return append(b, '\n')
}

// Append appends the packet's row and a newline. The packet's trace is one of the renderer's plan.
func (c *Columns) Append(b []byte, p *scan.Packet) []byte {
	for i := range c.cells {
		if i > 0 {
			b = append(b, [...]byte{CSV: ',', Fields: '\t'}[c.format])
		}
		c.cell = c.cell[:0]
		present := false
		switch col := &c.cells[i]; {
		case col.envelope != nil:
			col.envelope(c, p)
		case col.sections != nil:
			present = c.messages(col, p)
		case col.fields != nil:
			present = c.field(col.fields, p.Trace, false)
		}
		if c.format == CSV {
			b = c.quoted(b, present)
		} else {
			b = append(b, c.cell...)
		}
		b = c.spill.over(b)
	}
	return append(b, '\n')
}

// field appends the values of a field to the cell; present says that it has some already, which it returns as well.
func (c *Columns) field(s *filter.Selector, t *decode.Trace, present bool) bool {
	if s.Secret() || t.EndsEarly() {
		c.present, c.trace = present, t
		s.Show(t, c.masks)
		return c.present
	}
	for ev := range s.Each(t) {
		if present {
			c.cell = append(c.cell, ';')
		}
		present = true
		c.value(t, ev)
	}
	return present
}

func (c *Columns) shown(ev *decode.Event) bool {
	if c.present {
		c.cell = append(c.cell, ';')
	}
	c.present = true
	c.value(c.trace, ev)
	return true
}

// Write writes what Append appends, a cell at a time where they are large: a row is 50 times its packet at worst, once
// for each column.
func (c *Columns) Write(w io.Writer, p *scan.Packet) error {
	return c.spill.write(w, func(b []byte) []byte { return c.Append(b, p) })
}

// quoted appends the cell, in quotes where RFC 4180 wants them, where spaces might be trimmed off it, and where it is
// text without characters, which is not the same as nothing.
func (c *Columns) quoted(b []byte, present bool) []byte {
	n := len(c.cell)
	if n == 0 && !present || n > 0 && c.cell[0] != ' ' && c.cell[n-1] != ' ' && !slices.ContainsFunc(c.cell, func(c byte) bool { return c == '"' || c == ',' }) {
		return append(b, c.cell...)
	}
	b = append(b, '"')
	for _, char := range c.cell {
		if char == '"' {
			b = append(b, '"')
		}
		b = append(b, char)
	}
	return append(b, '"')
}

// value appends one field's value to the cell.
func (c *Columns) value(t *decode.Trace, ev *decode.Event) {
	if ev.Kind == decode.Masked {
		c.cell = decode.AppendMask(c.cell, ev.Width)
		return
	}
	switch v := t.Value(ev); v.Form() {
	case decode.FormText:
		c.text = append(c.text[:0], v.Bytes()...)
		c.flush()
	case decode.FormHex: // a checksum is a number here
		c.cell = v.AppendNumber(c.cell)
	default:
		c.cell = v.AppendText(c.cell)
	}
}

// word appends text that is the program's own or an identifier of a schema.
func (c *Columns) word(s string) { c.cell = append(c.cell, s...) }

func (c *Columns) number(n int64) { c.cell = strconv.AppendInt(c.cell, n, 10) }

// flush appends what c.text holds to the cell, escaped and not as a formula. Without quotes the spaces in front may be
// trimmed off, and then it is what follows them that must be none.
func (c *Columns) flush() {
	start := c.text
	if c.format == Fields {
		start = bytes.TrimLeft(start, " ")
	}
	if len(start) > 0 && isCommand(start) {
		c.cell = append(c.cell, '\'')
	}
	c.cell = appendCellText(c.cell, c.text)
}

// envelopeColumns are the columns that do not come from the payload. Their names are filter.EnvelopePaths'.
var envelopeColumns = map[string]func(*Columns, *scan.Packet){
	"case": func(c *Columns, p *scan.Packet) {
		if p.Trace.HasTag {
			c.cell = AppendCase(c.cell, p.Trace)
		}
	},
	"notes":         (*Columns).notes,
	"pkt.n":         func(c *Columns, p *scan.Packet) { c.number(p.N) },
	"pkt.file":      func(c *Columns, p *scan.Packet) { c.text = append(c.text[:0], p.File...); c.flush() },
	"pkt.time":      (*Columns).time,
	"pkt.src":       func(c *Columns, p *scan.Packet) { c.address(p.Src) },
	"pkt.dst":       func(c *Columns, p *scan.Packet) { c.address(p.Dst) },
	"pkt.src_ip":    func(c *Columns, p *scan.Packet) { c.ip(p.Src) },
	"pkt.dst_ip":    func(c *Columns, p *scan.Packet) { c.ip(p.Dst) },
	"pkt.src_port":  func(c *Columns, p *scan.Packet) { c.port(p.Src) },
	"pkt.dst_port":  func(c *Columns, p *scan.Packet) { c.port(p.Dst) },
	"pkt.direction": func(c *Columns, p *scan.Packet) { c.word(p.Trace.From.String()) },
	"pkt.protocol":  func(c *Columns, p *scan.Packet) { c.word(p.Trace.Plan.Schema.Name) },
	"pkt.bits":      func(c *Columns, p *scan.Packet) { c.number(int64(p.Bits())) },
	"pkt.verdict":   func(c *Columns, p *scan.Packet) { c.word(p.Verdict().String()) },
	"pkt.rejected":  func(c *Columns, p *scan.Packet) { c.cell = strconv.AppendBool(c.cell, p.Verdict() == decode.Refused) },
	"pkt.accepted":  func(c *Columns, p *scan.Packet) { c.cell = strconv.AppendBool(c.cell, p.Verdict() == decode.Accepted) },
	"pkt.context":   func(c *Columns, p *scan.Packet) { c.cell = strconv.AppendBool(c.cell, p.NeedsContext()) },
	"pkt.cut":       func(c *Columns, p *scan.Packet) { c.cell = strconv.AppendBool(c.cell, p.Verdict() == decode.Cut) },
	"reject.kind": func(c *Columns, p *scan.Packet) {
		if p.Verdict() == decode.Refused {
			c.word(p.Trace.Reject().Kind.String())
		}
	},
	"reject.path": func(c *Columns, p *scan.Packet) {
		if p.Verdict() == decode.Refused {
			c.cell = p.Trace.Reject().AppendShownPath(c.cell)
		}
	},
	"reject.bit": func(c *Columns, p *scan.Packet) {
		if p.Verdict() == decode.Refused {
			c.place(int(saved.ShownBit(p.Trace.Reject())))
		}
	},
	"reject.width": func(c *Columns, p *scan.Packet) {
		if p.Verdict() == decode.Refused {
			c.place(int(saved.ShownWidth(p.Trace.Reject())))
		}
	},
	"reject.want": func(c *Columns, p *scan.Packet) {
		if p.Verdict() == decode.Refused {
			c.told(p.Trace.AppendWant(c.text[:0], p.Trace.Reject()), p)
		}
	},
	"reject.got": func(c *Columns, p *scan.Packet) {
		if p.Verdict() == decode.Refused {
			c.told(p.Trace.AppendGot(c.text[:0], p.Trace.Reject()), p)
		}
	},
}

// place appends a bit or a width.
func (c *Columns) place(n int) {
	if n == decode.Hidden {
		c.cell = decode.AppendMask(c.cell, n)
		return
	}
	c.number(int64(n))
}

// told appends what a reject wants or got: a number as it is, all else as text.
func (c *Columns) told(text []byte, p *scan.Packet) {
	c.text = appendSized(nil, text, p.Trace.Reject().ShownWidth())
	if isNumber(c.text) {
		c.cell = append(c.cell, c.text...)
		return
	}
	c.flush()
}

// notes appends the kinds of the notes.
func (c *Columns) notes(p *scan.Packet) {
	if p.Notes() == 0 {
		return
	}
	for n := range p.ShownNotes() {
		if len(c.cell) > 0 {
			c.word(";")
		}
		c.word(n.Kind.String())
	}
	if left := p.Trace.ShownLeft(); left > 0 {
		c.cell = fmt.Appendf(c.cell, ";and %d more", left)
	}
}

func (c *Columns) time(p *scan.Packet) {
	if p.HasTime() {
		c.cell = c.stamp.append(c.cell, p.Time)
	}
}

func (c *Columns) address(a netip.AddrPort) {
	if a.IsValid() {
		c.cell = a.AppendTo(c.cell)
	}
}

func (c *Columns) ip(a netip.AddrPort) {
	if a.IsValid() {
		c.cell = a.Addr().AppendTo(c.cell)
	}
}

func (c *Columns) port(a netip.AddrPort) {
	if a.IsValid() {
		c.number(int64(a.Port()))
	}
}
