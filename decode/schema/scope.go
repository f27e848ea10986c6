package schema

import (
	"fmt"
	"math"
	"math/big"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Scopes. A frame is one struct body being checked: a named struct's frame stands alone, an inline one sees the frames
// around it in the text. Inside a frame, branches declare names that are usable where they dominate; what only one of
// two branches declares stays known afterwards, but only so that the message can say why it may not be used.

// binding is one name in a frame.
type binding struct {
	v        *Var
	at       Span
	shape    string   // "an integer", "an array" …: for messages, and to compare kinds over exclusive branches
	in       interval // as declared here; Var has the union over all declarations; unset where it is no number
	set      []Range  // exactly the values that its rule allows, or nil
	width    uint64   // bits on the wire where they are known and the same for every value; else 0
	always   bool     // declared on every way that leads here
	settable bool     // its values depend on a param, or what is known of them does
	bad      bool     // its type was wrong and has been complained about: expressions over it stay silent
	chosen   bool     // it is a switch
	list     *Field   // of an array: its field; nil where exclusive branches have several
	lasts    []*carried
	filled   bool // it is in a window that is filled with zeros, where not all its bits need be there
}

// number says whether an expression may read it.
func (b *binding) number() bool { return b.v.Lo != nil }

// frame is one struct body being checked.
type frame struct {
	s     *Struct
	outer *frame // what an inline body sees; nil for a named struct and the packet
	names map[string]*binding
	// read has the names of the frames around that were read in this body, and where first: it cannot declare them.
	read map[string]Pos
	// branch collects what the innermost branch declares, in order.
	branch []string
	// exclusive holds, per else around us, what the branches before it declared.
	exclusive []map[string]*binding
	nest      int // ifs and windows around us inside this body
	body      *syntax.Body
	later     map[string]Pos // names declared anywhere in body, made when a lookup fails
	loop      *loop          // the innermost array around, in the text; nil where there is none
	known     int            // the facts that were known where the body begins
	carried   []*carried
	early     map[*Var]bool // of a named struct: see structInfo
	foresight *foresight    // what is found of names that `prev`s carry
	ahead     *foresight    // when set: names that are not declared yet can be read
	depth     int           // structs nested inside this one, at most
	aligns    int
	reserveds int
	checks    int
	windows   int
	bits      bool // the innermost window in the text is one of bits
	element   bool // it is the body of an element
	filled    bool // it is in a window that is filled with zeros
	sums      int  // checksums
}

func newFrame(s *Struct, body *syntax.Body, outer *frame) *frame {
	f := &frame{s: s, outer: outer, body: body, names: map[string]*binding{}, loop: outer.around()}
	if outer != nil {
		f.bits, f.filled, f.element = outer.bits, outer.filled, outer.loop != nil && outer.loop.f == outer
	}
	return f
}

// around is the innermost array around; nil where there is none.
func (f *frame) around() *loop {
	if f == nil {
		return nil
	}
	return f.loop
}

// lookup finds a name here or around.
func (f *frame) lookup(name string) *binding {
	for ; f != nil; f = f.outer {
		if b := f.names[name]; b != nil {
			return b
		}
		if b := f.ahead.find(name); b != nil {
			return b
		}
	}
	return nil
}

// reads is lookup for an expression at a place: the bodies in between cannot declare the name any more.
func (f *frame) reads(name string, at Pos) *binding {
	b := f.lookup(name)
	for in := f; b != nil && in.names[name] != b; in = in.outer {
		if _, ok := in.read[name]; ok {
			continue
		}
		if in.read == nil {
			in.read = map[string]Pos{}
		}
		in.read[name] = at
	}
	return b
}

// visible lists the usable names, for suggestions.
func (f *frame) visible() []string {
	var out []string
	for ; f != nil; f = f.outer {
		for name, b := range f.names {
			if b.always {
				out = append(out, name)
			}
		}
	}
	return out
}

// declare puts a name into the frame. It gives the Var that fields of this name share: the one of an exclusive branch,
// or b's own.
func (c *checker) declare(f *frame, name syntax.Ident, b *binding) *Var {
	b.at, b.always, b.filled = name.Span, true, f.filled
	if name.Text == "" {
		return b.v
	}
	if old := f.names[name.Text]; old != nil {
		format := "`%s` is already declared at %s"
		if !old.always {
			format = "`%s` is already declared at %s, in a branch that may be taken as well"
		}
		c.errorf(name.Span, "give it another name", format, name.Text, old.at.Pos)
		return b.v
	}
	if at, ok := f.read[name.Text]; ok { // a body of its own may hide a name, but not one that it has read
		c.errorf(name.Span, "give it another name", "`%s` hides the one declared at %s, which was read at %s", name.Text, f.lookup(name.Text).at.Pos, at)
		return b.v
	}
	for i := len(f.exclusive) - 1; i >= 0; i-- {
		if twin := f.exclusive[i][name.Text]; twin != nil {
			c.share(f, name, b, twin)
			break
		}
	}
	f.names[name.Text] = b
	f.branch = append(f.branch, name.Text)
	c.book.declare(name, kindWord(b.v.Kind), b.v.Pos)
	return b.v
}

// kindWord is what a Named of a Var is.
func kindWord(k VarKind) string {
	switch k {
	case VarLet:
		return "let"
	case VarParam:
		return "parameter"
	}
	return "field"
}

// share makes b use the Var of twin, declared in an exclusive branch, when their kinds agree.
func (c *checker) share(f *frame, name syntax.Ident, b, twin *binding) {
	if b.bad || twin.bad {
		return
	}
	a, t := b.v, twin.v
	if b.chosen && twin.chosen && b.number() != twin.number() {
		return // switches of which one is an integer: they are no name for an expression after them
	}
	if b.shape != twin.shape || a.Struct != t.Struct || !b.number() && a.Kind != t.Kind {
		what, other, fix := b.describe(), twin.describe(), "give the two one kind or two names"
		if what == other {
			what, other = what+" of its own", "another"
			fix = "declare one `struct` for the two"
		}
		c.errorf(name.Span, fix, "`%s` is %s here and %s at %s, in the other branch", name.Text, what, other, twin.at.Pos)
		b.bad = true
		return
	}
	t.Joined = t.Joined || a.Kind != t.Kind
	if a.Enum != t.Enum { // then it is a plain integer
		t.Enum = nil
	}
	if a.Lo != nil {
		both := interval{minBig(t.Lo, a.Lo), maxBig(t.Hi, a.Hi)}
		if larger := a.Hi.Cmp(t.Hi) > 0; !both.fits() && (larger || t.cure == "") {
			at := twin.at.Pos
			if larger {
				at = b.at.Pos
			}
			t.cure = fmt.Sprintf("give the `%s` at %s a range, `in 0..%d`", name.Text, at, math.MaxInt64)
		}
		t.Lo, t.Hi = both.lo, both.hi
	}
	b.v = t
}

func (b *binding) describe() string {
	switch {
	case b.v.Enum != nil:
		return "`" + b.v.Enum.Name + "`"
	case b.v.Struct != nil && b.v.Struct.Name != "":
		return "`" + b.v.Struct.Name + "`"
	}
	return b.shape
}

// lone runs the body of an `if` without an else: what it declares is not always there.
func (c *checker) lone(f *frame, body func()) {
	saved := f.branch
	f.branch = nil
	body()
	for _, name := range f.branch {
		f.names[name].always = false
	}
	f.branch = append(saved, f.branch...)
}

// branches runs the two sides of an `if` and joins what they declare.
func (c *checker) branches(f *frame, then, els func()) {
	saved := f.branch
	first := c.oneBranch(f, then)
	f.exclusive = append(f.exclusive, first)
	second := c.oneBranch(f, els)
	f.exclusive = f.exclusive[:len(f.exclusive)-1]
	f.branch = saved
	for _, side := range []map[string]*binding{first, second} {
		for name, b := range side {
			if f.names[name] != nil { // joined already
				continue
			}
			one, two := first[name], second[name]
			joined := *b
			joined.always = one != nil && two != nil && one.always && two.always
			if one != nil && two != nil {
				joined.bad, joined.settable, joined.filled = one.bad || two.bad, one.settable || two.settable, one.filled || two.filled
				joined.set, joined.width, joined.list = nil, 0, nil
				if one.in.lo != nil && two.in.lo != nil {
					joined.in = one.in.union(two.in)
				}
				if one.chosen && two.chosen && one.number() != two.number() {
					joined = *opaqueVar(name, b.at.Pos, "a switch")
					joined.at, joined.chosen, joined.bad, joined.always = b.at, true, one.bad || two.bad, one.always && two.always
				}
			}
			f.names[name] = &joined
			f.branch = append(f.branch, name)
		}
	}
}

// oneBranch runs a branch and takes its names out of the frame again.
func (c *checker) oneBranch(f *frame, body func()) map[string]*binding {
	f.branch = nil
	body()
	got := make(map[string]*binding, len(f.branch))
	for _, name := range f.branch {
		got[name] = f.names[name]
		delete(f.names, name)
	}
	return got
}

// declaredLater finds a name that the bodies around declare further down.
func (f *frame) declaredLater(name string) (Pos, bool) {
	for ; f != nil; f = f.outer {
		if f.later == nil {
			f.later = map[string]Pos{}
			collectNames(f.body, f.later)
		}
		if at, ok := f.later[name]; ok {
			return at, true
		}
	}
	return Pos{}, false
}

// collectNames gathers the names that a body declares, spliced ones included.
func collectNames(b *syntax.Body, into map[string]Pos) {
	eachName(b, 0, func(name syntax.Ident, _ syntax.ItemNode) {
		if _, ok := into[name.Text]; !ok {
			into[name.Text] = name.Pos
		}
	})
}

// eachName gives the fields and `let`s that a body declares, spliced ones included.
func eachName(b *syntax.Body, depth int, give func(name syntax.Ident, n syntax.ItemNode)) {
	if b == nil || depth > MaxNesting {
		return
	}
	for _, it := range b.Items {
		name := syntax.Ident{}
		switch it := it.(type) {
		case *syntax.FieldItem:
			name = it.Name
		case *syntax.LetItem:
			name = it.Name
		case *syntax.WithinItem:
			eachName(it.Body, depth+1, give)
		case *syntax.IfItem:
			for n := depth; it != nil && n <= MaxNesting; n++ {
				eachName(it.Then, depth+1, give)
				if it.Else == nil {
					break
				}
				eachName(it.Else.Body, depth+1, give)
				it = it.Else.If
			}
		}
		if name.Text != "" {
			give(name, it)
		}
	}
}

// numberVar makes the binding of something that expressions may read.
func numberVar(name string, kind VarKind, at Pos, in interval, isBool bool) *binding {
	shape := "an integer"
	if isBool {
		shape = "a bool"
	}
	v := &Var{Name: name, Pos: at, Kind: kind, Lo: new(big.Int).Set(in.lo), Hi: new(big.Int).Set(in.hi), Bool: isBool}
	return &binding{v: v, shape: shape, in: in}
}

// opaqueVar makes the binding of something that no expression may read.
func opaqueVar(name string, at Pos, shape string) *binding {
	return &binding{v: &Var{Name: name, Pos: at, Kind: VarOpaque}, shape: shape}
}

// badVar stands for a field whose type was wrong: whoever reads it hears nothing more.
func badVar(name string, at Pos) *binding {
	b := opaqueVar(name, at, "unreadable")
	b.bad = true
	return b
}
