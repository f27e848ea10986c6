package schema

import "math/big"

// Var is something an expression can name: a scalar field, a `let`, a struct's parameter, or (as the first part of a
// dotted path) a field of struct type; or what prev(name, e) gives.
type Var struct {
	Name   string
	Pos    Pos
	Kind   VarKind
	Lo, Hi *big.Int  // interval of the value over all its declarations; nil where it is no integer
	Bool   bool      // a bool: Lo, Hi are 0, 1
	Enum   *Enum     // the field's enum or flags type, or nil
	Struct *Struct   // the field's struct type, or nil
	Used   bool      // some expression reads it
	Joined bool      // in exclusive branches it is a field here and a `let` there
	State  *StateVar // of kind VarState
	// First and After stand for the place of its first bit, and for that after its last one, where a checksum begins or
	// ends there; else nil.
	First, Behind *Var

	cure string // of one that fits neither int64 nor uint64 over all its declarations: which to give a range
	told bool   // that it does
}

// VarKind tells Vars apart.
type VarKind uint8

// The kinds of Var. VarOpaque is a field that no expression may read (floats, bytes, arrays, optionals, switches of
// which an arm is no integer).
const (
	VarField VarKind = iota + 1
	VarLet
	VarParam
	VarStruct
	VarOpaque
	VarPrev  // of a Carry
	VarState // of a Register: its value before the packet
)

// ExprOp is what a TypedExpr does.
type ExprOp uint8

// The operators. Values are mathematical integers, bools are 0 and 1.
const (
	OpConst ExprOp = iota + 1 // Val
	OpVar                     // Path
	OpFlag                    // Path is a flags field: its value & Mask != 0, as a bool
	OpRest                    // whole bytes left in the window
	OpPeek                    // the next Bits bits as an unsigned number in Order; what lies after the window's end is 0
	OpTail                    // as OpPeek, the last Bits bits of the window; what has been read is 0
	OpFrom                    // Side: the datagram's direction is known and is that one
	OpNeg
	OpAdd
	OpSub
	OpMul
	OpDiv // truncated, as Go's
	OpMod
	OpAnd
	OpOr
	OpXor
	OpShl
	OpShr
	OpEq
	OpNe
	OpLt
	OpLe
	OpGt
	OpGe
	OpLAnd // short-circuit
	OpLOr
	OpNot
	OpIn    // X in Set
	OpTable // the value that Table has for X
)

// TypedExpr is a checked expression. Lo..Hi is the interval of its value at this very place (narrowing counted) and
// fits int64 or uint64; for a bool it is within 0..1. What a subexpression yields is exact: no operator can overflow,
// no divisor is 0.
type TypedExpr struct {
	Op     ExprOp
	Pos    Pos
	X, Y   *TypedExpr
	Val    *big.Int
	Path   []*Var // OpVar, OpFlag: the first is in scope, each next is inside the struct of the one before
	Mask   uint64
	Side   Direction
	Bits   int // OpPeek, OpTail: 1..64
	Order  Order
	Set    []Range
	Table  *Table
	Lo, Hi *big.Int
	Bool   bool
	Enum   *Enum  // the value is a code of this enum (closed or open), for showing it
	Text   string // as written, on one line; set on the root of an expression
}

// Looks reports whether the value is a look at bits that have not been read.
func (t *TypedExpr) Looks() bool { return t.Op == OpRest || t.Op == OpPeek || t.Op == OpTail }

// IsConst reports whether the value is known before any packet.
func (t *TypedExpr) IsConst() bool { return t.Op == OpConst }

// Signed reports whether the value can be negative. If it cannot, it is held as a uint64, else as an int64.
func (t *TypedExpr) Signed() bool { return t.Lo.Sign() < 0 }
