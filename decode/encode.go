package decode

import (
	"encoding/binary"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// writer is the state of one pass over a packet that is being written. It is the decoder's machine (slots, loops, branches
// and the trace are the same) with its data growing.
//
// Invariants: every byte of data behind the last written bit is zero; data has eight bytes more than are written.
type writer struct {
	machine
	src  Source
	over []Override
	seen []int // of each override: how often its op has come

	ask      Ask
	look     *looks       // nil where no expression reads `rest`
	windowed []windowSize // of each op: the leaf that sizes a window
	opens    []int32      // of each OpClose: the OpWindow that it ends
	sized    []int        // of each of these leaves: its place in Raw + 1 where it was written last, 0 before
	sizes    []bool       // of each leaf: it sizes a window, or a requirement says what it is
	learned  map[int]*length
	retry    bool // a length was found to be another
	unsure   bool // a length in this pass is a guess
	open     [64]openWindow
	crcs     []writtenCRC
	gaps     []Gap
	gapOpen  [64]int // of each open window: its place in gaps
}

// windowSize is how an OpWindow's size follows from leaves; no leaves where it does not.
type windowSize struct {
	leaves []int32
	sizing plan.Sizing
}

// length is a value that the encoder finds, by its place in Trace.Raw.
type length struct {
	value int64
	known bool
	// The window that said so: its op, and where it was.
	window int
	parent int32
	index  uint32
}

type openWindow struct {
	start  int
	parent int32
	index  uint32
	size   int // bits that its length says
	owner  *length
	asIs   bool // it is as long as what is inside
	dark   bool // the end of what is around it is not known
}

// writtenCRC is a checksum to be filled in.
type writtenCRC struct {
	op, bit, raw int
	forced       *Override
}

// Gap is bits that no leaf and no span of a trace tells of: padding, or a window as a whole.
type Gap struct {
	At     reject.Place // of the op that reads it
	Bit    int
	Width  int
	Window bool
}

// gap records padding or a window.
func (w *writer) gap(bit, width int, window bool) {
	w.gaps = append(w.gaps, Gap{w.place(-1), bit, width, window})
}

func (w *writer) prepare(p *plan.Plan) {
	w.p = p
	w.learned = map[int]*length{}
	w.look = newLooks(p)
	w.windowed = make([]windowSize, len(p.Ops))
	w.sizes = make([]bool, len(p.Leaves))
	w.sized = make([]int, len(p.Leaves))
	w.opens = make([]int32, len(p.Ops))
	var open [64]int32 // windows nest, and what stands between their ends is contiguous
	for pc := range p.Ops {
		switch op := &p.Ops[pc]; op.Code {
		case plan.OpWindow:
			open[op.B] = int32(pc)
		case plan.OpClose:
			w.opens[pc] = open[op.B]
		}
	}
	for leaf, sizings := range p.Sizings() {
		for _, s := range sizings {
			if p.Ops[s.Op].Code == plan.OpWindow {
				at := &w.windowed[s.Op]
				at.leaves, at.sizing = append(at.leaves, int32(leaf)), s
				w.sizes[leaf] = true
			}
		}
	}
	if w.look != nil {
		for _, e := range w.look.equations {
			for _, leaf := range e.Leaves {
				w.sizes[leaf] = true
			}
		}
	}
}

// begin starts a pass. end is where the packet is taken to end, dark that this is not known.
func (w *writer) begin(t *Trace, end int, dark bool) {
	data := w.data
	clear(data)
	p := w.p
	w.machine = machine{t: t, p: p, data: data[:0], end: end, parent: -1, next: -1}
	w.retry, w.unsure, w.crcs, w.gaps = false, false, w.crcs[:0], w.gaps[:0]
	clear(w.sized)
	if w.look != nil {
		w.look.begin(dark)
	}
	w.seen = append(w.seen[:0], make([]int, len(w.over))...)
	w.room(0)
}

// packet is what was written, its last byte filled with zeros.
func (w *writer) packet() []byte { return w.data[:w.total()/8] }

func (w *writer) total() int { return (w.bit + 7) &^ 7 }

// room makes sure that n more bits can be put.
func (w *writer) room(n int) {
	need := (w.bit+n+7)/8 + 8
	if need <= len(w.data) {
		return
	}
	if need > cap(w.data) {
		grown := make([]byte, need, 2*need+64)
		copy(grown, w.data)
		w.data = grown
		return
	}
	had := len(w.data)
	w.data = w.data[:need]
	clear(w.data[had:])
}

// put writes the n low bits of code, n ≤ 64; the others are zero.
func (w *writer) put(code uint64, n int, order wire.Order) {
	w.room(n)
	d := w.data[w.bit/8:]
	s := uint(w.bit) % 8
	switch order {
	case wire.LSB:
		binary.LittleEndian.PutUint64(d, binary.LittleEndian.Uint64(d)|code<<s)
		if int(s)+n > 64 {
			d[8] |= byte(code >> (64 - s))
		}
	case wire.MSB:
		v := code << uint(64-n)
		binary.BigEndian.PutUint64(d, binary.BigEndian.Uint64(d)|v>>s)
		if int(s)+n > 64 {
			d[8] |= byte(v) << (8 - s)
		}
	default:
		order.Store(w.data, w.bit, n, code)
	}
	w.bit += n
}

// question fills in the Ask about what the op at pc writes, in its own context.
func (w *writer) question(node plan.NodeID, leaf, width int) *Ask {
	a := &w.ask
	a.Trace, a.Op, a.Node, a.Leaf, a.Bit, a.Width = w.t, w.pc, node, leaf, w.bit, width
	a.Parent, a.Index = w.parent, w.index
	a.Lo, a.Hi, a.Derivable, a.Long = 0, 0, false, false
	return a
}

// fail is the error of a refusal that the machine has recorded.
func (w *writer) fail(error) error {
	r := w.t.Reject()
	return &EncodeError{Path: r.Path(), Bit: r.Bit, Kind: r.Kind, Problem: r.Kind.String() + ": " + r.Message()}
}

func (w *writer) problem(node plan.NodeID, text string) error {
	path := ""
	if node != plan.NoNode {
		path = string(w.t.appendPath(nil, node, w.parent, w.index))
	}
	return &EncodeError{Path: path, Bit: w.bit, Problem: text}
}

// errTooLong ends a packet that no datagram can hold.
var errTooLong = &EncodeError{Kind: reject.DatagramSize, Problem: "the packet is longer than its max datagram"}

// forced is the override of what the op at pc writes now, nil without one.
func (w *writer) forced(leaf int) *Override {
	var found *Override
	for i := range w.over {
		o := &w.over[i]
		if o.Op != w.pc || o.Leaf != leaf || o.Bytes != nil {
			continue
		}
		if w.seen[i] == o.Nth {
			found = o
		}
		w.seen[i]++
	}
	return found
}

// putPieces writes an override: its pieces, or its code in width bits.
func (w *writer) putForced(o *Override, width int, order wire.Order) {
	if o.Pieces == nil {
		w.put(o.Code&wire.Mask(width), width, order)
		return
	}
	start := w.bit
	for _, p := range o.Pieces {
		w.put(p.Code&wire.Mask(p.Width), p.Width, order)
	}
	w.moved(w.bit - start - width)
}

// execute runs the plan once, writing.
func (w *writer) execute() error {
	p, t := w.p, w.t
	most := 8 * p.Schema.MaxDatagram
	for {
		op := &p.Ops[w.pc]
		var err error
		jumped := false
		switch op.Code {
		case plan.OpEnd:
			return nil
		case plan.OpRun:
			err = w.run(op)
		case plan.OpSave:
			t.slots[op.A] = w.leafValue(op.B, uint8(op.C), op.Imm)
		case plan.OpIf:
			if w.look != nil && w.look.unknown(w) {
				if err = w.branch(op); err == nil {
					jumped = true
				}
			} else if w.eval(op.A) == 0 {
				w.pc, jumped = int(op.B), true
			}
		case plan.OpJump:
			w.pc, jumped = int(op.A), true
		case plan.OpSwitch:
			if w.look != nil && w.look.unknown(w) {
				err = w.branch(op)
			} else if err = w.choose(op); err != nil {
				return w.fail(err)
			}
			jumped = true
		case plan.OpArray:
			err = w.array(op)
			jumped = true
		case plan.OpNext:
			if err = w.again(op); err != nil {
				return err
			}
			jumped = true
		case plan.OpLet:
			t.slots[op.A] = w.eval(op.B)
			if w.look != nil {
				w.look.let(w, op)
			}
		case plan.OpMark:
			t.slots[op.A] = uint64(w.bit)
		case plan.OpFrom:
		case plan.OpRequire:
			found := false
			if w.look != nil && w.look.open[op.A] {
				if found, err = w.relate(op); err != nil {
					return err
				}
			}
			// A guessed length can break a relation that the right one keeps.
			if !w.unsure && !found && w.eval(op.A) == 0 && (w.look == nil || !w.look.unknown(w)) && !w.growRelated(op) {
				return w.fail(w.refuse(reject.RuleBroken, w.bit, 0, -1, uint64(max(0, w.end-w.bit))/8, 0))
			}
		case plan.OpStruct:
			w.span(0, 0)
		case plan.OpUnit:
			if err = w.unit(op); err != nil {
				return w.fail(err)
			}
		default:
			err = w.rare(op)
		}
		switch {
		case err != nil:
			return err
		case w.bit > most:
			return errTooLong
		case w.look != nil && w.end < w.bit:
			w.end = w.bit // the end was a guess, and too small
		}
		if jumped {
			continue
		}
		if w.next >= 0 {
			w.pc, w.next = w.next, -1
			continue
		}
		w.pc++
	}
}

func (w *writer) rare(op *plan.Op) error {
	switch op.Code {
	case plan.OpCRC:
		return w.checksum(op)
	case plan.OpNumber:
		return w.number(op)
	case plan.OpAlign:
		w.pad(int(op.A), op.Flags&plan.FlagAny != 0, op)
		return nil
	case plan.OpReserved:
		return w.reserved(op)
	case plan.OpBlob:
		return w.blob(op)
	case plan.OpWindow:
		return w.window(op)
	case plan.OpClose:
		return w.close(op)
	case plan.OpRepeat:
		w.repeat(op)
		return nil
	case plan.OpMore:
		return w.more(op)
	case plan.OpSlot:
		return w.slot(op)
	case plan.OpUntil:
		return w.until(op)
	}
	panic("pktscope: internal error: unknown op " + op.Code.String())
}
