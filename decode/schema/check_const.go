package schema

import (
	"math"
	"math/big"
	"strconv"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Constants: numbers that must be known before any packet.

// constInt evaluates an integer constant; what names the place ("a port"), bare the enum whose cases need no name.
func (c *checker) constInt(e syntax.Expr, what string, bare *Enum) *big.Int {
	x := &exprs{checker: c, bare: bare, konst: what}
	t := x.number(e, what)
	if t == nil || !t.IsConst() {
		return nil
	}
	return t.Val
}

// constIn evaluates an integer constant within lo..hi.
func (c *checker) constIn(e syntax.Expr, what string, lo, hi int64) (int64, bool) {
	v := c.constInt(e, what, nil)
	if v == nil {
		return 0, false
	}
	if in := span64(lo, hi); !in.contains(v) {
		c.errorf(e.Place(), "", "%s is %s, got %s", what, in, shortInt(v))
		return 0, false
	}
	return v.Int64(), true
}

// constRange evaluates `a` or `a..b`.
func (c *checker) constRange(r syntax.RangeExpr, what string, bare *Enum) (interval, bool) {
	lo := c.constInt(r.Lo, what, bare)
	hi := lo
	if r.Hi != nil {
		hi = c.constInt(r.Hi, what, bare)
	}
	if lo == nil || hi == nil {
		return interval{}, false
	}
	if lo.Cmp(hi) > 0 {
		c.errorf(r.Span, "write the smaller number first", "the range %s..%s is empty", lo, hi)
		return interval{}, false
	}
	return interval{lo, hi}, true
}

// hasFloat says whether a constant expression is over floats. Its recursion is bounded by the parser's nesting.
func hasFloat(c *checker, e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.FloatLit:
		return true
	case *syntax.ParenExpr:
		return hasFloat(c, e.X)
	case *syntax.UnaryExpr:
		return hasFloat(c, e.X)
	case *syntax.BinaryExpr:
		return hasFloat(c, e.X) || hasFloat(c, e.Y)
	case *syntax.PathExpr:
		if len(e.Parts) == 1 {
			g := c.names[e.Parts[0].Text]
			return g != nil && g.val != nil && g.val.Float != nil
		}
	}
	return false
}

// constFloat evaluates a constant as a float of 32 or 64 bits. A literal is rounded once, as a compiler would; sums and
// products are computed in float64 and rounded at the end.
func (c *checker) constFloat(e syntax.Expr, what string, bits int) (float64, bool) {
	v, ok := c.floatOf(e, what, bits)
	if !ok {
		return 0, false
	}
	if bits == 32 {
		v = float64(float32(v))
	}
	if math.IsInf(v, 0) || math.IsNaN(v) {
		c.errorf(e.Place(), "", "`%s` is too large for a float%d", c.text(e.Place()), bits)
		return 0, false
	}
	return v, true
}

func (c *checker) floatOf(e syntax.Expr, what string, bits int) (float64, bool) {
	switch e := e.(type) {
	case *syntax.FloatLit:
		if bits == 32 {
			if v, err := strconv.ParseFloat(e.Text, 32); err == nil {
				return v, true
			}
		}
		return e.Value, true
	case *syntax.ParenExpr:
		return c.floatOf(e.X, what, bits)
	case *syntax.UnaryExpr:
		if e.Op == syntax.Minus {
			v, ok := c.floatOf(e.X, what, bits)
			return -v, ok
		}
	case *syntax.BinaryExpr:
		if !hasFloat(c, e) {
			break
		}
		a, ok := c.floatOf(e.X, what, 64)
		b, also := c.floatOf(e.Y, what, 64)
		if !ok || !also {
			return 0, false
		}
		switch e.Op {
		case syntax.Plus:
			return a + b, true
		case syntax.Minus:
			return a - b, true
		case syntax.Star:
			return a * b, true
		case syntax.Slash:
			if b == 0 {
				c.errorf(e.Y.Place(), "", "the divisor is 0")
				return 0, false
			}
			return a / b, true
		}
		c.errorf(e.Span, "", "`%s` works on integers only", e.Op)
		return 0, false
	case *syntax.PathExpr:
		if len(e.Parts) == 1 {
			if g := c.names[e.Parts[0].Text]; g != nil && g.val != nil && g.val.Float != nil {
				c.use(g, e.Parts[0].Span)
				if g.settable {
					c.settable++
				}
				return *g.val.Float, true
			}
		}
	}
	v := c.constInt(e, what, nil)
	if v == nil {
		return 0, false
	}
	f, _ := new(big.Float).SetInt(v).Float64()
	return f, true
}

// decimal is the advice for a quotient of whole numbers that was meant as a fraction, "" for anything else.
func (c *checker) decimal(e syntax.Expr) string {
	for {
		p, ok := e.(*syntax.ParenExpr)
		if !ok {
			break
		}
		e = p.X
	}
	q, ok := e.(*syntax.BinaryExpr)
	if !ok || q.Op != syntax.Slash || hasFloat(c, q) {
		return ""
	}
	a, b := c.constInt(q.X, "a number", nil), c.constInt(q.Y, "a number", nil)
	if a == nil || b == nil || b.Sign() == 0 || new(big.Int).Rem(a, b).Sign() == 0 {
		return ""
	}
	v, _ := new(big.Rat).SetFrac(a, b).Float32()
	return "`/` between whole numbers drops the fraction: write `" + strconv.FormatFloat(float64(v), 'f', -1, 32) + "`"
}

// constText evaluates a string literal or a constant that holds one; found is false where e is neither.
func (c *checker) constText(e syntax.Expr) (text string, found bool) {
	switch e := e.(type) {
	case *syntax.StringLit:
		return e.Value, true
	case *syntax.PathExpr:
		if len(e.Parts) == 1 {
			if g := c.names[e.Parts[0].Text]; g != nil && g.val != nil && g.val.Value == nil && g.val.Float == nil && g.val.Table == nil {
				c.use(g, e.Parts[0].Span)
				return g.val.Text, true
			}
		}
	}
	return "", false
}
