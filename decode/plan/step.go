package plan

import (
	"iter"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// Run reads the leaves First … First+N-1, whose widths are constants: Bits in all.
type Run struct {
	Base
	First, N int
	Bits     uint32
	Saves    []Save
}

// Save puts the value of a leaf into a register.
type Save struct {
	Leaf     int
	Register uint32
}

// Unit checks that the smallest-three quaternion in the leaves First … First+3, of Bits bits but for the first, has a
// fourth component.
type Unit struct {
	Base
	First, Bits uint32
}

// Align skips zero bits to the next multiple of Bits; with Any, set bits are a note.
type Align struct {
	Base
	Bits int
	Any  bool
}

// Reserved skips Bits zero bits, more than one leaf holds; with Any, set bits are a note.
type Reserved struct {
	Base
	Bits int
	Any  bool
}

// Number is a leaf whose width is found on the way.
type Number struct {
	Base
	Leaf     uint32
	Index    uint32 // in Plan.Numbers
	Kind     NumberKind
	Operand  uint32
	Signed   bool   // NumberRanged: the operand and Lo are int64s
	Lo       uint64 // NumberRanged
	Bits     int    // NumberVarint; NumberSized and NumberRanged: the largest width
	Most     uint64 // NumberIndex, NumberStep
	Any      bool   // NumberIndex: it may be any, so that Previous stays below all
	Register int32  // where the value is saved, -1 nowhere
	Previous int32  // NumberIndex, NumberStep: register
	// EndLeaf: the number that ends a list (Most itself) is this leaf and not an element's; -1 when none ends it.
	EndLeaf int32
}

// Blob is a field of raw bytes or text.
type Blob struct {
	Base
	Index   uint32          // in Plan.Blobs
	Text    schema.TextKind // 0 for bytes
	Rest    bool            // all that is left
	Packed  bool            // no alignment before the bytes
	Size    int32           // operand; -1 where the size is Max itself, or the rest, or what the text says
	Max     int             // bytes; of a wstring units
	Rule    *schema.Rule
	MinBits uint64
	// Encoding of bytes, char(n) and cstring(n), where the schema says it.
	Encoding wire.Encoding
	Fragment *Fragment // of a message that it holds; nil where it holds none
}

// Window aligns, unless it is Packed, and narrows what can be seen to operand Size times Unit bits. Less than 8 bits
// that the body leaves over are padding, more are refused.
//
// With Fill, whole bytes, of which the body reads at most so many bits but for a Blob that takes the rest, all that is
// after the window's end is zeros to the body.
type Window struct {
	Base
	Size   uint32
	Unit   int // 1 or 8
	Packed bool
	Fill   int
	// Trimmed: a zero at its end, but in its first byte, is a note.
	Trimmed bool
	Body    []Step
}

// ListKind is how a list ends.
type ListKind uint8

// The kinds of lists.
const (
	ListCount ListKind = iota // after Size elements
	ListRest                  // when less than Left bits are left
	ListWhile                 // when operand Size is false before an element
	ListUntil                 // when operand Size is true after one
)

// List is an array of at most Max elements.
type List struct {
	Base
	Kind ListKind
	Size uint32 // operand; of no meaning to ListRest
	Max  uint64
	Left int // bits that must be left for an element of a ListRest: 8, or 1
	Body []Step
}

// Counted reports whether a step is a list that says how many elements it has before them.
func Counted(s Step) bool {
	list, ok := s.(*List)
	subset, also := s.(*Subset)
	return ok && list.Kind == ListCount || also && subset.Kind == schema.SubsetIndex
}

// Subset is some elements of an array of N, each with its index, as wire.md has it ("Array subsets").
type Subset struct {
	Base
	Kind schema.SubsetKind
	Any  bool // indexes may fall and repeat: there are N elements at most all the same
	N    uint64
	// SubsetBitmap: the leaves of a slot's flag and of an element's index.
	Flag, Index uint32
	Count       uint32 // operand: how many there are of a SubsetIndex
	Body        []Step // but for a bitmap, it begins with the Number of the index; a Let is where that starts
}

// If goes one of two ways. A nil Else is none; it can also have no steps.
type If struct {
	Base
	Cond       uint32
	Then, Else []Step
}

// Switch goes the way of its tag: operand Tag.
type Switch struct {
	Base
	Index   uint32 // in Plan.Switches
	Tag     uint32
	Case    bool // the tag is the packet's case
	Arms    []Block
	Nodes   []NodeID      // of the arms' values
	Entries []SwitchEntry // sorted by Lo and disjoint, in the tag's domain (see Operand.Key)
	Default int           // the arm without an entry, -1 to refuse
	low     *[256]int16   // of each key below 256 one more than its arm, 0 without an entry; nil where that is too many
	Item    *schema.Switch
	// TagRegister is the tag's register where the tag is a plain field, for the reject's bit and width; -1 otherwise.
	TagRegister int32
}

// Let puts operand Value into a register.
type Let struct {
	Base
	Register, Value uint32
	// Leaf is what the value means and which values pass, -1 of what is neither shown nor judged. It has no bits.
	Leaf   int32
	Shown  bool // it is recorded: a decoder's Raw has the value, as an int64's bits where it can be negative
	Judged bool // values out of its range are refused
	// Keep: after an accepted packet the value is what Kept[Keep-1] says; 0 of all else.
	Keep uint32
}

// Require refuses unless operand Cond is true; Index is in Plan.Requires. With Bounds it is the rule of the leaf right
// before it, whose node is its own.
type Require struct {
	Base
	Cond, Index uint32
	Bounds      bool
}

// Group is what may only come from one side: in a register it keeps where that began.
type Group struct {
	Base
	From     schema.Direction
	Register uint32
	Body     []Step
}

// Open marks a struct that may turn out to hold nothing.
type Open struct{ Base }

// Flow is Enter.
func (w *Window) Flow() Flow { return Enter }

// Blocks gives the body.
func (w *Window) Blocks() []Block { return []Block{{Steps: w.Body}} }

// Flow is Repeat.
func (s *List) Flow() Flow { return Repeat }

// Blocks gives the body.
func (s *List) Blocks() []Block { return []Block{{Steps: s.Body}} }

// Flow is Repeat.
func (s *Subset) Flow() Flow { return Repeat }

// Blocks gives the body: the index, but for a bitmap, and the value.
func (s *Subset) Blocks() []Block { return []Block{{Steps: s.Body}} }

// Flow is Choose.
func (i *If) Flow() Flow { return Choose }

// Blocks gives both sides.
func (i *If) Blocks() []Block { return []Block{{Steps: i.Then}, {Steps: i.Else}} }

// Flow is Choose.
func (s *Switch) Flow() Flow { return Choose }

// Blocks gives the arms, in the order of the schema.
func (s *Switch) Blocks() []Block { return s.Arms }

// Flow is Enter.
func (g *Group) Flow() Flow { return Enter }

// Blocks gives the body.
func (g *Group) Blocks() []Block { return []Block{{Steps: g.Body}} }

// Expr gives the size.
func (w *Window) Expr() (operand uint32, ok bool) { return w.Size, true }

// Expr gives the condition.
func (i *If) Expr() (operand uint32, ok bool) { return i.Cond, true }

// Expr gives the tag.
func (s *Switch) Expr() (operand uint32, ok bool) { return s.Tag, true }

// Expr gives the value.
func (l *Let) Expr() (operand uint32, ok bool) { return l.Value, true }

// Expr gives the condition.
func (r *Require) Expr() (operand uint32, ok bool) { return r.Cond, true }

// Expr gives the size, where it is one.
func (b *Blob) Expr() (operand uint32, ok bool) { return uint32(max(b.Size, 0)), b.Size >= 0 }

// Expr gives what its width follows from, where it is one.
func (s *Number) Expr() (operand uint32, ok bool) {
	return s.Operand, s.Kind.row().asks
}

// Expr gives the count or the condition, where it has one.
func (s *List) Expr() (operand uint32, ok bool) { return s.Size, s.Kind != ListRest }

// Expr gives the count, where it has one.
func (s *Subset) Expr() (operand uint32, ok bool) { return s.Count, s.Kind == schema.SubsetIndex }

// Leaves gives those of the run.
func (r *Run) Leaves() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range r.N {
			if !yield(r.First + i) {
				return
			}
		}
	}
}

// Leaves gives what the value means.
func (l *Let) Leaves() iter.Seq[int] { return leaves(int(l.Leaf)) }

// Leaves gives the number, and as another leaf the one that ends a list.
func (s *Number) Leaves() iter.Seq[int] { return leaves(int(s.Leaf), int(s.EndLeaf)) }

// Leaves gives the flag of a bitmap and the index that it stands for.
func (s *Subset) Leaves() iter.Seq[int] {
	if s.Kind != schema.SubsetBitmap {
		return leaves()
	}
	return leaves(int(s.Flag), int(s.Index))
}

// Extent is the bits of all leaves.
func (r *Run) Extent(*Plan, int) int { return int(r.Bits) }

// Extent is n bits.
func (s *Number) Extent(_ *Plan, n int) int { return n }

// Extent is its bits.
func (r *Reserved) Extent(*Plan, int) int { return r.Bits }

// Extent is n units, and the NUL that ends a cstring, without what pads and sizes them.
func (b *Blob) Extent(_ *Plan, n int) int {
	if b.Text == schema.TextCString {
		n++
	}
	return n * b.Unit()
}

// Keeps is all but one of the bits that it aligns to, where any may be set.
func (a *Align) Keeps() int {
	if a.Any {
		return a.Bits - 1
	}
	return 0
}

// Keeps is its bits, where any may be set.
func (r *Reserved) Keeps() int {
	if r.Any {
		return r.Bits
	}
	return 0
}

// Registers gives those of the leaves that are saved.
func (r *Run) Registers() []uint32 {
	registers := make([]uint32, len(r.Saves))
	for i := range r.Saves {
		registers[i] = r.Saves[i].Register
	}
	return registers
}

// Registers gives those of the value and of the index before.
func (s *Number) Registers() (registers []uint32) {
	for _, register := range []int32{s.Register, s.Previous} {
		if register >= 0 {
			registers = append(registers, uint32(register))
		}
	}
	return registers
}

// Registers gives the one.
func (l *Let) Registers() []uint32 { return []uint32{l.Register} }

// Registers gives that of where it began.
func (g *Group) Registers() []uint32 { return []uint32{g.Register} }

// Sized gives the size.
func (w *Window) Sized() (operand uint32, ok bool) { return w.Expr() }

// Sized gives the size, where it is one.
func (b *Blob) Sized() (operand uint32, ok bool) { return b.Expr() }

// Sized gives the count, where it has one.
func (s *List) Sized() (operand uint32, ok bool) { return s.Size, s.Kind == ListCount }

// Sized gives the count, where it has one.
func (s *Subset) Sized() (operand uint32, ok bool) { return s.Expr() }

// Most is how many units there are at most. A dnsname has one more where it ends with a pointer at a root.
func (b *Blob) Most() uint64 {
	if b.Text == schema.TextName {
		return wire.MaxName
	}
	return uint64(b.Max)
}

// Most is how many elements there are at most.
func (s *List) Most() uint64 { return s.Max }

// Most is how many elements are read at most: one more where an index ends the list, which is read like an element's.
func (s *Subset) Most() uint64 {
	if s.Kind == schema.SubsetSentinel || s.Kind == schema.SubsetRelative {
		return s.N + 1
	}
	return s.N
}

// Records the codes of its leaves.
func (r *Run) Records() (shape Shape, leaf int) { return ShapeCodes, r.First }

// Records its code.
func (s *Number) Records() (shape Shape, leaf int) { return ShapeCode, int(s.Leaf) }

// Records the value, in no bits.
func (l *Let) Records() (shape Shape, leaf int) {
	if !l.Shown {
		return NoShape, -1
	}
	return ShapeCode, int(l.Leaf)
}

// Records what it holds.
func (b *Blob) Records() (shape Shape, leaf int) { return ShapeBytes, -1 }

// Records how many bits there are.
func (r *Reserved) Records() (shape Shape, leaf int) { return ShapeGap, -1 }

// Records the list.
func (s *List) Records() (shape Shape, leaf int) { return ShapeOpen, -1 }

// Records the list.
func (s *Subset) Records() (shape Shape, leaf int) { return ShapeOpen, -1 }

// Records that the struct is there.
func (o *Open) Records() (shape Shape, leaf int) { return ShapeOpen, -1 }
