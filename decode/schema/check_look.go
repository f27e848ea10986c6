package schema

import "github.com/pktscope/pktscope/decode/schema/syntax"

// Looks: expressions about bits that have not been read. `rest` counts the bytes that are left in the window, `peek(n)`
// is the next n bits, `tail(n)` the last n of the window.

// mostLook is how many bits a look sees at most.
const mostLook = 64

// ahead refuses a look where only constants may be.
func (x *exprs) ahead(at Span, what string) bool {
	if x.konst != "" {
		x.errorf(at, "", "%s is constant; `%s` is known only in a packet", x.konst, what)
		return false
	}
	x.rest = true
	return true
}

// look checks `peek(n)` or `tail(n)`.
func (x *exprs) look(e *syntax.CallExpr, op ExprOp) *TypedExpr {
	if !x.ahead(e.Span, e.Name.Text) || !x.oneArgument(e) {
		return nil
	}
	n, ok := x.constIn(e.Args[0], "how many bits `"+e.Name.Text+"` looks at", 1, mostLook)
	if !ok {
		return nil
	}
	bits := int(n)
	return &TypedExpr{Op: op, Pos: e.Pos, Bits: bits, Order: x.f.s.Order, Lo: bigZero, Hi: mask(uint(bits))}
}

// oneArgument refuses a call that has not one argument.
func (x *exprs) oneArgument(e *syntax.CallExpr) bool {
	if len(e.Args) != 1 {
		x.errorf(e.Span, "", "`%s` has one argument, got %d", e.Name.Text, len(e.Args))
	}
	return len(e.Args) == 1
}
