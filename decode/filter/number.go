package filter

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/expr-lang/expr/ast"
)

// number is a value of the arithmetic: unknown, an exact integer of 64 bits and a sign, or a float.
type number struct {
	kind numberKind
	neg  bool // of an integer; never with mag 0
	mag  uint64
	f    float64
}

type numberKind uint8

const (
	unknownNumber numberKind = iota // absent, or past 64 bits
	integer
	float
)

func integerOf(neg bool, mag uint64) number {
	return number{kind: integer, neg: neg && mag != 0, mag: mag}
}

// keyNumber is the integer of a slot's key.
func keyNumber(key uint64, signed bool) number {
	if v := int64(key ^ signBit); signed && v < 0 {
		return integerOf(true, -uint64(v))
	} else if signed {
		return integerOf(false, uint64(v))
	}
	return integerOf(false, key)
}

func (n number) plus(b number) number {
	if n.neg == b.neg {
		sum, carry := bits.Add64(n.mag, b.mag, 0)
		if carry != 0 {
			return number{}
		}
		return integerOf(n.neg, sum)
	}
	if n.mag >= b.mag {
		return integerOf(n.neg, n.mag-b.mag)
	}
	return integerOf(b.neg, b.mag-n.mag)
}

func (n number) times(b number) number {
	hi, lo := bits.Mul64(n.mag, b.mag)
	if hi != 0 {
		return number{}
	}
	return integerOf(n.neg != b.neg, lo)
}

// mod has the sign of the dividend, as Go's; by 0 it is unknown.
func (n number) mod(b number) number {
	if b.mag == 0 {
		return number{}
	}
	return integerOf(n.neg, n.mag%b.mag)
}

// order of two numbers.
type order uint8

const (
	unordered order = 1 << iota // a NaN
	less
	equal
	greater
)

// compareOrder is which orders a comparison accepts. NaN is unequal to everything, itself included.
var compareOrder = map[string]order{
	"==": equal, "!=": unordered | less | greater, "<": less, "<=": less | equal, ">": greater, ">=": greater | equal,
}

// order compares exactly, also an integer with a float: 2^53+1 is above the float 2^53.
func (n number) order(b number) order {
	switch {
	case n.kind == integer && b.kind == integer:
		return orderIntegers(n, b)
	case n.kind == float && b.kind == float:
		switch {
		case n.f < b.f:
			return less
		case n.f > b.f:
			return greater
		case n.f == b.f:
			return equal
		}
		return unordered
	case n.kind == integer:
		return orderMixed(n, b.f)
	}
	switch o := orderMixed(b, n.f); o {
	case less:
		return greater
	case greater:
		return less
	default:
		return o
	}
}

func orderIntegers(a, b number) order {
	if a.neg != b.neg {
		if a.neg {
			return less
		}
		return greater
	}
	switch {
	case a.mag == b.mag:
		return equal
	case (a.mag < b.mag) != a.neg:
		return less
	}
	return greater
}

func orderMixed(a number, f float64) order {
	const two64 = 1 << 64
	switch {
	case math.IsNaN(f):
		return unordered
	case f >= two64:
		return less
	case f <= -two64:
		return greater
	}
	whole := math.Trunc(f)
	o := orderIntegers(a, integerOf(whole < 0, uint64(math.Abs(whole))))
	if o != equal || whole == f {
		return o
	}
	if f > whole { // what the float has after its point decides
		return less
	}
	return greater
}

// number compiles a term as a number; whole: it is computed with, so it must be an integer.
func (c *compiler) number(t term, whole bool) int32 {
	if c.err != nil {
		return 0
	}
	switch t.kind {
	case termNumber:
		return t.node
	case termConst:
		if t.val.kind == constNumber && t.val.num.IsInt() && new(big.Int).Abs(t.val.num.Num()).IsUint64() {
			n := node{op: opNumber, lo: new(big.Int).Abs(t.val.num.Num()).Uint64(), not: t.val.num.Sign() < 0}
			return c.add(n)
		}
		if t.val.kind == constNumber && !whole {
			f, _ := t.val.num.Float64()
			return c.add(node{op: opNumber, lo: math.Float64bits(f), b: 1})
		}
	case termPlace, termRef:
		result := int32(-1)
		for _, r := range c.refs(t) {
			if r.typ.integer() || r.typ.kind == kindFloat && !whole {
				one := c.slotNumber(r)
				if result >= 0 {
					one = c.add(node{op: opEitherNumber, a: result, b: one})
				}
				result = one
			}
		}
		if result >= 0 {
			return result
		}
	}
	want := "number"
	if whole {
		want = "whole number of 64 bits"
	}
	c.failAt(t.at, "", "%s is %s: want a %s", quote(c.textOf(t.at)), c.what(t), want)
	return 0
}

func (c *compiler) slotNumber(r ref) int32 {
	if r.typ.kind == kindFloat {
		return c.add(node{op: opSlotFloat, a: r.slot})
	}
	return c.add(node{op: opSlotNumber, a: r.slot, lo: truth(r.typ.signed)})
}

func (c *compiler) compareNumbers(op string, a, b int32) int32 {
	return c.add(node{op: opCompare, a: a, b: b, lo: uint64(compareOrder[op])})
}

// arithmetic compiles + - * % over integers. A result past 64 bits is unknown, never wrong.
func (c *compiler) arithmetic(n *ast.BinaryNode) term {
	a := c.term(n.Left)
	if c.err != nil {
		return term{}
	}
	b := c.term(n.Right)
	if c.err != nil {
		return term{}
	}
	op := map[string]opcode{"+": opAdd, "-": opSubtract, "*": opMultiply, "%": opRemainder}[n.Operator]
	x := c.number(a, true)
	y := c.number(b, true)
	return term{kind: termNumber, at: n, node: c.add(node{op: op, a: x, b: y})}
}
