package schema

import (
	"github.com/pktscope/pktscope/decode/internal/seal"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// MaxRegisters is how many registers a flow has at most.
const MaxRegisters = 64

// maxKept is the most bytes that a register holds.
const maxKept = 256

// Register is what a flow keeps of its packets: a line of `state { … }`.
type Register struct {
	Name        string
	Doc         string
	Pos         Pos
	Index       int // in Schema.State
	Each        bool
	Size        int // bytes, where it is `bytes(n)`
	Annotations Annotations
}

// Set is `let state.name = field` behind a field of bytes, which its Annotations have: once a packet was accepted, the
// register holds the field's bytes. Side is the direction of an `each` whose path says it, else FromUnknown: the packet's own.
type Set struct {
	Pos      Pos
	Register *Register
	Side     Direction
}

// Seal is what a `sealed` type says of its bytes. Its struct has the text as `data` and, but for xor, a `tag` behind it.
type Seal struct {
	Pos       Pos
	Algorithm *seal.Algorithm
	Key       SealKey
	Nonce     []SealPart // as long as the algorithm's
	AD        []SealPart
	At        *TypedExpr // where in the pad of xor the text begins; nil is 0
	Open      *Fragment  // the message that the text is, all of it; nil where it only has to be authentic
}

// SealKey is where a key is from: a register, or a line of `--keys` where that is nil.
type SealKey struct {
	Register *Register
	Name     string // of the line
}

// SealPart is some bytes of a nonce or of additional data: Text, the field Of, or Value in Size bytes.
type SealPart struct {
	Text   []byte
	Of     *Field // of bytes; Size is how many
	Value  *TypedExpr
	Size   int
	Big    bool // the most significant byte comes first
	Signed bool
}

// Exprs are the expressions that it computes, in the order of the source.
func (s *Seal) Exprs() []*TypedExpr {
	var all []*TypedExpr
	for _, parts := range [][]SealPart{s.Nonce, s.AD} {
		for i := range parts {
			if parts[i].Value != nil {
				all = append(all, parts[i].Value)
			}
		}
	}
	if s.At != nil {
		all = append(all, s.At)
	}
	return all
}

// OpenName is the message that the text is, "" without one.
func (s *Seal) OpenName() string {
	if s.Open == nil {
		return ""
	}
	return s.Open.Section.Name
}

// String is the key as the schema says it: `key.private`, `state.key`.
func (k SealKey) String() string {
	if k.Register != nil {
		return "state." + k.Register.Name
	}
	return "key." + k.Name
}

// register finds a register, nil without one of that name.
func (c *checker) register(id syntax.Ident) *Register {
	for _, r := range c.schema.State {
		if r.Name == id.Text {
			return r
		}
	}
	if c.lost || id.Text == "" {
		c.trouble++
		return nil
	}
	names := func() []string {
		var all []string
		for _, r := range c.schema.State {
			all = append(all, r.Name)
		}
		return all
	}
	fix := "declare it: `state { each " + id.Text + " bytes(32) @secret }`"
	if len(c.schema.State) > 0 {
		fix = c.meantAmong(id.Text, "the registers are ", names)
	}
	c.errorf(id.Span, fix, "there is no register `%s`", id.Text)
	return nil
}
