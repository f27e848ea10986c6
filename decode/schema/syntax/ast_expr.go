package syntax

import "math/big"

// Expr is an expression as written.
type Expr interface {
	exprNode()
	Place() Span
}

// Place is the source text of the node.
func (s Span) Place() Span { return s }

// IntLit is an integer or character literal. Value is never nil and never negative.
type IntLit struct {
	Span
	Value *big.Int
}

// FloatLit is a literal with a point.
type FloatLit struct {
	Span
	Text  string // as written, without underscores
	Value float64
}

// StringLit is a string with its escapes resolved.
type StringLit struct {
	Span
	Value   string
	Refused bool // the parser has complained: no string may be here
}

// DurationLit is `50ms`; Nanos is saturated at the largest int64.
type DurationLit struct {
	Span
	Nanos int64
	Bad   bool // no duration: already complained about
}

// BoolLit is true or false.
type BoolLit struct {
	Span
	Value bool
}

// RestExpr is `rest`: the whole bytes left in the window.
type RestExpr struct{ Span }

// PathExpr is a dotted path: `count`, `header.sequence`, `Mode.Idle`, `keys.Up`, `Limit`. Parts is never empty.
type PathExpr struct {
	Span
	Parts []Ident
}

// HasExpr is `has state.name`: whether a flow's register is set.
type HasExpr struct {
	Span
	X *PathExpr
}

// TableExpr is the `switch { 0: 50, 1..4: 124, default: 0 }` of a constant.
type TableExpr struct {
	Span
	Rows []*TableRow
}

// TableRow is one row of a table: labels or default, then a value.
type TableRow struct {
	Span
	Default bool
	Labels  []RangeExpr
	Value   Expr
}

// CallExpr is `name(e, …)`, as `peek(8)` or `from(client)`, or `Name(e)` of a table of constants. Args is never empty.
type CallExpr struct {
	Span
	Name Ident
	Args []Expr
}

// UnaryExpr is -X or !X.
type UnaryExpr struct {
	Span
	Op Token // Minus or Not
	X  Expr
}

// BinaryExpr is X Op Y for the arithmetic, comparison and logic operators.
type BinaryExpr struct {
	Span
	Op    Token
	OpPos Pos
	X, Y  Expr
}

// InExpr is `X in set`.
type InExpr struct {
	Span
	X   Expr
	Set []RangeExpr
}

// ParenExpr is (X).
type ParenExpr struct {
	Span
	X Expr
}

// BadExpr is where an expression could not be read.
type BadExpr struct{ Span }

func (*IntLit) exprNode()      {}
func (*FloatLit) exprNode()    {}
func (*StringLit) exprNode()   {}
func (*DurationLit) exprNode() {}
func (*BoolLit) exprNode()     {}
func (*RestExpr) exprNode()    {}
func (*PathExpr) exprNode()    {}
func (*TableExpr) exprNode()   {}
func (*HasExpr) exprNode()     {}
func (*CallExpr) exprNode()    {}
func (*UnaryExpr) exprNode()   {}
func (*BinaryExpr) exprNode()  {}
func (*InExpr) exprNode()      {}
func (*ParenExpr) exprNode()   {}
func (*BadExpr) exprNode()     {}
