package schema

import (
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode/display"

	"github.com/pktscope/pktscope/decode/wire"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// The checked schema: names resolved, constants folded, every interval known. What the checker passes on is safe to
// compile without a further question: each count has a range, each switch a default or a reject, each expression an
// interval that fits int64 or uint64. Nodes are shared: a named struct is checked once, however often it is used.

// Schema is a checked protocol.
type Schema struct {
	Name        string       // protocol name; of what Section gave with the message's after it: `reliable.Game`
	Warnings    []Diagnostic // in source order; set by decode.Load
	Doc         string
	File        *syntax.File // its own
	Files       syntax.Files // and those that it imports, its own first
	Order       Order
	Ports       []uint16 // in source order
	sorted      []uint16 // Ports, ascending
	PortsGiven  bool     // Ports are not those of the source: see WithPorts
	MaxDatagram int      // bytes, 1..65507
	MaxFields   int      // the schema's own limit, or DefaultMaxFields
	MaxSteps    int
	Params      []*Const // the settable constants, in source order
	Enums       []*Enum
	Structs     []*Struct // named ones, in source order
	Packet      *Struct
	Sections    []*Section  // the messages, in source order, then those that imports lend and fields hold
	FlowBy      []FlowKey   // what tells flows apart besides their addresses, in source order
	State       []*Register // what a flow keeps, in source order
	Timeout     int64       // `expect timeout`, ns; 0 when absent
	// Message is set in a Schema that Section gave: its Packet is that message.
	Message *Section
	// Opens is of a reader with keys: sealed messages are secrets, since beside what a key opened they tell the key of
	// xor.
	Opens bool
}

// Origin is the imported file that holds a place, by the name that it is imported by; "" where that is the schema's own.
func (s *Schema) Origin(p Pos) string {
	if len(s.Files) < 2 || !p.IsValid() {
		return ""
	}
	f := s.Files.At(p.Off)
	if f == s.File {
		return ""
	}
	_, name := base(f.Name)
	return name
}

// Imports are the texts of the files that are imported, by the names that they are imported by; nil without any.
func (s *Schema) Imports() map[string]string {
	var out map[string]string
	for _, f := range s.Files {
		if f == s.File {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		_, name := base(f.Name)
		out[name] = string(f.Src)
	}
	return out
}

// PortList is ports as text: `4124, 27015..27030`, or `no port`.
func PortList(ports []uint16) string {
	var b []byte
	for i := 0; i < len(ports); {
		if i > 0 {
			b = append(b, ", "...)
		}
		first, last := ports[i], ports[i]
		for i++; i < len(ports) && ports[i] == last+1; i++ {
			last++
		}
		b = strconv.AppendUint(b, uint64(first), 10)
		switch {
		case last == first+1:
			b = strconv.AppendUint(append(b, ", "...), uint64(last), 10)
		case last > first:
			b = strconv.AppendUint(append(b, ".."...), uint64(last), 10)
		}
	}
	if b == nil {
		return "no port"
	}
	return string(b)
}

// WithPorts is the schema of a server with these ports, instead of those that the source declares; at least one.
func (s *Schema) WithPorts(ports ...uint16) *Schema {
	other := *s
	other.Ports, other.PortsGiven = slices.Clone(ports), true
	other.sorted = slices.Sorted(slices.Values(ports))
	return &other
}

// HasPort reports whether a port is the server's.
func (s *Schema) HasPort(port uint16) bool {
	if len(s.sorted) == 1 { // as most have
		return s.sorted[0] == port
	}
	_, found := slices.BinarySearch(s.sorted, port)
	return found
}

// The limits that a schema may lower with `max` but not raise (language.md, "The checker and the bound").
const (
	MaxNesting       = 64
	DefaultMaxFields = 1 << 20
	DefaultMaxSteps  = 1 << 20
	MaxUDPPayload    = 65507
)

// Const is a named constant or, with Param set, one that the command line may set within Lo..Hi.
type Const struct {
	Name  string
	Doc   string
	Pos   Pos
	Value *big.Int // nil for a string constant and for a float one
	Text  string   // a string constant's bytes
	Float *float64 // a float constant's value
	Table *Table   // of a table; Value is nil then
	Param bool
	Lo    *big.Int
	Hi    *big.Int
}

// Table is a constant that depends on a number: `const Name = switch { 0: 50, 1..4: 124 }`.
type Table struct {
	Name    string
	Rows    []TableRow // sorted by Lo, disjoint
	Default *big.Int   // the value of all other numbers; nil where there is none
}

// TableRow gives the numbers Lo..Hi a value.
type TableRow struct{ Lo, Hi, Value *big.Int }

// At is the value of a number, nil where it has none.
func (t *Table) At(v *big.Int) *big.Int {
	i := sort.Search(len(t.Rows), func(i int) bool { return t.Rows[i].Hi.Cmp(v) >= 0 })
	if i < len(t.Rows) && t.Rows[i].Lo.Cmp(v) <= 0 {
		return t.Rows[i].Value
	}
	return t.Default
}

// Enum is a checked enum or flags declaration.
type Enum struct {
	Name  string
	Doc   string
	Pos   Pos
	Open  bool
	Flags bool
	Base  *Value // innermost integer type, no rule
	Cases []Case // in source order; values distinct
	Mask  uint64 // flags: all declared bits
	Hex   bool   // some case is written in hexadecimal: messages have all values so
}

// Case is one enum case or flag.
type Case struct {
	Name  string
	Doc   string
	Pos   Pos
	Value *big.Int
}

// Struct is a checked struct: named, inline (Name ""), or the packet (IsPacket).
type Struct struct {
	Name     string
	Doc      string
	Pos      Pos
	IsPacket bool
	Inline   bool
	Params   []*Var
	Order    Order // effective: its own or its surroundings'
	OwnOrder bool  // said at the struct itself: it begins and ends on a byte (proved)
	Lent     bool  // it is the packet of a file that is imported: it begins on a byte (proved)
	Items    []Item
	Carries  []*Carry
	Seal     *Seal  // of a `sealed` type, which is Inline
	MinBits  uint64 // least and most bits on the wire, saturated at MaxUint64; alignment counted as 0 and as its most
	MaxBits  uint64
}

// Carry is prev(name, e): a value that a struct keeps for where it is next, in the next element of the innermost
// array around it. Where there is no array, none is next.
type Carry struct {
	Pos   Pos
	Of    *Var       // the field or `let` of the struct whose value is kept
	First *TypedExpr // the value of Var until then: known where that array begins, it looks at no bits
	Var   *Var       // what expressions read, of kind VarPrev; it stays as it is up to the end of the struct
}

// Field is a named value or a switch: exactly one of Value and Switch is set.
type Field struct {
	Name        string
	Doc         string
	Pos         Pos
	Value       *Value
	Switch      *Switch
	Annotations Annotations
	Var         *Var     // what expressions and dotted paths refer to; shared by fields of one name in exclusive branches; never nil
	Last        []*Carry // of an array of structs: what is kept of its last element for what is after it
}

// Element is the struct that the innermost elements of an array are, nil where they are none.
func (f *Field) Element() *StructRef {
	if f.Value == nil || !f.Value.Type.Row().List {
		return nil
	}
	for v := f.Value; v != nil; v = v.Type.Inner() {
		if ref, ok := v.Type.(*StructRef); ok {
			return ref
		}
	}
	return nil
}

// Switch chooses a value by a tag.
type Switch struct {
	Pos  Pos
	Tag  *TypedExpr
	Enum *Enum // of the tag, when it is an enum field; else nil
	// Names is the enum whose cases the labels are, where the tag is an integer or a look: nil where a label is none of
	// them.
	Names *Enum
	Arms  []*Arm
	// HasDefault: some arm is Default, so no tag is refused.
	HasDefault bool
	Hex        bool // the tag's enum, or some label, is written in hexadecimal
}

// Cases is the enum that names the tags, nil where they are numbers.
func (s *Switch) Cases() *Enum {
	if s.Enum == nil {
		return s.Names
	}
	return s.Enum
}

// Arm is one arm of a switch. Value is nil for `empty`.
type Arm struct {
	Pos         Pos
	Doc         string
	Default     bool
	Ranges      []Range // disjoint over all arms
	Label       string  // stable name of the arm in rule names: its first label as written, or "default"
	Value       *Value
	Annotations Annotations
}

// If is a conditional; its items' names splice into the struct around it.
type If struct {
	Pos  Pos
	Cond *TypedExpr
	Then []Item
	Else []Item // nil without else; `else if` is an Else of one *If
}

// Within is a window: Size bytes (aligned first), or with Bits exactly that many bits.
type Within struct {
	Pos  Pos
	Size *TypedExpr
	Bits bool
	// Fill, where it is not 0, are the bits that its content takes at most, whole bytes, without `bytes(rest)`: with
	// `zeros` those after the window's end are read as zeros.
	Fill int
	// Trimmed: a writer may leave out all zeros at its end but those of the first byte, so that one that is there is a note.
	Trimmed bool
	Items   []Item
	Index   int // number among the windows of its struct, from 1

	inside uint64 // the most bits that its items take
}

// Let is a computed value. It has no bits, and is shown at its place unless it is a helper.
type Let struct {
	Pos         Pos
	Doc         string
	Var         *Var // shared as a field's is
	Value       *TypedExpr
	Range       *Rule    // `in a..b`: other values are refused; nil without one
	Lo, Hi      *big.Int // interval of what passes the range; of a bool 0 and 1
	State       *Keep    // of `let state.name = e` and `let state = none`: Value is no value of the packet
	Annotations Annotations
}

// Interval is what the value can be: of an enum's all that the enum's type holds.
func (l *Let) Interval() Range {
	if e := l.Value.Enum; e != nil && !l.Value.Bool {
		in, _ := e.Base.Type.Interval()
		return in
	}
	return Range{l.Lo, l.Hi}
}

// Shown reports whether views show the value. One whose name begins with `_` is a helper of the schema's author.
func (l *Let) Shown() bool { return !strings.HasPrefix(l.Var.Name, "_") }

// Require is a relation that must hold.
type Require struct {
	Pos  Pos
	Doc  string
	Cond *TypedExpr
	Text string // the relation as written, on one line
}

// Align is zero padding to the next multiple of Bits (a power of two, ≥ 8), from the start of the datagram.
type Align struct {
	Pos   Pos
	Doc   string
	Bits  int
	Any   bool
	Index int // number among the aligns of its struct, from 1 (`align#1`)
}

// Reserved is Bits bits that must be zero, or any.
type Reserved struct {
	Pos   Pos
	Doc   string
	Bits  int // 1..; may be above 64
	Any   bool
	Index int
}

// Check is a serialize check: a 32-bit value at this bit, or with HasLabel the hash of the label after an align.
type Check struct {
	Pos      Pos
	Doc      string
	Value    uint32
	Label    string
	HasLabel bool
	Index    int
}

// Annotations are the checked notes after a field or an arm. Zero values mean "not said".
type Annotations struct {
	Unit  string
	Scale float64 // 0 when absent
	Time  int64   // ns per unit of the field: 1, 1e3, 1e6 or 1e9; 0 when absent
	Text  bool
	// Display is how the value is shown, nil as it is.
	Display  *display.Display
	Seq      bool
	Ack      *AckRef
	From     Direction
	Every    int64 // ns
	Secret   bool
	Budget   int       // bits
	Fragment *Fragment // @message or @fragment; nil when absent
	Sets     []Set     // registers that hold the field's bytes after an accepted packet
}

// AckRef is @ack(Struct.field).
type AckRef struct {
	Struct *Struct
	Field  *Field
}

// Range is a closed interval of integers.
type Range struct{ Lo, Hi *big.Int }

// FloatRange is a closed interval of floats.
type FloatRange struct{ Lo, Hi float64 }

// Rule is a constraint on a value. Which fields are set follows from the kind and the type it is after:
// Set for `in` over integers and enums, Floats for `in` over float32 and float64, Want for ==/!= over integers, enums,
// flags and bools (0 and 1), WantFloat over floats, Bytes over bytes and text.
type Rule struct {
	Pos       Pos
	Kind      RuleKind
	Set       []Range // sorted, disjoint, not adjacent
	Floats    []FloatRange
	Want      *big.Int
	WantFloat *float64
	Bytes     []byte
	Bounds    *Bounds       // `in a..b` over integers, where an end is no constant: then Set is empty
	Encoding  wire.Encoding // RuleEncoding: UTF-16 is in the byte order that the field has
	Text      string        // the rule as written, on one line
	Hex       bool          // some number in it is written in hexadecimal
}

// Bounds are the ends of a range that earlier fields give. Where Lo is above Hi, every value is refused.
type Bounds struct {
	Lo, Hi *TypedExpr
	Self   *Var       // the value that the rule is about, as Cond names it; of no scope
	Cond   *TypedExpr // Lo <= Self && Self <= Hi, without what the type says already
}

// Value is a type with what is after it. For arrays, optionals, subsets and vectors, rule and byte order are on
// the innermost element.
type Value struct {
	Pos     Pos
	Type    Type
	Swap    bool // its bytes run the other way than the bit order's own
	Rule    *Rule
	MinBits uint64 // as in Struct
	MaxBits uint64
}

// Exprs are the expressions that the value is sized by, and those of its rule, in the order of evaluation.
func (v *Value) Exprs() []*TypedExpr {
	if v.Rule == nil || v.Rule.Bounds == nil {
		return v.Type.Sizes()
	}
	return append(v.Type.Sizes(), v.Rule.Bounds.Lo, v.Rule.Bounds.Hi)
}

// Encoding is how the characters of a text are in its bytes; EncodingNone of what says nothing about it.
func (v *Value) Encoding() wire.Encoding {
	if v.Rule == nil {
		return wire.EncodingNone
	}
	return v.Rule.Encoding
}

// IsText reports whether it is read as text: one of the four strings, or bytes in an encoding.
func (v *Value) IsText() bool {
	_, text := v.Type.(*TextType)
	return text || v.Encoding() != wire.EncodingNone
}
