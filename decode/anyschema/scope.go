package anyschema

import (
	"math/big"
	"slices"
)

// variable is something that an expression may read: a field, a let, a parameter, or a field inside a struct.
type variable struct {
	path     string
	in       span // as far as is known here
	declared span // as it was declared
	bool     bool
	enum     *enum
	let      bool
	plain    bool // a field of integer type, which `@ack` may name
	// unsure: the checker may know its declared interval better. loose: it may know more at this place, because of a
	// comparison.
	unsure, loose bool
	scope         int  // the body that declared it
	blank         bool // no expression may read it: it hides another
	// early: of a parameter, that the first value of a `prev` reads it. origin is the variable whose copy this is.
	early  bool
	origin *variable
}

func number(path string, in span) *variable { return &variable{path: path, in: in, declared: in} }
func boolean(path string) *variable {
	v := number(path, between(0, 1))
	v.bool = true
	return v
}

// inside is v as it is seen from outside the struct that field holds.
func (v *variable) inside(field string) *variable {
	c := *v
	c.path, c.in, c.loose = field+"."+v.path, v.declared, v.unsure
	return &c
}

// frame is one struct body being made: what its expressions see, in which order its bits are, and where it is.
type frame struct {
	vars   []*variable
	order  string
	at     place
	size   size
	depth  int
	packet bool        // directly in the packet
	home   *extent     // the bits that a checksum here may cover
	win    *opening    // the innermost window in it; nil without one
	ends   []*edge     // fields at which a coverage may begin or end
	early  *frame      // what the first value of a `prev` sees; nil for constants
	params bool        // of such a frame: that it has the parameters of a struct alone
	bits   bool        // the innermost window in the text is one of bits
	ate    bool        // something took all that was left of the window
	share  []*variable // names that the other branch of an `if` declared
	facts  []fact      // what is known here, in the order it was learnt
	scope  int         // of the body that this is in: an inline body has its own
	whole  bool        // it is that body, and no `if` or window in it
	read   int         // how many reads there were when the body began
	veil   []string    // names around that may not be read: what is being declared hides them
	still  bool        // in a window that is filled with zeros: all has one size, and nothing looks ahead
	moved  bool        // something here has no place in such a window
	state  []*variable // registers of the flow that may be read here
}

// fact is what was known of a variable before.
type fact struct {
	v   *variable
	old span
}

// learn narrows what a comparison says, as far as that leaves something.
func (f *frame) learn(about []fact) {
	for _, a := range about {
		if in, ok := a.v.in.meet(a.old); ok {
			f.facts = append(f.facts, fact{a.v, a.v.in})
			a.v.in = in
		}
	}
}

// forget goes back to what was known when there were n facts.
func (f *frame) forget(n int) {
	for len(f.facts) > n {
		last := f.facts[len(f.facts)-1]
		last.v.in = last.old
		f.facts = f.facts[:len(f.facts)-1]
	}
}

// inner is a frame for what is in f: it sees the same, and nothing that it declares is seen after it.
func (f *frame) inner() *frame {
	return &frame{vars: f.vars[:len(f.vars):len(f.vars)], order: f.order, at: f.at, depth: f.depth + 1, bits: f.bits,
		scope: f.scope, read: f.read, veil: f.veil, still: f.still, home: f.home, win: f.win,
		ends: f.ends[:len(f.ends):len(f.ends)], early: f.early, state: f.state}
}

// begins is what the first value of a `prev` sees in an array that begins here: nothing that is learnt in it.
func (f *frame) begins() *frame {
	in := f.inner()
	in.still, in.state = true, nil // it looks at nothing
	in.vars = slices.Clone(f.vars)
	for i, v := range in.vars {
		c := *v
		c.in, c.loose = v.declared, v.unsure
		if c.origin == nil {
			c.origin = v
		}
		in.vars[i] = &c
	}
	return in
}

// aligned is the place after what a type does on its own; in bousk nothing aligns by itself.
func (f *frame) aligned(p place) place {
	if f.order == "bousk" {
		return p
	}
	return onByte
}

func (f *frame) padding() size {
	if f.order == "bousk" {
		return size{}
	}
	return size{0, 0, 7}
}

// put moves after something.
func (f *frame) put(s size, at place) { f.size, f.at = f.size.plus(s), at }

// bitsFor is the bits of a number that is at most n.
func bitsFor(n int64) int64 { return int64(big.NewInt(n).BitLen()) }
