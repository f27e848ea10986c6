package report

import (
	"io"
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/scan"
)

// ExplainJSON writes what Explain draws as one JSON object a packet: the keys of `-T json` up to `fields`, and in the
// place of those
//
//	"pieces":[{"path":"type","kind":"field","bit":0,"width":16,"code":"97","value":"PlayerInput","allowed":"15 cases","unused":"65521"},…]
//
// in the order of the wire, so that the widths add up to the bits of the datagram. kind is field, let, cut (a field that
// lies after the end of its window and is read as zeros; as a let it has a width of 0), padding, check, reserved, slots
// (flags of elements that are not there), secret, refused, not-read, or masked: bits that hold secrets and the fields
// after them, up to the next with a place. A bit or a width that is computed from a secret is null, and
// such pieces are in no sum. Codes and numbers of codes are decimal strings. Not for two goroutines at once.
type ExplainJSON struct {
	walk Dump
	json *JSON
	opts ExplainOptions
	some bool
	text []byte
}

// NewExplainJSON makes a renderer for packets decoded by p.
func NewExplainJSON(p *plan.Plan, opts ExplainOptions) *ExplainJSON {
	x := &ExplainJSON{walk: *NewDump(p, TextOptions{}), json: NewJSON(p), opts: opts}
	x.walk.yield, x.walk.draw, x.walk.aside = x.walk.event, x.draw, x.aside
	return x
}

// Write writes the packet's object and a newline, in pieces. What it returns is the writer's error, and whether the
// packet has what the options ask for.
func (e *ExplainJSON) Write(w io.Writer, p *scan.Packet) (found bool, err error) {
	err = e.walk.spill.write(w, func(b []byte) []byte { return e.Append(b, p) })
	return e.some, err
}

// Append is Write to memory.
func (e *ExplainJSON) Append(b []byte, p *scan.Packet) []byte {
	d := &e.walk
	e.some = false
	d.trace, d.packet, d.at, d.order, d.ev = p.Trace, p, 0, d.plan.Order, nil
	d.empty = emptySlots{}
	d.out = append(appendFrom(e.json.head(b, p), e.opts.Pieces), `,"pieces":[`...)
	p.Trace.Show(d.yield)
	d.endSlots()
	d.explainTail()
	b = append(d.out, "]}\n"...)
	d.out, d.trace, d.packet = nil, nil, nil
	return b
}

// draw takes one piece.
func (e *ExplainJSON) draw(from, to int, hide bool, say func([]byte) ([]byte, int, int)) {
	e.piece(from, to, to-from, hide, say)
}

// aside takes a field whose bits are not drawn by themselves.
func (e *ExplainJSON) aside(bit, width int, hide bool, say func([]byte) ([]byte, int, int)) {
	e.piece(bit, bit+1, width, hide, say)
}

func (e *ExplainJSON) piece(from, to, width int, hide bool, say func([]byte) ([]byte, int, int)) {
	d := &e.walk
	var end int
	e.text, end, _ = say(e.text[:0])
	path := e.text[:end]
	if !e.opts.selects(from, to, path, hide) {
		return
	}
	e.some = true
	kind := d.pieceKind(from, hide, path)
	b := separate(d.out)
	b = append(b, '{')
	if kind == "field" || kind == "let" || kind == "cut" || kind == "secret" || kind == "refused" || kind == "slots" {
		b = append(syntax.AppendJSON(append(b, `"path":`...), path), ',')
	}
	b = append(append(append(b, `"kind":"`...), kind...), '"')
	b = appendPlace(append(b, `,"bit":`...), from)
	b = appendPlace(append(b, `,"width":`...), width)
	switch ev := d.ev; {
	case hide:
		b = append(decode.AppendMask(append(b, `,"value":"`...), width), '"')
	case ev == nil:
	case ev.Kind == decode.Blob:
		b = d.trace.Value(ev).AppendJSON(append(b, `,"value":`...))
	case ev.Leaf >= 0:
		if d.plan.Info[ev.Leaf].Let == nil && kind != "cut" {
			b = append(strconv.AppendUint(append(b, `,"code":"`...), ev.Raw, 10), '"')
		}
		b = d.trace.Value(ev).AppendJSON(append(b, `,"value":`...))
		a := allowedOf(d.plan, ev.Leaf, ev.CodeWidth)
		if a.text != "" {
			b = syntax.AppendJSON(append(b, `,"allowed":`...), a.text)
		}
		if a.known {
			b = strconv.AppendUint(append(b, `,"unused":"`...), a.unused, 10)
			b = append(b, '"')
		}
	}
	d.out = d.spill.over(append(b, '}'))
}

// pieceKind is what a piece is, as JSON has it.
func (d *Dump) pieceKind(from int, hide bool, path []byte) string {
	ev := d.ev
	switch {
	case ev == nil && string(path) == notRead:
		return "not-read"
	case ev == nil && hide && string(path) == maskedBits && !d.refusedPiece(from, path):
		return maskedBits
	case d.refusedPiece(from, path):
		return "refused"
	case ev == nil && string(path) == padding:
		return padding
	case hide:
		return "secret"
	case ev == nil:
		return "slots"
	}
	if d.ev.Leaf >= 0 && d.plan.Info[d.ev.Leaf].Let != nil {
		return "let"
	} else if cutOff(ev) {
		return "cut"
	}
	if info := d.infoOf(ev); ev.Kind == decode.Item && (info == nil || info.Kind == plan.LeafReserved) {
		return "reserved"
	} else if ev.Kind == decode.Item && info.Check != nil {
		return "check"
	}
	return "field"
}

// refusedPiece reports whether a piece is the bits that the packet was refused for.
func (d *Dump) refusedPiece(from int, path []byte) bool {
	r := d.trace.Reject()
	return r != nil && !r.HidesBit() && d.ev == nil && from == r.Bit && from >= d.at && string(path) != padding && string(path) != notRead
}
