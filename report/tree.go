package report

import (
	"io"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
)

// The tree: a head line, a line per field with its bit+width, and what was refused or odd.
//
//	packet 9 of a.pcap, 2026-01-02 14:07:21.503000000 UTC, 10.0.0.3:53471 C→S 10.0.0.1:4124
//	rtype PlayerInput, 16 bytes: accept
//	    0+16  type            PlayerInput (97)
//	   16+16  sequence_num    9
//	   32+64  timestamp       1767362841503 ms (2026-01-02T14:07:21.503Z)  // since the Unix epoch
//	  body
//	   96+16    keys          Up|Right (0x0009)
//	  112+16    sequence_num  9

const treeTime = "2006-01-02 15:04:05.000000000 UTC"

// The columns of a tree, in cells.
const (
	bitColumn     = 6 // the first bit, right-aligned, up to the `+`
	widthColumn   = 5 // the width, left-aligned, and the gap after it
	maxNameColumn = 36
)

// nameColumn is the cells that a plan's names take with their indentation, so that the values are in one column.
func nameColumn(p *plan.Plan) int {
	most := 0
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.Parent != plan.NoNode && n.Kind != plan.NodeItem {
			most = max(most, 2*int(n.Depth-1)+len(n.Name))
		}
	}
	return min(most, maxNameColumn)
}

// WriteTree writes what AppendTree appends, in pieces: the tree of a hostile packet can be hundreds of times its size.
func (x *Text) WriteTree(w io.Writer, p *scan.Packet) error {
	return x.spill.write(w, func(b []byte) []byte { return x.AppendTree(b, p) })
}

// AppendTree appends the packet as a tree, with an empty line after it.
func (x *Text) AppendTree(b []byte, p *scan.Packet) []byte {
	b = x.fields(x.head(b, p), p)
	return append(x.messageTrees(b, p, -1), '\n')
}

// fields appends a line for each field, and what was refused or odd.
func (x *Text) fields(b []byte, p *scan.Packet) []byte {
	x.tree++
	x.trace, x.out, x.depth = p.Trace, b, 0
	p.Trace.Show(x.yield)
	b, x.out, x.trace = x.out, nil, nil
	switch p.Verdict() {
	case decode.Refused, decode.NeedsContext:
		b = x.failure(b, p.Trace)
	case decode.Cut:
		if r := p.Trace.Reject(); r != nil {
			b = x.position(b, int(saved.ShownBit(r)), int(saved.ShownWidth(r)))
			b = x.note.Append(b, "▲ ")
			b = append(x.path(b, r), ": "...)
		} else {
			b = x.position(b, p.Kept(), 0)
			b = x.note.Append(b, "▲ ")
		}
		b = append(x.note.Append(b, "cut"), " by the capture, which kept "...)
		b = strconv.AppendInt(b, int64(len(p.Trace.Payload)), 10)
		b = append(b, " bytes\n"...)
		b = x.notes(b, p)
	default:
		b = x.notes(b, p)
	}
	return b
}

func (x *Text) head(b []byte, p *scan.Packet) []byte {
	t := p.Trace
	b = append(b, "packet "...)
	b = x.kind.Append(b, strconv.FormatInt(p.N, 10))
	if p.File != "" {
		b = syntax.AppendEscaped(append(b, " of "...), p.File)
	}
	if p.HasTime() {
		b = x.time.tree(append(b, ", "...), &p.Envelope)
	}
	b = append(b, '\n')
	b = trimRight(x.flow(b, p))
	b = append(b, ", "...)
	b = append(b, x.plan.Schema.Name...)
	if t.HasTag {
		b = append(append(b, ' '), x.kind.On...)
		b = append(AppendCase(b, t), x.kind.Off...)
	}
	b = strconv.AppendInt(append(b, ", "...), int64(t.Size), 10)
	b = append(b, " bytes: "...)
	switch p.Verdict() {
	case decode.Refused:
		b = x.refused.Append(b, "reject")
	case decode.Cut:
		b = x.note.Append(b, "cut")
	case decode.NeedsContext:
		b = x.needs(b, &p.Envelope, t)
	default:
		b = x.accept.Append(b, "accept")
	}
	return append(b, '\n')
}

// needs appends what a packet rests on.
func (x *Text) needs(b []byte, e *decode.Envelope, t *decode.Trace) []byte {
	b = x.note.Append(b, decode.NeedsContext.String())
	return e.AppendContext(append(b, ": "...), t)
}

func trimRight(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}

// position begins a line with the first bit and the width, ? where they are secrets.
func (x *Text) position(b []byte, bit, width int) []byte {
	b = append(b, x.dim.On...)
	if bit == decode.Hidden {
		b = append(pad(b, bitColumn-1), '?', '+')
	} else {
		b = append(appendRight(b, int64(bit), bitColumn), '+')
	}
	start := len(b)
	if width == decode.Hidden {
		b = append(b, '?')
	} else {
		b = strconv.AppendInt(b, int64(width), 10)
	}
	cells := len(b) - start
	return pad(append(b, x.dim.Off...), max(widthColumn-cells, 1))
}

// name appends a field's name, or its element's index, at its depth, and pads to the values' column.
func (x *Text) name(b []byte, n *plan.Node, index int) []byte {
	b = pad(b, 2*x.depth)
	b = append(b, x.style.name.On...)
	start := len(b)
	switch {
	case n.Elem:
		b = append(b, '[')
		b = append(strconv.AppendInt(b, int64(index), 10), ']')
	default:
		b = append(b, n.Name...)
	}
	cells := 2*x.depth + len(b) - start
	b = append(b, x.style.name.Off...)
	return pad(b, max(x.nameTo-cells, 0)+2)
}

// computed reports whether a node is a value that an expression of the schema gives.
func computed(p *plan.Plan, n *plan.Node) bool { return n.Leaf >= 0 && p.Info[n.Leaf].Let != nil }

// begin begins the line of a value: with its place, or after its name a `=` where an expression gives it.
func (x *Text) begin(n *plan.Node, ev *decode.Event) {
	if !computed(x.plan, n) {
		x.out = x.name(x.position(x.out, ev.Bit, ev.Width), n, ev.Index)
		return
	}
	x.out = x.name(pad(x.out, bitColumn+1+widthColumn), n, ev.Index)
	x.out = append(x.out, "= "...)
}

// event writes one step of the walk.
func (x *Text) event(ev *decode.Event) bool {
	n := &x.plan.Nodes[ev.Node]
	if ev.Kind == decode.Leaf {
		x.shared.see(x.plan, ev)
	}
	switch ev.Kind {
	case decode.Stretch:
	case decode.Masked:
		if n.Kind == plan.NodeItem {
			break // the length of a text, the flag of an optional: of what follows
		}
		x.begin(n, ev)
		x.out = append(x.out, x.secret.On...)
		x.out = append(decode.AppendMask(x.out, ev.Width), x.secret.Off...)
		x.endLine(ev.Node)
	case decode.Open:
		x.out = pad(x.out, bitColumn+1+widthColumn)
		x.out = x.name(x.out, n, ev.Index)
		if n.Kind == plan.NodeArray {
			x.out = syntax.AppendCount(x.out, ev.Count, "element")
		} else if n.Case != "" && !x.guarded[n.Annotations] {
			x.out = syntax.AppendEscaped(x.out, x.shared.label(n))
		}
		x.endLine(ev.Node)
		x.depth++
	case decode.Close:
		x.depth--
	case decode.Leaf:
		x.begin(n, ev)
		x.out = x.leaf(x.out, n, ev, x.trace.Value(ev))
		x.endLine(ev.Node)
	case decode.Blob:
		x.out = x.position(x.out, ev.Bit, ev.Width)
		x.out = x.name(x.out, n, ev.Index)
		x.blob(n, ev)
	case decode.Item:
		if x.silent(ev) {
			break
		}
		x.out = x.position(x.out, ev.Bit, ev.Width)
		x.out = x.item(pad(x.out, 2*x.depth), ev)
		x.endLine(ev.Node)
	}
	x.out = x.spill.over(x.out)
	return true
}

// endLine appends the doc text, at a node's first line in a tree, and ends the line.
func (x *Text) endLine(node plan.NodeID) {
	n := &x.plan.Nodes[node]
	x.out = trimRight(x.out)
	if n.Doc != "" && !n.Elem && x.told[node] != x.tree {
		x.told[node] = x.tree
		x.out = append(append(x.out, "  "...), x.dim.On...)
		x.out = append(x.out, "// "...)
		x.out = syntax.AppendEscaped(x.out, strings.Join(strings.Fields(n.Doc), " "))
		x.out = append(x.out, x.dim.Off...)
	}
	x.out = append(x.out, '\n')
}

// failure marks the refused field and shows what was after it.
func (x *Text) failure(b []byte, t *decode.Trace) []byte {
	r := t.Reject()
	b = x.position(b, int(saved.ShownBit(r)), int(saved.ShownWidth(r)))
	b = x.refused.Append(b, "✗ ")
	b = append(x.path(b, r), ": "...)
	b = x.refused.Append(b, r.Kind.String())
	b = x.message(append(b, ": "...), r)
	data, at := rest(t), r.Bit/8
	b = append(b, "\n  rest"...)
	if !r.HidesBit() {
		b = strconv.AppendInt(append(b, " from byte "...), int64(at), 10)
	}
	b = append(b, ": "...)
	switch {
	case r.HidesBit():
		b = append(decode.AppendMask(append(b, x.secret.On...), decode.Hidden), x.secret.Off...)
	case len(data) == 0:
		b = append(b, "nothing"...)
	case t.RestSecret():
		b = append(decode.AppendMask(append(b, x.secret.On...), 8*len(data)), x.secret.Off...)
	default:
		return x.dump(append(syntax.AppendCount(b, len(data), "byte"), '\n'), data, at)
	}
	return append(b, '\n')
}

// notes lists the notes of an accepted packet.
func (x *Text) notes(b []byte, p *scan.Packet) []byte {
	t := p.Trace
	for n := range p.ShownNotes() {
		b = append(x.note.Append(append(b, "  "...), "note"), ' ')
		b = append(x.noteLine(b, n), '\n')
	}
	if left := t.ShownLeft(); left > 0 {
		b = append(x.note.Append(append(b, "  "...), "note"), " and "...)
		b = append(syntax.AppendCount(b, left, "more note"), '\n')
	}
	return b
}

// How many bytes a row of hex has, and how many a tree shows of one thing: hostile packets are long.
const (
	dumpRow = 16
	dumpMax = 512
)

// dump appends bytes in rows of hex after their number in the datagram, in decimal as in "byte 37".
func (x *Text) dump(b, data []byte, at int) []byte {
	left := max(len(data)-dumpMax, 0)
	data = data[:len(data)-left]
	for len(data) > 0 {
		n := min(dumpRow, len(data))
		b = append(b, x.dim.On...)
		b = append(appendRight(b, int64(at), bitColumn), x.dim.Off...)
		b = append(b, ' ')
		for i, c := range data[:n] {
			if i == dumpRow/2 {
				b = append(b, ' ')
			}
			b = append(b, ' ', hexDigits[c>>4], hexDigits[c&15])
		}
		b = append(b, '\n')
		data, at = data[n:], at+n
	}
	if left > 0 {
		b = append(pad(b, bitColumn+2), "… "...)
		b = append(syntax.AppendCount(b, left, "more byte"), '\n')
	}
	return b
}
