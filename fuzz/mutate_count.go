package fuzz

import (
	"bytes"
	"math/bits"
	"slices"
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Counts and lengths: what they say and what is there.

// counted sets what sizes something to one more and one less than there is, to nothing, to the most, and to every power
// of two, whose product with a size overflows; and to what it may not be, with as many elements after it.
func (r *mutating) counted(ev *decode.Event, path string) bool {
	if !r.sizes[ev.Leaf] || r.mute {
		return true
	}
	info := &r.plan.Info[ev.Leaf]
	most := min(info.TypeSpan, wire.Mask(ev.Width))
	all := []candidate{{ev.Raw + 1, "one more than there is", 0}, {ev.Raw - 1, "one less than there is", 0}, {0, "none", 0}, {most, "the most", 0}}
	for code := uint64(2); code <= most && code != 0; code <<= 1 {
		all = append(all, candidate{code, "a power of two", 0})
	}
	if most < wire.Mask(ev.Width) && r.fields[ev.Leaf] == nil { // a count that belongs to a type
		all = append(all, candidate{most + 1, "one more than there may be", reject.OutOfRange}, candidate{wire.Mask(ev.Width), "all ones", reject.OutOfRange})
	}
	for i, c := range all {
		has := func(o candidate) bool { return o.code == c.code }
		if bits.Len64(c.code) > ev.Width || slices.ContainsFunc(r.codes[ev.Leaf], has) || slices.ContainsFunc(all[:i], has) {
			continue
		}
		if f := r.fields[ev.Leaf]; f != nil {
			c.kind = f.refuses(c.code)
		}
		if c.kind != reject.None && r.seen != nil && r.fields[ev.Leaf] != nil {
			continue // the enumeration of codes has it, a sample too
		}
		if !r.try(classCount, ev, path, c) {
			return false
		}
	}
	return r.narrowed(ev, path) && r.shortened(ev, path)
}

// shortened gives a window that is filled with zeros every length from none to one byte more than its content has: what
// is cut off goes, and what is new is zero.
func (r *mutating) shortened(ev *decode.Event, path string) bool {
	for _, z := range r.sizings[ev.Leaf] {
		w, ok := r.plan.StepAt(z.Point).(*plan.Window)
		at := r.windowAfter(ev, z.Point)
		if !ok || w.Fill == 0 || at == nil {
			continue
		}
		start, size := at.Bit/8, at.Width/8
		info := &r.plan.Info[ev.Leaf]
		for n := 0; n <= w.Fill/8+1; n++ {
			code, ok := codeOfSize(info, z, uint64(n), ev.Width)
			if !ok || n == size || code > wire.Mask(ev.Width) || len(r.packet)+n-size > r.plan.Schema.MaxDatagram {
				continue
			}
			head := r.setTo(ev, code)
			data := r.blank(len(head) + n - size)
			copy(data, head[:start+min(n, size)])
			copy(data[start+n:], head[start+size:])
			r.width = ev.Width
			ok = r.give(classCount, data, path, "a window of "+strconv.Itoa(n)+" bytes, the rest of it zeros", ev.Bit, code, oracle.Expectation{})
			r.width = 0
			if !ok {
				return false
			}
		}
	}
	return true
}

// codeOfSize is the code of a field that says a size; false where none does.
func codeOfSize(info *plan.LeafInfo, by plan.Sizing, size uint64, width int) (code uint64, ok bool) {
	value, ok := by.Value(size)
	code = info.CodeOf(uint64(value), width)
	return code, ok && info.Value(code, width) == uint64(value)
}

// narrowings is how many lengths of a window are tried that are less than what is inside.
const narrowings = 256

// narrowed lets a window end everywhere before its end: what is inside is cut, whatever the datagram has. Where the datagram
// ends with the window, it is cut as well, before each thing inside: a reader that compares the two sees nothing wrong
// with them then.
func (r *mutating) narrowed(ev *decode.Event, path string) bool {
	if !r.narrows[ev.Leaf] {
		return true
	}
	for n := uint64(1); n <= narrowings && n <= ev.Raw; n++ {
		if !r.try(classCount, ev, path, candidate{ev.Raw - n, "a window that ends early", 0}) {
			return false
		}
		if r.mute {
			continue
		}
		short := r.shortWindow(r.packet, &r.trace, ev, n, &r.short)
		if short == nil || r.short.Reject().Code != 0 {
			continue
		}
		if !r.giveAsIs(classCount, short, path, "a window that ends early, and the datagram with it", ev.Bit, ev.Raw-n, oracle.Expectation{}) {
			return false
		}
	}
	return true
}

// shortWindow is a packet with a window whose size says less by so much, without the bytes that this cuts off, if they are
// the packet's last and what is inside needs them; else nil. Its trace is short.
func (m *Mutator) shortWindow(packet []byte, whole *decode.Trace, size *decode.Event, by uint64, short *decode.Trace) []byte {
	for _, z := range m.sizings[size.Leaf] {
		w, ok := m.plan.StepAt(z.Point).(*plan.Window)
		if !ok || z.K < 0 {
			continue
		}
		gone := int(by) * int(z.K) * w.Unit
		if gone%8 != 0 || gone/8 >= len(packet) || size.Bit+size.Width > 8*len(packet)-gone {
			continue
		}
		data := m.withCode(bytes.Clone(packet[:len(packet)-gone/8]), size, (size.Raw-by)&wire.Mask(size.Width))
		sealsOf(whole, m.seals).Repair(data, -1)
		if m.decoder.Decode(data, whole.From, short) == nil {
			continue
		}
		if r := short.Reject(); r.Kind == reject.PastEnd && r.Bit+int(r.Code) == 8*len(data) {
			return data
		}
	}
	return nil
}

// element is where element n of the list whose span is given begins and ends, without what it skips at its end.
func (m *Mutator) element(t *decode.Trace, list int, n uint32) (start, end int) {
	start, end = -1, -1
	for i := list + 1; i < len(t.Records); i++ {
		s := &t.Records[i]
		at := s
		for at.Parent > int32(list) {
			at = &t.Records[at.Parent]
		}
		if at.Parent != int32(list) {
			break // after the list
		}
		if at.Index != n {
			continue
		}
		if start < 0 {
			start = int(s.Bit)
		}
		end = max(end, int(s.Bit)+m.spanBits(s))
	}
	return start, end
}

// spanBits is how many bits a span has on the wire, without what is in it.
func (m *Mutator) spanBits(s *decode.Record) int {
	step := m.plan.StepAt(s.Point)
	if run, ok := step.(*plan.Run); ok {
		return int(run.Bits)
	}
	if sum, ok := step.(*plan.Checksum); ok {
		return sum.Algorithm.Width
	}
	if b, ok := step.(*plan.Blob); ok {
		return b.Unit() * int(s.N)
	}
	_, opens := step.(*plan.Open)
	if opens || m.plan.ListAt(s.Point) {
		return 0
	}
	return int(s.N) // a number, a flag, reserved bits
}

// blank is a buffer of zeros for a packet whose parts move.
func (r *mutating) blank(size int) []byte {
	r.moved = slices.Grow(r.moved[:0], size)[:size]
	clear(r.moved)
	return r.moved
}
