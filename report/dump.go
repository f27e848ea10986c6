package report

import (
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/report/scan"
)

// The dump: every bit of a packet in the order of the wire, eight bytes a row, and under each the field that it is of.
// A field has a letter under its first bit, and below the row a line with its place, its path, its code and its value.
//
//	  byte  msb: bit 7 of each byte is first, and so is the highest bit of a number
//	        76543210 76543210 76543210 76543210 76543210 76543210 76543210 76543210
//	     0  00000000 01100001 00000000 00000001 00000000 00000000 00000001 10001011
//	        a─ type ────────┘ b─ sequence_num ┘ c─ timestamp ──────────────────────
//	     a      0+16   type          0x0061              PlayerInput (97)
//
// What is not a field has its line too: padding, checks, reserved bits, what was not read. The bits at which a packet
// was refused have ▲ under them. The bits of a @secret field are dots, and so are those that were not read where a
// secret can be among them (Trace.RestSecret). Fields whose place is computed from a secret have a line with ? for it,
// under the bits that they are in. Of anything longer than 64 bytes the first 64 and the end are drawn.

const (
	dumpBits  = 64           // of a row
	dumpCells = dumpBits + 7 // with the spaces between its bytes
	dumpKeep  = 64 * 8       // bits that are drawn of one thing before rows are left out
	dumpText  = 24           // bytes of text, or of hexadecimal half as many, in a field's line
	// What is said of a piece takes dumpLineEnd cells, and where it does not fit goes on below the path: the code or
	// the value as a whole, the names of flags one by one. Nothing else is broken, so a path or a unit that is longer
	// sticks out.
	dumpLineEnd = 80
	dumpIndent  = bitColumn + 1 + bitColumn + 1 + widthColumn // cells before a path
	// maxPathColumn is the cells that paths take so that the codes, of 64 bits at most, are in one column and fit.
	maxPathColumn = dumpLineEnd - dumpIndent - 2 - len("0x") - 16
)

// dumpKeys are the letters of a row's fields, one for each bit.
const dumpKeys = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+%"

// Dump renders the bits of packets of one plan. Not for two goroutines at once.
type Dump struct {
	text   *Text
	plan   *plan.Plan
	orders []wire.Order // of each node that has bits
	spill  spill
	yield  func(*decode.Event) bool
	draw   func(from, to int, hide bool, say func([]byte) ([]byte, int, int)) // of one piece; Explain has its own
	// aside takes a field whose bits are not drawn by themselves, because its place or its width is a secret.
	aside func(bit, width int, hide bool, say func([]byte) ([]byte, int, int))

	// Of the packet being drawn.
	trace  *decode.Trace
	packet *scan.Packet
	out    []byte
	at     int           // bits drawn
	ev     *decode.Event // of the piece being drawn; nil of padding, of slots without an element, of what was not read
	order  wire.Order
	row    dumpRowState
	drawn  [8]wire.Order // the numbering above the last row
	ruled  bool          // there is one
	marked bool          // the refused field has its line
	// pending: the bits at which the packet was refused are in the row at hand.
	pending bool
	empty   emptySlots
	name    []byte
}

// dumpRowState is the row that is being filled.
type dumpRowState struct {
	number int // of 64 bits; -1 before the first
	bits   [dumpCells]rune
	marks  [dumpCells]rune
	isKey  [dumpCells]bool
	orders [8]wire.Order
	keys   int
	lines  []dumpLine
	texts  []byte // of the lines
}

// dumpLine is what is said of one piece; the texts end at these places of texts.
type dumpLine struct {
	key                      byte
	bit, width               int
	start, path, code, value int
}

// NewDump makes a renderer for packets decoded by p.
func NewDump(p *plan.Plan, opts TextOptions) *Dump {
	d := &Dump{text: NewText(p, opts), plan: p, orders: make([]wire.Order, len(p.Nodes))}
	for i := range d.orders {
		d.orders[i] = p.Order
	}
	for _, s := range p.Steps {
		if b := s.At(); b.Node != plan.NoNode {
			d.orders[b.Node] = b.Order
		}
	}
	for i := range p.Info {
		d.orders[p.Info[i].Node] = p.Reader(i).At().Order
	}
	for id := len(p.Nodes) - 1; id > 0; id-- { // a secret struct or array is drawn as one thing, in its first field's order
		if n := &p.Nodes[id]; n.Kind != plan.NodeItem && p.Nodes[n.Parent].Secret {
			d.orders[n.Parent] = d.orders[id]
		}
	}
	d.text.coded = true
	d.yield, d.draw, d.aside = d.event, d.stretch, d.unplaced
	return d
}

// Write writes what Append appends, in pieces: the dump of a packet of bools is hundreds of times its size.
func (d *Dump) Write(w io.Writer, p *scan.Packet) error {
	return d.spill.write(w, func(b []byte) []byte { return d.Append(b, p) })
}

// Append appends the packet's dump, with an empty line after it. The packet's trace is one of the renderer's plan.
func (d *Dump) Append(b []byte, p *scan.Packet) []byte {
	t := p.Trace
	d.trace, d.packet, d.out = t, p, b
	d.at, d.order, d.ruled, d.marked, d.pending = 0, d.plan.Order, false, false, false
	d.row.number = -1
	d.empty = emptySlots{}
	t.Show(d.yield)
	d.endSlots()
	d.tail()
	d.flush()
	d.pending = false
	if t.Reject() != nil && !d.marked { // after the last bit, or in rows that were left out
		d.mark()
	}
	b = append(d.out, '\n')
	d.out, d.trace, d.packet = nil, nil, nil
	return b
}

// tail draws what is after the last field.
func (d *Dump) tail() {
	t := d.trace
	end := 8 * len(t.Payload)
	r := t.Reject()
	if d.hiddenEnd() {
		d.covered(end)
		return
	}
	if r == nil {
		d.piece(end, end, false, nil)
		return
	}
	// Between the last field and the refused one lies padding that was accepted.
	hide := t.RestSecret()
	if from := min(r.Bit, end); from > d.at && !hide {
		d.piece(from, from, false, nil)
	}
	if d.at < end {
		width := end - d.at
		d.piece(d.at, end, hide, func(b []byte) ([]byte, int, int) {
			b = append(b, "not read"...)
			if !hide {
				return b, len(b), len(b)
			}
			n := len(b)
			return decode.AppendMask(b, width), n, n
		})
	}
}

// hiddenEnd reports whether it is a secret where the packet ended: what is after the last field, or the refused one.
func (d *Dump) hiddenEnd() bool {
	if r := d.trace.Reject(); r != nil {
		return r.HidesBit()
	}
	return d.plan.PlaceSecret(d.plan.End())
}

// event draws one step of what may be shown of the packet.
func (d *Dump) event(ev *decode.Event) bool {
	n := &d.plan.Nodes[ev.Node]
	if d.emptySlot(n, ev) {
		return true
	}
	if ev.Width > 0 {
		d.endSlots()
	}
	let, gone := computed(d.plan, n), cutOff(ev)
	if ev.Kind == decode.Open || ev.Kind == decode.Close || ev.Width == 0 && !let && !gone {
		return true
	}
	say := func(b []byte) ([]byte, int, int) { return d.describe(b, n, ev) }
	switch ev.Kind {
	case decode.Stretch:
		d.covered(ev.Bit + ev.Width)
		return true
	case decode.Masked:
		say = func(b []byte) ([]byte, int, int) {
			b = d.trace.AppendEventPath(b, ev)
			end := len(b)
			return decode.AppendMask(b, ev.Width), end, end
		}
	}
	d.ev = ev
	if let || gone || ev.Bit == decode.Hidden || ev.Width == decode.Hidden {
		d.aside(ev.Bit, ev.Width, ev.Kind == decode.Masked, say)
		d.ev = nil
		return true
	}
	d.order = d.orders[ev.Node]
	d.piece(ev.Bit, ev.Bit+ev.Width, ev.Kind == decode.Masked, say)
	return true
}

// cutOff reports whether a field lies after the end of its window, which is filled with zeros: none of its bits is in
// the datagram.
func cutOff(ev *decode.Event) bool {
	return ev.Width == 0 && ev.Cut() && (ev.Kind == decode.Leaf || ev.Kind == decode.Blob)
}

// covered draws the bits up to a place, of which it is a secret what they hold.
func (d *Dump) covered(to int) {
	from := d.at
	if from >= to {
		return
	}
	d.piece(from, to, true, func(b []byte) ([]byte, int, int) {
		b = append(b, maskedBits...)
		n := len(b)
		return decode.AppendMask(b, to-from), n, n
	})
}

// maskedBits is what bits are called that hold secrets and other fields, whose places would tell the secrets.
const maskedBits = "masked"

// emptySlots is a row of a bitmap's flags that are not set. They are one thing: a hostile packet can have nothing else.
type emptySlots struct {
	from, to int // empty when equal
	path     []byte
}

// emptySlot takes a flag that is not set.
func (d *Dump) emptySlot(n *plan.Node, ev *decode.Event) bool {
	info := d.infoOf(ev)
	if ev.Kind != decode.Item || n.Named || info == nil || info.Kind != plan.LeafBool || ev.Raw != 0 {
		return false
	}
	e := &d.empty
	if e.from == e.to || e.to != ev.Bit {
		d.endSlots()
		d.order = d.orders[ev.Node]
		e.from, e.to = ev.Bit, ev.Bit
		e.path = d.item(e.path[:0], n, ev)
	}
	e.to = ev.Bit + ev.Width
	return true
}

// endSlots draws them.
func (d *Dump) endSlots() {
	e := &d.empty
	if e.from == e.to {
		return
	}
	from, to := e.from, e.to
	e.from = e.to
	d.piece(from, to, false, func(b []byte) ([]byte, int, int) {
		b = append(b, e.path...)
		n := len(b)
		return append(b, "no elements"...), n, n
	})
}

// describe appends a field's path, its code and its value, and says where the first two end.
func (d *Dump) describe(b []byte, n *plan.Node, ev *decode.Event) (_ []byte, path, code int) {
	if ev.Kind == decode.Item {
		b = d.item(b, n, ev)
	} else {
		b = d.trace.AppendEventPath(b, ev)
	}
	path = len(b)
	if ev.Kind == decode.Blob {
		if b = syntax.AppendCount(b, len(ev.Data), "byte"); cutOff(ev) {
			b = append(b, " cut off"...)
		}
		code = len(b)
		return d.blob(b, n, ev.Data), path, code
	}
	if ev.Leaf < 0 {
		return b, path, path
	}
	if computed(d.plan, n) {
		return d.text.leaf(b, n, ev, d.trace.Value(ev)), path, path
	}
	if cutOff(ev) {
		b = append(b, "cut off"...)
		code = len(b)
		return d.text.leaf(b, n, ev, d.trace.Value(ev)), path, code
	}
	b = append(b, "0x"...)
	digits := 1
	for v := ev.Raw >> 4; v != 0; v >>= 4 {
		digits++
	}
	for i := digits; i < (ev.CodeWidth+3)/4; i++ {
		b = append(b, '0')
	}
	b = strconv.AppendUint(b, ev.Raw, 16)
	code = len(b)
	if ev.Kind == decode.Leaf {
		b = d.text.leaf(b, n, ev, d.trace.Value(ev))
	} else {
		b = d.itemValue(b, n, ev)
	}
	return b, path, code
}

// item names what has no path of its own, and beside a path what else there is of it.
func (d *Dump) item(b []byte, n *plan.Node, ev *decode.Event) []byte {
	switch info := d.infoOf(ev); {
	case info == nil || info.Kind == plan.LeafReserved:
		return append(b, "reserved"...)
	case info.Check != nil:
		return append(b, "check"...)
	case n.Named:
		return d.trace.AppendEventPath(b, ev)
	}
	start := len(b)
	b = d.trace.AppendEventPath(b, ev) // of a bitmap's flag, or the index that ends a list: the list
	if cut := len(b) - len(n.Name) - 1; cut > start {
		b = b[:cut]
	}
	return b
}

func (d *Dump) itemValue(b []byte, n *plan.Node, ev *decode.Event) []byte {
	switch info := d.infoOf(ev); {
	case info.Check != nil && info.Check.HasLabel:
		label := []byte(info.Check.Label)
		b, _ = appendFitting(b, label[:min(len(label), dumpText)])
		return b
	case info.Check != nil, info.Kind == plan.LeafReserved:
		return b
	case info.Form() == decode.FormBool && n.Named:
		return append(b, [...]string{"absent", "present"}[ev.Raw&1]...)
	case info.Form() == decode.FormBool:
		return append(b, [...]string{"no element", "an element follows"}[ev.Raw&1]...)
	case !n.Named:
		return append(b, "ends the list"...)
	default:
		return info.AppendInt(b, ev.Raw, ev.CodeWidth)
	}
}

func (d *Dump) infoOf(ev *decode.Event) *plan.LeafInfo {
	if ev.Leaf < 0 {
		return nil
	}
	return &d.plan.Info[ev.Leaf]
}

// blob appends as much of bytes or text as a line has room for.
func (d *Dump) blob(b []byte, n *plan.Node, data []byte) []byte {
	text := n.Value.IsText()
	most := dumpText
	if text {
		data = decode.TextOf(n.Value, data)
	} else if text = n.Annotations != nil && n.Annotations.Text; !text {
		most /= 2
	}
	more := len(data) > most
	if more {
		data = data[:most]
		if text { // not in the middle of a character
			for len(data) > most-utf8.UTFMax && !utf8.Valid(data) {
				data = data[:len(data)-1]
			}
		}
	}
	if text {
		var n int
		b, n = appendFitting(b, data)
		more = more || n < len(data)
	} else {
		b = appendHex(b, data)
	}
	if more {
		b = append(b, "…"...)
	}
	return b
}

// appendFitting appends as much of a text, in quotes, as a line of its own has cells for after which a mark can be,
// and says how many bytes that is. An escape takes four cells or more of a byte's one.
func appendFitting(b, text []byte) ([]byte, int) {
	start := len(b)
	for b = syntax.AppendQuoted(b, text); utf8.RuneCount(b[start:]) >= dumpLineEnd-dumpIndent; b = syntax.AppendQuoted(b[:start], text) {
		_, n := utf8.DecodeLastRune(text)
		text = text[:len(text)-n]
	}
	return b, len(text)
}
