package importer

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// constant is the value of an expression: a whole number of any size up to maxBits, or a float64.
type constant struct {
	whole *big.Int // nil for a float
	float float64
}

// maxBits is the most bits of a number on the way.
const maxBits = 256

// asFloat is the value as a float64.
func (c constant) asFloat() float64 {
	if c.whole == nil {
		return c.float
	}
	f, _ := new(big.Float).SetInt(c.whole).Float64()
	return f
}

// value computes an expression. What is wrong with it is said at the part that is, and gives 0.
func (u *schemaUnit) value(x *expr) constant {
	c, bad := u.compute(x)
	if bad != "" {
		u.d.fail(x.span, "%s", bad)
		return constant{whole: new(big.Int)}
	}
	return c
}

func (u *schemaUnit) compute(x *expr) (constant, string) {
	switch {
	case x.op == "" && x.leaf.kind == tokenNumber:
		return literal(x.leaf.text)
	case x.op == "":
		return u.named(x)
	}
	a := u.value(x.x)
	if x.y == nil {
		a.float = -a.float
		if a.whole != nil {
			a.whole = new(big.Int).Neg(a.whole)
		}
		return a, ""
	}
	b := u.value(x.y)
	if a.whole == nil || b.whole == nil {
		return floatOperation(x.op, a.asFloat(), b.asFloat())
	}
	return wholeOperation(x.op, a.whole, b.whole)
}

func wholeOperation(op string, a, b *big.Int) (constant, string) {
	z := new(big.Int)
	switch op {
	case "+":
		z.Add(a, b)
	case "-":
		z.Sub(a, b)
	case "*":
		z.Mul(a, b)
	default:
		if b.Sign() == 0 {
			return constant{}, "a division by 0"
		}
		if op == "/" {
			z.Quo(a, b)
		} else {
			z.Rem(a, b)
		}
	}
	if z.BitLen() > maxBits {
		return constant{}, fmt.Sprintf("a number of more than %d bits", maxBits)
	}
	return constant{whole: z}, ""
}

func floatOperation(op string, a, b float64) (constant, string) {
	var z float64
	switch op {
	case "+":
		z = a + b
	case "-":
		z = a - b
	case "*":
		z = a * b
	case "/":
		z = a / b
	default:
		return constant{}, "a float has no remainder"
	}
	if math.IsNaN(z) || math.IsInf(z, 0) {
		return constant{}, "a float that is not finite"
	}
	return constant{float: z}, ""
}

func literal(text string) (constant, string) {
	const most = 100 // digits: parsing takes more than linear time
	if len(text) > most {
		return constant{}, "a number with too many digits"
	}
	if z, ok := new(big.Int).SetString(text, 0); ok && !strings.HasPrefix(text, "0o") && z.BitLen() <= maxBits {
		if len(text) > 1 && text[0] == '0' && isDigit(text[1]) {
			z, ok = new(big.Int).SetString(text, 10)
		}
		if ok {
			return constant{whole: z}, ""
		}
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(f, 0) {
		return constant{float: f}, ""
	}
	return constant{}, fmt.Sprintf("`%s` is no number", text)
}

// named is the value of a constant, or of Enum.Max and Flags.Count.
func (u *schemaUnit) named(x *expr) (constant, string) {
	name := x.leaf.text
	decl := u.names[name]
	if x.of.text != "" {
		return u.extent(name, x.of.text, decl)
	}
	if decl == nil || decl.word != "const" {
		return constant{}, fmt.Sprintf("`%s` is no constant", clip(name))
	}
	if decl.number == nil {
		if decl.open {
			return constant{}, fmt.Sprintf("`%s` is computed from itself", clip(name))
		}
		if u.depth++; u.depth > maxNesting {
			return constant{}, fmt.Sprintf("constants of constants, more than %d deep", maxNesting)
		}
		decl.open = true
		c := u.value(decl.value)
		decl.open = false
		u.depth--
		decl.number = &c
	}
	return *decl.number, ""
}

// extent is what is after the dot of a name.
func (u *schemaUnit) extent(name, of string, decl *schemaDecl) (constant, string) {
	count := func(n int) (constant, string) { return constant{whole: big.NewInt(int64(n))}, "" }
	switch {
	case decl == nil && of == "Max" && name == "MessageType":
		return count(len(u.messages))
	case decl == nil && of == "Max" && strings.HasSuffix(name, "Type") && u.names[strings.TrimSuffix(name, "Type")] != nil:
		if union := u.names[strings.TrimSuffix(name, "Type")]; union.word == "union" {
			return count(len(union.items))
		}
	case decl != nil && decl.word == "flags" && of == "Count":
		return count(len(decl.variants))
	case decl != nil && decl.word == "enum" && of == "Max":
		return constant{whole: u.most(decl)}, ""
	}
	return constant{}, fmt.Sprintf("`%s.%s` is no number: want the Max of an enum or the Count of flags", clip(name), clip(of))
}

// whole is the value of an expression that has to be a whole number from lo to hi.
func (u *schemaUnit) whole(x *expr, what string, lo, hi *big.Int) *big.Int {
	c := u.value(x)
	switch {
	case c.whole == nil:
		u.d.fail(x.span, "%s is a whole number, got %v", what, c.float)
	case c.whole.Cmp(lo) < 0 || c.whole.Cmp(hi) > 0:
		u.d.fail(x.span, "%s is in %d..%d, got %d", what, lo, hi, c.whole)
	default:
		return c.whole
	}
	return lo
}

// small is whole for counts and sizes.
func (u *schemaUnit) small(x *expr, what string, lo, hi int64) int64 {
	return u.whole(x, what, big.NewInt(lo), big.NewInt(hi)).Int64()
}

// attr finds an attribute.
func attr(among []attribute, key string) *attribute {
	for i := range among {
		if among[i].key.text == key {
			return &among[i]
		}
	}
	return nil
}

// bounds are min and max of whole numbers; ok is false where there are none.
func (u *schemaUnit) bounds(attrs []attribute, at syntax.Span, least, most *big.Int) (lo, hi *big.Int, ok bool) {
	a, b := attr(attrs, "min"), attr(attrs, "max")
	if a == nil && b == nil {
		return nil, nil, false
	}
	if a == nil || b == nil || a.value == nil || b.value == nil {
		u.d.fail(at, "min and max go together, each with a value")
		return nil, nil, false
	}
	lo, hi = u.whole(a.value, "min", least, most), u.whole(b.value, "max", least, most)
	if lo.Cmp(hi) > 0 {
		u.d.fail(a.value.span, "min %d is above max %d", lo, hi)
		return nil, nil, false
	}
	return lo, hi, true
}

func clip(name string) string { return name[:min(len(name), mostName)] }
