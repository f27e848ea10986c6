package filter

import (
	"github.com/pktscope/pktscope/decode/display"
	"github.com/pktscope/pktscope/decode/schema"
)

// kind is what can be done with a value.
type kind uint8

const (
	kindBool  kind = iota + 1
	kindInt        // a 64-bit integer
	kindFloat      // float32, float64 and quantized floats, all held as a float64
	kindEnum       // an integer with names
	kindFlags      // an integer with names for bits
	kindWord       // one of a fixed list of words, such as a verdict
	kindTime       // ns since the Unix epoch
	kindText
	kindBytes
	kindAddr // an address, with a port or without
)

// typ is the type of a value: two fields of the same typ can share a slot.
type typ struct {
	kind   kind
	signed bool // kindInt, kindEnum, kindFlags: held as an int64
	width  int  // kindFloat: bits of the float that the field holds
	enum   *schema.Enum
	words  *[]string // kindWord; the number of a word is its index
	max    int       // kindText, kindBytes: most bytes
	// computed: kindText that does not come from the payload but is a register of the matcher.
	computed bool
	padded   bool // kindText: it ends at a NUL
	display  *display.Display
	bits     int  // kindInt with a display: of its largest value
	port     bool // kindAddr
	tag      bool // kindInt: the packet's case, which the views show as text
}

// String names the type for people.
func (t *typ) String() string {
	switch t.kind {
	case kindBool:
		return "bool"
	case kindInt:
		return "number"
	case kindFloat:
		return "float"
	case kindEnum:
		return "enum " + t.enum.Name
	case kindFlags:
		return "flags " + t.enum.Name
	case kindWord:
		return "word"
	case kindTime:
		return "time"
	case kindText:
		return "text"
	case kindBytes:
		return "bytes"
	case kindAddr:
		return "address"
	}
	panic("pktscope: internal error: a value without a kind")
}

// values are the names that it compares with by ==.
func (t *typ) values() []string {
	switch {
	case t.kind == kindEnum:
		return caseNames(t.enum)
	case t.words != nil:
		return *t.words
	}
	return nil
}

// integer reports whether values of the type compare as integers.
func (t *typ) integer() bool {
	switch t.kind {
	case kindInt, kindEnum, kindFlags, kindTime:
		return true
	}
	return false
}

// caseNames lists the names of an enum or of flags.
func caseNames(e *schema.Enum) []string {
	names := make([]string, len(e.Cases))
	for i := range e.Cases {
		names[i] = e.Cases[i].Name
	}
	return names
}

// caseOf is the case of that name, nil without one.
func caseOf(e *schema.Enum, name string) *schema.Case {
	for i := range e.Cases {
		if e.Cases[i].Name == name {
			return &e.Cases[i]
		}
	}
	return nil
}

// ref is a value that an evaluator finds in a slot.
type ref struct {
	slot int32
	typ  typ
}
