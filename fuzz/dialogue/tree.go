package dialogue

import (
	"math/big"
	"time"

	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// File is a .pkd source as written.
type File struct {
	Name    string // as given by the caller, for diagnostics
	Src     []byte
	Title   syntax.Ident // `dialogue NAME`
	Params  []*Param
	Lines   []*Line // in source order
	Fresh   bool    // identity fresh
	settled bool    // identity was said
}

// Param is `param Token bytes(32) @secret`.
type Param struct {
	syntax.Span
	Name   syntax.Ident
	Type   Type
	Secret bool
}

// TypeKind is what a Type has values of.
type TypeKind uint8

// The kinds.
const (
	Uint  TypeKind = iota + 1 // Size bits
	Bytes                     // Size bytes
	Text                      // Size bytes at most
)

// Type is the type of a param or of what next and fresh make.
type Type struct {
	syntax.Span
	Kind TypeKind
	Size int
}

// Verb is what a line says.
type Verb uint8

// The verbs.
const (
	Send Verb = iota + 1
	Expect
	State
	Keep
	On
	Alive
	End
	Before
	Attack
	Automatic
)

// Line is one line of a dialogue. Which of its parts are set depends on its verb.
type Line struct {
	syntax.Span
	Verb   Verb
	Case   syntax.Ident // send, expect, keep, on, end
	Fields []*Field     // send, keep, end, automatic: what is set; expect: what is wanted and taken
	Reply  *Line        // on: what is sent
	Every  time.Duration
	Within time.Duration
	Until  *syntax.Ident
	Port   bool         // expect: from new port
	Name   syntax.Ident // state; before
	Times  int          // end: 1 or more
	Cases  []Choice     // alive, before, attack
	Any    bool         // alive any
}

// Choice is a case in a list, of attack with what is set in it, or the name of a message there.
type Choice struct {
	Case    syntax.Ident
	Fields  []*Field
	Section bool // Case is a message's
}

// Field is one entry of braces: `path = value`, `path = value -> name`, `path == value` or `path -> name`.
type Field struct {
	syntax.Span
	Path  []syntax.Ident // indexes have their digits as Text
	Op    syntax.Token   // a comparison of expect; 0 for the others
	Value Expr           // nil of `path -> name`
	Into  *syntax.Ident  // the name that takes the value
	at    place
	slot  int // of Into, in Session.names
}

// Expr is a value as written.
type Expr interface {
	Place() syntax.Span
	bounds(c *checker) interval
	value(s *Session) (message.Value, error)
}

// span is the place of a value that ends with a parenthesis.
type span struct{ syntax.Span }

// The expressions.
type (
	literal struct {
		syntax.Span
		v message.Value
		n *big.Int // of an integer
	}
	nameRef struct {
		syntax.Span
		name string
		slot int // in Session.names
	}
	seen struct { // last CASE.path, first CASE.path
		syntax.Span
		first bool
		of    syntax.Ident
		path  []syntax.Ident
		slot  int // in Session.seen
	}
	sum struct { // + - %
		syntax.Span
		op   syntax.Token
		x, y Expr
	}
	next struct {
		span
		typ  Type
		slot int // in Session.counters
	}
	now struct {
		span
		unit time.Duration
	}
	target struct { // of the server's address
		span
		part string // ipv4 or port
	}
	fresh struct {
		span
		typ  Type
		slot int // in Session.fresh
	}
	list struct {
		syntax.Span
		items []Expr
	}
	object struct {
		syntax.Span
		fields []*Field
	}
)

// Place is where the value is in the source.
func (l *literal) Place() syntax.Span { return l.Span }

// Place is where the name is in the source.
func (n *nameRef) Place() syntax.Span { return n.Span }

// Place is where the reference is in the source.
func (s *seen) Place() syntax.Span { return s.Span }

// Place is where the sum is in the source.
func (s *sum) Place() syntax.Span { return s.Span }

// Place is where the counter is in the source.
func (n *next) Place() syntax.Span { return n.Span }

// Place is where the clock is in the source.
func (n *now) Place() syntax.Span { return n.Span }

// Place is where the address is in the source.
func (t *target) Place() syntax.Span { return t.Span }

// Place is where the value is in the source.
func (f *fresh) Place() syntax.Span { return f.Span }

// Place is where the list is in the source.
func (l *list) Place() syntax.Span { return l.Span }

// Place is where the object is in the source.
func (o *object) Place() syntax.Span { return o.Span }

func (s *span) close(end syntax.Pos) { s.End = end }
