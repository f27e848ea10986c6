package report

import (
	"io"
	"unicode/utf8"

	"github.com/fatih/color"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/scan"
)

// The ruler: the bits of one packet as numbers are written, each field with a label and a colour under its bits, and
// below a legend of what each label is.
//
//	byte msb: from the left; bit 7 of a byte comes first
//	     +0       +1       +2       +3       +4       +5       +6       +7
//	   0 00000000 01100001 00000000 00000001 00000000 00000000 00000001 10001011
//	     a─ type ────────┘ b─ sequence_num ┘ c─ timestamp ──────────────────────
//
//	   a    0+16   type  0x0061  PlayerInput  15 cases, 65521 unused
//
// Rows run the way that keeps a number readable, its highest bit at the left: in order lsb from right to left, else
// from left to right. The bousk order has no such way, nor has a number whose bytes run the other way: their legend
// says which bit of the code is where.
//
// A legend stands below as many rows as have a screenful of fields, so that what waits in memory is bounded.
const (
	blockRows   = 8
	blockFields = 14
	asideFields = 64
	explainKeys = 62 // letters and digits of dumpKeys
	// explainIndent is the cells before a path in the legend.
	explainIndent = 4 + bitColumn + 1 + widthColumn
	offsetColumn  = 5 // a row's first byte: 65506 at most
)

// ExplainOptions say what is drawn of a packet, and how wide.
type ExplainOptions struct {
	TextOptions
	// Width is the terminal's, in cells; 80 when it is 0. What is below MinExplainWidth is taken for that.
	Width int
	// First and Last bound the bits that are drawn, both included; all of them where Last is below First.
	First, Last int
	// Field names the field that is drawn, with what is in it: body.players[2] or body.players[*].x; "" is all.
	Field string
	// Pieces are what a message came in, whose borders are told; of a packet there are none.
	Pieces []decode.MessagePiece
}

// MinExplainWidth is the narrowest ruler, in cells: four bytes a row.
const MinExplainWidth = 48

// Explain draws packets of one plan as rulers. Not for two goroutines at once.
type Explain struct {
	walk   Dump // tells the pieces of a packet one after the other
	opts   ExplainOptions
	bytes  int // of a row
	hues   []table.Paint
	leaves map[[2]int]allowed // by leaf and width

	rows    []rulerRow // of the block at hand; the last is being filled
	fields  []legendField
	texts   []byte
	keys    int // labels given
	drawn   wire.Order
	headed  bool // the order in which rows are drawn has been said
	shown   bool // something was drawn
	legends int
	missed  bool // some field was not asked for
}

// legendField is what a label stands for; the texts end at these places of texts.
type legendField struct {
	key                               rune
	hue                               int
	bit, width                        int
	start, path, code, value, allowed int
	refused                           bool
}

// NewExplain makes a renderer for packets decoded by p.
func NewExplain(p *plan.Plan, opts ExplainOptions) *Explain {
	if opts.Width == 0 {
		opts.Width = dumpLineEnd
	}
	opts.Width = max(opts.Width, MinExplainWidth)
	x := &Explain{walk: *NewDump(p, opts.TextOptions), opts: opts, leaves: map[[2]int]allowed{}}
	x.walk.yield, x.walk.draw, x.walk.aside = x.walk.event, x.draw, x.aside
	// A row is 6 cells, and 9 for a byte but for the space after the last.
	x.bytes = min((opts.Width-offsetColumn)/9&^3, 32)
	for _, hue := range []color.Attribute{color.FgCyan, color.FgYellow, color.FgGreen, color.FgMagenta, color.FgBlue} {
		x.hues = append(x.hues, table.NewPaint(opts.Colour, hue))
	}
	return x
}

// Write draws the packet, whose trace is one of the renderer's plan. It writes in pieces and keeps little in memory,
// however long the packet is. What it returns is the writer's error, and whether the packet has what the options ask
// for.
func (e *Explain) Write(w io.Writer, p *scan.Packet) (found bool, err error) {
	err = e.walk.spill.write(w, func(b []byte) []byte { return e.Append(b, p) })
	return e.shown, err
}

// Append is Write to memory.
func (e *Explain) Append(b []byte, p *scan.Packet) []byte {
	d := &e.walk
	t := p.Trace
	if t.Plan != d.plan {
		panic("pktscope: internal error: a ruler got a packet of another plan")
	}
	e.keys, e.headed, e.shown, e.legends, e.missed = 0, false, false, 0, false
	d.trace, d.packet, d.at, d.order, d.ev = t, p, 0, d.plan.Order, nil
	d.marked, d.pending = false, false
	d.empty = emptySlots{}
	d.out = e.head(b, p)
	t.Show(d.yield)
	d.endSlots()
	d.explainTail()
	e.flush()
	b = e.verdict(d.out, p)
	d.out, d.trace, d.packet = nil, nil, nil
	return b
}

// head says which packet it is.
func (e *Explain) head(b []byte, p *scan.Packet) []byte {
	if p.N == 0 { // it came from nowhere but the command line
		return b
	}
	return append(appendBorders(e.walk.text.head(b, p), e.opts.Pieces), '\n')
}

// verdict says how the packet ended, after what was read of it.
func (e *Explain) verdict(b []byte, p *scan.Packet) []byte {
	d, t := &e.walk, p.Trace
	b = append(b, '\n')
	switch p.Verdict() {
	case decode.Refused:
		b = append(d.text.refused.Append(b, "▲ reject"), ' ')
		b = append(d.text.rejectLine(b, t), '\n')
	case decode.NeedsContext:
		b = d.text.needs(append(b, "▲ "...), &p.Envelope, t)
		b = append(d.text.rejectLine(append(b, "; "...), t), '\n')
	case decode.Cut:
		b = append(d.text.note.Append(b, "▲ cut"), " by the capture, which kept "...)
		b = append(syntax.AppendCount(b, len(t.Payload), "byte"), '\n')
	default:
		b = d.text.accept.Append(b, "accept")
		b = append(b, ", "...)
		b = append(syntax.AppendCount(b, len(t.Payload), "byte"), '\n')
	}
	if !p.Stopped() {
		b = d.text.notes(b, p)
	}
	return b
}

// draw takes one piece: the bits from..to, what it is, and whether they may be shown.
func (e *Explain) draw(from, to int, hide bool, say func([]byte) ([]byte, int, int)) {
	d := &e.walk
	e.rowOf(from, d.order) // may end a block, whose texts go
	f := legendField{bit: from, width: to - from, start: len(e.texts)}
	e.texts, f.path, f.code = say(e.texts)
	f.value = len(e.texts)
	path := e.texts[f.start:f.path]
	wanted := e.opts.selects(from, to, path, hide)
	f.refused = d.refusedPiece(from, path)
	plain := d.ev == nil && (string(path) == padding || string(path) == notRead || string(path) == maskedBits)
	s := stripe{order: d.order, hide: hide, hue: dimHue, first: true, name: append(d.name[:0], lastName(path)...)}
	d.name = s.name
	if wanted {
		s.key = rune(dumpKeys[e.keys%explainKeys])
		if !plain {
			s.hue = e.keys % len(e.hues)
		}
		e.keys++
		f.key, f.hue = s.key, s.hue
		e.texts = e.addUnit(e.texts, d.ev)
		f.value = len(e.texts)
		if !hide {
			e.texts = e.rules(e.texts, d.ev)
		}
		f.allowed = len(e.texts)
		e.shown = true
	} else {
		e.texts = e.texts[:f.start]
		e.missed = true
	}

	narrow := e.opts.Last >= e.opts.First
	skip := from + dumpKeep // a row that begins here or later may be left out
	for bit := from; bit < to; {
		row := e.rowOf(bit, s.order)
		if n := (to - 1 - row.first) / 8 / e.bytes; !narrow && bit == row.first && bit >= skip && n > 0 {
			bit = e.leaveOut(bit, n*e.bytes*8, s.name, wanted)
			continue
		}
		if wanted && s.first {
			e.fields = append(e.fields, f)
		}
		end := min(to, row.first+8*e.bytes)
		s.last = end == to
		e.stripe(row, bit, end, &s, wanted)
		s.first = false
		bit = end
	}
}

// aside says in the legend what a field is whose bits are not drawn by themselves.
func (e *Explain) aside(bit, width int, hide bool, say func([]byte) ([]byte, int, int)) {
	d := &e.walk
	if len(e.fields) >= asideFields {
		e.flush()
	}
	f := legendField{key: ' ', hue: noHue, bit: bit, width: width, start: len(e.texts)}
	e.texts, f.path, f.code = say(e.texts)
	f.value = len(e.texts)
	if !e.opts.selects(bit, bit+1, e.texts[f.start:f.path], hide) {
		e.texts, e.missed = e.texts[:f.start], true
		return
	}
	e.texts = e.addUnit(e.texts, d.ev)
	f.value = len(e.texts)
	if !hide {
		e.texts = e.rules(e.texts, d.ev)
	}
	f.allowed = len(e.texts)
	e.fields, e.shown = append(e.fields, f), true
}

// lastName is the last name of a path.
func lastName(path []byte) []byte {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '.' {
			return path[i+1:]
		}
	}
	return path
}

// cells is the width of text.
func cells(b []byte) int { return utf8.RuneCount(b) }
