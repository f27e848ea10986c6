package decode

import (
	"encoding/binary"
	"fmt"

	"github.com/pktscope/pktscope/decode/internal/ops"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// writer is the state of one pass over a packet that is being written: the machine of a decoder, whose registers,
// expressions and trace are the same, with its data growing. It goes over the plan's steps; at is where a reader of the
// same bits is.
//
// Invariants: every byte of data after the last written bit is zero; data has eight bytes more than are written.
type writer struct {
	machine
	src  Source
	over []Override
	seen []int // of each override: how often its point has come

	codes    teller       // the source, where it tells the codes of a run at once; else nil
	leaves   []runLeaf    // of the plan
	layouts  [][]ops.Word // of each run, by its first leaf
	query    Query
	look     *looks                      // nil where no expression reads `rest`
	windowed []windowSize                // of each step: the leaf that sizes a window
	bounds   map[int32]*plan.Requirement // of the leaves whose ranges earlier fields give
	sized    []int                       // of each of these leaves: its place in Raw + 1 where it was written last, 0 before
	sizes    []bool                      // of each leaf: it sizes a window, or a requirement says what it is
	guessed  []bool                      // of each operand: it follows from one of these, or from where something ends
	learned  map[int]*length
	retry    bool // a length was found to be another
	unsure   bool // a length in this pass is a guess
	pointed  bool // a name in this pass has bytes of its own, which fit in only where they lead to what is meant
	sums     []openSum
	gaps     []Gap
	spare    int // bits that may be too many, in a window that is filled with zeros: they are cut
	kept     int // of a window that is filled with zeros: where the last bytes end that are as many as are there
	taken    taken
}

// taken is what takes the rest of the innermost window, or of the packet: a reader that has more bits there takes them,
// too.
type taken struct {
	by    plan.NodeID
	below int // where the window ends at most, exclusive; 0 where nothing has taken its rest
}

// take notes that a step has taken the rest, of which less than so many bits can be left after it.
func (w *writer) take(s plan.Step, left int) {
	below := w.bit + left
	if _, crowded := w.p.Crowded(s, left); crowded && (w.taken.below == 0 || below < w.taken.below) {
		w.taken = taken{s.At().Node, below}
	}
}

// crowded is the error of a window, or the packet, that goes on to end after what takes its rest; nil where it does not,
// and as long as another pass can write something else.
func (w *writer) crowded(window plan.NodeID, end int) error {
	t := w.taken
	if t.below == 0 || end < t.below || w.over != nil || !w.sure() || w.look != nil && w.look.dark {
		return nil
	}
	return w.problem(window, fmt.Sprintf("these values have no encoding: there is more after %s, which takes the rest", w.p.AppendRule(nil, t.by)))
}

// windowSize is how a window's size follows from leaves; no leaves where it does not.
type windowSize struct {
	of     *plan.Window
	leaves []int32
	sizing plan.Sizing
}

// length is a value that the encoder finds, by its place in Trace.Raw.
type length struct {
	value int64
	known bool
	// The window that said so, nil where a requirement did, and where it was.
	window *windowSize
	parent int32
	index  uint32
}

// Gap is bits that no leaf and no span of a trace tells of: padding, or a window as a whole.
type Gap struct {
	At     reject.Place // where a reader is
	Bit    int
	Width  int
	Window bool
}

// gap records padding or a window.
func (w *writer) gap(bit, width int, window bool) {
	w.gaps = append(w.gaps, Gap{w.place(-1), bit, width, window})
}

func (w *writer) prepare(d *Decoder) {
	p := d.plan
	w.p = p
	w.learned = map[int]*length{}
	w.look = newLooks(p)
	w.windowed = make([]windowSize, len(p.Steps))
	w.sizes = make([]bool, len(p.Leaves))
	w.sized = make([]int, len(p.Leaves))
	for leaf, sizings := range p.Sizings() {
		for _, s := range sizings {
			if window, ok := p.StepAt(s.Point).(*plan.Window); ok {
				at := &w.windowed[window.ID]
				at.of, at.leaves, at.sizing = window, append(at.leaves, int32(leaf)), s
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
	w.bounds = map[int32]*plan.Requirement{}
	for i := range p.Requires {
		if q := &p.Requires[i]; q.Leaf >= 0 {
			w.bounds[q.Leaf] = q
		}
	}
	w.leaves = runLeaves(p, w.sizes)
	w.layouts = writtenWords(d, w.leaves)
	w.guessed = p.Follows(func(leaf int32) bool { return w.sizes[leaf] })
}

// begin starts a pass. end is where the packet is taken to end, dark that this is not known, seen what looks see of it.
// From here on, shift counts the bits that overrides have more than what belongs there, where something looks ahead.
func (w *writer) begin(t *Trace, end int, dark bool, seen []byte) {
	data := w.data
	clear(data)
	p := w.p
	w.machine = machine{t: t, p: p, data: data[:0], end: end, parent: -1, seen: seen}
	w.retry, w.unsure, w.pointed, w.sums, w.gaps = false, false, false, w.sums[:0], w.gaps[:0]
	w.spare, w.taken = 0, taken{}
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

// question fills in the Query about what the machine writes, in its own context.
func (w *writer) question(node plan.NodeID, leaf, width int) *Query {
	a := &w.query
	a.Trace, a.Point, a.Node, a.Leaf, a.Bit, a.Width = w.t, w.at, node, leaf, w.bit, width
	a.Parent, a.Index = w.parent, w.index
	a.Lo, a.Hi, a.Derivable, a.Long, a.Own = 0, 0, false, false, nil
	return a
}

// fail is the error of a refusal that the machine has recorded.
func (w *writer) fail(error) error {
	r := w.t.Reject()
	if r.Bit > 8*w.p.Schema.MaxDatagram+w.spare { // it is in a run that ends after the longest datagram
		return errTooLong
	}
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

// forced is the override of what the machine writes now, nil without one.
func (w *writer) forced(leaf int) *Override {
	var found *Override
	for i := range w.over {
		o := &w.over[i]
		if o.Point != w.at || o.Leaf != leaf || o.Bytes != nil {
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
		n := min(width, 64)
		w.put(o.Code&wire.Mask(n), n, order)
		if width > n { // a varint is longer than a code
			w.put(0, width-n, order)
		}
		return
	}
	start := w.bit
	for _, p := range o.Pieces {
		w.put(p.Code&wire.Mask(p.Width), p.Width, order)
	}
	w.moved(w.bit - start - width)
}

// block writes the steps of a block.
func (w *writer) block(steps []plan.Step) error {
	for _, step := range steps {
		at := step.At()
		w.at = at.Point
		var err error
		switch s := w.p.Steps[at.ID].(type) { // of a plan.Raised it is another than in the block
		case *plan.Run:
			err = w.run(s, 1)
		case *plan.Number:
			_, err = w.number(s, nil)
		case *plan.Blob:
			err = w.blob(s)
		case *plan.Checksum:
			w.reserve(s)
		case *plan.Unit:
			if err = w.unit(int(s.First)-w.p.Reader(int(s.First)).(*plan.Run).First, int(s.Bits), s.Order); err != nil {
				return w.fail(err)
			}
		case *plan.Align:
			w.pad(s.Bits, s.Any, &s.Base)
		case *plan.Reserved:
			w.reserved(s)
		case *plan.If:
			err = w.branch(s)
		case *plan.Switch:
			err = w.takeArm(s)
		case *plan.List:
			err = w.list(s)
		case *plan.Subset:
			err = w.subset(s)
		case *plan.Window:
			err = w.window(s)
		case *plan.Group:
			err = w.block(s.Body)
		case *plan.Let:
			err = w.let(s)
		case *plan.Require:
			err = w.require(s)
		case *plan.Open:
			w.addRecord(0, 0)
		default:
			panic(fmt.Sprintf("pktscope: internal error: unknown step %T", s))
		}
		if err == nil {
			err = w.fits()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// space is how many bits a datagram has left.
func (w *writer) space() uint64 { return uint64(max(0, 8*w.p.Schema.MaxDatagram+w.spare-w.bit)) }

// fits fails when no datagram can hold what has been written. An end that was a guess, and too small, moves.
func (w *writer) fits() error {
	if w.bit > 8*w.p.Schema.MaxDatagram+w.spare {
		return errTooLong
	}
	if w.look != nil {
		w.end = max(w.end, w.bit)
	}
	return nil
}

// branch goes one of the two ways of an if.
func (w *writer) branch(s *plan.If) error {
	goes := false
	if w.unknown(s.Cond) {
		n, err := w.src.Branch(w.question(s.Node, -1, 0), 2)
		if err != nil {
			return err
		}
		goes = n == 0
	} else {
		goes = w.eval(s.Cond) != 0
	}
	if goes {
		return w.block(s.Then)
	}
	return w.block(s.Else)
}

// choose takes the arm of a switch.
func (w *writer) takeArm(s *plan.Switch) error {
	if w.unknown(s.Tag) {
		n, err := w.src.Branch(w.question(s.Node, -1, 0), len(s.Arms))
		if err != nil {
			return err
		}
		return w.block(s.Arms[n].Steps)
	}
	tag := w.eval(s.Tag)
	n := s.Find(w.p.Operands[s.Tag].Key(tag))
	if n < 0 && w.misses(s) {
		return nil
	}
	if n < 0 {
		bit, width := w.tagPlace(s)
		return w.fail(w.refuse(reject.UnknownCase, bit, width, -1, tag, 0))
	}
	return w.block(s.Arms[n].Steps)
}

// let keeps a value, and whether it is known. A range judges what is known.
func (w *writer) let(s *plan.Let) error {
	v := w.eval(s.Value)
	w.t.registers[s.Register] = v
	if l := w.look; l != nil {
		l.vague[s.Register] = l.open[s.Value] && w.p.Looks(s.Value, l.dark, l.vague)
		l.asked = l.asked || l.vague[s.Register]
	}
	if s.Leaf < 0 {
		return nil
	}
	// A guessed length can break a range that the right one keeps.
	if err := w.computed(int(s.Leaf), v, s.Judged && (w.sure() || !w.guessed[s.Value]) && !w.unknown(s.Value), s.Shown); err != nil {
		return w.fail(err)
	}
	return nil
}

// sure reports whether no length in this pass was a guess, or has been found to be another: else there is another pass,
// which judges.
func (w *writer) sure() bool { return !w.unsure && !w.retry }

// require refuses what breaks a relation, unless it says what a value is that nobody gave.
func (w *writer) require(s *plan.Require) error {
	if w.look != nil && w.look.open[s.Cond] {
		if found, err := w.relate(s); found || err != nil {
			return err
		}
	}
	// A guessed length can break a relation that the right one keeps.
	if w.guessed[s.Cond] && !w.sure() || w.eval(s.Cond) != 0 || w.unknown(s.Cond) || w.growRelated(s) {
		return nil
	}
	if q := &w.p.Requires[s.Index]; q.Leaf >= 0 {
		width, code := w.read(q)
		return w.fail(w.refuse(reject.OutOfRange, w.bit-width, width, -1, code, 0))
	}
	return w.fail(w.refuse(reject.RuleBroken, w.bit, 0, -1, uint64(max(0, w.end-w.bit))/8, reject.NoPacket))
}
