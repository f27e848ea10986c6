package oracle_test

import (
	"slices"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// spot is where something is in a schema.
type spot struct {
	body    *schema.Struct
	outside []string // names of the bodies around that one
	in      string   // what is around: the packet, an array's element, a window, a branch, an arm, a named struct
	before  []schema.Item
}

// valueForms and itemForms are what has to be drawn of the language, a row each: what no step, leaf or expression of a
// plan tells apart.
var valueForms = []struct {
	name string
	is   func(v *schema.Value, s spot) bool
}{
	{"over nothing", ofSum(func(c *schema.ChecksumType, _ spot) bool { return c.Lone })},
	{"over rest", ofSum(func(c *schema.ChecksumType, _ spot) bool { return !c.Lone && c.From.Kind == schema.SumOwn })},
	{"over before", ofSum(func(c *schema.ChecksumType, _ spot) bool {
		return c.From.Kind == schema.SumStart && c.To.Kind == schema.SumOwn
	})},
	{"over a..", ofSum(func(c *schema.ChecksumType, _ spot) bool {
		return c.From.Kind == schema.SumField && c.To.Kind == schema.SumOwn
	})},
	{"over ..b", ofSum(func(c *schema.ChecksumType, _ spot) bool {
		return c.From.Kind == schema.SumStart && c.To.Kind == schema.SumField
	})},
	{"over b", ofSum(func(c *schema.ChecksumType, _ spot) bool {
		return c.To.Kind == schema.SumField && slices.Equal(c.From.Path, c.To.Path)
	})},
	{"over a..b", ofSum(func(c *schema.ChecksumType, _ spot) bool {
		return c.From.Kind == schema.SumField && c.To.Kind == schema.SumField && !slices.Equal(c.From.Path, c.To.Path)
	})},
	{"over a.b..", ofSum(func(c *schema.ChecksumType, _ spot) bool { return len(c.From.Path) > 1 })},
	{"over ..a.b", ofSum(func(c *schema.ChecksumType, _ spot) bool { return len(c.To.Path) > 1 })},
	{"a checksum in an element", sumIn("element")},
	{"a checksum in a window", sumIn("window")},
	{"a checksum in a branch", sumIn("branch")},
	{"a checksum in an arm", sumIn("arm")},
	{"a checksum in a struct", sumIn("struct")},
	{"a checksum in a field's body", sumIn("field")},
	{"a checksum behind another", ofSum(func(_ *schema.ChecksumType, s spot) bool { return slices.ContainsFunc(s.before, isSum) })},
	{"a checksum that covers another", ofSum(func(c *schema.ChecksumType, s spot) bool {
		return slices.ContainsFunc(s.before, isSum) && (c.Lone || c.From.Kind == schema.SumStart && c.To.Kind == schema.SumOwn)
	})},
	{"a checksum that is covered by one before", ofSum(func(_ *schema.ChecksumType, s spot) bool {
		return slices.ContainsFunc(s.before, func(it schema.Item) bool {
			c := sumOf(it)
			return c != nil && (c.Lone || c.From.Kind == schema.SumOwn)
		})
	})},
	{"an optional checksum", func(v *schema.Value, _ spot) bool {
		o, ok := v.Type.(*schema.OptionalType)
		return ok && isSumType(o.Elem.Type)
	}},
	{"xor of a checksum", ofSum(func(c *schema.ChecksumType, _ spot) bool { return c.Xor != 0 })},
	{"a computed prefix", ofSum(func(c *schema.ChecksumType, _ spot) bool { return slices.ContainsFunc(c.Prefix, computedSum) })},
	{"a computed suffix", ofSum(func(c *schema.ChecksumType, _ spot) bool { return slices.ContainsFunc(c.Suffix, computedSum) })},
	{"a checksum's byte order", func(v *schema.Value, _ spot) bool { return isSumType(v.Type) && v.Swap }},
	{"relative(field)", func(v *schema.Value, _ spot) bool {
		l, ok := v.Type.(*schema.LadderType)
		return ok && l.Prev.Op == schema.OpVar
	}},
	{"relative(e)", func(v *schema.Value, _ spot) bool { l, ok := v.Type.(*schema.LadderType); return ok && l.Prev.X != nil }},
	{"relative(prev)", func(v *schema.Value, _ spot) bool {
		l, ok := v.Type.(*schema.LadderType)
		return ok && l.Prev.Op == schema.OpVar && l.Prev.Path[0].Kind == schema.VarPrev
	}},
	{"below(constant)", func(v *schema.Value, _ spot) bool {
		b, ok := v.Type.(*schema.BelowType)
		return ok && b.Limit.IsConst()
	}},
	{"below(e)", func(v *schema.Value, _ spot) bool {
		b, ok := v.Type.(*schema.BelowType)
		return ok && b.Limit.X != nil && b.Limit.X.X != nil
	}},
	{"smallest three", func(v *schema.Value, _ spot) bool { _, ok := v.Type.(*schema.SmallestType); return ok }},
	{"subset(index any)", anySubset(schema.SubsetIndex)},
	{"subset(sentinel any)", anySubset(schema.SubsetSentinel)},
	{"a bit list", func(v *schema.Value, _ spot) bool { a, ok := v.Type.(*schema.ArrayType); return ok && a.Bits }},
	{"bounds that a field gives", func(v *schema.Value, _ spot) bool { return v.Rule != nil && v.Rule.Bounds != nil }},
	{"char utf8", textForm(schema.TextChar, wire.EncodingUTF8)},
	{"char ascii", textForm(schema.TextChar, wire.EncodingASCII)},
	{"char latin1", textForm(schema.TextChar, wire.EncodingLatin1)},
	{"cstring utf8", textForm(schema.TextCString, wire.EncodingUTF8)},
	{"cstring ascii", textForm(schema.TextCString, wire.EncodingASCII)},
	{"cstring latin1", textForm(schema.TextCString, wire.EncodingLatin1)},
	{"a struct of another order in an element", func(v *schema.Value, s spot) bool {
		r, ok := v.Type.(*schema.StructRef)
		return ok && r.Struct.OwnOrder && s.in == "element"
	}},
	{"an argument that a `prev` begins with", func(v *schema.Value, _ spot) bool {
		r, ok := v.Type.(*schema.StructRef)
		return ok && slices.ContainsFunc(r.Struct.Carries, func(k *schema.Carry) bool {
			return reads(k.First, func(p *schema.Var) bool { return slices.Contains(r.Struct.Params, p) })
		})
	}},
}

var itemForms = []struct {
	name string
	is   func(it schema.Item, s spot) bool
}{
	{"within(e zeros)", zeroForm(func(schema.Item) bool { return true })},
	{"within(e zeros) with bytes(rest)", zeroForm(func(it schema.Item) bool {
		f, ok := it.(*schema.Field)
		return ok && f.Value != nil && isRest(f.Value)
	})},
	{"within(e zeros) with an if", zeroForm(func(it schema.Item) bool { _, ok := it.(*schema.If); return ok })},
	{"within(e zeros) with a switch", zeroForm(func(it schema.Item) bool { f, ok := it.(*schema.Field); return ok && f.Switch != nil })},
	{"within(e zeros) with a body", zeroForm(func(it schema.Item) bool {
		f, ok := it.(*schema.Field)
		return ok && f.Value != nil && isBody(f.Value)
	})},
	{"within(expression zeros)", func(it schema.Item, _ spot) bool {
		w, ok := it.(*schema.Within)
		return ok && w.Fill > 0 && w.Size.X != nil
	}},
	{"a switch that is read as an integer", func(it schema.Item, _ spot) bool {
		f, ok := it.(*schema.Field)
		return ok && f.Switch != nil && len(f.Switch.Arms) > 1 && f.Var.Used && f.Var.Kind == schema.VarField
	}},
	{"prev behind a list", behindList(func(k *schema.Carry) bool { return k.Of.Kind == schema.VarField && !k.Of.Bool })},
	{"prev of a bool behind a list", behindList(func(k *schema.Carry) bool { return k.Of.Bool })},
	{"prev of a let behind a list", behindList(func(k *schema.Carry) bool { return k.Of.Kind == schema.VarLet })},
	{"a range of a let", ofLet(func(l *schema.Let, _ spot) bool { return l.Range != nil })},
	{"a helper", ofLet(func(l *schema.Let, _ spot) bool { return l.Var.Name[0] == '_' })},
	{"a let of a bool", ofLet(func(l *schema.Let, _ spot) bool { return l.Var.Bool })},
	{"a unit of a let", ofLet(func(l *schema.Let, _ spot) bool { return l.Annotations.Unit != "" })},
	{"a scale of a let", ofLet(func(l *schema.Let, _ spot) bool { return l.Annotations.Scale != 0 })},
	{"a time of a let", ofLet(func(l *schema.Let, _ spot) bool { return l.Annotations.Time != 0 })},
	{"a display of a let", ofLet(func(l *schema.Let, _ spot) bool { return l.Annotations.Display != nil })},
	{"a counter in a let", ofLet(func(l *schema.Let, _ spot) bool { return l.Annotations.Seq })},
	{"an acknowledgement in a let", ofLet(func(l *schema.Let, _ spot) bool { return l.Annotations.Ack != nil })},
	{"a secret let", ofLet(func(l *schema.Let, _ spot) bool { return l.Annotations.Secret })},
	{"a field here and a let there", ofLet(func(l *schema.Let, _ spot) bool { return l.Var.Joined })},
	{"a let that hides another", ofLet(func(l *schema.Let, s spot) bool { return slices.Contains(s.outside, l.Var.Name) })},
	{"a field that hides another", func(it schema.Item, s spot) bool {
		f, ok := it.(*schema.Field)
		return ok && slices.Contains(s.outside, f.Name)
	}},
}

// carryForms are those of `prev`.
var carryForms = []struct {
	name string
	is   func(k *schema.Carry) bool
}{
	{"prev of a field", func(k *schema.Carry) bool { return k.Of.Kind == schema.VarField }},
	{"prev of a let", func(k *schema.Carry) bool { return k.Of.Kind == schema.VarLet }},
	{"prev of a bool", func(k *schema.Carry) bool { return k.Of.Bool }},
	{"a constant first value", func(k *schema.Carry) bool { return k.First.IsConst() }},
	{"a field as a first value", func(k *schema.Carry) bool {
		return k.First.Op == schema.OpVar && k.First.Path[0].Kind != schema.VarParam
	}},
	{"a computed first value", func(k *schema.Carry) bool { return k.First.X != nil && !k.First.Bool }},
	{"a computed first truth", func(k *schema.Carry) bool { return k.First.X != nil && k.First.Bool }},
	{"a parameter as a first value", func(k *schema.Carry) bool {
		return reads(k.First, func(v *schema.Var) bool { return v.Kind == schema.VarParam })
	}},
	{"a first value that is a let", func(k *schema.Carry) bool {
		return reads(k.First, func(v *schema.Var) bool { return v.Kind == schema.VarLet })
	}},
	{"a first value from a table", func(k *schema.Carry) bool { return looksUp(k.First) }},
}

// formNames are all of them.
func formNames() (names []string) {
	for _, f := range valueForms {
		names = append(names, f.name)
	}
	for _, f := range itemForms {
		names = append(names, f.name)
	}
	for _, f := range carryForms {
		names = append(names, f.name)
	}
	return names
}

// forms tells of each form that a packet has.
func forms(s *schema.Schema, has func(string, ...any)) {
	for _, it := range append([]*schema.Struct{s.Packet}, s.Structs...) {
		in := "struct"
		if it.IsPacket {
			in = "packet"
		}
		bodyForms(it, spot{body: it, in: in}, has)
	}
}

func bodyForms(s *schema.Struct, at spot, has func(string, ...any)) {
	for _, k := range s.Carries {
		for _, f := range carryForms {
			if f.is(k) {
				has("%s", f.name)
			}
		}
	}
	at.body = s
	formsOfItems(s.Items, at, has)
}

func formsOfItems(items []schema.Item, at spot, has func(string, ...any)) {
	for i, it := range items {
		at.before = items[:i]
		for _, f := range itemForms {
			if f.is(it, at) {
				has("%s", f.name)
			}
		}
		for _, way := range it.Ways() {
			in := at
			switch it := it.(type) {
			case *schema.If:
				in.in = "branch"
			case *schema.Within:
				in.in = "window"
			case *schema.Field:
				if it.Switch != nil {
					in.in = "arm"
				}
			case *schema.Align, *schema.Check, *schema.Let, *schema.Require, *schema.Reserved: // nothing is in them
			}
			formsOfItems(way.Items, in, has)
			formsOfValue(way.Value, in, has)
		}
	}
}

func formsOfValue(v *schema.Value, at spot, has func(string, ...any)) {
	if v == nil {
		return
	}
	for _, f := range valueForms {
		if f.is(v, at) {
			has("%s", f.name)
		}
	}
	if v.Type.Row().List {
		at.in = "element"
	}
	if r, ok := v.Type.(*schema.StructRef); ok && r.Struct.Inline {
		if at.in == "packet" || at.in == "struct" {
			at.in = "field"
		}
		at.outside = append(slices.Clone(at.outside), names(at.body.Items)...)
		bodyForms(r.Struct, at, has)
		return
	}
	at.before = nil
	formsOfValue(v.Type.Inner(), at, has)
}

// names are what items declare, those in branches and windows included.
func names(items []schema.Item) (all []string) {
	for _, it := range items {
		switch it := it.(type) {
		case *schema.Field:
			all = append(all, it.Name)
		case *schema.Let:
			all = append(all, it.Var.Name)
		case *schema.Align, *schema.Check, *schema.If, *schema.Require, *schema.Reserved, *schema.Within: // they have no name
		}
		for _, way := range it.Ways() {
			all = append(all, names(way.Items)...)
		}
	}
	return all
}

func isSumType(t schema.Type) bool { _, ok := t.(*schema.ChecksumType); return ok }

// sumOf is the checksum that an item is, nil where it is none.
func sumOf(it schema.Item) *schema.ChecksumType {
	f, ok := it.(*schema.Field)
	if !ok || f.Value == nil {
		return nil
	}
	c, _ := f.Value.Type.(*schema.ChecksumType)
	return c
}

func isSum(it schema.Item) bool { return sumOf(it) != nil }

func ofSum(is func(*schema.ChecksumType, spot) bool) func(*schema.Value, spot) bool {
	return func(v *schema.Value, s spot) bool {
		c, ok := v.Type.(*schema.ChecksumType)
		return ok && is(c, s)
	}
}

func sumIn(in string) func(*schema.Value, spot) bool {
	return ofSum(func(_ *schema.ChecksumType, s spot) bool { return s.in == in })
}

func computedSum(v schema.SumValue) bool { return !v.Value.IsConst() }

func anySubset(kind schema.SubsetKind) func(*schema.Value, spot) bool {
	return func(v *schema.Value, _ spot) bool {
		s, ok := v.Type.(*schema.SubsetType)
		return ok && s.Any && s.Kind == kind
	}
}

func textForm(kind schema.TextKind, e wire.Encoding) func(*schema.Value, spot) bool {
	return func(v *schema.Value, _ spot) bool {
		t, ok := v.Type.(*schema.TextType)
		return ok && t.Kind == kind && v.Encoding() == e && v.Rule != nil && v.Rule.Kind == schema.RuleEncoding
	}
}

func isRest(v *schema.Value) bool { b, ok := v.Type.(*schema.BlobType); return ok && b.Size == nil }
func isBody(v *schema.Value) bool { r, ok := v.Type.(*schema.StructRef); return ok && r.Struct.Inline }

func behindList(is func(*schema.Carry) bool) func(schema.Item, spot) bool {
	return func(it schema.Item, _ spot) bool {
		f, ok := it.(*schema.Field)
		return ok && slices.ContainsFunc(f.Last, is)
	}
}

func zeroForm(is func(schema.Item) bool) func(schema.Item, spot) bool {
	return func(it schema.Item, _ spot) bool {
		w, ok := it.(*schema.Within)
		return ok && w.Fill > 0 && slices.ContainsFunc(w.Items, is)
	}
}

func ofLet(is func(*schema.Let, spot) bool) func(schema.Item, spot) bool {
	return func(it schema.Item, s spot) bool {
		l, ok := it.(*schema.Let)
		return ok && is(l, s)
	}
}

// reads reports whether an expression reads a variable.
func reads(e *schema.TypedExpr, is func(*schema.Var) bool) bool {
	return e != nil && (len(e.Path) > 0 && is(e.Path[0]) || reads(e.X, is) || reads(e.Y, is))
}

// looksUp reports whether an expression asks a table.
func looksUp(e *schema.TypedExpr) bool {
	return e != nil && (e.Op == schema.OpTable || looksUp(e.X) || looksUp(e.Y))
}
