package gogen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// How a code becomes a value of its field's type, how it is judged, and the way back.

// goKinds are the names of the kinds in a generated package.
var goKinds = map[reject.Kind]string{
	reject.None: "RejectNone", reject.PastEnd: "RejectPastEnd", reject.OutOfRange: "RejectOutOfRange", reject.UnknownCase: "RejectUnknownCase",
	reject.ReservedNonzero: "RejectReservedNonzero", reject.ConstMismatch: "RejectConstMismatch", reject.CheckMismatch: "RejectCheckMismatch",
}

// fromCode is the value of a code in its field's type.
func (g *gen) fromCode(l *plan.LeafInfo, t *goType, code string, width string) string {
	switch l.Kind {
	case plan.LeafBool:
		return code + " != 0"
	case plan.LeafFloat:
		if t.text == "float32" {
			return "math.Float32frombits(uint32(" + code + "))"
		}
		return "math.Float64frombits(" + code + ")"
	case plan.LeafQuant:
		if t.text == "float32" {
			return dequantized(l.Quant, code)
		}
	}
	switch {
	case l.ZigZag:
		code = fmt.Sprintf("int64(%s>>1^-(%s&1))", code, code)
	case l.Signed && width == "64":
	case l.Signed && width[0] != '(':
		n, _ := strconv.Atoi(width)
		code = fmt.Sprintf("int64(%s<<%d)>>%d", code, 64-n, 64-n)
	case l.Signed:
		code = fmt.Sprintf("int64(%s<<(64-%s))>>(64-%s)", code, width, width)
	case l.Base != 0:
		code = fmt.Sprintf("%s+%#x", code, l.Base)
	}
	return t.text + "(" + code + ")"
}

// literal32 is a float32 in Go.
func literal32(v float32) string { return fmt.Sprintf("%g", v) }

func dequantized(q *schema.QuantizedType, code string) string {
	return fmt.Sprintf("dequantize(%s, %s, %s, %s)", code, literal32(q.Min), literal32(q.Delta), literal32(float32(q.Steps)))
}

// toCode is the code of a field's value, which may be one that is refused.
func (g *gen) toCode(l *plan.LeafInfo, t *goType, value string, width int) string {
	switch l.Kind {
	case plan.LeafBool:
		return "flag(" + value + ")"
	case plan.LeafFloat:
		if t.text == "float32" {
			return "uint64(math.Float32bits(" + value + "))"
		}
		return "math.Float64bits(" + value + ")"
	case plan.LeafQuant:
		if t.text == "float32" {
			q := l.Quant
			return fmt.Sprintf("quantize(%s, %s, %s, %s, %d)", value, literal32(q.Min), literal32(q.Delta), literal32(float32(q.Steps)), q.Steps)
		}
	}
	switch {
	case l.ZigZag:
		return fmt.Sprintf("uint64(int64(%s)<<1^int64(%s)>>63)", value, value)
	case l.Base != 0:
		return fmt.Sprintf("uint64(%s)-%#x", value, l.Base)
	}
	return "uint64(" + value + ")"
}

// kindOutside is the kind of a code outside a leaf's accepted interval and inside its type.
func kindOutside(l *plan.LeafInfo) reject.Kind {
	switch l.Kind {
	case plan.LeafReserved, plan.LeafFlags:
		return reject.ReservedNonzero
	case plan.LeafCheck:
		return reject.CheckMismatch
	case plan.LeafEnum:
		return reject.UnknownCase
	}
	if l.Rule != nil && l.Rule.Kind == schema.RuleEq {
		return reject.ConstMismatch
	}
	return reject.OutOfRange
}

// always reports whether every code of a leaf's width is accepted.
func always(leaf *plan.Leaf, l *plan.LeafInfo) bool {
	if l.Kind == plan.LeafReserved && l.Any || l.Kind == plan.LeafCRC {
		return true
	}
	if leaf.Count > 0 {
		return leaf.Lo == 0 && leaf.Count-1 >= leaf.Mask || leaf.Count == ^uint64(0) && leaf.Lo == 0
	}
	if l.Rule != nil || l.TypeSpan < leaf.Mask {
		return false
	}
	switch l.Kind {
	case plan.LeafEnum, plan.LeafFlags:
		return l.Enum.Open
	case plan.LeafCheck, plan.LeafReserved:
		return false
	}
	return true
}

// refused is the condition under which a fixed leaf's code is not accepted, "" for never.
func (g *gen) refused(leaf *plan.Leaf, l *plan.LeafInfo, code string) string {
	switch {
	case always(leaf, l):
		return ""
	case leaf.Count == 0:
		return g.check(l, int(leaf.Width)) + "(" + code + ") != RejectNone"
	case leaf.Count == 1:
		return fmt.Sprintf("%s != %s", code, literal(leaf.Lo))
	case leaf.Lo == 0:
		return fmt.Sprintf("%s > %s", code, literal(leaf.Count-1))
	}
	return fmt.Sprintf("%s-%s > %s", code, literal(leaf.Lo), literal(leaf.Count-1))
}

// check is the function that judges a leaf's code; of a leaf whose width varies (width < 0) it takes the width, too.
func (g *gen) check(l *plan.LeafInfo, width int) string {
	var b strings.Builder
	args := "code uint64"
	if width < 0 {
		args += ", width int"
	}
	fmt.Fprintf(&b, "func %%s(%s) RejectKind {\n", args)
	mask := ^uint64(0)
	if width >= 0 {
		mask = wire.Mask(width)
	}
	if l.Kind == plan.LeafReserved && !l.Any {
		b.WriteString("if code != 0 { return RejectReservedNonzero }\n")
	}
	if l.Kind == plan.LeafCheck {
		fmt.Fprintf(&b, "if code != %#x { return RejectCheckMismatch }\n", l.Want)
	}
	if l.Enum != nil && !l.Enum.Open {
		if l.Enum.Flags {
			fmt.Fprintf(&b, "if code&^uint64(%#x) != 0 { return RejectReservedNonzero }\n", l.Enum.Mask)
		} else {
			t := g.member("code", g.codes(l, width), false)
			b.WriteString("if !" + t.text + " { return RejectUnknownCase }\n")
		}
	}
	if l.TypeSpan < mask && l.Kind != plan.LeafReserved && l.Kind != plan.LeafCheck {
		fmt.Fprintf(&b, "if code > %s { return RejectOutOfRange }\n", literal(l.TypeSpan))
	}
	g.rule(&b, l, width)
	b.WriteString("return RejectNone\n}")
	return g.once("check", b.String())
}

// codes are the codes of an enum's cases, sorted.
func (g *gen) codes(l *plan.LeafInfo, width int) func(func(lo, hi uint64) bool) {
	mask := ^uint64(0)
	if width >= 0 {
		mask = wire.Mask(width)
	}
	return func(yield func(lo, hi uint64) bool) {
		for _, c := range sortedCodes(l, mask) {
			if !yield(c, c) {
				return
			}
		}
	}
}

// rule writes the check of what stands behind a type.
func (g *gen) rule(b *strings.Builder, l *plan.LeafInfo, width int) {
	r := l.Rule
	if r == nil {
		return
	}
	if l.Kind == plan.LeafFloat || l.Kind == plan.LeafQuant {
		g.floatRule(b, l, width)
		return
	}
	value := "code"
	switch {
	case l.Signed && width < 0:
		value = "extend(code, width)"
	case l.Signed:
		value = fmt.Sprintf("extend(code, %d)", width)
	case l.ZigZag:
		value = "code>>1 ^ -(code & 1)"
	case l.Base != 0:
		value = fmt.Sprintf("code + %#x", l.Base)
	}
	fmt.Fprintf(b, "v := %s\n", value)
	t := g.member("v", l.RuleSet(), l.IsSigned())
	switch r.Kind {
	case schema.RuleIn:
		b.WriteString("if !" + t.text + " { return RejectOutOfRange }\n")
	case schema.RuleEq:
		b.WriteString("if !" + t.text + " { return RejectConstMismatch }\n")
	case schema.RuleNe:
		b.WriteString("if " + t.text + " { return RejectConstMismatch }\n")
	}
}

func (g *gen) floatRule(b *strings.Builder, l *plan.LeafInfo, width int) {
	switch {
	case l.Kind == plan.LeafQuant:
		fmt.Fprintf(b, "v := float64(%s)\n", dequantized(l.Quant, "code"))
	case width == 32:
		b.WriteString("v := float64(math.Float32frombits(uint32(code)))\n")
	default:
		b.WriteString("v := math.Float64frombits(code)\n")
	}
	finite := "if v-v != 0 { return RejectNotFinite }\n"
	switch r := l.Rule; r.Kind {
	case schema.RuleFinite:
		b.WriteString(finite)
	case schema.RuleIn:
		var parts []string
		for _, x := range r.Floats {
			parts = append(parts, fmt.Sprintf("%s <= v && v <= %s", float(x.Lo), float(x.Hi)))
		}
		if len(parts) == 0 {
			parts = []string{"v != v"}
		}
		b.WriteString(finite + "if !(" + strings.Join(parts, " || ") + ") { return RejectOutOfRange }\n")
	case schema.RuleEq:
		fmt.Fprintf(b, "if v != %s { return RejectConstMismatch }\n", float(*r.WantFloat))
	case schema.RuleNe:
		fmt.Fprintf(b, "if v == %s { return RejectConstMismatch }\n", float(*r.WantFloat))
	}
}

// float is a finite float64 in Go, exactly.
func float(v float64) string {
	s := fmt.Sprintf("%g", v)
	if v == 0 {
		return "0"
	}
	return s
}
