package gogen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// How a code becomes a value of its field's type, how it is judged, and the way back.

// leafRow is what is generated for the leaves of a kind.
type leafRow struct {
	typ  func(g *gen, l *plan.LeafInfo, width int) *goType            // of its field; nil where it has none
	span func(g *gen, l *plan.LeafInfo, t *goType, width int) string  // what the field may hold, where its Go type says less; nil where that says all
	read func(l *plan.LeafInfo, t *goType, code, width string) string // the value of a code in its field's type
	code func(l *plan.LeafInfo, t *goType, value string) string       // the code of a field's value, which may be one that is refused
	sent func(f *function, l *plan.LeafInfo, width int) string        // the code that a run has of itself; nil where a field has it
	// outside is why a code is refused that the type has and that is not accepted; "" where that is for the rule to
	// say.
	outside string
	sizes   bool // zero can stand for a value that nobody gave, and that says how large something is
}

var leafRows = [plan.LeafKinds]leafRow{
	plan.LeafUint:      {typ: intOf, span: intSpan, read: readInt, code: intCode, sizes: true},
	plan.LeafInt:       {typ: intOf, span: intSpan, read: readInt, code: intCode, sizes: true},
	plan.LeafRanged:    {typ: intOf, span: intSpan, read: readInt, code: intCode, sizes: true},
	plan.LeafBool:      {typ: boolOf, read: readBool, code: boolCode, sizes: true},
	plan.LeafFloat:     {typ: floatOf, read: readFloat, code: floatCode},
	plan.LeafQuantized: {typ: quantOf, span: quantizedSpan, read: readQuantized, code: quantCode},
	plan.LeafEnum:      {typ: enumOf, read: readInt, code: intCode, outside: "RejectUnknownCase", sizes: true},
	plan.LeafFlags:     {typ: enumOf, read: readInt, code: intCode, outside: "RejectReservedNonzero", sizes: true},
	plan.LeafChecksum:  {}, // no run has it: a Checksum reads and writes it
	plan.LeafCheck:     {sent: sendCheck, outside: "RejectCheckMismatch"},
	plan.LeafReserved:  {read: readInt, sent: sendReserved, outside: "RejectReservedNonzero"},
}

func rowOf(l *plan.LeafInfo) *leafRow { return &leafRows[l.Kind] }

func readBool(_ *plan.LeafInfo, _ *goType, code, _ string) string { return code + " != 0" }

func boolCode(_ *plan.LeafInfo, _ *goType, value string) string { return "flag(" + value + ")" }

func readFloat(_ *plan.LeafInfo, t *goType, code, _ string) string {
	if t.text == "float32" {
		return "math.Float32frombits(uint32(" + code + "))"
	}
	return "math.Float64frombits(" + code + ")"
}

func floatCode(_ *plan.LeafInfo, t *goType, value string) string {
	if t.text == "float32" {
		return "uint64(math.Float32bits(" + value + "))"
	}
	return "math.Float64bits(" + value + ")"
}

// literal32 is a float32 in Go.
func literal32(v float32) string { return fmt.Sprintf("%g", v) }

func readQuantized(l *plan.LeafInfo, t *goType, code, width string) string {
	if t.text != "float32" {
		return readInt(l, t, code, width)
	}
	q := l.Quant
	return fmt.Sprintf("dequantize(%s, %s, %s, %s)", code, literal32(q.Min), literal32(q.Delta), literal32(float32(q.Steps)))
}

func quantCode(l *plan.LeafInfo, t *goType, value string) string {
	if t.text != "float32" {
		return intCode(l, t, value)
	}
	q := l.Quant
	return fmt.Sprintf("quantize(%s, %s, %s, %s, %d)", value, literal32(q.Min), literal32(q.Delta), literal32(float32(q.Steps)), q.Steps)
}

func readInt(l *plan.LeafInfo, t *goType, code, width string) string {
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

func intCode(l *plan.LeafInfo, _ *goType, value string) string {
	switch {
	case l.ZigZag:
		return fmt.Sprintf("uint64(int64(%s)<<1^int64(%s)>>63)", value, value)
	case l.Base != 0:
		return fmt.Sprintf("uint64(%s)-%#x", value, l.Base)
	}
	return "uint64(" + value + ")"
}

func sendCheck(_ *function, l *plan.LeafInfo, _ int) string { return constant(l.Want) }

func sendReserved(f *function, l *plan.LeafInfo, width int) string {
	if !l.Any {
		return "uint64(0)"
	}
	return fmt.Sprintf("%s & %#x", f.place(l.Node), wire.Mask(width))
}

// outside is the kind of a code outside a leaf's accepted interval and inside its type.
func outside(l *plan.LeafInfo) string {
	if kind := rowOf(l).outside; kind != "" {
		return kind
	}
	if l.Rule != nil && l.Rule.Kind == schema.RuleEq {
		return "RejectConstMismatch"
	}
	return "RejectOutOfRange"
}

// always reports whether every code of a leaf's width is accepted.
func always(leaf *plan.Leaf, l *plan.LeafInfo) bool {
	if l.Any || l.Writes() == plan.Sealed {
		return true
	}
	if leaf.Count > 0 {
		return leaf.Lo == 0 && leaf.Count-1 >= leaf.Mask || leaf.Count == ^uint64(0) && leaf.Lo == 0
	}
	if l.Rule != nil || l.TypeSpan < leaf.Mask {
		return false
	}
	if l.Enum != nil {
		return l.Enum.Open
	}
	return rowOf(l).sent == nil
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
			t := g.member("code", func(yield func(lo, hi uint64) bool) {
				for _, c := range l.Cases.List {
					if !yield(c.Code, c.Code) {
						return
					}
				}
			}, false)
			b.WriteString("if !" + t.text + " { return RejectUnknownCase }\n")
		}
	}
	if l.TypeSpan < mask && rowOf(l).sent == nil {
		fmt.Fprintf(&b, "if code > %s { return RejectOutOfRange }\n", literal(l.TypeSpan))
	}
	g.rule(&b, l, width)
	b.WriteString("return RejectNone\n}")
	return g.once("check", b.String())
}

// rule writes the check of what stands after a type.
func (g *gen) rule(b *strings.Builder, l *plan.LeafInfo, width int) {
	r := l.Rule
	if r == nil {
		return
	}
	if l.Form() == plan.FormFloat {
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
	t := number("float" + strconv.Itoa(l.FloatWidth(width)))
	v := rowOf(l).read(l, t, "code", "")
	if t.text == "float32" {
		v = "float64(" + v + ")"
	}
	fmt.Fprintf(b, "v := %s\n", v)
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
