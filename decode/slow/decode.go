package slow

import (
	"math/big"
	"strconv"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// The decoder: a walk over the checked schema, item by item and bit by bit. What it answers is the expected value of
// every comparison with the fast one, so nothing here is prepared, merged or saved: each rule of the wire page and of
// the language page is said once, as it is there. It needs time and memory without care (paths are built as strings
// for every field), but both stay linear in the datagram and the schema, as the pages demand of every reader.

// Field is one value that was read and passed all its checks.
type Field struct {
	Path  string // "body.players[2].health"; of an item without a name its struct's
	Bit   int    // its first bit, from the start of the datagram; after its padding
	Width int    // bits
	// Raw is the code on the wire as a number, its bytes already turned around where the schema says `le` or `be`: for
	// int(a..b) the offset from a, for two's complement the bits, for floats the IEEE bits, for a quantized float the
	// step, for a varint and a ladder the value. Of bytes and text it is 0, of reserved bits above 64 as well.
	Raw  uint64
	Data []byte // the content of bytes and text: char(n) with its NULs, cstring without its NUL, wstring as UTF-8
	// Item: it has no name of its own: `check`, `reserved`, the flag of an optional or of a bitmap's slot. Padding is
	// no field at all.
	Item bool
	// Computed: it is a `let`, whose value takes no bits. Raw is that as an int64's bits where it can be negative.
	Computed bool
}

// Reject is why a datagram was refused: the first failure in the order of the wire.
type Reject struct {
	Kind  reject.Kind
	Path  string // "" is the packet
	Bit   int
	Width int // bits
}

// Note is something odd about an accepted packet.
type Note struct {
	Kind  reject.NoteKind
	Path  string
	Bit   int
	Width int // bits
}

// Result is what one datagram was.
type Result struct {
	Fields []Field // in the order of the wire; those before the failure where it was refused
	Reject *Reject // nil where it was accepted
	Notes  []Note  // empty where it was refused
	Bits   int     // consumed; 0 where it was refused
	// Fragments are what it holds of messages, in the order of the wire; empty where it was refused.
	Fragments []Fragment
	Kept      []Kept // in the order of the wire; empty where it was refused
	// Named are the registers that were named, each as often as that. A refusal after one says nothing about the sender.
	Named []*schema.StateVar
}

// Fragment is all of a message, or a piece.
type Fragment struct {
	Section *schema.Section
	Data    []byte
	// Of a piece: which message, where in it, of how much. The others are nil.
	ID, At, Whole, Last *big.Int
}

// Decode reads payload as the packet of s, sent by from (schema.FromUnknown where that is not known).
func Decode(s *schema.Schema, payload []byte, from schema.Direction) Result {
	return DecodeHeld(s, payload, from, nil)
}

// DecodeHeld is Decode of a packet whose flow holds something; nil is nothing.
func DecodeHeld(s *schema.Schema, payload []byte, from schema.Direction, held Held) Result {
	w := &walk{state: held, data: payload, end: 8 * len(payload), there: 8 * len(payload), from: from, last: map[*schema.StructRef]*scope{}}
	if w.packet(s) {
		w.out.Bits = w.bit
	} else {
		w.out.Notes, w.out.Fragments, w.out.Kept = nil, nil, nil // a refused packet has none
	}
	return w.out
}

// walk is the state of one Decode. Invariant: 0 ≤ bit ≤ end, there ≤ 8 × len(data), and end ≤ there but in a window
// that is filled with zeros.
//
// Its methods answer false when the packet is refused; the reason is then in out.Reject, and nothing is read any more.
type walk struct {
	data []byte
	bit  int // the next one to read
	end  int // of the innermost window, or of the datagram
	// there is where the bits end: of the datagram, or in a window that is filled of that one. Those after are zero.
	there   int
	window  int // where the innermost window begins
	element int // where the innermost array's element does
	from    schema.Direction
	out     Result
	last    map[*schema.StructRef]*scope // of each struct in the text: where it was read last
	held    *schema.Fragment             // of the field that is being read
	state   Held
	around  frame // of the item at hand
}

// frame is where something is in the schema: the path so far, the bit order, and the names that can be seen.
type frame struct {
	path  string
	order schema.Order
	scope *scope
	place *place // the struct that this is in; nil outside of arrays
}

// named is the frame of what is called name inside f.
func (f frame) named(name string) frame {
	if f.path != "" {
		name = f.path + "." + name
	}
	f.path = name
	return f
}

// element is the frame of element i of the array f.
func (f frame) element(i uint64) frame {
	f.path += "[" + strconv.FormatUint(i, 10) + "]"
	return f
}

func (w *walk) packet(s *schema.Schema) bool {
	packet := frame{order: s.Packet.Order, scope: newScope(nil)}
	if len(w.data) > s.MaxDatagram {
		return w.refuse(packet, reject.DatagramSize, 0, 8*len(w.data))
	}
	w.arrive(packet, s.Packet)
	if !w.items(packet, s.Packet.Items) {
		return false
	}
	left := w.end - w.bit
	if left >= 8 {
		return w.refuse(packet, reject.TrailingBytes, w.bit, left)
	}
	if _, set := w.firstSet(packet.order, w.bit, left); set {
		w.note(packet, reject.TrailingBits, w.bit, left)
	}
	return true
}

// refuse ends the walk.
func (w *walk) refuse(f frame, kind reject.Kind, bit, width int) bool {
	bit, width = w.clip(bit, width)
	w.out.Reject = &Reject{kind, f.path, bit, width}
	return false
}

func (w *walk) note(f frame, kind reject.NoteKind, bit, width int) {
	bit, width = w.clip(bit, width)
	w.out.Notes = append(w.out.Notes, Note{kind, f.path, bit, width})
}

// read records a field that passed its checks.
func (w *walk) read(f frame, bit, width int, raw uint64) {
	bit, width = w.clip(bit, width)
	w.out.Fields = append(w.out.Fields, Field{Path: f.path, Bit: bit, Width: width, Raw: raw})
}

// readItem records a thing without a name.
func (w *walk) readItem(f frame, bit, width int, raw uint64) {
	bit, width = w.clip(bit, width)
	w.out.Fields = append(w.out.Fields, Field{Path: f.path, Bit: bit, Width: width, Raw: raw, Item: true})
}

// readData records bytes or text.
func (w *walk) readData(f frame, bit, width int, data []byte) {
	bit, width = w.clip(bit, width)
	w.out.Fields = append(w.out.Fields, Field{Path: f.path, Bit: bit, Width: width, Data: data})
}

// clip is which of some bits are there. Those that are not lie at the end.
func (w *walk) clip(bit, width int) (int, int) {
	switch {
	case w.end <= w.there: // all are
		return bit, width
	case bit >= w.there:
		return w.there, 0
	}
	return bit, min(width, w.there-bit)
}

// load is the value of n bits, of which those that are not there are zero.
func (w *walk) load(order schema.Order, bit, n int) uint64 {
	var v uint64
	for k := range n {
		if i := StreamBit(order, bit, n, k); i < w.there {
			v |= Bit(order, w.data, i) << k
		}
	}
	return v
}

// fits refuses what needs more bits than are left: no partial value, no zero fill.
func (w *walk) fits(f frame, bits int) bool {
	if bits > w.end-w.bit {
		return w.refuse(f, reject.PastEnd, w.bit, bits)
	}
	return true
}

// take reads n bits, 0..64. Every value of the packet comes from here or, for padding, from firstSet.
func (w *walk) take(f frame, n int) (uint64, bool) {
	if !w.fits(f, n) {
		return 0, false
	}
	v := w.load(f.order, w.bit, n)
	w.bit += n
	return v, true
}

// firstSet finds the first set bit of the n at bit; they are inside the datagram.
func (w *walk) firstSet(order schema.Order, bit, n int) (int, bool) {
	for i := bit; i < bit+n; i++ {
		if w.load(order, i, 1) != 0 {
			return i, true
		}
	}
	return 0, false
}

// zeros reads n bits of padding, all zero.
func (w *walk) zeros(f frame, n int) bool {
	if !w.fits(f, n) {
		return false
	}
	if at, set := w.firstSet(f.order, w.bit, n); set {
		return w.refuse(f, reject.NonzeroPadding, at, 1)
	}
	w.bit += n
	return true
}

// padding is how many bits are missing to the next multiple of n, counted from the start of the datagram.
func (w *walk) padding(n int) int {
	return (n - w.bit%n) % n
}

// align is the alignment that types and label checks do by themselves: to a byte, and in bousk not at all.
func (w *walk) align(f frame) bool {
	if f.order == schema.Bytewise {
		return true
	}
	return w.zeros(f, w.padding(8))
}
