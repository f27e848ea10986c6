package fuzz

import (
	"math"
	"math/bits"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Numbers whose width is found on the way. What is after them moves, so the packet is written anew, with one number
// forced.

// number breaks a number in the ways that its kind knows.
func (r *mutating) number(ev *decode.Event, path string, n *plan.Number) bool {
	if r.mute {
		return true
	}
	switch n.Kind {
	case plan.NumberVarint:
		return r.varint(ev, path, n) && r.announced(ev, path)
	case plan.NumberLadder:
		return r.ladder(ev, path)
	case plan.NumberIndex:
		return r.index(ev, path, n)
	case plan.NumberStep:
		return r.step(ev, path, n)
	case plan.NumberBelow:
		return r.below(ev, path, n)
	case plan.NumberSized, plan.NumberRanged:
		return r.expressionSized(ev, path) && r.announced(ev, path)
	}
	panic("pktscope: internal error: a number of an unknown kind")
}

// expressionSized gives a number of its own width other codes.
func (r *mutating) expressionSized(ev *decode.Event, path string) bool {
	for _, c := range []candidate{
		{0, "zero", 0}, {wire.Mask(ev.Width), "all ones", 0}, {ev.Raw + 1, "one more", 0}, {ev.Raw - 1, "one less", 0},
		{1 << max(0, ev.Width-1), "the highest bit", 0},
	} {
		if bits.Len64(c.code) > ev.Width || c.code == ev.Raw {
			continue
		}
		if !r.give(classEdge, r.setTo(ev, c.code), path, c.done, ev.Bit, c.code, oracle.Expectation{}) {
			return false
		}
	}
	return true
}

// below gives a number below a limit other bits: of up to 16 all that there are. Zero has the most bits, so that all
// numbers begin one of these.
func (r *mutating) below(ev *decode.Event, path string, n *plan.Number) bool {
	if ev.Raw != 0 || ev.Width > 16 || r.seen == nil {
		return r.expressionSized(ev, path)
	}
	for code := uint64(1); code < 1<<ev.Width; code++ {
		data := r.copyPacket()
		for i := range ev.Width {
			n.Order.Store(data, ev.Bit+i, 1, code>>i&1)
		}
		if !r.give(classEdge, data, path, "other bits", ev.Bit, code, oracle.Expectation{}) {
			return false
		}
	}
	return true
}

// belowPieces are the bits of a number below a limit, the lowest first.
func belowPieces(code, limit uint64) (pieces []decode.Piece) {
	for i := range wire.BelowBits(code, limit) {
		pieces = append(pieces, decode.Piece{Code: code >> i & 1, Width: 1})
	}
	return pieces
}

// nth is how often the op of an event has read before it.
func (r *mutating) nth(ev *decode.Event) (n int) {
	for i := range ev.Record {
		if r.trace.Records[i].Point == r.trace.Records[ev.Record].Point {
			n++
		}
	}
	return n
}

// force writes the packet anew with other bits for the number of an event.
func (r *mutating) force(class Class, ev *decode.Event, path, done string, code uint64, want oracle.Expectation, pieces ...decode.Piece) bool {
	n := r.plan.Reader(ev.Leaf).(*plan.Number) // its leaf is also of the index that ends a list
	r.over = append(r.over[:0], decode.Override{Point: n.Point, Leaf: int(n.Leaf), Nth: r.nth(ev), Pieces: pieces})
	data, err := r.broken.AppendOverridden(r.buf[:0], decode.Replay(&r.trace), r.from, r.over)
	if err != nil { // a window around it has another length now
		data, err = r.broken.AppendOverridden(r.buf[:0], resized{decode.Replay(&r.trace)}, r.from, r.over)
		if r.open { // what follows from the rest was found without the pieces: it may be wrong before them
			want = oracle.Expectation{}
		}
	}
	if err != nil {
		return true // too long for a datagram
	}
	r.buf = data
	return r.giveAsIs(class, data, path, done, ev.Bit, code, want)
}

// resized gives back a packet, of which what follows from the rest may be another.
type resized struct{ decode.Source }

// Code leaves to the Encoder what it finds itself.
func (r resized) Code(a *decode.Query) (uint64, error) {
	if a.Derivable {
		return 0, decode.ErrDerive
	}
	return r.Source.Code(a)
}

// wide is how many bits pieces have.
func wide(pieces []decode.Piece) int {
	n := 0
	for _, p := range pieces {
		n += p.Width
	}
	return n
}

// varint writes a LEB128 number longer than it need be, without end, and with bits that its type does not have.
func (r *mutating) varint(ev *decode.Event, path string, n *plan.Number) bool {
	most := (n.Bits + 6) / 7
	beyond, long := reject.OutOfRange, reject.OutOfRange // with bits that the type does not have; with groups alone
	if e := r.plan.Info[ev.Leaf].Enum; e != nil && !e.Open {
		if beyond = reject.ReservedNonzero; !e.Flags {
			beyond, long = reject.UnknownCase, reject.UnknownCase
		}
	}
	groups := func(code uint64, count int, last byte) []decode.Piece {
		var out []decode.Piece
		for range count {
			out = append(out, decode.Piece{Code: code&0x7f | 0x80, Width: 8})
			code >>= 7
		}
		return append(out, decode.Piece{Code: uint64(last), Width: 8})
	}
	try := func(done string, kind reject.Kind, pieces []decode.Piece) bool {
		want := oracle.Expectation{}
		if kind != reject.None {
			want = refused(kind, path, ev.Bit, 8*min(len(pieces), most))
		}
		return r.force(classVarint, ev, path, done, 0, want, pieces...)
	}
	if more := groups(ev.Raw, ev.Width/8, 0); len(more) <= most {
		if !try("a group of zeros more", reject.NonCanonical, more) || most > 1 && !try("zero in two groups", reject.NonCanonical, groups(0, 1, 0)) {
			return false
		}
	}
	if !try("without end", beyond, groups(math.MaxUint64, most, 0x80)) || !try("one group too many", long, groups(ev.Raw, most, 1)) {
		return false
	}
	if over := n.Bits - 7*(most-1); over < 7 {
		return try("a bit more than the type has", beyond, groups(0, most-1, 1<<over))
	}
	return true
}

// rungPieces are the flags that lead to a rung of a ladder, and a code there.
func rungPieces(rung, width int, code uint64) []decode.Piece {
	out := make([]decode.Piece, 0, 8)
	for range min(rung, 6) {
		out = append(out, decode.Piece{Width: 1})
	}
	if rung < 6 {
		out = append(out, decode.Piece{Code: 1, Width: 1})
	}
	return append(out, decode.Piece{Code: code, Width: width})
}

// ladder writes steps that their rung does not have, and values that do not rise.
func (r *mutating) ladder(ev *decode.Event, path string) bool {
	try := func(done string, code uint64, kind reject.Kind, pieces []decode.Piece) bool {
		want := oracle.Expectation{}
		if kind != reject.None {
			want = refused(kind, path, ev.Bit, wide(pieces))
		}
		return r.force(classLadder, ev, path, done, code, want, pieces...)
	}
	previous, known := uint64(0), false
	order := r.plan.Reader(ev.Leaf).At().Order
	at := ev.Bit
	for i, rung := range slow.RelativeRungs {
		span := rung.Hi - rung.Lo
		width := wire.BitsRequired(span)
		if !known && at >= 0 {
			if order.Load(r.packet, at, 1) == 1 {
				previous, known = ev.Raw-rung.Lo-order.Load(r.packet, at+1, width), true
				at = -1
			} else {
				at++
			}
		}
		for _, code := range []uint64{span + 1, wire.Mask(width)} {
			if code > span && bits.Len64(code) <= width && !try("a step beyond its rung", code, reject.OutOfRange, rungPieces(i, width, code)) {
				return false
			}
		}
		if !try("the longest step of a rung", span, reject.None, rungPieces(i, width, span)) {
			return false
		}
	}
	if known {
		for _, c := range []uint64{previous, previous - 1} {
			if c < 1<<31 && !try("a value that does not rise", c, reject.NotIncreasing, rungPieces(6, 32, c)) {
				return false
			}
		}
	}
	for _, c := range []uint64{1 << 31, math.MaxUint32} {
		if !try("a value beyond 2^31-1", c, reject.OutOfRange, rungPieces(6, 32, c)) {
			return false
		}
	}
	return try("zero", 0, reject.NotIncreasing, rungPieces(6, 32, 0))
}

// previousIndex is the index before an event's, -1 before the first.
func (r *mutating) previousIndex(ev *decode.Event) int64 {
	s := &r.trace.Records[ev.Record]
	n, parent := r.plan.Reader(ev.Leaf).(*plan.Number), s.Parent
	if n.Any {
		return -1 // none is before another
	}
	ends := r.plan.Nodes[ev.Node].Kind == plan.NodeItem              // the index that ends the list stands outside its elements
	for i := ev.Record - 1; i > int(parent) || ends && i >= 0; i-- { // what is in a list is after its span
		before := &r.trace.Records[i]
		if before.Point == s.Point && (before.Parent == parent || ends) {
			return int64(r.trace.Raw[before.Raw])
		}
		if ends && before.Point == r.plan.Steps[n.Up].At().Point {
			break
		}
	}
	return -1
}

// overshoots is how much can go wrong after the index before an event's: something to repeat, and the rungs whose
// longest step leads beyond the end.
func (r *mutating) overshoots(ev *decode.Event, n *plan.Number) uint8 {
	previous := r.previousIndex(ev)
	if previous < 0 {
		return 0
	}
	count := uint8(1)
	for _, rung := range slow.IndexRungs {
		if previous+int64(rung.Hi) > int64(n.Most) {
			count++
		}
	}
	return count
}

// index writes indexes that repeat, fall and overshoot.
func (r *mutating) index(ev *decode.Event, path string, n *plan.Number) bool {
	previous := r.previousIndex(ev)
	try := func(done string, code uint64, kind reject.Kind) bool {
		if bits.Len64(code) > n.Bits {
			return true
		}
		want := oracle.Expectation{}
		if kind != reject.None {
			want = refused(kind, path, ev.Bit, n.Bits)
		}
		return r.force(classIndex, ev, path, done, code, want, decode.Piece{Code: code, Width: n.Bits})
	}
	if previous >= 0 && !try("the index before it again", uint64(previous), reject.NotIncreasing) ||
		previous > 0 && !try("an index that falls", uint64(previous-1), reject.NotIncreasing) ||
		previous > 0 && !try("the first index again", 0, reject.NotIncreasing) {
		return false
	}
	if n.EndLeaf >= 0 && !try("the end of the list", n.Most, reject.None) {
		return false
	}
	beyond := wire.Mask(n.Bits) - n.Most
	for at := uint64(1); at <= beyond; at++ {
		if beyond > 2*sampleCodes && sampleCodes < at && at < beyond {
			continue
		}
		if !try("an index beyond the end", n.Most+at, reject.OutOfRange) {
			return false
		}
	}
	return true
}

// step writes steps from the index before to after the end, on every rung, and steps that their rung does not have.
func (r *mutating) step(ev *decode.Event, path string, n *plan.Number) bool {
	previous := r.previousIndex(ev)
	try := func(done string, code uint64, refuse bool, pieces []decode.Piece) bool {
		want := oracle.Expectation{}
		if refuse {
			want = refused(reject.OutOfRange, path, ev.Bit, wide(pieces))
		}
		return r.force(classIndex, ev, path, done, code, want, pieces...)
	}
	rungs := slow.IndexRungs[:len(slow.IndexRungs):len(slow.IndexRungs)]
	const last = 126
	if n.Most+1 >= last {
		rungs = append(rungs, slow.Rung{Lo: last, Hi: n.Most + 1})
	} else if !try("a rung that a short list does not have", 0, true, rungPieces(6, 0, 0)) {
		return false
	}
	for i, rung := range rungs {
		span := rung.Hi - rung.Lo
		width := wire.BitsRequired(span)
		for _, code := range []uint64{0, span / 2, span, span + 1, wire.Mask(width)} {
			if bits.Len64(code) > width {
				continue
			}
			over := previous+int64(rung.Lo+code) > int64(n.Most)
			if !try("a step", rung.Lo+code, code > span || over, rungPieces(i, width, code)) {
				return false
			}
		}
	}
	return true
}
