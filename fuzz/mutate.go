package fuzz

import (
	"bytes"
	"iter"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/bitio"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// Mutator knows, for one protocol, what to try in each field and what each attempt deserves. It is immutable and safe
// for concurrent use.
type Mutator struct {
	decoder *decode.Decoder
	plan    *plan.Plan
	crc     checksum
	codes   [][]candidate // of each leaf
	steers  []bool        // of each leaf: something else depends on its value
	// open: the packet's end decides something (`rest`), or what a change does cannot be known because the checksum's
	// place is not.
	open bool
}

// NewMutator makes the Mutator of a protocol.
func NewMutator(d *decode.Decoder) *Mutator {
	p := d.Plan()
	m := &Mutator{decoder: d, plan: p, crc: findChecksum(p), codes: make([][]candidate, len(p.Leaves)), steers: make([]bool, len(p.Leaves))}
	for leaf := range p.Leaves {
		if p.Info[leaf].Kind != plan.LeafCRC {
			m.codes[leaf] = candidates(p, leaf)
		}
	}
	for _, leaves := range p.SlotLeaves {
		for _, leaf := range leaves {
			m.steers[leaf] = true
		}
	}
	m.open = m.crc.op != nil && m.crc.bit < 0
	for i := range p.Blobs {
		m.open = m.open || p.Blobs[i].Rest
	}
	for i := range p.Operands {
		m.open = m.open || readsRest(p.Operands[i].Expr)
	}
	return m
}

func readsRest(e *schema.TypedExpr) bool {
	return e != nil && (e.Op == schema.OpRest || readsRest(e.X) || readsRest(e.Y))
}

// Mutations yields, of a packet that the protocol accepts, in the order of its fields:
//
//   - the packet cut at every byte;
//   - each field at min-1, min, max and max+1 of what it may hold, at the edges of every part of a set, next to every
//     enum case, with each undefined flag, at zero and at all ones: the codes that exist in its width;
//   - every bit of every check, of reserved bits and of padding flipped; text behind a NUL;
//   - every bit of the checksum flipped;
//   - one to eight bytes too many.
//
// A packet that is refused has none. The sequence depends on nothing but the protocol, the packet and its sender, and
// needs memory for one packet.
func (m *Mutator) Mutations(packet []byte, from decode.Direction) iter.Seq[*Mutation] {
	return func(yield func(*Mutation) bool) {
		r := &mutating{Mutator: m, packet: packet, yield: yield}
		if m.decoder.Decode(packet, from, &r.trace) != nil {
			return
		}
		r.buf = make([]byte, 0, len(packet)+8)
		for ev := range r.trace.Walk() {
			switch ev.Kind {
			case decode.Open:
				r.counts = append(r.counts, ev.Count)
			case decode.Close:
				r.counts = r.counts[:len(r.counts)-1]
			default:
				if !r.event(ev) {
					return
				}
			}
		}
		_ = r.padding(nil, r.trace.Bits) && r.tail()
	}
}

// mutating is one run of Mutations. Its methods report whether to go on.
type mutating struct {
	*Mutator
	packet []byte
	trace  decode.Trace
	yield  func(*Mutation) bool
	buf    []byte
	path   []byte
	counts []int // elements of each struct or array that is open
	out    Mutation
	end    int // bit behind the last field
	cut    int // bytes: next place to cut at
}

// ownerPath is the path of what is around a field. What has no name of its own is told by its owner's.
func ownerPath(path []byte) []byte { return path[:max(0, bytes.LastIndexByte(path, '.'))] }

// fresh is a copy of the packet to spoil.
func (r *mutating) fresh() []byte {
	r.buf = append(r.buf[:0], r.packet...)
	return r.buf
}

// give repairs the checksum and hands a mutation on.
func (r *mutating) give(data []byte, path, done string, bit int, code uint64, want Expectation) bool {
	r.crc.repair(r.plan, data)
	return r.giveAsIs(data, path, done, bit, code, want)
}

func (r *mutating) giveAsIs(data []byte, path, done string, bit int, code uint64, want Expectation) bool {
	if r.open {
		want = Expectation{}
	}
	r.out = Mutation{Data: data, Path: path, Done: done, Bit: bit, Code: code, Expect: want}
	return r.yield(&r.out)
}

// refused is the expectation of a reject.
func refused(kind reject.Kind, path string, bit, width int) Expectation {
	return Expectation{MustReject, kind, path, bit, width}
}

var accepted = Expectation{Verdict: MustAccept}

// event takes one field of the packet.
func (r *mutating) event(ev *decode.Event) bool {
	r.path = r.eventPath(r.path[:0], ev)
	path := string(r.path)
	if !r.padding(ev, ev.Bit) || !r.pieces(ev, path) {
		return false
	}
	r.end = ev.Bit + ev.Width
	switch {
	case ev.Kind == decode.Blob:
		return r.blob(ev, path)
	case ev.Leaf < 0:
		return r.reserved(ev, path)
	}
	info := &r.plan.Info[ev.Leaf]
	order := bitio.Order(r.plan.Ops[info.Op].Order)
	switch info.Kind {
	case plan.LeafCRC:
		return r.checksum(ev, path, order)
	case plan.LeafCheck:
		return r.flips(path, ev.Bit, ev.Width, order, refused(reject.CheckMismatch, path, ev.Bit, ev.Width))
	case plan.LeafReserved:
		return r.reserved(ev, path)
	}
	return r.values(ev, path)
}

// reserved flips each of reserved bits, however many.
func (r *mutating) reserved(ev *decode.Event, path string) bool {
	var op *plan.Op
	var any bool
	if ev.Leaf >= 0 {
		info := &r.plan.Info[ev.Leaf]
		op, any = &r.plan.Ops[info.Op], info.Any
	} else {
		op = &r.plan.Ops[r.opOf(ev)]
		any = op.Flags&plan.FlagAny != 0
	}
	want := refused(reject.ReservedNonzero, path, ev.Bit, ev.Width)
	if any {
		want = accepted
	}
	return r.flips(path, ev.Bit, ev.Width, bitio.Order(op.Order), want)
}

// opOf is the op that read an event's field.
func (r *mutating) opOf(ev *decode.Event) int {
	if ev.Leaf >= 0 {
		return int(r.plan.Info[ev.Leaf].Op)
	}
	for i := range r.plan.Ops {
		if op := &r.plan.Ops[i]; op.Node == ev.Node && (op.Code == plan.OpBlob || op.Code == plan.OpReserved) {
			return i
		}
	}
	panic("pktscope: internal error: a field that no op reads")
}

// cuts cuts the packet at every byte up to the end of a piece of width bits: the piece is refused, as a whole. known says
// that the piece is path's.
func (r *mutating) cuts(path string, bit, width int, known bool) bool {
	for ; 8*r.cut < bit+width; r.cut++ {
		want := refused(reject.PastEnd, path, bit, width)
		if !known {
			want = Expectation{}
		}
		if !r.give(r.fresh()[:r.cut], path, "cut", 8*r.cut, 0, want) {
			return false
		}
	}
	return true
}

// values sets a number to everything worth trying.
func (r *mutating) values(ev *decode.Event, path string) bool {
	info := &r.plan.Info[ev.Leaf]
	order := bitio.Order(r.plan.Ops[info.Op].Order)
	for _, c := range r.codes[ev.Leaf] {
		if c.code == ev.Code {
			continue
		}
		var want Expectation
		if c.kind != reject.None {
			want = refused(c.kind, path, ev.Bit, ev.Width)
		} else if !r.steers[ev.Leaf] {
			want = accepted
		}
		code := c.code
		if info.Swap {
			code = bitio.SwapBytes(code, ev.Width)
		}
		data := r.fresh()
		order.Store(data, ev.Bit, ev.Width, code)
		if !r.give(data, path, c.done, ev.Bit, c.code, want) {
			return false
		}
	}
	return true
}

// flips flips each of width bits alone.
func (r *mutating) flips(path string, bit, width int, order bitio.Order, want Expectation) bool {
	for at := bit; at < bit+width; at++ {
		if !r.give(r.flip(order, at), path, "a bit flipped", at, 0, want) {
			return false
		}
	}
	return true
}

// flip is the packet with one stream bit flipped.
func (r *mutating) flip(order bitio.Order, bit int) []byte {
	data := r.fresh()
	order.Store(data, bit, 1, 1^order.Load(data, bit, 1))
	return data
}

// checksum flips each bit of the checksum, which nobody repairs.
func (r *mutating) checksum(ev *decode.Event, path string, order bitio.Order) bool {
	for at := ev.Bit; at < ev.Bit+ev.Width; at++ {
		if !r.giveAsIs(r.flip(order, at), path, "a bit flipped", at, 0, refused(reject.CRCMismatch, path, ev.Bit, ev.Width)) {
			return false
		}
	}
	return true
}

// padding takes the bits between the last field and bit, which nothing owns. ev is the field behind them, nil at the
// packet's end.
func (r *mutating) padding(ev *decode.Event, bit int) bool {
	if bit == r.end {
		return true
	}
	path, op, known := r.owner(ev)
	if !r.cuts(path, r.end, bit-r.end, known) {
		return false
	}
	for at := r.end; at < bit; at++ {
		want := refused(reject.NonzeroPadding, path, at, 1)
		if op.Flags&plan.FlagAny != 0 {
			want = accepted
		}
		if !known {
			want = Expectation{}
		}
		if !r.give(r.flip(bitio.Order(op.Order), at), path, "padding set", at, 0, want) {
			return false
		}
	}
	r.end = bit
	return true
}

// owner says whose padding stands in front of a field, and which op reads it: the struct's, where an `align` or a check
// with a label is right in front of the field, or that of bytes, which align by themselves. known is false where it
// takes more to find out.
func (r *mutating) owner(ev *decode.Event) (path string, by *plan.Op, known bool) {
	at, parent := len(r.plan.Ops)-1, plan.NodeID(0)
	if ev != nil {
		at, parent = r.opOf(ev), r.plan.Nodes[ev.Node].Parent
		path = string(r.path)
	}
	by = &r.plan.Ops[at]
	if at == 0 || r.plan.Ops[at-1].Code != plan.OpAlign {
		return path, by, by.Code == plan.OpBlob
	}
	by = &r.plan.Ops[at-1]
	if ev != nil && r.plan.Nodes[ev.Node].Kind != plan.NodeItem {
		path = string(ownerPath(r.path))
	}
	return path, by, r.plan.Nodes[by.Node].Parent == parent
}

// blob breaks the rules of text and constants.
func (r *mutating) blob(ev *decode.Event, path string) bool {
	op := &r.plan.Ops[r.opOf(ev)]
	b, order, size := &r.plan.Blobs[op.A], bitio.Order(op.Order), ev.Width/8
	if order == bitio.Bousk || ev.Bit%8 != 0 || size == 0 {
		return true
	}
	at := ev.Bit / 8
	if b.Text == schema.TextChar && size >= 2 {
		data := r.fresh()
		data[at], data[at+1] = 0, 'x'
		if !r.give(data, path, "text behind a NUL", ev.Bit, 0, refused(reject.BadString, path, ev.Bit, ev.Width)) {
			return false
		}
	}
	if b.Text == schema.TextChar && b.Rule == nil {
		// All that a byte can be is text here, control sequences included: nothing for a decoder to refuse.
		data := r.fresh()
		copy(data[at:at+size], "\x1b[2J\xff\xfe")
		for i := at + min(size, 6); i < at+size; i++ {
			data[i] = 0
		}
		if !r.give(data, path, "a control sequence", ev.Bit, 0, accepted) {
			return false
		}
	}
	if b.Rule != nil && b.Rule.Kind == schema.RuleEq && b.Text == 0 {
		return r.flips(path, ev.Bit, ev.Width, order, refused(reject.ConstMismatch, path, ev.Bit, ev.Width))
	}
	return true
}

// tail is what comes behind the last field: bits that decide nothing, and bytes too many.
func (r *mutating) tail() bool {
	bits := r.trace.Bits
	if !r.flips("", bits, 8*len(r.packet)-bits, r.plan.Order, accepted) {
		return false
	}
	for n := 1; n <= 8; n++ {
		data := append(r.fresh(), make([]byte, n)...)
		want := refused(reject.TrailingBytes, "", bits, 8*len(data)-bits)
		if len(data) > r.plan.Schema.MaxDatagram {
			want = refused(reject.DatagramSize, "", 0, 8*len(data))
		}
		if !r.give(data, "", "bytes too many", 8*len(r.packet), uint64(n), want) {
			return false
		}
	}
	return true
}
