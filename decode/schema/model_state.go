package schema

import (
	"math/big"
	"slices"

	"github.com/pktscope/pktscope/decode/internal/seal"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// MaxRegisters is how many registers a flow has at most.
const MaxRegisters = 64

// maxKept is the most bytes that a register holds.
const maxKept = 256

// Register is what a flow keeps of its packets: a line of `state { … }`. It is a key, or a number that steers.
type Register struct {
	Name        string
	Doc         string
	Pos         Pos
	Index       int // in Schema.State
	Each        bool
	Size        int    // bytes of a key, `bytes(n)`; 0 of a number
	Value       *Value // the type of a number
	Lo, Hi      *big.Int
	Bool        bool // Lo, Hi are 0, 1
	Enum        *Enum
	Annotations Annotations
	values      []*Var // by Side: those that expressions have read
	known       []*Var // of `has`
	kept        bool   // some `let` sets it
}

// Steers reports whether expressions read it.
func (r *Register) Steers() bool { return r.Size == 0 }

// Set is `let state.name = field` after a field of bytes, which its Annotations have: once a packet was accepted, the
// register holds the field's bytes.
type Set struct {
	Pos      Pos
	Register *Register
	Side     Side
}

// Keep is what a `let state` does once the packet was accepted: Register holds the value of the Let, unless it holds one
// already; without a Register all of the flow's are emptied.
type Keep struct {
	Register *Register
	Side     Side
}

// Path is what it sets, as the schema says it: `state.name`, `state`.
func (k *Keep) Path() string {
	if k.Register == nil {
		return "state"
	}
	return k.Register.Path(k.Side)
}

// StateVar is what a Var of kind VarState stands for: the value that a register has before the packet; with Known
// whether it has one.
type StateVar struct {
	Register *Register
	Side     Side
	Known    bool
}

// Side is which one of an `each` is meant; of another register there is one, whatever the Side.
type Side uint8

// The sides.
const (
	OwnSide    Side = iota // of who sent the packet
	PeerSide               // of who gets it
	ClientSide             // the client's, whoever sent it
	ServerSide
)

var sideWords = [...]string{"", "peer", "client", "server"}

// String is the word in a path: "peer", "client", "server"; "" of OwnSide.
func (s Side) String() string { return sideWords[s] }

// Of is the direction whose register is meant in a packet that sender sent, which is not FromUnknown.
func (s Side) Of(sender Direction) Direction {
	switch {
	case s == ClientSide || s == OwnSide && sender == Client || s == PeerSide && sender == Server:
		return Client
	}
	return Server
}

// Path is how expressions name one side of it: `state.name`, `state.name.peer`.
func (r *Register) Path(s Side) string {
	if s == OwnSide {
		return "state." + r.Name
	}
	return "state." + r.Name + "." + s.String()
}

// read is the Var of a side, the same for all that read it.
func (r *Register) read(s Side, known bool) *Var {
	if r.values[s] == nil {
		r.values[s] = &Var{Name: r.Path(s), Pos: r.Pos, Kind: VarState, Lo: r.Lo, Hi: r.Hi, Bool: r.Bool, Enum: r.Enum, State: &StateVar{r, s, false}}
		r.known[s] = &Var{Name: "has " + r.Path(s), Pos: r.Pos, Kind: VarState, Lo: bigZero, Hi: bigOne, Bool: true, State: &StateVar{r, s, true}}
	}
	if known {
		return r.known[s]
	}
	return r.values[s]
}

// Has is the Var that tells whether the register is set.
func (s *StateVar) Has() *Var { return s.Register.known[s.Side] }

// State is what an expression names of what a flow keeps, and what of that has to be set for it: all that it reads, but
// for what is after a test, `has state.x && state.x > 3`.
func (t *TypedExpr) State() (named, needed []*Var) {
	type key struct {
		r *Register
		s Side
	}
	seen := map[key]bool{}
	var walk func(t *TypedExpr, tested []*Var)
	walk = func(t *TypedExpr, tested []*Var) {
		if t == nil {
			return
		}
		if len(t.Path) > 0 && t.Path[0].State != nil {
			v := t.Path[0]
			if at := (key{v.State.Register, v.State.Side}); !seen[at] {
				seen[at] = true
				named = append(named, v)
			}
			if !v.State.Known && !slices.Contains(tested, v.State.Has()) && !slices.Contains(needed, v) {
				needed = append(needed, v)
			}
		}
		walk(t.X, tested)
		if t.Op == OpLAnd || t.Op == OpLOr {
			tested = append(slices.Clip(tested), t.X.tests(t.Op == OpLAnd)...)
		}
		walk(t.Y, tested)
	}
	walk(t, nil)
	return named, needed
}

// tests are the registers that are set where a condition has a truth.
func (t *TypedExpr) tests(truth bool) []*Var {
	switch {
	case t.Op == OpVar && truth && t.Path[0].State != nil && t.Path[0].State.Known:
		return t.Path[:1]
	case t.Op == OpNot:
		return t.X.tests(!truth)
	case t.Op == OpLAnd && truth || t.Op == OpLOr && !truth:
		return append(t.X.tests(truth), t.Y.tests(truth)...)
	}
	return nil
}

// Steers reports whether packets of the schema can be read otherwise by what a flow keeps: some register steers.
func (s *Schema) Steers() bool {
	n, _ := s.Kept()
	return n > 0
}

// Seal is what a `sealed` type says of its bytes. Its struct has the text as `data` and, but for xor, a `tag` after it.
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

// KeptRegister is how many bytes a flow takes for a register that steers, on each side.
const KeptRegister = 24

// Kept is how many registers steer, and how many bytes they take of each flow: as many as all registers, where one does.
func (s *Schema) Kept() (registers, bytes int) {
	for _, r := range s.State {
		if r.Steers() {
			registers++
		}
	}
	if registers > 0 {
		bytes = 2 * KeptRegister * len(s.State)
	}
	return registers, bytes
}

// register finds a register, nil without one of that name.
func (c *checker) register(id syntax.Ident) *Register {
	for _, r := range c.schema.State {
		if r.Name == id.Text {
			c.book.refer(id.Span, r.Pos)
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
