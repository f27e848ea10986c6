package decode

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// maxNotes is how many notes a Trace keeps; further ones are counted. A hostile packet can earn one per field.
const maxNotes = 32

// Trace is what Decode found in one datagram: every field's raw code with its place, up to the end of the packet or to
// the reject that stopped it. It is columnar: Raw has a word per scalar leaf, Records a Record per run of fixed-width
// leaves and per variable thing. Names, paths, widths, units and values are derived from the plan when somebody looks
// (see Walk).
//
// A Trace is reused: Decode overwrites it and allocates only while it still grows. It refers to the payload it was made
// from, so it is valid until that buffer changes or Decode is called again. The zero Trace is ready for use.
type Trace struct {
	Plan    *plan.Plan
	Payload []byte
	// Size is how many bytes the datagram was sent with, at least len(Payload): a capture may have kept only its
	// beginning.
	Size    int
	From    Direction
	Raw     []uint64 // codes as numbers, `le` and `be` applied
	Records []Record
	// Bits is how far the plan came: all bits consumed of an accepted packet, without trailing ones; of a refused
	// packet the position of the failing op.
	Bits int
	// Notes are what was odd about an accepted packet, in wire order. NotesLeft counts those that did not fit.
	Notes      []reject.Note
	NotesLeft  int
	leftHidden int // of these, what must not be shown
	// Tag is the value of the packet's case (the tag of the first switch directly in `packet`), valid iff HasTag.
	Tag    uint64
	HasTag bool
	// Steps is the work it took, as the plan's bound counts it: items and leaves met, and expression instructions.
	Steps int
	// Path is the way that the packet took, where that is recorded (RecordPath).
	Path   []Way
	Sights []plan.Sight // what looks saw; see RecordPath
	// Seals are the checksums that were read or written, in wire order; the last one also where it was refused.
	Seals plan.Seals
	// Fragments are what it holds of messages, in wire order: nothing is known of them before the packet is accepted.
	Fragments []Fragment

	// Kept is what it sets of its flow's registers that steer, in wire order: nothing is kept before the packet is accepted.
	Kept []Kept

	held    []number // of Plan.State, before the packet
	sender  Direction
	context uint64 // bit set over Plan.State: what was named

	records   bool
	reject    reject.Reject
	refused   bool
	registers []uint64
	text      []byte // text that does not lie on bytes, while it is judged
	loops     [64]loop
	windows   [64]int // ends of the windows around the innermost
	fills     []fill  // windows that were cut, in wire order
	filled    []byte  // what their content was read from: see fill.at
	filling   bool    // the last of them is being read, or refused the packet
	failed    int     // where a packet was refused that it refused, before it was clipped
	noteRoom  [maxNotes]reject.Note
	sealRoom  []byte // nonce and additional data of what is opened
	walker    walker
	shower    shower
	reached   []reached // the decisions, in wire order
}

// Record is one stretch of a Trace.
//
// What it holds is its point's shape (plan.ShapeAt). Codes: N leaves read, whose codes are Raw[Raw:Raw+N]. Code: one
// leaf of N bits, its code Raw[Raw]; of a bitmap with N 1 a flag, with N 0 the index that a set flag stands for. Bytes:
// N bytes at Bit (of a wstring N units of 32 bits). Gap: N bits. Open: of a list N elements, announced or begun; what
// is in them follows with this record as Parent; of a struct nothing but the sign that it is there.
type Record struct {
	Point  plan.Point
	Bit    uint32 // first bit
	Raw    uint32 // first code
	N      uint32
	Parent int32  // record of the innermost array around it, -1 outside arrays
	Index  uint32 // number of the element in that array; valid iff Parent ≥ 0
}

// loop is an array being read.
type loop struct {
	span  int32  // its own
	left  uint64 // elements after this one; of an OpRepeat how many more there may be, of a bitmap its slots to come
	outer int32  // span and element of the array around it
	index uint32
}

// Rejected reports whether the packet was refused.
func (t *Trace) Rejected() bool { return t.refused }

// Reject is why the packet was refused, nil when it was accepted; valid as long as the Trace.
func (t *Trace) Reject() *reject.Reject {
	if !t.refused {
		return nil
	}
	return &t.reject
}

// Registers are the values that the plan's steps have saved, of the steps that the packet has reached. Valid as long as
// the Trace; do not write to it.
func (t *Trace) Registers() []uint64 { return t.registers }

// TruncationExplains reports whether what is wrong with the packet can be that its end is missing: a field that does
// not fit, a size that falls short, the checksum, or nothing at all, since what is missing would be left over. A datagram that its capture cut
// then says nothing about its sender.
func (t *Trace) TruncationExplains() bool {
	return !t.refused || t.reject.Kind == reject.PastEnd || t.reject.Kind == reject.CRCMismatch || t.shortOfSize()
}

// shortOfSize reports whether the packet was refused for the size of something, computed from how many bytes are left,
// being negative: more bytes would make it larger.
func (t *Trace) shortOfSize() bool {
	if t.reject.Kind != reject.OutOfRange || t.reject.At.Leaf >= 0 || int64(t.reject.Code) >= 0 {
		return false
	}
	step := t.Plan.StepAt(t.reject.At.Point)
	return step != nil && t.Plan.Grows(step)
}

func (t *Trace) reset(p *plan.Plan, payload []byte, size int, from Direction) {
	t.Plan, t.Payload, t.Size, t.From = p, payload, size, from
	t.Raw, t.Records, t.Bits = t.Raw[:0], t.Records[:0], 0
	t.Notes, t.NotesLeft, t.leftHidden = t.noteRoom[:0], 0, 0
	t.Tag, t.HasTag, t.Steps = 0, false, 0
	t.refused, t.reached, t.Path, t.Sights = false, t.reached[:0], t.Path[:0], t.Sights[:0]
	t.Seals, t.Fragments, t.Kept = t.Seals[:0], t.Fragments[:0], t.Kept[:0]
	t.fills, t.filled, t.filling = t.fills[:0], t.filled[:0], false
	if cap(t.registers) < p.Registers {
		t.registers = make([]uint64, p.Registers)
	}
	t.registers = t.registers[:p.Registers]
	if t.context, t.held = 0, t.held[:0]; len(p.State) > 0 {
		t.hold(p, nil, FromUnknown)
	}
}

// refuse records the verdict. It allocates nothing.
func (t *Trace) refuse(kind reject.Kind, bit, width int, at reject.Place, code, limit uint64) error {
	if t.filling {
		bit, width = t.fills[len(t.fills)-1].clip(bit, width)
	}
	t.reject = reject.Reject{Kind: kind, Bit: bit, Width: width, At: at, Code: code, Limit: limit, By: t}
	t.refused = true
	t.Notes, t.NotesLeft = t.Notes[:0], 0 // a refused packet has no notes
	return &t.reject
}

func (t *Trace) note(kind reject.NoteKind, bit, width int, at reject.Place, code uint64) {
	if t.filling {
		bit, width = t.fills[len(t.fills)-1].clip(bit, width)
	}
	if len(t.Notes) == maxNotes {
		t.NotesLeft++
		if t.hidesNote(kind, at) {
			t.leftHidden++
		}
		return
	}
	t.Notes = append(t.Notes, reject.Note{Kind: kind, Bit: bit, Width: width, At: at, Code: code, By: t})
}
