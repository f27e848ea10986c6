package schema

import (
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// What the plan compiler takes for granted, asked of every schema that passes.

type audit struct {
	errs    []string
	structs map[*Struct]bool
	exprs   map[*TypedExpr]bool
}

func (a *audit) failf(format string, args ...any) {
	a.errs = append(a.errs, fmt.Sprintf(format, args...))
}

func auditSchema(s *Schema) []string {
	a := &audit{structs: map[*Struct]bool{}, exprs: map[*TypedExpr]bool{}}
	if s.Packet == nil || s.MaxDatagram < 1 || s.MaxDatagram > MaxUDPPayload {
		a.failf("head: order %v, packet %v, max datagram %d", s.Order, s.Packet, s.MaxDatagram)
		return a.errs
	}
	for _, n := range s.Enums {
		seen := map[string]bool{}
		for _, k := range n.Cases {
			if k.Value == nil || seen[k.Value.String()] {
				a.failf("enum %s: case %s", n.Name, k.Name)
				continue
			}
			seen[k.Value.String()] = true
		}
		if n.Base == nil || len(n.Cases) == 0 {
			a.failf("enum %s: no base or case", n.Name)
		}
	}
	for _, st := range s.Structs {
		a.structure(st)
	}
	a.structure(s.Packet)
	if s.Packet.MinBits > uint64(s.MaxDatagram)*8 {
		a.failf("the packet's least is %d bits", s.Packet.MinBits)
	}
	return a.errs
}

func (a *audit) structure(s *Struct) {
	if a.structs[s] {
		return
	}
	a.structs[s] = true
	if s.MinBits > s.MaxBits {
		a.failf("struct %q: order %v, %d..%d bits", s.Name, s.Order, s.MinBits, s.MaxBits)
	}
	for _, p := range s.Params {
		if p.Kind != VarParam || p.Lo == nil || p.Hi == nil {
			a.failf("param %s of %s", p.Name, s.Name)
		}
	}
	a.items(s.Items)
}

func (a *audit) items(items []Item) {
	for _, it := range items {
		switch it := it.(type) {
		case *Field:
			if it.Var == nil || (it.Value == nil) == (it.Switch == nil) || it.Name == "" {
				a.failf("field %q: var %v, value %v, switch %v", it.Name, it.Var, it.Value, it.Switch)
				continue
			}
			a.variable(it.Var)
			if it.Value != nil {
				a.value(it.Value)
			} else {
				a.switchOf(it.Switch)
			}
		case *If:
			a.expr(it.Cond, true)
			a.items(it.Then)
			a.items(it.Else)
		case *Within:
			a.expr(it.Size, false)
			a.items(it.Items)
		case *Let:
			a.variable(it.Var)
			a.expr(it.Value, it.Value.Bool)
		case *Require:
			a.expr(it.Cond, true)
		case *Align:
			if it.Bits < 8 || bits.OnesCount(uint(it.Bits)) != 1 {
				a.failf("align %d", it.Bits)
			}
		case *Reserved:
			if it.Bits < 1 {
				a.failf("reserved %d", it.Bits)
			}
		case *Check:
			if it.HasLabel != (it.Label != "") {
				a.failf("check %q", it.Label)
			}
		default:
			a.failf("item %T", it)
		}
	}
}

func (a *audit) variable(v *Var) {
	if v.Kind == VarOpaque || v.Kind == VarStruct {
		if v.Lo != nil || (v.Kind == VarStruct) != (v.Struct != nil) {
			a.failf("var %s of kind %d has a range or no struct", v.Name, v.Kind)
		}
		return
	}
	if v.Lo == nil || v.Hi == nil || v.Lo.Cmp(v.Hi) > 0 || v.Lo.BitLen() > 64 || v.Hi.BitLen() > 64 {
		a.failf("var %s is %v..%v", v.Name, v.Lo, v.Hi)
	}
}

// expr checks a root.
func (a *audit) expr(e *TypedExpr, wantBool bool) {
	if e == nil {
		a.failf("no expression")
		return
	}
	if e.Bool != wantBool || e.Text == "" {
		a.failf("expression %q: bool %v, want %v", e.Text, e.Bool, wantBool)
	}
	a.part(e)
}

func (a *audit) part(e *TypedExpr) {
	if a.exprs[e] {
		return
	}
	a.exprs[e] = true
	if e.Lo == nil || e.Hi == nil || e.Lo.Cmp(e.Hi) > 0 || !e.interval().fits() {
		a.failf("expression op %d is %v..%v", e.Op, e.Lo, e.Hi)
		return
	}
	if e.Bool && !e.interval().within(span64(0, 1)) {
		a.failf("a bool is %s", e.interval())
	}
	switch e.Op {
	case OpConst:
		if e.Val == nil || e.Val.Cmp(e.Lo) != 0 || e.Val.Cmp(e.Hi) != 0 {
			a.failf("a constant %v in %s", e.Val, e.interval())
		}
		return
	case OpVar, OpFlag:
		if len(e.Path) == 0 || (e.Op == OpFlag) != (e.Mask != 0) {
			a.failf("a path of %d, mask %d", len(e.Path), e.Mask)
			return
		}
		for i, v := range e.Path {
			a.variable(v)
			if (i < len(e.Path)-1) != (v.Kind == VarStruct) || !v.Used {
				a.failf("part %d of a path is %s of kind %d, used %v", i, v.Name, v.Kind, v.Used)
			}
		}
		if last := e.Path[len(e.Path)-1]; e.Op == OpVar && !e.interval().within(interval{last.Lo, last.Hi}) {
			a.failf("%s is read as %s", last.Name, e.interval())
		}
		return
	case OpRest:
		return
	case OpPeek, OpTail:
		if e.Bits < 1 || e.Bits > 64 || e.Lo.Sign() != 0 || e.Hi.BitLen() != e.Bits {
			a.failf("a look at %d bits is %s", e.Bits, e.interval())
		}
		return
	case OpFrom:
		if e.Side == FromUnknown {
			a.failf("from nobody")
		}
		return
	}
	if e.X == nil {
		a.failf("op %d without operands", e.Op)
		return
	}
	a.part(e.X)
	switch e.Op {
	case OpNeg, OpNot:
		return
	case OpIn:
		a.ranges(e.Set)
		return
	}
	if e.Y == nil {
		a.failf("op %d with one operand", e.Op)
		return
	}
	a.part(e.Y)
	switch y := e.Y.interval(); e.Op {
	case OpDiv, OpMod:
		if y.contains(bigZero) {
			a.failf("a divisor is %s", y)
		}
	case OpShl, OpShr:
		if !y.within(span64(0, 63)) {
			a.failf("a shift is %s", y)
		}
	}
}

func (a *audit) ranges(set []Range) {
	for i, r := range set {
		if r.Lo.Cmp(r.Hi) > 0 || i > 0 && set[i-1].Hi.Cmp(r.Lo) >= 0 {
			a.failf("ranges %v", set)
		}
	}
	if len(set) == 0 {
		a.failf("an empty set")
	}
}

func (a *audit) switchOf(s *Switch) {
	a.expr(s.Tag, s.Tag != nil && s.Tag.Bool)
	var all []Range
	hasDefault := false
	for _, arm := range s.Arms {
		if arm.Label == "" || arm.Default == (len(arm.Ranges) > 0) {
			a.failf("arm %q with %d labels", arm.Label, len(arm.Ranges))
		}
		hasDefault = hasDefault || arm.Default
		all = append(all, arm.Ranges...)
		if arm.Value != nil {
			a.value(arm.Value)
		}
	}
	if len(s.Arms) == 0 || hasDefault != s.HasDefault {
		a.failf("switch with %d arms, default %v", len(s.Arms), hasDefault)
	}
	if sortRanges(all); len(all) > 0 {
		a.ranges(all)
	}
}

func (a *audit) value(v *Value) {
	if v.MinBits > v.MaxBits {
		a.failf("%T takes %d..%d bits", v.Type, v.MinBits, v.MaxBits)
	}
	if v.Rule != nil {
		if b := v.Rule.Bounds; b != nil {
			a.expr(b.Cond, true)
			if len(v.Rule.Set) > 0 || b.Lo.Lo.Cmp(b.Hi.Hi) > 0 {
				a.failf("bounds %s..%s, and %d ranges", b.Lo.interval(), b.Hi.interval(), len(v.Rule.Set))
			}
		} else if v.Rule.Kind == RuleIn && v.Rule.Floats == nil {
			a.ranges(v.Rule.Set)
		}
		if v.Rule.Text == "" {
			a.failf("a rule without its text")
		}
	}
	switch t := v.Type.(type) {
	case *BoolType, *ChecksumType, *EnumRef, *FloatType, *SmallestType, *TextType, *VarintType:
	case *IntType:
		if t.Width > 64 || t.Width < 1 && t.Size == nil {
			a.failf("width %d", t.Width)
		}
		if t.Size != nil {
			a.expr(t.Size, false)
		}
	case *RangedType:
		if !(interval{t.Lo, t.Hi}).fits() || t.Lo.Cmp(t.Hi) > 0 || t.Width > 64 {
			a.failf("int(%v..%v) in %d bits", t.Lo, t.Hi, t.Width)
		}
		if t.HiExpr != nil {
			a.expr(t.HiExpr, false)
		}
	case *QuantizedType:
		if t.Steps < 1 || t.Steps > exactCodes || t.Width < 1 || !(t.Min < t.Max) || !(t.Step > 0) {
			a.failf("float %+v", *t)
		}
	case *VectorType:
		a.value(t.Elem)
	case *BlobType:
		if t.Max < 0 {
			a.failf("bytes up to %d", t.Max)
		}
		if t.Size != nil {
			a.expr(t.Size, false)
		}
	case *StructRef:
		if len(t.Args) != len(t.Struct.Params) {
			a.failf("%d arguments for %s", len(t.Args), t.Struct.Name)
			return
		}
		for i, e := range t.Args {
			a.expr(e, t.Struct.Params[i].Bool)
		}
		a.structure(t.Struct)
	case *OptionalType:
		a.value(t.Elem)
	case *SubsetType:
		if t.Kind == SubsetNone || t.N < 1 {
			a.failf("subset %v of %d", t.Kind, t.N)
		}
		a.value(t.Elem)
	case *ArrayType:
		a.array(t)
	case *LadderType:
		a.expr(t.Prev, false)
	case *BelowType:
		a.expr(t.Limit, false)
	case nil:
		a.failf("a value without a type")
	}
}

func (a *audit) array(t *ArrayType) {
	a.value(t.Elem)
	constant := t.Kind == ArrayCounted && t.Lo == t.Hi
	switch t.Kind {
	case ArrayCount:
		a.expr(t.Count, false)
		constant = t.Count != nil && t.Count.IsConst()
	case ArrayUntil, ArrayWhile:
		a.expr(t.Cond, true)
	case ArrayRest:
		if t.Elem.MinBits < uint64(t.Left()) {
			a.failf("an element of [rest] takes %d bits", t.Elem.MinBits)
		}
	}
	if !constant && t.Elem.MinBits == 0 || t.Max > maxCount || t.Lo > t.Hi {
		a.failf("array kind %d, %d..%d, max %d, element at least %d bits", t.Kind, t.Lo, t.Hi, t.Max, t.Elem.MinBits)
	}
}

func okCorpus(t testing.TB) []corpusCase {
	t.Helper()
	files, err := filepath.Glob("testdata/check/ok/*.pks")
	if err != nil || len(files) < 5 {
		t.Fatalf("examples: %v %v", files, err)
	}
	var out []corpusCase
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, corpusCase{filepath.Base(file), src})
	}
	return out
}

// TestCheckSurvivesEveryTruncation: cut anywhere, a file is refused or whole, and never answered with a broken model.
func TestCheckSurvivesEveryTruncation(t *testing.T) {
	for _, tt := range okCorpus(t) {
		step := 1 + len(tt.src)/need.Rounds(1500, 100)
		for n := 0; n < len(tt.src); n += step {
			checkAnything(t, tt.src[:n])
		}
	}
}

func checkAnything(t *testing.T, src []byte) {
	t.Helper()
	s, diags := Load("fuzz", src, nil)
	if (s == nil) != syntax.HasErrors(diags) {
		t.Fatalf("schema is nil: %v, diagnostics %v", s == nil, diags)
	}
	if len(diags) > syntax.MaxErrors+1 {
		t.Fatalf("%d diagnostics", len(diags))
	}
	for i, d := range diags {
		if i > 0 && d.Pos.Off < diags[i-1].Pos.Off {
			t.Fatalf("not in source order: %v", diags)
		}
		if !d.Pos.IsValid() || d.Message == "" || len(d.Message)+len(d.Fix) > 2000 {
			t.Fatalf("a diagnostic without a place or too long: %+v", d)
		}
	}
	if s != nil {
		for _, e := range auditSchema(s) {
			t.Error(e)
		}
	}
	// The tree of a broken file, checked without being told that it is broken.
	f, _ := syntax.Parse("fuzz", src)
	CheckFile(f, nil)
}

func FuzzCheck(f *testing.F) {
	for _, tt := range append(okCorpus(f), errorCorpus(f)...) {
		f.Add(tt.src)
	}
	f.Fuzz(checkAnything)
}
