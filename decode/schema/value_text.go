package schema

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// What a value may be, in words for people: `schema doc` and `explain` show it. A schema may come from a stranger, so
// all that its author wrote is escaped as for a terminal.

// numberText is an integer, those next to a large power of two as such.
func numberText(v *big.Int) string {
	if v.BitLen() > 53 {
		if v.Sign() > 0 && new(big.Int).And(v, new(big.Int).Add(v, big.NewInt(1))).Sign() == 0 {
			return fmt.Sprintf("2^%d-1", v.BitLen())
		}
		if abs := new(big.Int).Abs(v); v.Sign() < 0 && int(abs.TrailingZeroBits()) == abs.BitLen()-1 {
			return fmt.Sprintf("-2^%d", abs.BitLen()-1)
		}
	}
	return v.String()
}

// writtenHex reports whether some number in a text of the schema is written in hexadecimal.
func writtenHex(text string) bool { return hexNumber.MatchString(text) }

var hexNumber = regexp.MustCompile(`\b0x`)

// RangeText is the integers from lo to hi.
func RangeText(lo, hi *big.Int) string {
	if lo.Cmp(hi) == 0 {
		return numberText(lo)
	}
	return numberText(lo) + ".." + numberText(hi)
}

// WidthText is all that so many bits can hold.
func WidthText(width int, signed bool) string {
	if signed {
		half := new(big.Int).Lsh(big.NewInt(1), uint(max(width-1, 0)))
		return RangeText(new(big.Int).Neg(half), new(big.Int).Sub(half, big.NewInt(1)))
	}
	return RangeText(new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(width)), big.NewInt(1)))
}

func floatText(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func float32Text(f float32) string { return strconv.FormatFloat(float64(f), 'g', -1, 32) }

// RangeText is what a value may be, "" where its type says it all.
func (v *Value) RangeText() string {
	if v.Rule != nil {
		if text := v.RuleText(); text != "" {
			return text
		}
	}
	switch t := v.Type.(type) {
	case *IntType, *VarintType:
		in, _ := t.Interval()
		return RangeText(in.Lo, in.Hi)
	case *RangedType:
		if t.HiExpr != nil {
			return numberText(t.Lo) + ".." + syntax.EscapeText(t.HiExpr.Text) + ", at most " + numberText(t.Hi)
		}
		return RangeText(t.Lo, t.Hi)
	case *QuantizedType:
		return fmt.Sprintf("%s..%s, step %s", float32Text(t.Min), float32Text(t.Max), float32Text(t.Step))
	case *VectorType:
		return "each " + t.Elem.RangeText()
	case *TextType:
		switch t.Kind {
		case TextWString:
			return fmt.Sprintf("at most %s", syntax.Count(int64(t.N-1), "unit"))
		case TextChar:
			return fmt.Sprintf("at most %s", syntax.Count(int64(t.N), "byte"))
		}
		return fmt.Sprintf("at most %s", syntax.Count(int64(t.N-1), "byte")) // of a dnsname 255
	case *BlobType:
		if t.Size == nil || !t.Size.IsConst() {
			return fmt.Sprintf("at most %s", syntax.Count(int64(t.Max), "byte"))
		}
	case *ChecksumType:
		if len(t.Prefix) > 0 {
			if e := t.Prefix[0].Value; !e.IsConst() {
				return "prefix " + syntax.EscapeText(e.Text)
			}
			return fmt.Sprintf("prefix %#x", t.Prefix[0].Value.Val)
		}
	case *OptionalType:
		return t.Elem.RangeText()
	case *ArrayType:
		return elementsText(t)
	case *SubsetType:
		return fmt.Sprintf("at most %s", syntax.Count(int64(min(t.N, math.MaxInt64)), "element"))
	case *BelowType:
		if t.Limit.IsConst() {
			in, _ := t.Interval()
			return RangeText(in.Lo, in.Hi)
		}
		return "below " + syntax.EscapeText(t.Limit.Text)
	case *LadderType:
		return "above " + syntax.EscapeText(t.Prev.Text)
	case *BoolType, *FloatType, *SmallestType, *EnumRef, *StructRef: // its type says it all
	default:
		panic(fmt.Sprintf("pktscope: internal error: unknown type %T", t))
	}
	return ""
}

func elementsText(t *ArrayType) string {
	each := ""
	if text := t.Elem.RangeText(); text != "" {
		each = ", each " + text
	}
	n := syntax.Count(int64(min(t.Max, math.MaxInt64)), "element")
	switch {
	case t.Kind == ArrayCount && t.Count.IsConst():
		return n + each
	case t.Kind == ArrayCounted && t.Lo > 0:
		return fmt.Sprintf("%d..%s", t.Lo, n) + each
	}
	return "at most " + n + each
}

// RuleText is the rule after a type with its constants worked out.
func (v *Value) RuleText() string {
	r := v.Rule
	var enum *Enum
	if ref, ok := v.Type.(*EnumRef); ok {
		enum = ref.Enum
	}
	_, isBool := v.Type.(*BoolType)
	want := func() string {
		switch {
		case r.WantFloat != nil:
			return floatText(*r.WantFloat)
		case r.Want == nil:
			return syntax.EscapeText(strconv.Quote(string(r.Bytes)))
		case isBool:
			return strconv.FormatBool(r.Want.Sign() != 0)
		case enum != nil:
			return enumName(enum, r.Want)
		}
		return numberText(r.Want)
	}
	var parts []string
	if r.Bounds != nil {
		return r.Bounds.Lo.Text + ".." + r.Bounds.Hi.Text
	}
	switch r.Kind {
	case RuleFinite:
		return "finite"
	case RuleEncoding:
		return r.Encoding.Name()
	case RuleEq:
		return "always " + want()
	case RuleNe:
		return "not " + want()
	}
	for _, f := range r.Floats {
		parts = append(parts, floatText(f.Lo)+".."+floatText(f.Hi))
	}
	for _, s := range r.Set {
		switch {
		case enum == nil:
			parts = append(parts, RangeText(s.Lo, s.Hi))
		default:
			for i := range enum.Cases {
				if c := &enum.Cases[i]; c.Value.Cmp(s.Lo) >= 0 && c.Value.Cmp(s.Hi) <= 0 {
					parts = append(parts, c.Name)
				}
			}
		}
	}
	return strings.Join(parts, ", ")
}

func enumName(e *Enum, v *big.Int) string {
	for i := range e.Cases {
		if e.Cases[i].Value.Cmp(v) == 0 {
			return e.Cases[i].Name
		}
	}
	return numberText(v)
}
