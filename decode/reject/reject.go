package reject

import (
	"fmt"
	"math"
	"strconv"
)

// Point is a place in a plan: see plan.Point.
type Point int32

// NoPoint stands for no place in a plan: the packet as a whole.
const NoPoint Point = -1

// Place is where in a plan and a trace something happened; only the Describer reads it.
type Place struct {
	Point  Point  // in the plan, NoPoint for the packet as a whole
	Leaf   int32  // index of the plan's leaf, -1 where the op has none
	Parent int32  // span of the innermost array around it, -1 outside arrays
	Index  uint32 // number of the element in that array; valid iff Parent ≥ 0
}

// Describer puts a Reject or a Note into the schema's words. *decode.Trace is the one implementation, beside the
// strings of a clone.
type Describer interface {
	AppendPath(b []byte, at Place) []byte
	// AppendShownPath is AppendPath as far as it tells no secret.
	AppendShownPath(b []byte, at Place) []byte
	AppendWant(b []byte, r *Reject) []byte
	AppendGot(b []byte, r *Reject) []byte
	// AppendDetail adds what the message says between the place and "want", such as the label of a check; often
	// nothing.
	AppendDetail(b []byte, r *Reject) []byte
	// AppendAround adds what the message says after all else: of a packet that ends too early the window and the list
	// that the refused field lies in; often nothing.
	AppendAround(b []byte, r *Reject) []byte
	AppendNote(b []byte, n *Note) []byte
	// HidesWidth reports whether how many bits were refused tells a secret, HidesBit whether where they begin does.
	HidesWidth(r *Reject) bool
	HidesBit(at Place, kind Kind) bool
}

// Reject is why one datagram was refused.
//
// Invariants: Kind is never None; 0 ≤ Bit ≤ 8 × the datagram's bytes; Width ≥ 0.
type Reject struct {
	Kind  Kind
	Bit   int // of the datagram, from 0
	Width int // bits, at most MaxWidth
	At    Place
	// Code is what was there, in the kind's own terms: the raw code of the field; for PastEnd and TrailingBytes the
	// bits that were left; for DatagramSize the bytes; for RuleBroken the whole bytes that were left in the window.
	Code uint64
	// Limit is what was wanted where the plan does not say: the bits needed (PastEnd), the computed checksum
	// (CRCMismatch); for RuleBroken the bits that were left in the window, which looks see, or NoPacket.
	Limit uint64
	By    Describer
}

// NoPacket is the Limit of a RuleBroken that a writer met before there was a packet to look at.
const NoPacket = math.MaxUint64

// MaxWidth is the largest Width: a length that a packet says can ask for more bits than an int counts, or than a JSON
// number holds. Want has them all, up to 2^64-1.
const MaxWidth = min(1<<53-1, math.MaxInt/2)

// Width is so many bits as a Width.
func Width(bits uint64) int { return int(min(bits, MaxWidth)) }

// Is reports whether target is r's Kind, for errors.Is.
func (r *Reject) Is(target error) bool {
	k, ok := target.(Kind)
	return ok && k == r.Kind
}

// Path is the refused field's path, "" for the packet as a whole.
func (r *Reject) Path() string { return string(r.AppendPath(nil)) }

// AppendPath appends the path.
func (r *Reject) AppendPath(b []byte) []byte {
	if r.By == nil {
		return b
	}
	return r.By.AppendPath(b, r.At)
}

// ShownPath is the path as far as it tells no secret.
func (r *Reject) ShownPath() string { return string(r.AppendShownPath(nil)) }

// AppendShownPath appends the path as far as it tells no secret.
func (r *Reject) AppendShownPath(b []byte) []byte {
	if r.By == nil {
		return b
	}
	return r.By.AppendShownPath(b, r.At)
}

// HidesWidth reports whether the Width tells a secret.
func (r *Reject) HidesWidth() bool { return r.By != nil && r.By.HidesWidth(r) }

// ShownWidth is the Width, or 0 where that tells a secret.
func (r *Reject) ShownWidth() int {
	if r.HidesWidth() {
		return 0
	}
	return r.Width
}

// HidesBit reports whether the Bit tells a secret.
func (r *Reject) HidesBit() bool { return r.By != nil && r.By.HidesBit(r.At, r.Kind) }

// AppendPlace appends the Bit as AppendBit does, or ‹secret› where that tells one.
func (r *Reject) AppendPlace(b []byte) []byte {
	return appendPlace(b, r.Bit, r.HidesBit())
}

// Want is what a correct packet would have had there: a range, a set, a constant, a number of bits.
func (r *Reject) Want() string {
	if r.By == nil {
		return ""
	}
	return string(r.By.AppendWant(nil, r))
}

// Got is what was there. A secret field's content shows as ‹secret›.
func (r *Reject) Got() string {
	if r.By == nil {
		return ""
	}
	return string(r.By.AppendGot(nil, r))
}

// Packet is the name of the packet itself, where a place has no path.
const Packet = "packet"

// Error is the reject in one line:
//
//	players[2].health: out-of-range at bit 301 (byte 37+5): want 0..100 in 7 bits, got 119
func (r *Reject) Error() string { return string(r.AppendError(nil)) }

// AppendError appends the line that Error returns.
func (r *Reject) AppendError(b []byte) []byte {
	n := len(b)
	b = r.AppendShownPath(b)
	if len(b) == n {
		b = append(b, Packet...)
	}
	b = append(b, ": "...)
	b = append(b, r.Kind.String()...)
	b = append(b, " at bit "...)
	b = r.AppendPlace(b)
	b = append(b, ": "...)
	return r.AppendMessage(b)
}

func appendPlace(b []byte, bit int, hidden bool) []byte {
	if hidden {
		return append(b, Masked...)
	}
	return AppendBit(b, bit)
}

// AppendBit appends a bit position as people and bytes count it: "301 (byte 37+5)".
func AppendBit(b []byte, bit int) []byte {
	b = strconv.AppendInt(b, int64(bit), 10)
	b = append(b, " (byte "...)
	b = strconv.AppendInt(b, int64(bit/8), 10)
	if bit%8 != 0 {
		b = append(b, '+')
		b = strconv.AppendInt(b, int64(bit%8), 10)
	}
	return append(b, ')')
}

// Message is what was wanted and what was there: "want 0..100 in 7 bits, got 119".
func (r *Reject) Message() string { return string(r.AppendMessage(nil)) }

// AppendMessage appends the message.
func (r *Reject) AppendMessage(b []byte) []byte {
	if r.By == nil {
		return b
	}
	b = r.By.AppendDetail(b, r)
	b = append(b, "want "...)
	b = r.By.AppendWant(b, r)
	switch r.Kind {
	case PastEnd, TrailingBytes:
		if r.Limit == 1 && !r.HidesWidth() {
			b = append(b, " bit"...)
		} else {
			b = append(b, " bits"...)
		}
	case DatagramSize:
		b = append(b, " bytes at most"...)
	case OutOfRange, UnknownCase, ConstMismatch:
		if width := r.ShownWidth(); width > 0 {
			b = append(b, " in "...)
			b = strconv.AppendInt(b, int64(width), 10)
			b = append(b, " bits"...)
			if width == 1 {
				b = b[:len(b)-1]
			}
		}
	}
	b = append(b, ", got "...)
	b = r.By.AppendGot(b, r)
	switch r.Kind {
	case PastEnd, TrailingBytes:
		b = append(b, " left"...)
	}
	return r.By.AppendAround(b, r)
}

// Format writes Error, and with %+v the bits that were there after it.
func (r *Reject) Format(s fmt.State, verb rune) {
	b := r.AppendError(nil)
	if verb == 'v' && s.Flag('+') && r.ShownWidth() > 0 && r.Width <= 64 && r.Kind != PastEnd && r.Kind != TrailingBytes && r.Got() != Masked {
		b = append(b, fmt.Sprintf(" (bits %0*b)", r.Width, r.Code&(^uint64(0)>>(64-r.Width)))...)
	}
	_, _ = s.Write(b)
}

// Masked stands for the content of a secret field.
const Masked = "‹secret›"

// Clone returns a copy that stays valid when the trace it came from is used again.
func (r *Reject) Clone() *Reject {
	c := *r
	if r.By != nil {
		c.By = &fixed{path: r.Path(), shown: r.ShownPath(), want: r.Want(), got: r.Got(), detail: string(r.By.AppendDetail(nil, r)), around: string(r.By.AppendAround(nil, r)), hides: r.By.HidesWidth(r), placed: !r.HidesBit()}
	}
	return &c
}

// fixed is the Describer of a clone.
type fixed struct {
	path, shown, want, got, detail, around, note string
	hides, placed                                bool
}

func (f *fixed) AppendPath(b []byte, _ Place) []byte      { return append(b, f.path...) }
func (f *fixed) AppendShownPath(b []byte, _ Place) []byte { return append(b, f.shown...) }
func (f *fixed) AppendWant(b []byte, _ *Reject) []byte    { return append(b, f.want...) }
func (f *fixed) AppendGot(b []byte, _ *Reject) []byte     { return append(b, f.got...) }
func (f *fixed) AppendDetail(b []byte, _ *Reject) []byte  { return append(b, f.detail...) }
func (f *fixed) AppendAround(b []byte, _ *Reject) []byte  { return append(b, f.around...) }
func (f *fixed) AppendNote(b []byte, _ *Note) []byte      { return append(b, f.note...) }
func (f *fixed) HidesWidth(*Reject) bool                  { return f.hides }
func (f *fixed) HidesBit(Place, Kind) bool                { return !f.placed }
