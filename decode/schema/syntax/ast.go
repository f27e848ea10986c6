package syntax

import "github.com/pktscope/pktscope/decode/wire"

// The syntax tree, as written: names unresolved, constants unfolded. One node type per production of the grammar on the
// language page. The parser never returns nil for a node that the grammar requires: where the source is broken it puts
// a Bad node (BadExpr, BadType), about which it has already complained, so that the checker can stay silent there.

// File is one parsed .pks source.
type File struct {
	Name     string // as given by the caller, for diagnostics
	Src      []byte // the whole source
	Base     int32  // the offset of its first byte: not 0 in a file that is imported
	Protocol Ident  // Text is "" when the header is missing
	Doc      string
	Decls    []Decl
	Comments []Comment // every comment in source order, for the formatter

	Lost bool // the parser complained about more than unknown types: a declaration may be missing
}

// Comment is one `//` comment without its line end.
type Comment struct {
	Span
	Text     string // without "//" or "///" and without one leading blank
	Trailing bool   // is after code on its line
}

// Ident is a name at a place.
type Ident struct {
	Span
	Text string
}

// Decl is a top-level declaration.
type Decl interface {
	declNode()
	Place() Span
}

// ImportDecl is `import "stun.pks"`. File is what is in the quotes, "" where there are none.
type ImportDecl struct {
	Span
	File Ident
}

// OrderDecl is `order lsb`.
type OrderDecl struct {
	Span
	Kind OrderRef
}

// OrderRef is an order as written.
type OrderRef struct {
	Span
	Order Order
	Known bool // false where the word is no order (already complained about)
}

// PortDecl is `port 4124, 27015..27030`.
type PortDecl struct {
	Span
	Ports []RangeExpr
}

// MaxDecl is `max datagram 1200`, `max fields N`, `max steps N`.
type MaxDecl struct {
	Span
	What  Ident
	Limit Expr
}

// ConstDecl is `const Name = literal`, or a table. Value may be a *StringLit or a *TableExpr.
type ConstDecl struct {
	Span
	Doc   string
	Name  Ident
	Value Expr
}

// ParamDecl is `param Name = v in a..b`.
type ParamDecl struct {
	Span
	Doc   string
	Name  Ident
	Value Expr
	Range RangeExpr
}

// EnumDecl is an enum or a flags declaration.
type EnumDecl struct {
	Span
	Doc   string
	Open  bool
	Flags bool
	Name  Ident
	Base  *ValueExpr // only integer types pass the parser; no prefixes, no rule
	Cases []*CaseDecl
}

// CaseDecl is `Name = value` in an enum or flags.
type CaseDecl struct {
	Span
	Doc   string
	Name  Ident
	Value Expr
}

// StructDecl is a named struct.
type StructDecl struct {
	Span
	Doc    string
	Name   Ident
	Params []*ParamItem
	Order  *OrderRef // nil: the file's
	Body   *Body
}

// ParamItem is a struct's parameter: `name in a..b`, or `name bool` (Bool set, Range nil).
type ParamItem struct {
	Span
	Name  Ident
	Bool  bool
	Range *RangeExpr
}

// PacketDecl is the root.
type PacketDecl struct {
	Span
	Doc   string
	Order *OrderRef
	Body  *Body
}

// MessageDecl is `message Game max 4096 { … }`: what the fields with `@message(Game)` and `@fragment(Game, …)` hold.
type MessageDecl struct {
	Span
	Doc   string
	Name  Ident
	Max   Expr      // bytes
	Order *OrderRef // nil: the file's
	Body  *Body
}

// FlowDecl is `flow by address, peer_id`: Keys are the names after `by`, each a path.
type FlowDecl struct {
	Span
	Keys []*PathExpr
}

// ExpectDecl is `expect timeout 2000ms`.
type ExpectDecl struct {
	Span
	What     Ident
	Duration DurationLit
}

func (*ImportDecl) declNode()  {}
func (*OrderDecl) declNode()   {}
func (*PortDecl) declNode()    {}
func (*MaxDecl) declNode()     {}
func (*ConstDecl) declNode()   {}
func (*ParamDecl) declNode()   {}
func (*EnumDecl) declNode()    {}
func (*StructDecl) declNode()  {}
func (*PacketDecl) declNode()  {}
func (*MessageDecl) declNode() {}
func (*FlowDecl) declNode()    {}
func (*ExpectDecl) declNode()  {}

// Body is `{ items }`.
type Body struct {
	Span
	Items []ItemNode
}

// ItemNode is one item of a body.
type ItemNode interface {
	itemNode()
	Place() Span
}

// FieldItem is `name value @notes`, or `name switch e { arms } @notes`: exactly one of Value and Switch is set.
type FieldItem struct {
	Span
	Doc         string
	Name        Ident
	Value       *ValueExpr
	Switch      *SwitchExpr
	Annotations []*Annotation
}

// SwitchExpr is the `switch e { … }` of a field.
type SwitchExpr struct {
	Span
	Tag  Expr
	Arms []*ArmNode
}

// ArmNode is one arm: labels or default, then `empty` (Value nil, Empty set) or a value.
type ArmNode struct {
	Span
	Doc         string
	Default     bool
	Labels      []RangeExpr
	Empty       bool
	Value       *ValueExpr
	Annotations []*Annotation
}

// IfItem is `if e { } else …`. Else is nil, a *Body, or an *IfItem.
type IfItem struct {
	Span
	Cond Expr
	Then *Body
	Else *ElseNode
}

// ElseNode is what follows `else`: exactly one of Body and If is set.
type ElseNode struct {
	Body *Body
	If   *IfItem
}

// WithinItem is `within(e) { }`, `within(e bits) { }` or `within(e zeros) { }`.
type WithinItem struct {
	Span
	Size  Expr
	Bits  bool
	Zeros bool
	Body  *Body
}

// LetItem is `let name = e`, or `let name in a..b = e`; with State, `let state.name = e`.
type LetItem struct {
	Span
	Doc         string
	Name        Ident      // not of a register
	State       []Ident    // the path of a register, `state` its first part; nil without one
	Range       *RangeExpr // nil without one
	Value       Expr
	Annotations []*Annotation
}

// RequireItem is `require e`.
type RequireItem struct {
	Span
	Doc  string
	Cond Expr
}

// AlignItem is `align`, `align(n)`, `align(n) any`. Bits is nil for a plain align.
type AlignItem struct {
	Span
	Doc  string
	Bits Expr
	Any  bool
}

// ReservedItem is `reserved(n)`, `reserved(n) any`.
type ReservedItem struct {
	Span
	Doc  string
	Bits Expr
	Any  bool
}

// CheckItem is `check 0x12345678` or `check "label"`: Value is an *IntLit or a *StringLit.
type CheckItem struct {
	Span
	Doc   string
	Value Expr
}

func (*FieldItem) itemNode()    {}
func (*IfItem) itemNode()       {}
func (*WithinItem) itemNode()   {}
func (*LetItem) itemNode()      {}
func (*RequireItem) itemNode()  {}
func (*AlignItem) itemNode()    {}
func (*ReservedItem) itemNode() {}
func (*CheckItem) itemNode()    {}

// Annotation is `@name(args)`.
type Annotation struct {
	Span
	Name Ident
	Args []AnnotationArg
}

// AnnotationArg is one argument: a *StringLit, a *DurationLit, or arithmetic, with "bits" or "bytes" after it or "".
// Those of `@fragment` are expressions, with a word of FragmentWords in front or "".
type AnnotationArg struct {
	Span
	Word  Ident
	Value Expr
	Unit  string
}

// ValueExpr is a type with its prefixes (outermost first), byte order and rule.
type ValueExpr struct {
	Span
	Prefixes []*Prefix
	Type     TypeExpr
	Endian   Endian
	EndianAt Span // of `le` or `be`
	Rule     *RuleExpr
}

// PrefixKind tells the prefixes apart.
type PrefixKind uint8

// The prefixes of a value. In the comments, A and B are the fields of Prefix.
const (
	PrefixCount    PrefixKind = iota + 1 // [A]
	PrefixRange                          // [A..B], and [..B] with A nil
	PrefixMax                            // [A, max B]; A may be a *RestExpr
	PrefixUntil                          // [until A, max B]
	PrefixWhile                          // [while A, max B]
	PrefixOptional                       // optional
	PrefixSubset                         // subset(Subset)[A]
)

// Prefix is one prefix of a value.
type Prefix struct {
	Span
	Kind   PrefixKind
	A, B   Expr
	Subset SubsetKind
	Any    bool // PrefixSubset: `subset(index any)`, in any order
}

// RuleKind tells the rules apart.
type RuleKind uint8

// The rules.
const (
	RuleIn RuleKind = iota + 1
	RuleEq
	RuleNe
	RuleFinite
	RuleEncoding // utf8, ascii, latin1, utf16
)

// RuleExpr is a rule as written: Set for `in`, Value for `==` and `!=`.
type RuleExpr struct {
	Span
	Kind     RuleKind
	Set      []RangeExpr
	Value    Expr
	Encoding wire.Encoding // RuleEncoding: of UTF-16 the little-endian one
}

// RangeExpr is `a` (Hi nil) or `a..b`.
type RangeExpr struct {
	Span
	Lo, Hi Expr
}
