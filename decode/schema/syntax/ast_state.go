package syntax

// StateDecl is `state { … }`: what is kept of a flow's packets.
type StateDecl struct {
	Span
	Doc       string
	Registers []*RegisterDecl
}

// RegisterDecl is one line of a `state`: `name T once`, or `each name T @secret`.
type RegisterDecl struct {
	Span
	Doc         string
	Each        bool // one for each direction
	Name        Ident
	Value       *ValueExpr
	Once        bool
	Annotations []*Annotation
}

func (*StateDecl) declNode() {}

// SealedType is `sealed(e, max n) algorithm { key … nonce … ad … at … open Section }`. What is not said is nil or
// empty; the parser complains about what is said twice.
type SealedType struct {
	Span
	Size      Expr // of the text without its tag, in bytes
	Max       Expr // nil when absent
	Algorithm Ident
	Key       []Ident // a path that begins with `state` or `key`
	Nonce, AD []SealPart
	At        Expr // where in the pad of xor the text begins
	Open      Ident
	Options   []Pos // of the words key, nonce, ad, at and open, in source order
}

// SealPart is a part of a nonce or of additional data: a text, an integer (`uint16 be e`), or a field of bytes.
type SealPart struct {
	Span
	Text   *StringLit // nil of all else
	Type   string     // of the fixed integers, "" of a field
	Endian Endian
	Value  Expr // of an integer; of a field a *PathExpr
}

func (*SealedType) typeNode() {}
