package filter

import (
	"net/netip"
	"regexp"

	"github.com/pktscope/pktscope/decode/plan"
)

// Program is a compiled filter. It is immutable and safe for concurrent use; each goroutine has its own Matcher.
//
// It is a tree of small nodes over slots. One pass over a trace's spans fills the slots of the fields that the filter
// names; a closure's slots are filled again for each element, from the spans that follow its list's. Nothing looks a
// name up, and nothing allocates, while packets flow.
type Program struct {
	plan   *plan.Plan
	src    string
	nodes  []node
	root   int32
	frames []frame // the packet's, then each closure's
	quants []quant
	acts   []action
	env    []envFill
	texts  []textConst
	addrs  []netip.Prefix
	ports  []netip.AddrPort
	slots  int32
	// envSlots is how many slots come first that the envelope fills: they need no pass over the trace.
	envSlots   int32
	memos      int
	messages   [][]*Program // of each condition on messages one for each section; nil where it has not what is named
	work       int
	caseSigned bool
}

// Source is the text that the program was compiled from.
func (p *Program) Source() string { return p.src }

// Work bounds what the program may do to one packet, in steps of some nanoseconds.
func (p *Program) Work() int { return p.work }

// opcode is what a node computes: a truth, or from opNumber on a number.
type opcode uint8

const (
	opConst        opcode = iota // lo
	opNot                        // not a
	opAnd                        // a and b
	opOr                         // a or b
	opEither                     // a, or b where a is unknown
	opRange                      // slot a is within keys lo..hi
	opFloat                      // slot a is within the floats whose bits are lo and hi
	opNaN                        // slot a is NaN
	opMask                       // slot a, with the bits of hi turned, has all bits of lo
	opPresent                    // slot a is there: never unknown
	opText                       // slot a's text or bytes and texts[b]: see textMode
	opSameText                   // slot a's text or bytes are slot b's
	opPrefix                     // slot a's address is within addrs[b]
	opPort                       // slot a's address and port are ports[b]
	opSame                       // truths a and b are one
	opCompare                    // numbers a and b: lo is the comparison
	opQuantified                 // quants[a]
	opMessage                    // one of the packet's messages fulfils messages[a]
	opSlotNumber                 // slot a as an integer; lo: it is an int64
	opSlotFloat                  // slot a as a float
	opNumber                     // the constant lo, negative if not
	opAdd                        // a + b
	opSubtract                   // a - b
	opMultiply                   // a * b
	opRemainder                  // a % b
	opEitherNumber               // a, or b where a is unknown
	opCount                      // elements of quants[a] for which it holds
	opLength                     // elements of the list in slot a
	opBytes                      // bytes of the text in slot a
	opNotes                      // notes
)

// node is one step. not turns its truth around.
type node struct {
	op     opcode
	not    bool
	a, b   int32
	lo, hi uint64
}

// textMode is how a text is compared.
type textMode uint8

const (
	textEqual textMode = iota
	textContains
	textStarts
	textEnds
	textMatches
)

type textConst struct {
	mode textMode
	want []byte
	re   *regexp.Regexp
}

// frame is where a stretch of spans puts its values: the whole packet's, or those of one element of a list.
type frame struct {
	slots, end int32      // the slots that it clears
	first      plan.Point // that table begins with
	table      []int32    // of each point: 1 + the first of its actions, 0 for none
	any        bool       // there are actions at all
	fills      []envFill  // of a closure over the notes, instead of actions
}

// action puts what one span says into a slot.
type action struct {
	slot   int32
	off    uint32 // number of the leaf in its run
	conv   conversion
	kind   leafKind // of a leaf
	last   bool     // of its op's actions
	width  uint8
	base   uint64
	leaf   int32
	chain  []uint32 // the indexes that must lead here, innermost first; nil outside indexed lists
	direct bool     // no chain: the span is in the frame's own list or in the packet itself
}

// conversion is how a span becomes a slot's value.
type conversion uint8

const (
	convSpan     conversion = iota // the span's number: lists, bytes, text
	convPresent                    // the span is there
	convLeafSeen                   // the leaf was read
	convUint                       // code + base
	convInt                        // code sign-extended from width, as a key
	convNegative                   // code + base as an int64, as a key
	convFloat32
	convFloat64
	convQuant
	convNumber // a leaf whose width is found on the way, as an integer's key
)

// quantMode is what a quantifier asks of its elements.
type quantMode uint8

const (
	quantAny quantMode = iota
	quantAll
	quantNone
	quantOne
	quantCount
)

// quant is a closure over a list.
type quant struct {
	mode  quantMode
	notes bool  // over the notes: list and memo are not used
	list  int32 // slot of the list's span
	frame int32
	body  int32
	// memo is where its result is kept once it is known, -1 inside a closure over an element's own list. A closure
	// inside another that does not depend on the outer one's element is computed once: without that, lists would
	// multiply.
	memo int32
}
