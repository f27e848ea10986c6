package report

import (
	"cmp"
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
)

// Piece is one stretch of a packet's bits and what Explain says of it, for views that draw it themselves. The Bit or
// Width of a field in a masked one can be decode.Hidden. Its texts are escaped as for a terminal, and valid until the
// next piece.
type Piece struct {
	Kind       string // as in ExplainJSON: field, let, cut, padding, check, reserved, slots, secret, refused, not-read, masked
	Bit, Width int
	Order      wire.Order
	Path       []byte // "" of padding and of what was not read
	Code       []byte // what is on the wire: 0x0061, or how many bytes
	Value      []byte // with its unit; of a secret its mask
	Allowed    []byte
	Hidden     bool // the bits must not be shown
	Plain      bool // Value is Number in decimal
	Number     uint64
}

// pieceBlob is how many bytes of text, or half as many others, a piece's value has.
const pieceBlob = 160

// Pieces tells the pieces of packets of one plan, in the order of the wire: their widths add up to the bits of the
// datagram. Not for two goroutines at once.
type Pieces struct {
	explain *Explain
	piece   Piece
	yield   func(*Piece) bool
	done    bool
	texts   []byte
}

// NewPieces makes a Pieces for packets decoded by p.
func NewPieces(p *plan.Plan) *Pieces {
	x := &Pieces{explain: NewExplain(p, ExplainOptions{Last: -1})}
	x.explain.walk.draw, x.explain.walk.aside = x.draw, x.aside
	return x
}

// Visit tells the packet's pieces until yield returns false.
func (x *Pieces) Visit(p *scan.Packet, yield func(*Piece) bool) {
	d := &x.explain.walk
	if p.Trace.Plan != d.plan {
		panic("pktscope: internal error: pieces were asked of a packet of another plan")
	}
	x.yield, x.done = yield, false
	d.trace, d.packet, d.at, d.order, d.ev = p.Trace, p, 0, d.plan.Order, nil
	d.empty = emptySlots{}
	p.Trace.Show(func(ev *decode.Event) bool { return d.yield(ev) && !x.done })
	if !x.done {
		d.endSlots()
		d.explainTail()
	}
	d.out, d.trace, d.packet, x.yield = nil, nil, nil, nil
}

func (x *Pieces) draw(from, to int, hide bool, say func([]byte) ([]byte, int, int)) {
	x.take(from, to-from, hide, say)
}

// aside takes a piece whose place or width is a secret.
func (x *Pieces) aside(bit, width int, hide bool, say func([]byte) ([]byte, int, int)) {
	x.take(bit, width, hide, say)
}

func (x *Pieces) take(from, width int, hide bool, say func([]byte) ([]byte, int, int)) {
	if x.done {
		return
	}
	d, p := &x.explain.walk, &x.piece
	var path, code int
	b := x.texts[:0]
	ev := d.ev
	b, path, code = say(b)
	if ev != nil && ev.Kind == decode.Blob && !hide {
		b = appendLongBlob(b[:code], &d.plan.Nodes[ev.Node], ev.Data)
	} else {
		b = x.explain.addUnit(b, ev)
	}
	value := len(b)
	if !hide {
		b = x.explain.rules(b, ev)
	}
	x.texts = b
	*p = Piece{
		Kind: d.pieceKind(from, hide, b[:path]), Bit: from, Width: width, Order: d.order, Path: b[:path], Code: b[path:code],
		Value: b[code:value], Allowed: b[value:], Hidden: hide,
	}
	if p.Kind == padding || p.Kind == "not-read" || p.Kind == maskedBits {
		p.Path = nil
	}
	if ev != nil && !hide && ev.Leaf >= 0 {
		p.Number = ev.Raw
		var digits [20]byte
		p.Plain = string(strconv.AppendUint(digits[:0], ev.Raw, 10)) == string(p.Value)
	}
	x.done = !x.yield(p)
}

// appendLongBlob is Dump.blob for a view with more room than a terminal.
func appendLongBlob(b []byte, n *plan.Node, data []byte) []byte {
	text := n.Value.IsText()
	if text {
		data = decode.TextOf(n.Value, data)
	} else {
		text = n.Annotations != nil && n.Annotations.Text
	}
	most := pieceBlob
	if !text {
		most /= 2
	}
	more := len(data) > most
	data = data[:min(len(data), most)]
	if text {
		b = syntax.AppendQuoted(b, data)
	} else {
		b = appendHex(b, data)
	}
	if more {
		b = append(b, "…"...)
	}
	return b
}

// Refusal is why a packet was refused, in words that may be shown: escaped, and with secrets masked.
type Refusal struct {
	Kind             reject.Kind
	Path             string // "packet" for the packet as a whole
	Bit, Width       int
	Want, Got        string
	Message          string // Want and Got in one line, with their units
	BehindThePayload bool   // nothing of the failing field is there
}

// RefusalOf tells why a packet was refused, or would be if its flow held what it was read by; nil when it was not, or when
// its capture cut it and that explains it.
func RefusalOf(p *scan.Packet) *Refusal {
	if !p.Stopped() {
		return nil
	}
	t := p.Trace
	r := t.Reject()
	shown := func(text []byte) string { return syntax.EscapeText(string(appendSized(nil, text, r.ShownWidth()))) }
	out := &Refusal{
		Kind: r.Kind, Bit: int(saved.ShownBit(r)), Width: int(saved.ShownWidth(r)), Path: string(r.AppendShownPath(nil)), Want: shown(t.AppendWant(nil, r)), Got: shown(t.AppendGot(nil, r)),
		Message: shown(r.AppendMessage(nil)), BehindThePayload: !r.HidesBit() && r.Bit >= 8*len(t.Payload),
	}
	out.Path = cmp.Or(out.Path, reject.Packet)
	return out
}

// NotesOf are the notes of a packet that was not refused, as lines that may be shown.
func NotesOf(p *scan.Packet) []string {
	if p.Notes() == 0 {
		return nil
	}
	var list []string
	t := p.Trace
	for n := range p.ShownNotes() {
		b := n.AppendPath(nil)
		if len(b) > 0 {
			b = append(b, ": "...)
		}
		b = append(append(b, n.Kind.String()...), ": "...)
		b = appendSized(b, t.AppendNote(nil, n), n.Width)
		list = append(list, syntax.EscapeText(string(b)))
	}
	if left := t.ShownLeft(); left > 0 {
		list = append(list, "and "+string(syntax.AppendCount(nil, left, "more note")))
	}
	return list
}
