package report

import (
	"fmt"
	"strconv"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// leaf appends a number as people read it: the value, its unit, and in parentheses what is on the wire where that is
// something else.
func (x *Text) leaf(b []byte, n *plan.Node, ev *decode.Event, v decode.Value) []byte {
	info, width := &x.plan.Info[ev.Leaf], int(x.plan.Leaves[ev.Leaf].Width)
	switch v.Form() {
	case decode.FormUint, decode.FormInt:
		if n.Display != nil {
			b = append(appendUnit(v.AppendText(b), n), " ("...)
			return append(v.AppendNumber(b), ')')
		}
		return x.integer(b, n, info, ev.Raw, ev.CodeWidth)
	case decode.FormHex:
		return v.AppendText(b)
	case decode.FormCase:
		b = v.AppendText(b)
		if v.CaseName() != "" {
			return append(v.AppendNumber(append(b, " ("...)), ')')
		}
		b = append(b, " (unlisted)"...)
	case decode.FormFlags:
		if b = v.AppendText(b); x.coded {
			return b
		}
		return fmt.Appendf(b, " (0x%0*x)", (width+3)/4, ev.Raw)
	case decode.FormFloat:
		b = v.AppendText(b)
		if info.Quant != nil {
			if b = appendUnit(b, n); x.coded {
				return b
			}
			return append(strconv.AppendUint(append(b, " (code "...), ev.Raw, 10), ')')
		}
		if !x.coded && !v.Exact() {
			b = fmt.Appendf(b, " (0x%0*x)", width/4, ev.Raw)
		}
	default:
		b = v.AppendText(b)
	}
	return appendUnit(b, n)
}

// integer appends an integer with what @scale, @unit and @time make of it.
func (x *Text) integer(b []byte, n *plan.Node, info *plan.LeafInfo, code uint64, width int) []byte {
	notes := n.Annotations
	if notes == nil {
		return info.AppendInt(b, code, width)
	}
	value := info.Value(code, width)
	if notes.Scale != 0 {
		f := float64(value)
		if info.IsSigned() {
			f = float64(int64(value))
		}
		b = strconv.AppendFloat(b, f*notes.Scale, 'g', 12, 64)
		b = append(appendUnit(b, n), " ("...)
		return append(info.AppendInt(b, code, width), ')')
	}
	b = appendUnit(info.AppendInt(b, code, width), n)
	if notes.Time != 0 {
		b = appendClock(b, value, info.IsSigned(), notes.Time)
	}
	return b
}

// appendUnit appends a node's unit.
func appendUnit(b []byte, n *plan.Node) []byte {
	if n.Annotations != nil && n.Annotations.Unit != "" {
		b = syntax.AppendEscaped(append(b, ' '), n.Annotations.Unit)
	}
	return b
}

var timeUnits = map[int64]string{1: " ns", 1e3: " us", 1e6: " ms", 1e9: " s"}

// appendClock appends an @time field's unit and its date, counted from the Unix epoch; a number that is no date of four
// digits' years (an attacker chooses it) has only the unit.
func appendClock(b []byte, value uint64, signed bool, perUnit int64) []byte {
	b = append(b, timeUnits[perUnit]...)
	units := 1_000_000_000 / perUnit // in a second
	sec, frac := int64(value/uint64(units)), int64(value%uint64(units))
	if signed {
		sec, frac = int64(value)/units, int64(value)%units
	}
	const firstYear, lastYear = -62135596800, 253402300799 // 0001-01-01 and 9999-12-31
	if sec < firstYear || sec > lastYear {
		return b
	}
	b = append(b, " ("...)
	b = time.Unix(sec, frac*perUnit).UTC().AppendFormat(b, time.RFC3339Nano)
	return append(b, ')')
}

// How many bytes are on the field's own line; more go below it.
const inlineBytes = 16

// blob writes bytes or text, which end their line.
func (x *Text) blob(n *plan.Node, ev *decode.Event) {
	v := x.trace.Value(ev)
	annotated := n.Annotations != nil && n.Annotations.Text
	switch {
	case v.Form() == decode.FormText:
		x.out = v.AppendText(x.out)
		x.endLine(ev.Node)
	case annotated:
		x.out = syntax.AppendQuoted(x.out, ev.Data)
		x.endLine(ev.Node)
	case len(ev.Data) == 0:
		x.out = append(x.out, "empty"...)
		x.endLine(ev.Node)
	case len(ev.Data) <= inlineBytes:
		x.out = v.AppendText(x.out)
		x.endLine(ev.Node)
	default:
		x.out = syntax.AppendCount(x.out, len(ev.Data), "byte")
		x.endLine(ev.Node)
		x.out = x.dump(x.out, ev.Data, ev.Bit/8)
	}
}

// silent reports whether an item says nothing that the lines around it do not: the flag of something that is there, or
// of a bitmap's slot.
func (x *Text) silent(ev *decode.Event) bool {
	n := &x.plan.Nodes[ev.Node]
	return ev.Leaf >= 0 && x.plan.Info[ev.Leaf].Kind == plan.LeafBool && (ev.Raw == 1 || !n.Named)
}

// item appends what takes bits beside the fields: a check, reserved bits, a count, a length, the flag of something that
// is not there, the index that ends a list.
func (x *Text) item(b []byte, ev *decode.Event) []byte {
	if ev.Leaf < 0 {
		return append(append(b, x.dim.On...), "reserved"+x.dim.Off...)
	}
	info := &x.plan.Info[ev.Leaf]
	b = append(b, x.dim.On...)
	if c := info.Check; c != nil {
		b = append(b, "check "...)
		if c.HasLabel {
			b = syntax.AppendQuoted(b, []byte(c.Label))
		} else {
			b = fmt.Appendf(b, "0x%08x", c.Value)
		}
		return append(b, x.dim.Off...)
	}
	switch n := &x.plan.Nodes[ev.Node]; {
	case info.Form() == decode.FormBool:
		if n.Elem {
			b = fmt.Appendf(b, "[%d]", ev.Index)
		} else {
			b = append(b, n.Name...)
		}
		b = append(b, " is absent"...)
		return append(b, x.dim.Off...)
	case info.Kind != plan.LeafReserved:
		if n.Named {
			b = append(append(b, x.plan.Nodes[n.Parent].Name...), '.')
		}
		b = append(append(b, n.Name...), ' ')
		b = info.AppendInt(b, ev.Raw, ev.CodeWidth)
		return append(b, x.dim.Off...)
	}
	b = append(b, "reserved"...)
	if ev.Raw != 0 {
		b = fmt.Appendf(b, " 0x%x", ev.Raw)
	}
	return append(b, x.dim.Off...)
}
