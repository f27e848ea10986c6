package report

import (
	"bytes"
	"fmt"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
)

// What is longer than these pushes the rest of its line to the right, and not that of all others.
const (
	longCode  = 10
	longValue = 16
)

// legend writes what is said of the fields that begin in the block, in columns: label, place, path, code, value, what
// is allowed. The fields of a list's element stand below its path.
func (e *Explain) legend() {
	d := &e.walk
	end := e.opts.Width
	path, code, value := 0, 0, 0
	for i := range e.fields {
		f := &e.fields[i]
		_, name := splitElement(e.texts[f.start:f.path])
		path = max(path, cells(name))
		if n := f.code - f.path; n <= longCode {
			code = max(code, n)
		}
		if n := cells(e.texts[f.code:f.value]); n <= longValue {
			value = max(value, n)
		}
	}
	path = min(path, end-explainIndent-2-len("0x")-16)
	valueAt := explainIndent + path + 2
	allowedAt := valueAt + value + 2
	if code > 0 {
		allowedAt += code + 2
	}
	var element []byte
	b := append(d.out, '\n')
	for i := range e.fields {
		f := &e.fields[i]
		under, name := splitElement(e.texts[f.start:f.path])
		if len(under) > 0 && !bytes.Equal(under, element) {
			b = append(append(pad(b, explainIndent), under...), '\n')
		}
		element = under
		hue := e.hue(f.hue)
		b = append(pad(b, 2), hue.On...)
		b = append(append(b, byte(f.key)), hue.Off...)
		b = d.text.position(append(b, ' '), f.bit, f.width)
		if f.refused {
			b = d.failing().Append(b, string(name))
		} else {
			b = append(b, name...)
		}
		at := explainIndent + cells(name)
		b, at = place(b, e.texts[f.path:f.code], at, valueAt, end, explainIndent)
		column := valueAt
		if code > 0 {
			column += code + 2
		}
		if f.code == f.path && f.value-f.code > longValue { // what has no code, such as a secret
			column = valueAt
		}
		b, at = place(b, e.texts[f.code:f.value], at, column, end, explainIndent)
		b = append(b, d.text.dim.On...)
		b, _ = place(b, e.texts[f.value:f.allowed], at, allowedAt, end, explainIndent)
		b = append(append(b, d.text.dim.Off...), '\n')
	}
	d.out = b
	e.legends++
}

// splitElement cuts a path after the last index that something is after: `a[2].b` into `a[2]` and `.b`.
func splitElement(path []byte) (element, name []byte) {
	if i := bytes.LastIndex(path, []byte("].")); i >= 0 {
		return path[:i+1], path[i+1:]
	}
	return nil, path
}

// addUnit appends the unit of a vector or a list to its parts, which have none of their own.
func (e *Explain) addUnit(b []byte, ev *decode.Event) []byte {
	if ev == nil || ev.Kind != decode.Leaf {
		return b
	}
	if unit := e.walk.plan.Unit(ev.Node); unit != "" && e.walk.plan.Nodes[ev.Node].Annotations == nil {
		b = syntax.AppendEscaped(append(b, ' '), unit)
	}
	return b
}

// rules appends what a leaf may hold, and which bit of its code is where if not in their order.
func (e *Explain) rules(b []byte, ev *decode.Event) []byte {
	if ev == nil || ev.Leaf < 0 {
		return b
	}
	d := &e.walk
	key := [2]int{ev.Leaf, ev.CodeWidth}
	a, ok := e.leaves[key]
	if !ok {
		a = allowedOf(d.plan, ev.Leaf, ev.CodeWidth)
		e.leaves[key] = a // bounded: 65,536 leaves, of which a few have several widths
	}
	b = a.append(b)
	if _, pieces := d.plan.Reader(ev.Leaf).(*plan.Number); ev.Bit == decode.Hidden || ev.Cut() || pieces && d.order == wire.LSB {
		return b // pieces with flags before them: their bits are not the code's
	}
	runs := codeBits(d.order, d.plan.Info[ev.Leaf].Swap, ev.Bit, ev.Width)
	for i := range runs {
		r := runs[i]
		if d.order == wire.LSB { // drawn from the right
			r = runs[len(runs)-1-i]
			r[0], r[1] = r[1], r[0]
		}
		switch {
		case i > 0:
			b = append(b, ", "...)
		case a.text != "" || a.known && a.unused > 0:
			b = append(b, "; bits "...)
		default:
			b = append(b, "bits "...)
		}
		b = fmt.Appendf(b, "%d", r[0])
		if r[0] != r[1] {
			b = fmt.Appendf(b, "..%d", r[1])
		}
	}
	return b
}
