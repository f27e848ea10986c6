package fuzz

import (
	"bytes"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// name breaks the rules of domain names: pointers that lead nowhere, labels of no kind, names that are too long. Chains
// of many pointers are not sent: readers that are right otherwise stop at another number of them.
func (r *mutating) name(ev *decode.Event, path string, order wire.Order) bool {
	first, size := ev.Bit/8, ev.Width/8
	own := r.packet[first : first+size]
	set := func(done string, offset int, text string, refusedSize int) bool {
		data := r.copyPacket()
		for i := range len(text) {
			order.Store(data, ev.Bit+8*(offset+i), 8, uint64(text[i]))
		}
		want := oracle.Expectation{}
		if refusedSize > 0 {
			want = refused(reject.BadString, path, ev.Bit, 8*refusedSize)
		}
		return r.give(classText, data, path, done, ev.Bit+8*offset, 0, want)
	}
	pointer := func(to int) string { return string([]byte{0xc0 | byte(to>>8), byte(to)}) }
	for _, kind := range []byte{0x40, 0x7f, 0x80, 0xbf} {
		if !set("a label of a kind that is none", 0, string([]byte{kind}), 1) {
			return false
		}
	}
	if !set("a label as long as can be", 0, "\x3f", 0) || !set("no end", size-1, "\x01", 0) {
		return false
	}
	if first+size < 1<<14 && size >= 2 {
		if !set("a pointer at itself", 0, pointer(first), 2) || !set("a pointer at what follows", 0, pointer(first+size), 2) ||
			!set("a pointer at its own second byte", 0, pointer(first+1), 2) {
			return false
		}
		if label := 1 + int(own[0]); own[0] > 0 && label+2 <= size {
			if !set("a pointer at its own labels", label, pointer(first), label+2) {
				return false
			}
		}
		if first > 0 && !set("a pointer at the byte before", 0, pointer(first-1), 0) {
			return false
		}
	}
	long := strings.Repeat("\x3f"+strings.Repeat("a", 63), 3)
	return r.retext(ev, path, []byte(long+"\x3e"+strings.Repeat("a", 62)+"\x00"), "a name of 256 bytes")
}

// nameCuts cuts the packet in each label of a name: that misses its length, or its last byte.
func (r *mutating) nameCuts(ev *decode.Event, path string) bool {
	at := ev.Bit
	for piece := at; piece < at+ev.Width; {
		c := int(r.packet[piece/8])
		more := c
		if c > 63 {
			more = 1
		}
		for _, end := range []int{piece + 8, piece + 8 + 8*more} {
			for ; 8*r.cut < end && end < at+ev.Width; r.cut++ {
				if !r.cutAt(path, at, end-at) {
					return false
				}
			}
			piece = end
		}
	}
	return true
}

// span is bytes of a packet.
type span struct{ first, end int }

func isName(s plan.Step) bool {
	b, ok := s.(*plan.Blob)
	return ok && b.Text == schema.TextName
}

// points notes the own bytes of the packet's names that end with a pointer.
func (r *mutating) points() {
	if !r.names {
		return
	}
	for ev := range r.trace.Walk() {
		if ev.Kind != decode.Blob {
			continue
		}
		if b, ok := r.plan.StepAt(r.trace.Records[ev.Record].Point).(*plan.Blob); ok && b.Own(r.packet, ev.Bit, ev.Width/8) != nil {
			r.pointed = append(r.pointed, span{ev.Bit / 8, (ev.Bit + ev.Width) / 8})
		}
	}
}

// misled reports whether a pointer leads to bytes that are others in data, and no name any more: it may lead into any field.
// What is changed in the name's own bytes is what its mutation is about.
func (r *mutating) misled(data []byte) bool {
	for _, n := range r.pointed {
		if n.end > len(data) || !bytes.Equal(data[n.first:n.end], r.packet[n.first:n.end]) {
			continue
		}
		var name wire.Name
		if r.text, name = wire.ReadName(r.text[:0], data, n.first, n.end); name.Fault.Rule != 0 {
			return true
		}
	}
	return false
}
