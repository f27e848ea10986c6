package decode

import (
	"math"
	"slices"
	"sort"

	"github.com/pktscope/pktscope/decode/plan"
)

// Windows that are filled with zeros, `within(e zeros)`: one that is shorter than its content is copied, with zeros
// after it, and its content is read from the copy. Its records keep the places that they would have in a window that
// is long enough; what looks at the bits of the datagram asks Clip, and Data for the bytes.

// fill is a window that was cut.
type fill struct {
	first, last int // its records, last excluded
	end         int // bit of the datagram after it
	at          int // where in Trace.filled the byte 0 of a datagram would be that goes on with the copy
	empty       bool
}

// clip is what of some bits is in the window: those after its end are not, and lie at its end.
func (f *fill) clip(bit, width int) (int, int) {
	return min(bit, f.end), max(0, min(bit+width, f.end)-min(bit, f.end))
}

// startFill begins a window at a bit, which is on a byte, of size bits, less than zeros. It gives memory that is the
// copy where the window is in data, and is not to be read before it; n bytes of it are used.
func (t *Trace) startFill(data []byte, bit, size, zeros int) []byte {
	start, n := bit/8, zeros/8
	if len(t.filled) == 0 { // so that no copy begins before its window does
		t.filled = slices.Grow(t.filled, len(data)+n)[:len(data)]
	}
	at := len(t.filled)
	t.filled = slices.Grow(t.filled, n)[:at+n]
	clear(t.filled[at+copy(t.filled[at:], data[start:start+size/8]):])
	t.fills = append(t.fills, fill{len(t.Records), math.MaxInt, bit + size, at - start, size == 0})
	t.filling = true
	return t.filled[at-start:]
}

// Emptied reports whether a window that is filled had no byte. A writer that is given no length sends its first.
func (t *Trace) Emptied() bool {
	return slices.ContainsFunc(t.fills, func(f fill) bool { return f.empty })
}

// endFill ends it.
func (t *Trace) endFill() (end int) {
	f := &t.fills[len(t.fills)-1]
	f.last, t.filling = len(t.Records), false
	return f.end
}

// fillOf is the cut window that a record is in, nil outside one.
func (t *Trace) fillOf(record int) *fill {
	if len(t.fills) == 0 {
		return nil
	}
	i := sort.Search(len(t.fills), func(i int) bool { return record < t.fills[i].last })
	if i == len(t.fills) || record < t.fills[i].first {
		return nil
	}
	return &t.fills[i]
}

// Clip is where of the bits of a record, or of a part of it, those are that the datagram has: of what a window cut off
// that is filled with zeros, none.
func (t *Trace) Clip(record, bit, width int) (int, int) {
	if f := t.fillOf(record); f != nil {
		return f.clip(bit, width)
	}
	return bit, width
}

// Data is the bytes that the bits of a record are in, which count from the first of them: the datagram, or what a
// window was filled with. It is valid as long as the Trace.
func (t *Trace) Data(record int) []byte {
	if f := t.fillOf(record); f != nil {
		return t.filled[f.at:]
	}
	return t.Payload
}

// Bytes is what a record of bytes or text holds, in room where it does not lie on bytes.
func (t *Trace) Bytes(record int, room *[]byte) []byte {
	s := &t.Records[record]
	return t.Plan.StepAt(s.Point).(*plan.Blob).Bytes(t.Data(record), int(s.Bit), int(s.N), room)
}
