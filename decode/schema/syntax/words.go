package syntax

import (
	"maps"
	"slices"

	"github.com/pktscope/pktscope/decode/wire"
)

// Order is how bits fill bytes (wire.md, "The three bit orders").
type Order = wire.Order

// The bit orders.
const (
	LSB      = wire.LSB
	MSB      = wire.MSB
	Bytewise = wire.Bytewise
)

// Endian is the byte order said after a type.
type Endian uint8

// The byte orders.
const (
	EndianNone Endian = iota // the bit order's own
	LittleEndian
	BigEndian
)

// String gives the word of the language, "" for EndianNone.
func (e Endian) String() string { return [...]string{"", "le", "be"}[e] }

// SubsetKind is one of the articles' four ways to send some elements of an array.
type SubsetKind uint8

// The subsets.
const (
	SubsetNone SubsetKind = iota // not one (already complained about)
	SubsetBitmap
	SubsetIndex
	SubsetSentinel
	SubsetRelative
)

// String gives the word of the language.
func (s SubsetKind) String() string {
	return [...]string{"", "bitmap", "index", "sentinel", "relative"}[s]
}

// Direction says which end of the conversation sends.
type Direction uint8

// The directions. FromUnknown means that none was named, or that the direction is unknown.
const (
	FromUnknown Direction = iota
	Client
	Server
)

// String gives "client", "server" or "unknown".
func (d Direction) String() string { return [...]string{"unknown", "client", "server"}[d] }

// typeForm is what follows a type word.
type typeForm uint8

const (
	formSimple   typeForm = iota + 1 // nothing
	formFixed                        // nothing; an integer of whole bytes
	formBits                         // (Expr)
	formSized                        // (Arith)
	formInt                          // (a..b)
	formFloat                        // (a..b, step)
	formVec                          // (Value)
	formQuat                         // (Value) or smallest3(n)
	formBytes                        // (Expr) or (Expr, max n)
	formRelative                     // (Path)
	formSum                          // options
	formSealed                       // (Expr) or (Expr, max n), an algorithm and its options
)

// typeWord is a word that begins a type.
type typeWord struct {
	form    typeForm
	need    string // what is in the parentheses
	example string
}

// typeWords are the types of the language.
var typeWords = map[string]typeWord{
	"bool":     {form: formSimple},
	"bool8":    {form: formSimple},
	"uint8":    {form: formFixed},
	"uint16":   {form: formFixed},
	"uint32":   {form: formFixed},
	"uint64":   {form: formFixed},
	"int8":     {form: formFixed},
	"int16":    {form: formFixed},
	"int32":    {form: formFixed},
	"int64":    {form: formFixed},
	"float32":  {form: formSimple},
	"float64":  {form: formSimple},
	"dnsname":  {form: formSimple},
	"bits":     {formBits, "its number of bits", "`bits(4)`"},
	"sbits":    {formBits, "its number of bits", "`sbits(4)`"},
	"varint":   {formSized, "its most bits", "`varint(32)`"},
	"zigzag":   {formSized, "its most bits", "`zigzag(32)`"},
	"int":      {formInt, "its range", "`int(0..100)`, or `int32` for a fixed width"},
	"float":    {formFloat, "its range and step", "`float32`, or `float(0..1, 0.01)`"},
	"vec2":     {formVec, "the type of its components", "`vec2(float32)`"},
	"vec3":     {formVec, "the type of its components", "`vec3(float32)`"},
	"vec4":     {formVec, "the type of its components", "`vec4(float32)`"},
	"quat":     {formQuat, "the type of its components", "`quat(float32)` or `quat smallest3(10)`"},
	"string":   {formSized, "its size", "`string(16)`; a length in a field of its own is `n uint8`, then `bytes(n) utf8`"},
	"wstring":  {formSized, "its size", "`wstring(16)`"},
	"cstring":  {formSized, "its size", "`cstring(16)`"},
	"char":     {formSized, "its size", "`char(16)`"},
	"bytes":    {formBytes, "its size", "`bytes(16)`"},
	"below":    {formBits, "what its values are below", "`below(10)`"},
	"sealed":   {formSealed, "its size without the tag", "`sealed(rest - 16, max 1200) chacha20poly1305 { key … }`"},
	"relative": {formRelative, "what it counts from", "`relative(sequence)`"},
}

// Words that editors complete, by where they stand. The grammar of the language page has each of them.
var (
	DeclWords = []string{"protocol", "import", "order", "port", "max", "const", "param", "open", "enum", "flags", "struct",
		"packet", "message", "flow", "state", "expect"} // that begin a declaration
	ItemWords  = []string{"if", "else", "within", "let", "require", "align", "reserved", "check"} // that begin an item, but for names
	ValueWords = []string{"optional", "subset", "switch"}                                         // before a type, or in place of one
	RuleWords  = []string{"in", "finite", "le", "be", "utf8", "ascii", "latin1", "utf16"}         // after a type
	ExprWords  = []string{"rest", "true", "false", "peek", "tail", "prev", "from", "has"}
	SumWords   = []string{"prefix", "suffix", "over", "xor", "check"} // before an argument of a checksum
	OrderWords = []string{"lsb", "msb", "bousk"}
	LimitWords = []string{"datagram", "fields", "steps"} // after `max`
)

// TypeWords are the words that begin a type, sorted: those of checksums, too.
func TypeWords() []string { return slices.Sorted(maps.Keys(typeWords)) }

// WholeWords are the words of integers of whole bytes, sorted.
func WholeWords() []string {
	return slices.DeleteFunc(TypeWords(), func(word string) bool { return typeWords[word].form != formFixed })
}

// FragmentWords say what an argument of `@fragment` is.
var FragmentWords = []string{"id", "index", "count", "offset", "total", "last"}

func init() {
	for i := range wire.Algorithms {
		typeWords[wire.Algorithms[i].Name] = typeWord{form: formSum}
	}
	allTypeWords = TypeWords()
}
