package schema

import (
	"bytes"
	"math"
	"math/big"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Rules: the constraint after a type. A rule binds to the innermost element, and one that nothing could satisfy, or
// that speaks of values the type does not have, is an error.

// rule checks the rule of ve and puts it on v, or on the parts of a vector.
func (c *checker) rule(f *frame, ve *syntax.ValueExpr, v *Value) bool {
	if vec, ok := v.Type.(*VectorType); ok {
		return c.rule(f, ve, vec.Elem)
	}
	r := ve.Rule
	if v.Rule != nil {
		c.errorf(r.Span, "write one", "there is a rule inside the parentheses already")
		return false
	}
	out := &Rule{Pos: r.Pos, Kind: r.Kind, Text: c.text(r.Span)}
	out.Hex = writtenHex(out.Text)
	ok := false
	switch v.Type.Row().Rules {
	case RulesBool:
		ok = c.boolRule(r, out)
	case RulesInt:
		in, enum := c.numbers(v.Type)
		if c.computed(r) {
			ok = c.bounds(f, ve, out, in, enum)
		} else {
			ok = c.intRule(ve, out, in, enum)
		}
	case RulesFloat:
		ok = c.floatRule(ve, out, v.Type.(*FloatType).Width)
	case RulesText:
		ok = c.textRule(ve, out, v.Type.(*TextType))
	case RulesBytes:
		ok = c.bytesRule(ve, out, v.Type.(*BlobType))
		out.Encoding = v.inOrder(out.Encoding, f.s.Order)
	case RulesQuantized:
		c.errorf(r.Span, "write the range into the type", "a quantized float takes no rule: its range is `%s`", c.typeText(ve))
	case RulesNone:
		c.errorf(r.Span, "use `require` after it", "`%s` takes no rule", c.typeText(ve))
	}
	if ok {
		v.Rule = out
	}
	return ok
}

// unfit complains about a rule of the wrong kind for its type.
func (c *checker) unfit(ve *syntax.ValueExpr, may string) bool {
	c.errorf(ve.Rule.Span, "", "`%s` takes %s, not `%s`", c.typeText(ve), may, c.text(ve.Rule.Span))
	return false
}

func (c *checker) boolRule(r *syntax.RuleExpr, out *Rule) bool {
	if r.Kind != RuleEq && r.Kind != RuleNe {
		c.errorf(r.Span, "", "a bool takes `== true` or `== false`, not `%s`", c.text(r.Span))
		return false
	}
	t := (&exprs{checker: c, konst: "a rule"}).root(r.Value)
	if t == nil || !t.IsConst() {
		return false
	}
	if !t.Bool {
		c.errorf(r.Value.Place(), "write `true` or `false`", "a bool is compared with a number")
		return false
	}
	out.Want = t.Val
	return true
}

func (c *checker) intRule(ve *syntax.ValueExpr, out *Rule, all interval, n *Enum) bool {
	r := ve.Rule
	switch r.Kind {
	case RuleIn:
		ok := len(r.Set) > 0
		var spans []label
		since := c.settable
		for _, s := range r.Set {
			in, fine := c.constRange(s, "a rule", n)
			if !fine || !c.ruleFits(ve, s.Span, in, all, n) {
				ok = false
				continue
			}
			out.Set = append(out.Set, Range{in.lo, in.hi})
			spans = append(spans, label{s.Span, in})
		}
		c.repeated(spans, since)
		out.Set = normalize(out.Set)
		return ok
	case RuleEq, RuleNe:
		if _, text := c.constText(r.Value); text {
			return c.unfit(ve, "numbers")
		}
		v := c.constInt(r.Value, "a rule", n)
		if v == nil || !c.ruleFits(ve, r.Value.Place(), single(v), all, n) {
			return false
		}
		if r.Kind == RuleNe && all.isSingle() {
			c.errorf(r.Span, "", "nothing is left: %s is the only value of `%s`", v, c.typeText(ve))
			return false
		}
		out.Want = v
		return true
	}
	return c.unfit(ve, "`in`, `==` and `!=`")
}

// ruleFits says whether the values of a rule are values of the type.
func (c *checker) ruleFits(ve *syntax.ValueExpr, at Span, in, all interval, n *Enum) bool {
	if n != nil && !n.Open {
		if n.Flags {
			if undeclared := new(big.Int).AndNot(in.hi, all.hi); in.lo.Sign() >= 0 && (undeclared.Sign() == 0 || !in.isSingle()) && in.within(all) {
				return true
			}
			c.errorf(at, "", "%s has bits that `%s` does not declare", in, n.Name)
			return false
		}
		if !c.enums[n].anyIn(in) {
			c.errorf(at, "", "%s is no case of `%s`", in, n.Name)
			return false
		}
		return true
	}
	if !in.within(all) {
		c.errorf(at, "", "%s does not fit `%s` (%s)", in, c.typeText(ve), all)
		return false
	}
	return true
}

func (c *checker) floatRule(ve *syntax.ValueExpr, out *Rule, width int) bool {
	r := ve.Rule
	switch r.Kind {
	case RuleFinite:
		return true
	case RuleEq, RuleNe:
		v, ok := c.constFloat(r.Value, "a rule", width)
		if ok {
			out.WantFloat = &v
		}
		return ok
	case RuleIn:
		if c.computed(r) {
			c.errorf(r.Span, "use `require` after an integer that it is made of", "the bounds of a float are constants")
			return false
		}
		ok := len(r.Set) > 0
		var spans []Span
		since := c.settable
		for _, s := range r.Set {
			lo, fine := c.constFloat(s.Lo, "a rule", width)
			hi := lo
			if fine && s.Hi != nil {
				hi, fine = c.constFloat(s.Hi, "a rule", width)
			}
			if !fine {
				ok = false
				continue
			}
			if lo > hi {
				c.errorf(s.Span, "write the smaller number first", "the range %v..%v is empty", lo, hi)
				ok = false
				continue
			}
			out.Floats = append(out.Floats, FloatRange{lo, hi})
			spans = append(spans, s.Span)
		}
		if c.settable == since {
			c.repeatedFloats(out.Floats, spans)
		}
		return ok
	}
	return c.unfit(ve, "`in`, `==`, `!=` and `finite`")
}

// textRule checks the rules of strings. An encoding says something only where the type does not say it already.
func (c *checker) textRule(ve *syntax.ValueExpr, out *Rule, t *TextType) bool {
	r := ve.Rule
	if t.Kind == TextName {
		c.errorf(r.Span, "leave it out", "a dnsname takes no rule")
		return false
	}
	switch r.Kind {
	case RuleEncoding:
		word := ve.Type.(*syntax.SizedType).Word
		switch {
		case t.Kind == TextString || t.Kind == TextWString:
			c.errorf(r.Span, "leave it out", "a %s is valid text always", word)
			return false
		case r.Encoding.Unit() > 1:
			c.errorf(r.Span, "write `bytes(n) utf16`", "the end of a %s is a NUL of one byte: `utf16` comes after `bytes`", word)
			return false
		}
		out.Encoding = r.Encoding
		return true
	case RuleEq, RuleNe:
	default:
		return c.unfit(ve, "`==` and `!=` with a string")
	}
	s, ok := c.constText(r.Value)
	if !ok {
		if !isBad(r.Value) {
			c.errorf(r.Value.Place(), "", "`%s` is compared with a string, not with `%s`", c.typeText(ve), c.text(r.Value.Place()))
		}
		return false
	}
	out.Bytes = []byte(s)
	length, most := len(s), t.N
	switch t.Kind {
	case TextWString:
		length, most = len(utf16.Encode([]rune(s))), t.N-1
	case TextString, TextCString:
		most = t.N - 1
	}
	switch {
	case t.Kind != TextCString && t.Kind != TextChar && !utf8.ValidString(s):
		c.errorf(r.Value.Place(), "", "this is not UTF-8: a %s never has it", ve.Type.(*syntax.SizedType).Word)
		return false
	case bytes.IndexByte(out.Bytes, 0) >= 0:
		c.errorf(r.Value.Place(), "leave the NUL out: it is added where the type has one", "a text has no NUL inside")
		return false
	case length > most:
		c.errorf(r.Value.Place(), "", "this has %d units, but `%s` holds %d", length, c.typeText(ve), most)
		return false
	}
	return true
}

func (c *checker) bytesRule(ve *syntax.ValueExpr, out *Rule, t *BlobType) bool {
	r := ve.Rule
	switch r.Kind {
	case RuleEq, RuleNe:
	case RuleEncoding:
		if out.Encoding = r.Encoding; r.Encoding.Unit() > 1 && t.Size != nil && t.Size.IsConst() && t.Max%2 != 0 {
			c.errorf(ve.Type.(*syntax.BlobType).Size.Place(), "", "UTF-16 has an even number of bytes")
			return false
		}
		return true
	default:
		return c.unfit(ve, "`==` and `!=` with a string")
	}
	s, ok := c.constText(r.Value)
	if !ok {
		if !isBad(r.Value) {
			fix := "write a string: `\"\\x00\\x01\"`"
			if n, ok := r.Value.(*syntax.IntLit); ok && n.Value.Sign() == 0 {
				fix = "zeros up to the next 4 bytes are `align(32)`, without a name; as a rule write a string: `\"\\x00\"`"
			}
			c.errorf(r.Value.Place(), fix, "`%s` is compared with a string, not with `%s`", c.typeText(ve), c.text(r.Value.Place()))
		}
		return false
	}
	least, most := uint64(0), uint64(t.Max)
	if t.Size != nil {
		least = clamp(t.Size.Lo)
	}
	if n := uint64(len(s)); n < least || n > most {
		want := span64(int64(min(least, math.MaxInt32)), int64(most))
		c.errorf(r.Value.Place(), "", "this has %d bytes, but `%s` has %s", n, c.typeText(ve), want)
		return false
	}
	out.Bytes = []byte(s)
	return true
}

// allowed narrows the values of a type to those that its rule lets through. The set is exact, or nil where the rule is
// no list.
func (r *Rule) allowed(in interval) (interval, []Range) {
	switch {
	case r == nil:
	case r.Bounds != nil:
		if got, ok := in.intersect(interval{r.Bounds.Lo.Lo, r.Bounds.Hi.Hi}); ok {
			return got, nil
		}
	case r.Kind == RuleIn && len(r.Set) > 0:
		if got, ok := in.intersect(interval{r.Set[0].Lo, r.Set[len(r.Set)-1].Hi}); ok {
			return got, r.Set
		}
	case r.Kind == RuleEq && r.Want != nil:
		return single(r.Want), []Range{{r.Want, r.Want}}
	case r.Kind == RuleNe && r.Want != nil:
		if got, ok := without(in, Range{r.Want, r.Want}); ok {
			return got, nil
		}
	}
	return in, nil
}
