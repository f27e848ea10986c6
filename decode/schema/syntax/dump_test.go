package syntax

import (
	"fmt"
	"strconv"
	"strings"
)

// The tree as text, for tests: `name:(array (count 4) uint8)`. Spans and docs are left out.

func dumpDecl(d Decl) string {
	switch d := d.(type) {
	case *ImportDecl:
		return fmt.Sprintf("import %q", d.File.Text)
	case *OrderDecl:
		return "order " + d.Kind.Order.String()
	case *PortDecl:
		return "port " + dumpSet(d.Ports)
	case *MaxDecl:
		return "max " + d.What.Text + " " + dumpExpr(d.Limit)
	case *ConstDecl:
		return "const " + d.Name.Text + " " + dumpExpr(d.Value)
	case *ParamDecl:
		return "param " + d.Name.Text + " " + dumpExpr(d.Value) + " " + dumpSet([]RangeExpr{d.Range})
	case *EnumDecl:
		s := fmt.Sprintf("open=%t flags=%t %s %s", d.Open, d.Flags, d.Name.Text, dumpValue(d.Base))
		for _, c := range d.Cases {
			s += " " + c.Name.Text + "=" + dumpExpr(c.Value)
		}
		return s
	case *StructDecl:
		s := "struct " + d.Name.Text
		for _, m := range d.Params {
			if m.Range != nil {
				s += " (" + m.Name.Text + " " + dumpSet([]RangeExpr{*m.Range}) + ")"
			} else {
				s += fmt.Sprintf(" (%s bool=%t)", m.Name.Text, m.Bool)
			}
		}
		return s + dumpOrder(d.Order) + dumpBody(d.Body)
	case *PacketDecl:
		return "packet" + dumpOrder(d.Order) + dumpBody(d.Body)
	case *MessageDecl:
		return "message " + d.Name.Text + " max " + dumpExpr(d.Max) + dumpOrder(d.Order) + dumpBody(d.Body)
	case *FlowDecl:
		s := "flow"
		for _, k := range d.Keys {
			s += " " + dumpExpr(k)
		}
		return s
	case *StateDecl:
		var lines []string
		for _, r := range d.Registers {
			lines = append(lines, fmt.Sprintf("each=%t %s:%s once=%t%s", r.Each, r.Name.Text, dumpValue(r.Value), r.Once, dumpNotes(r.Annotations)))
		}
		return "state{" + strings.Join(lines, "; ") + "}"
	case *ExpectDecl:
		return fmt.Sprintf("expect %s %d", d.What.Text, d.Duration.Nanos)
	}
	return fmt.Sprintf("%T", d)
}

func dumpOrder(o *OrderRef) string {
	if o == nil {
		return ""
	}
	return " order " + o.Order.String()
}

func dumpBody(b *Body) string {
	var items []string
	for _, it := range b.Items {
		items = append(items, dumpItem(it))
	}
	return "{" + strings.Join(items, "; ") + "}"
}

func dumpItem(it ItemNode) string {
	switch it := it.(type) {
	case *FieldItem:
		s := it.Name.Text + ":"
		if it.Switch != nil {
			s += "switch " + dumpExpr(it.Switch.Tag)
			for _, a := range it.Switch.Arms {
				s += " [" + dumpArm(a) + "]"
			}
		} else {
			s += dumpValue(it.Value)
		}
		return s + dumpNotes(it.Annotations)
	case *IfItem:
		s := "if " + dumpExpr(it.Cond) + dumpBody(it.Then)
		if it.Else != nil && it.Else.If != nil {
			s += " else " + dumpItem(it.Else.If)
		} else if it.Else != nil {
			s += " else" + dumpBody(it.Else.Body)
		}
		return s
	case *WithinItem:
		zeros := ""
		if it.Zeros {
			zeros = " zeros"
		}
		return fmt.Sprintf("within %s bits=%t%s%s", dumpExpr(it.Size), it.Bits, zeros, dumpBody(it.Body))
	case *LetItem:
		if it.State != nil {
			return "let " + dumpPath(it.State) + " " + dumpExpr(it.Value)
		}
		s := "let " + it.Name.Text + " "
		if it.Range != nil {
			s += "in " + dumpSet([]RangeExpr{*it.Range}) + " "
		}
		return s + dumpExpr(it.Value) + dumpNotes(it.Annotations)
	case *RequireItem:
		return "require " + dumpExpr(it.Cond)
	case *AlignItem:
		return fmt.Sprintf("align %s any=%t", dumpExpr(it.Bits), it.Any)
	case *ReservedItem:
		return fmt.Sprintf("reserved %s any=%t", dumpExpr(it.Bits), it.Any)
	case *CheckItem:
		return "check " + dumpExpr(it.Value)
	}
	return fmt.Sprintf("%T", it)
}

func dumpArm(a *ArmNode) string {
	s := "default"
	if !a.Default {
		s = dumpSet(a.Labels)
	}
	if a.Empty {
		return s + " empty" + dumpNotes(a.Annotations)
	}
	return s + " " + dumpValue(a.Value) + dumpNotes(a.Annotations)
}

func dumpNotes(notes []*Annotation) string {
	s := ""
	for _, n := range notes {
		s += " @" + n.Name.Text
		for _, a := range n.Args {
			s += ","
			if a.Word.Text != "" {
				s += a.Word.Text + "="
			}
			s += dumpExpr(a.Value) + a.Unit
		}
	}
	return s
}

func dumpValue(v *ValueExpr) string {
	s := ""
	for _, x := range v.Prefixes {
		name := [...]string{"", "count", "range", "max", "until", "while", "optional", "subset"}[x.Kind]
		s += "[" + name + dumpAll([]Expr{x.A, x.B})
		if x.Kind == PrefixSubset {
			s += " " + x.Subset.String()
			if x.Any {
				s += " any"
			}
		}
		s += "]"
	}
	s += dumpType(v.Type)
	if v.Endian != EndianNone {
		s += " " + v.Endian.String()
	}
	if r := v.Rule; r != nil {
		s += " " + [...]string{"", "in", "==", "!=", "finite", r.Encoding.String()}[r.Kind]
		if r.Kind == RuleIn {
			s += dumpSet(r.Set)
		} else if r.Value != nil {
			s += dumpExpr(r.Value)
		}
	}
	return s
}

func dumpType(t TypeExpr) string {
	switch t := t.(type) {
	case BodyType:
		return dumpBody(t.Body)
	case *NamedType:
		return t.Name.Text + dumpAll(t.Args)
	case *SimpleType:
		return t.Word
	case *SizedType:
		return t.Word + dumpAll([]Expr{t.Size})
	case *IntRangeType:
		return "int" + dumpAll([]Expr{t.Lo, t.Hi})
	case *QuantizedType:
		return "float" + dumpAll([]Expr{t.Lo, t.Hi, t.Step})
	case *VectorType:
		return fmt.Sprintf("vec%d/%t(%s)", t.N, t.Quat, dumpValue(t.Elem))
	case *Smallest3Type:
		return "smallest3" + dumpAll([]Expr{t.Bits})
	case *BlobType:
		return "bytes" + dumpAll([]Expr{t.Size, t.Max})
	case *LadderType:
		return "relative" + dumpAll([]Expr{t.Prev})
	case *SealedType:
		parts := func(list []SealPart) string {
			var s []string
			for _, x := range list {
				if x.Text != nil {
					s = append(s, strconv.Quote(x.Text.Value))
				} else {
					s = append(s, strings.TrimSpace(strings.ReplaceAll(x.Type+" "+x.Endian.String()+" ", "  ", " ")+dumpExpr(x.Value)))
				}
			}
			return "[" + strings.Join(s, "; ") + "]"
		}
		return fmt.Sprintf("sealed%s %s key=%s nonce=%s ad=%s at=%s open=%s", dumpAll([]Expr{t.Size, t.Max}), t.Algorithm.Text, dumpPath(t.Key),
			parts(t.Nonce), parts(t.AD), dumpExpr(t.At), t.Open.Text)
	case *ChecksumType:
		text := "crc "
		if c := t.Parameters; c != nil {
			text += fmt.Sprintf("(%s %s %s %t %t %s)", dumpExpr(c.Width), dumpExpr(c.Polynomial), dumpExpr(c.Initial), c.RefIn, c.RefOut, dumpExpr(c.Final))
		} else {
			text += t.Algorithm.Name
		}
		for _, v := range t.Prefix {
			text += fmt.Sprintf(" prefix=%s:%s%s", dumpExpr(v.Value), v.Type, v.Endian)
		}
		for _, v := range t.Suffix {
			text += fmt.Sprintf(" suffix=%s:%s%s", dumpExpr(v.Value), v.Type, v.Endian)
		}
		if t.Xor != nil {
			text += " xor=" + dumpExpr(t.Xor)
		}
		if t.Check != nil {
			text += " check=" + dumpExpr(t.Check)
		}
		if o := t.Over; o != nil {
			text += fmt.Sprintf(" over=%t %s %t %s", o.Rest, dumpPath(o.From), o.Ranged, dumpPath(o.To))
		}
		return text
	}
	return fmt.Sprintf("%T", t)
}

func dumpPath(parts []Ident) string {
	var s []string
	for _, id := range parts {
		s = append(s, id.Text)
	}
	return strings.Join(s, ".")
}

func dumpSet(set []RangeExpr) string {
	s := "{"
	for i, r := range set {
		if i > 0 {
			s += ","
		}
		s += dumpExpr(r.Lo)
		if r.Hi != nil {
			s += ".." + dumpExpr(r.Hi)
		}
	}
	return s + "}"
}

func dumpAll(list []Expr) string {
	s := ""
	for _, e := range list {
		s += " " + dumpExpr(e)
	}
	return s
}

func dumpExpr(e Expr) string {
	switch e := e.(type) {
	case nil:
		return "-"
	case *IntLit:
		return e.Value.String()
	case *FloatLit:
		return strconv.FormatFloat(e.Value, 'g', -1, 64)
	case *StringLit:
		return strconv.Quote(e.Value)
	case *DurationLit:
		return strconv.FormatInt(e.Nanos, 10) + "ns"
	case *BoolLit:
		return strconv.FormatBool(e.Value)
	case *RestExpr:
		return "rest"
	case *PathExpr:
		return dumpPath(e.Parts)
	case *TableExpr:
		var rows []string
		for _, r := range e.Rows {
			label := dumpSet(r.Labels)
			if r.Default {
				label = "default"
			}
			rows = append(rows, label+": "+dumpExpr(r.Value))
		}
		return "switch{" + strings.Join(rows, "; ") + "}"
	case *HasExpr:
		return "has " + dumpPath(e.X.Parts)
	case *CallExpr:
		args := make([]string, len(e.Args))
		for i, arg := range e.Args {
			args[i] = dumpExpr(arg)
		}
		return e.Name.Text + "(" + strings.Join(args, " ") + ")"
	case *UnaryExpr:
		return "(" + e.Op.String() + " " + dumpExpr(e.X) + ")"
	case *BinaryExpr:
		return "(" + dumpExpr(e.X) + " " + e.Op.String() + " " + dumpExpr(e.Y) + ")"
	case *InExpr:
		return "(" + dumpExpr(e.X) + " in " + dumpSet(e.Set) + ")"
	case *ParenExpr:
		return "<" + dumpExpr(e.X) + ">"
	}
	return fmt.Sprintf("%T", e)
}
