package decode

import (
	"errors"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// Source answers what an Encoder cannot know by itself, in wire order. It need not be right: what it gives is judged as
// a reader judges it. A Source that has a method Restart is told before each pass over the packet.
type Source interface {
	// Code is the code of a leaf, in the form of Trace.Raw. ErrDerive leaves it to the Encoder.
	Code(a *Query) (uint64, error)
	// Bytes is raw bytes, or text as UTF-8, valid until the next question. size is how many bytes (of a wstring units)
	// the packet has said there are, -1 when what is given decides. A text in char(n) may be shorter. Of a dnsname the
	// text is without pointers: those are in a.Own.
	Bytes(a *Query, size int) ([]byte, error)
	// More reports whether the list at a has an element number a.Elem, where nothing in the packet says so.
	More(a *Query) (bool, error)
	// Branch is the way to go at an if or a switch: which of the blocks of its step, of which there are n, where what
	// decides (`rest`, `peek(n)`, `tail(n)`) is not known before the packet is written. In the same way an open size of
	// Bytes is -1, and More is asked of lists whose count is open. When the packet has its length, what was answered must
	// be what that makes of it.
	Branch(a *Query, n int) (int, error)
	// Count tells that the list at a has n elements, and fails when the source has another number.
	Count(a *Query, n uint64) error
	// Ignored is a.Width bits (64 at most) that may have any value: reserved or padding marked `any`.
	Ignored(a *Query) uint64
}

// ErrDerive is a Source's answer when it has no value: the Encoder derives constants and the lengths of windows, and
// reports everything else as missing.
var ErrDerive = errors.New("no value given")

// restarter is a Source that has something to forget between two passes.
type restarter interface{ Restart() }

// grower is a Source that can put more into a window: a generator. It is told that no length stands for what is inside
// the window at a.Point, or none that the packet may have, and that a.Width bits more would do or come closer. It
// reports whether there is something to make longer.
type grower interface{ Grow(a *Query) bool }

// filler is a Source that says how long a window is that is filled with zeros: from least bytes, where all after is
// zero, to most, which is all its content takes.
type filler interface {
	Fill(a *Query, least, most int) int
}

// teller is a Source that tells the codes of a run at once, n times over as a list has its elements: from that with
// number index on of the list whose record in t is parent, as of Query. Those that it is not asked for may be anything.
// With nil it is asked for each of them.
type teller interface {
	Codes(t *Trace, run *plan.Run, parent int32, index uint32, n int) ([]uint64, error)
}

// sizer is a Source that knows how many bytes the packet has.
type sizer interface{ Size() int }

// seer is a Source that knows the packet: what looks see in the first pass.
type seer interface{ Packet() []byte }

// Query is one question to a Source, valid during the call.
type Query struct {
	Trace  *Trace // what has been written so far
	Point  plan.Point
	Node   plan.NodeID
	Leaf   int    // -1 where the question is not about a leaf
	Parent int32  // span (of Trace) of the innermost array around the node, -1 outside arrays
	Index  uint32 // number of the element in that array
	Bit    int    // where it will stand
	Width  int    // bits, where they are known
	Lo, Hi uint64 // a leaf: the codes that its type allows
	// Derivable: with ErrDerive the Encoder finds the code itself.
	Derivable bool
	List      int    // a list, or its flag: its span (of Trace)
	Elem      uint64 // a list, or its flag: the elements begun so far
	Slot      uint64 // a bitmap's flag: the index that it stands for
	// Long is the Source's to set: a ladder takes its last rung, though a shorter one would do.
	Long bool
	// Own is the Source's to set: the bytes of a dnsname. They are written where they read as the text that Bytes gives,
	// and in any case where it gives none.
	Own []byte
}

// Step is the step of the plan that asks.
func (q *Query) Step() plan.Step { return q.Trace.Plan.StepAt(q.Point) }

// Saved is the value in a register of the plan, as an int64's bits where it can be negative.
func (a *Query) Saved(register uint32) uint64 { return a.Trace.registers[register] }

// Went returns the way that the packet of trace t took at a branch. The branch comes right before record number at of
// t. Where no record shows the way, Went returns the last way without steps, or else the last.
func (q *Query) Went(t *Trace, at int) int {
	ways := t.Plan.StepAt(q.Point).Blocks()
	if at < len(t.Records) {
		s := &t.Records[at]
		for i := range ways {
			if ways[i].Holds(t.Plan.StepAt(s.Point).At().ID) && s.Parent == q.Parent && (s.Parent < 0 || s.Index == q.Index) {
				return i
			}
		}
	}
	for i := len(ways) - 1; i >= 0; i-- {
		if len(ways[i].Steps) == 0 {
			return i
		}
	}
	return len(ways) - 1
}

// Path is the path of what is asked for.
func (q *Query) Path() string {
	return string(q.Trace.appendPath(nil, q.Node, q.Parent, q.Index))
}

// EncodeError is why values could not be written.
type EncodeError struct {
	Path    string      // "" for the packet as a whole
	Bit     int         // where it would have stood
	Kind    reject.Kind // why a reader would refuse it; None where a reader would not come to see it
	Problem string      // what is wrong, in one line
}

// Error is "path: problem".
func (e *EncodeError) Error() string {
	if e.Path == "" {
		return "packet: " + e.Problem
	}
	return e.Path + ": " + e.Problem
}

// Override replaces the bits that one step would write. The writing goes on as if it had written its own.
type Override struct {
	Point plan.Point
	Leaf  int // of a run or number; -1 for padding, reserved bits, a window's filling, a blob
	Nth   int // how often the point has been written before, from 0
	// Code is the leaf's code or the padding's, in its natural width; of a checksum the code instead of the right one.
	Code uint64
	// Pieces, where there are any, are written instead of Code, each in its own width.
	Pieces []Piece
	// Bytes are written instead of a blob's.
	Bytes []byte
}

// Piece is some bits.
type Piece struct {
	Code  uint64
	Width int // 0..64
}

// Replay is a Source that gives back a trace that Decode filled: everything, the ignored bits included. Only the packet
// that it was made from has these answers, so an Encoder that asks for another one gets errors.
func Replay(t *Trace) Source { return &replay{t} }

type replay struct{ from *Trace }

var errReplay = &EncodeError{Problem: "the trace holds another packet than the one asked for"}

func (r *replay) Code(a *Query) (uint64, error) {
	at := len(a.Trace.Raw)
	if at >= len(r.from.Raw) {
		return 0, errReplay
	}
	if spans := r.from.Records; len(a.Trace.Records) < len(spans) {
		s := &spans[len(a.Trace.Records)]
		n, ok := r.from.Plan.StepAt(s.Point).(*plan.Number)
		a.Long = ok && n.Kind == plan.NumberLadder && s.N == lastRung
	}
	return r.from.Raw[at], nil
}

// Codes are those of the trace.
func (r *replay) Codes(t *Trace, run *plan.Run, _ int32, _ uint32, n int) ([]uint64, error) {
	at := len(t.Raw)
	n *= run.N
	if at+n > len(r.from.Raw) {
		return nil, nil
	}
	return r.from.Raw[at:][:n], nil
}

func (r *replay) Bytes(a *Query, size int) ([]byte, error) {
	at := len(a.Trace.Records)
	if at >= len(r.from.Records) || r.from.Records[at].Point != a.Point {
		return nil, errReplay
	}
	s, b := &r.from.Records[at], a.Step().(*plan.Blob)
	if a.Own = b.Own(r.from.Payload, int(s.Bit), int(s.N)); a.Own != nil {
		return nil, nil // as it is, wherever that points after an Override
	}
	return r.from.Bytes(at, new([]byte)), nil
}

func (r *replay) More(a *Query) (bool, error) {
	if a.List >= len(r.from.Records) {
		return false, errReplay
	}
	return a.Elem < uint64(r.from.Records[a.List].N), nil
}

// Branch is the way that the packet went, which its next span shows.
func (r *replay) Branch(a *Query, _ int) (int, error) {
	return a.Went(r.from, len(a.Trace.Records)), nil
}

// Packet is what looks see.
func (r *replay) Packet() []byte { return r.from.Payload }

// Size decides where `rest` in an expression allows packets of several lengths.
func (r *replay) Size() int { return len(r.from.Payload) }

func (r *replay) Count(*Query, uint64) error { return nil } // what was read is compared in the end

func (r *replay) Ignored(a *Query) uint64 {
	if a.Bit+a.Width > 8*len(r.from.Payload) {
		return 0
	}
	code := a.Step().At().Order.Load(r.from.Payload, a.Bit, a.Width)
	if a.Leaf >= 0 && r.from.Plan.Info[a.Leaf].Swap {
		code = wire.SwapBytes(code, a.Width)
	}
	return code
}
