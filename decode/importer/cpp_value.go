package importer

import (
	"math/big"
	"strconv"
	"strings"
)

// value computes a constant expression that ends the tokens; ok is false where it is none. A token of no kind is the end.
func (f *cppFile) value(toks []token) (v *big.Int, ok bool) {
	e := &cppValue{f: f, toks: toks, ok: true}
	v = e.binary(0)
	return v, e.ok && e.at >= len(toks)-1
}

// cppValue computes an expression of whole numbers.
type cppValue struct {
	f     *cppFile
	toks  []token
	at    int
	depth int
	ok    bool
}

var cppLevels = [][]string{{"|"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

func (e *cppValue) peek() token {
	if e.at < len(e.toks) {
		return e.toks[e.at]
	}
	return token{}
}

func (e *cppValue) binary(level int) *big.Int {
	if level == len(cppLevels) {
		return e.unary()
	}
	x := e.binary(level + 1)
	for e.ok {
		op := ""
		for _, one := range cppLevels[level] {
			if e.peek().is(one) {
				op = one
			}
		}
		if op == "" {
			return x
		}
		e.at++
		y := e.binary(level + 1)
		switch op {
		case "|":
			x = new(big.Int).Or(x, y)
		case "&":
			x = new(big.Int).And(x, y)
		case "<<", ">>":
			if !y.IsUint64() || y.Uint64() > 63 {
				e.ok = false
				return x
			}
			if op == "<<" {
				x = new(big.Int).Lsh(x, uint(y.Uint64()))
			} else {
				x = new(big.Int).Rsh(x, uint(y.Uint64()))
			}
		default:
			c, bad := wholeOperation(op, x, y)
			if bad != "" {
				e.ok = false
				return x
			}
			x = c.whole
		}
		if x.BitLen() > maxBits {
			e.ok = false
		}
	}
	return x
}

func (e *cppValue) unary() *big.Int {
	t := e.peek()
	e.at++
	if e.depth++; e.depth > maxNesting {
		e.ok = false
		return new(big.Int)
	}
	defer func() { e.depth-- }()
	switch {
	case t.is("-"):
		return new(big.Int).Neg(e.unary())
	case t.is("~"):
		return new(big.Int).Not(e.unary())
	case t.is("("):
		x := e.binary(0)
		if !e.peek().is(")") {
			e.ok = false
		}
		e.at++
		return x
	case t.kind == tokenNumber:
		text := strings.ReplaceAll(strings.TrimRight(t.text, "uUlL"), "'", "")
		if len(text) <= 70 {
			if v, ok := new(big.Int).SetString(text, 0); ok {
				return v
			}
		}
	case t.kind == tokenText && len(t.text) == 3 && t.text[0] == '\'':
		return big.NewInt(int64(t.text[1]))
	case t.kind == tokenWord:
		for e.peek().is("::") && e.at+1 < len(e.toks) { // Enum::Case, namespace::name
			t = e.toks[e.at+1]
			e.at += 2
		}
		if c, ok := e.f.consts[t.text]; ok && c.value != nil {
			return c.value
		}
	}
	e.ok = false
	return new(big.Int)
}

// float is a float as it is written, without its suffix; ok is false where it is none.
func (f *cppFile) float(toks []token) (text string, ok bool) {
	sign := ""
	for len(toks) > 0 && (toks[0].is("-") || toks[0].is("+")) {
		if toks[0].is("-") {
			sign = "-"
		}
		toks = toks[1:]
	}
	if len(toks) == 0 || len(toks) > 1 && toks[1].text != "" {
		return "", false
	}
	if c, known := f.consts[toks[0].text]; known {
		if c.value != nil {
			return sign + c.value.String(), true
		}
		return sign + c.float, sign == "" || !strings.HasPrefix(c.float, "-")
	}
	text = toks[0].text
	if !strings.HasPrefix(text, "0x") {
		text = strings.TrimRight(text, "fFlL")
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || toks[0].kind != tokenNumber || len(text) > 40 || v > 1e30 {
		return "", false
	}
	return sign + strconv.FormatFloat(v, 'f', -1, 64), true
}
