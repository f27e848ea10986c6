package plan

import (
	"slices"

	"github.com/pktscope/pktscope/decode/display"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// The limits of a plan (language.md, "The checker and the bound").
const (
	MaxOps       = 65536 // flat ops and leaves together: see OpCount
	maxNodes     = 4 * MaxOps
	maxRegisters = 4096 // saved values
	maxEmpty     = 4096 // elements of an array whose elements can take no bits: they are not bounded by the datagram
)

// Plan is a verified program that decodes one protocol. It is immutable and safe for concurrent use.
type Plan struct {
	Schema *schema.Schema
	Order  wire.Order // of the packet, which may have its own

	Root  []Step // of the packet
	Steps []Step // all, by their ID

	points    []point
	Leaves    []Leaf
	Info      []LeafInfo // of each leaf
	Nodes     []Node
	Operands  []Operand
	Insts     []Inst
	Sets      []keySet
	Tables    []Table // of constants
	Switches  []*Switch
	Numbers   []*Number
	Blobs     []*Blob
	Requires  []Requirement
	Checksums []*Checksum
	Sealed    []SealedText
	Keeps     bool          // some field sets a register of the flow
	Context   Context       // what flows hold in every packet; nil where that is known with a packet
	State     []StateValue  // registers of the flow that steps name
	Kept      []schema.Keep // what Lets keep of an accepted packet
	Registers int           // values that the steps save
	// RegisterLeaves lists, for each register, the leaves whose value it holds: more than one where exclusive branches
	// declare the same name.
	RegisterLeaves [][]int32
	// Carried are the registers of what is carried from element to element: they stay as they are up to the end of one.
	Carried map[uint32]bool

	Bound Bound

	// Case is the tag of the packet's case, as a leaf of 64 bits, and CaseSwitch its switch; nil without one.
	Case       *LeafInfo
	CaseSwitch *Switch
	// CaseOther is the tag of CaseTag that stands for those of a default arm; OK is false where no packet has one.
	CaseOther struct {
		Tag uint64
		OK  bool
	}

	// Sections are the plans of the messages, in the order of the schema's; those of the packet's plan and theirs are
	// the same.
	Sections []*Plan
	FlowBy   []FlowKey

	ends map[int32][2]StepID // see findEnds

	open   []bool   // of each operand (Opens)
	secret bool     // some field is @secret
	after  []uint64 // bit set over points: a step from here on, itself included, can read a secret
	sums   []uint64 // bit set over points: a step from here on can read a checksum that covers a secret
	narrow []uint64 // bit set over points: how many bits are left here is computed from a secret
	lost   []uint64 // bit set over points: the position here is computed from a secret
	// Decisions are the blocks of steps that a secret decides about, in order; none is in another.
	Decisions []Decision
}

// NodeID is an index into Nodes; NoNode where there is none.
type NodeID int32

// NoNode stands for no node.
const NoNode NodeID = -1

// NodeKind tells what a node holds.
type NodeKind uint8

// The kinds of nodes.
const (
	NodeStruct NodeKind = iota // the packet, a struct, an inline body
	NodeArray
	NodeLeaf // a number of at most 64 bits
	NodeBlob // raw bytes or text
	NodeItem // without a name: padding, reserved bits, a check, a requirement
)

// Node is a place in the static tree of a protocol: what a path names. The element of an array is a node of its own
// under the array's. A switch's arms are nodes beside each other with one name and different cases.
type Node struct {
	Kind   NodeKind
	Elem   bool // an array's element: shown as [i]
	Named  bool // NodeItem: it has a path of its own all the same (a count, a length, the flag of an optional)
	Secret bool // it or something around it is @secret, or it is computed from what is: see secret.go
	// Derived: of these, no annotation says so.
	Derived bool
	// Unsized: not even how many bits a secret takes may be shown, because that is computed from a secret, too.
	Unsized bool
	// Decided: not even whether it is there may be shown: it is in a Decision that is no list.
	Decided     bool
	Parent      NodeID
	Depth       int32  // the root has 0
	Name        string // "" for the root and for elements; "align#1" and the like for items without a name
	Case        string // the arm's label where the node is a switch arm's value
	Pos         schema.Pos
	Doc         string
	Struct      *schema.Struct // NodeStruct
	Value       *schema.Value  // what was declared; nil for the root, items and empty arms
	Annotations *schema.Annotations
	Display     *display.Display // how its values, or those of its elements, are shown; nil as they are
	Leaf        int32            // NodeLeaf and NodeItem with bits of their own: index into Leaves; else -1
}

// SwitchEntry maps Lo..Hi to an arm.
type SwitchEntry struct {
	Lo, Hi uint64
	Arm    int32 // of the schema and of Switch.Arms, which are as many
}

// Find returns the arm for a tag key, or -1.
func (s *Switch) Find(key uint64) int {
	if s.low != nil && key < uint64(len(s.low)) {
		if arm := s.low[key]; arm > 0 {
			return int(arm) - 1
		}
		return s.Default
	}
	lo, hi := 0, len(s.Entries)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if s.Entries[mid].Lo <= key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo > 0 && key <= s.Entries[lo-1].Hi {
		return int(s.Entries[lo-1].Arm)
	}
	return s.Default
}

// Unit is the bits of one unit of Max and of the size.
func (b *Blob) Unit() int {
	if b.Text == schema.TextWString {
		return 32
	}
	return 8
}

// IsText reports whether it is read as text: one of the strings, or bytes in an encoding.
func (b *Blob) IsText() bool { return b.Text != 0 || b.Encoding != wire.EncodingNone }

// BadText reports whether there are bytes that it is refused for as a text.
func (b *Blob) BadText() bool { return b.Text != 0 || b.Encoding.Refuses() }

// Units is how many units of Max a text has that is given as UTF-8, or bytes have.
func (b *Blob) Units(text []byte) int {
	if b.Text == schema.TextWString {
		return wire.WideSize(text)
	}
	return b.Encoding.Size(text)
}

// MostText is the most bytes that a text of n units can have as UTF-8, where it is no bad one.
func (b *Blob) MostText(n int) int {
	switch {
	case b.Text == schema.TextWString:
		return 3 * n // what a unit can take; half a pair takes less
	case b.Text == schema.TextName:
		return wire.MaxNameText
	case b.Encoding == wire.EncodingLatin1:
		return 2 * n
	case b.Encoding.Unit() == 2:
		return n / 2 * 3
	}
	return n
}

// Own is the n bytes that a dnsname has at a bit, where it has a pointer, so that its text does not lead back to them;
// else nil.
func (b *Blob) Own(payload []byte, bit, n int) []byte {
	if b.Text != schema.TextName {
		return nil
	}
	if own := payload[bit/8 : bit/8+n : bit/8+n]; wire.NamePointed(own) {
		return own
	}
	return nil
}

// Bytes is what n units at a bit hold, a text's as UTF-8 unless the packet has other bytes in a char(n) or cstring(n):
// a slice of the payload where they lie there so, else what is made in room.
func (b *Blob) Bytes(payload []byte, bit, n int, room *[]byte) []byte {
	switch {
	case b.Text == schema.TextName:
		*room, _ = wire.ReadName((*room)[:0], payload, bit/8, bit/8+n)
	case b.Text == schema.TextWString:
		*room = b.Order.AppendWide((*room)[:0], payload, bit, n)
	case b.Encoding.Converts():
		*room = b.Encoding.AppendText((*room)[:0], b.Order, payload, bit, n)
	case bit%8 == 0:
		return payload[bit/8 : bit/8+n : bit/8+n]
	default:
		*room = b.Order.AppendBytes((*room)[:0], payload, bit, n)
	}
	return *room
}

// Requirement is a `require`, or a range whose ends are computed, with what it reads, for the reject that shows the
// values.
type Requirement struct {
	Item *schema.Require
	// Leaf is the one right before it, whose value operands Lo and Hi bound; -1 of a `require`.
	Leaf   int32
	Lo, Hi uint32
	Vars   []NamedRegister
	Rest   bool // it asks for `rest`, which the reject has as its Code
	From   bool // it asks for the direction
	// State has a bit for each of Plan.State that the step after it names: Item is no item of the schema then, but that
	// those which the step needs are set.
	State uint64
}

// Secret reports whether what it reads, but for the leaf that it bounds, is a secret or computed from one.
func (r *Requirement) Secret() bool {
	return slices.ContainsFunc(r.Vars, func(v NamedRegister) bool { return v.Secret })
}

// NamedRegister is a value under the name that an expression has for it.
type NamedRegister struct {
	Name     string
	Register uint32
	Signed   bool
	Bool     bool
	Secret   bool // it is a secret, or computed from one
}

// Bound is what Compile proved, for any datagram that Decode looks at.
type Bound struct {
	MinBits   int64 // of an accepted packet
	MaxBits   int64 // that any packet consumes; at most 8 × max datagram
	MaxFields int64 // entries of the trace
	MaxSteps  int64 // items and leaves met, and expression instructions
	MaxLoops  int   // loops inside loops
}
