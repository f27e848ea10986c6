package decode

import "iter"

// Field is one field of a packet: what a path names, a number, text or bytes. It is valid until the next, and so are
// its Value and its Path's bytes.
type Field struct {
	t  *Trace
	ev *Event
}

// Fields goes over the fields of a packet in wire order: of a refused one over all that was read before the failing
// field. Structs, lists, padding, checks and reserved bits are no fields; Walk has them. It allocates nothing.
//
// All fields are there, also secret ones: see Field.Secret and Value.
func (t *Trace) Fields() iter.Seq[*Field] {
	return func(yield func(*Field) bool) {
		w := &t.walker
		if w.busy { // fields inside a walk
			w = &walker{}
		}
		w.one.t, w.reuse = t, true
		defer func() { w.reuse = false }()
		w.each(t, func(ev *Event) bool {
			if ev.Kind != Leaf && ev.Kind != Blob {
				return true
			}
			w.one.ev = ev
			return yield(&w.one)
		}, nil)
	}
}

// Path is where the field is: `body.players[2].health`.
func (f *Field) Path() string { return string(f.AppendPath(nil)) }

// AppendPath appends Path.
func (f *Field) AppendPath(b []byte) []byte { return f.t.AppendEventPath(b, f.ev) }

// Name is the last name of the path, "" of a list's element.
func (f *Field) Name() string { return f.t.Plan.Nodes[f.ev.Node].Name }

// Bit is the position of its first bit, from 0 at the start of the datagram.
func (f *Field) Bit() int { return f.ev.Bit }

// Width is how many bits it takes.
func (f *Field) Width() int { return f.ev.Width }

// Raw is the code on the wire as a number (see Value.Raw), 0 of text and bytes.
func (f *Field) Raw() uint64 { return f.ev.Raw }

// Value is what it holds.
func (f *Field) Value() Value { return f.t.Value(f.ev) }

// Unit is what the schema says with @unit, "" where it does not: it may hold any characters.
func (f *Field) Unit() string { return f.t.Plan.Unit(f.ev.Node) }

// Node is its place in the plan: an index into Plan.Nodes, where its declaration is.
func (f *Field) Node() int { return int(f.ev.Node) }

// Element is which element of the innermost list around it it is in, and how many there are; ok is false outside lists.
func (f *Field) Element() (index, of int, ok bool) { return f.t.Element(f.ev) }

// Secret reports whether the schema says that it is one, or it is computed from one: then its Value's text is a mask.
// Where it is, and that it is there, can tell of it, too.
func (f *Field) Secret() bool { return f.t.Plan.Nodes[f.ev.Node].Secret }
