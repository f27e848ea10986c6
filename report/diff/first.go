package diff

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// Parting is the first bit in which two packets differ, and what it is of.
type Parting struct {
	Bit    int    // in the packets; of a secret its first bit, because how far two secrets agree tells of them
	Path   string // the field's in the first packet, or in the second where the first has ended
	Place  Place
	Secret bool
}

// Place is what a bit is of.
type Place uint8

// The places.
const (
	InField Place = iota
	InPadding
	InCheck
	InReserved
	NotRead  // after a reject
	EndFirst // after the end of the first packet, or of the second
	EndSecond
)

// First finds where two packets of one plan part; false where they are alike. Of a packet that was cut, what is missing
// is no difference.
func First(a, b *decode.Trace, partA, partB bool) (Parting, bool) {
	n := 0
	for n < len(a.Payload) && n < len(b.Payload) && a.Payload[n] == b.Payload[n] {
		n++
	}
	switch {
	case n < len(a.Payload) && n < len(b.Payload):
	case n == len(a.Payload) && n == len(b.Payload), n == len(a.Payload) && partA, n == len(b.Payload) && partB:
		return Parting{}, false
	case n == len(a.Payload):
		return Parting{Bit: 8 * n, Place: EndFirst}, true
	default:
		return Parting{Bit: 8 * n, Place: EndSecond}, true
	}
	f := finder{t: a, from: 8 * n, mask: a.Payload[n] ^ b.Payload[n], order: a.Plan.Order}
	f.find()
	return f.found, true
}

// finder looks for the field that the first of some bits of one byte is in.
type finder struct {
	t     *decode.Trace
	from  int  // the byte's first bit
	mask  byte // its bits that differ
	order wire.Order
	at    int // end of the field before
	found Parting
}

func (f *finder) find() {
	done := false
	f.t.Show(func(ev *decode.Event) bool {
		if ev.Width == 0 || ev.Bit == decode.Hidden || ev.Width == decode.Hidden {
			return true // nothing, or in a Stretch
		}
		if ev.Kind != decode.Stretch {
			f.orderOf(ev)
		}
		if bit, ok := f.first(f.at, ev.Bit); ok { // between two fields
			f.found, done = Parting{Bit: bit, Place: InPadding}, true
		} else if bit, ok := f.first(ev.Bit, ev.Bit+ev.Width); ok {
			f.field(bit, ev)
			done = true
		}
		f.at = max(f.at, ev.Bit+ev.Width)
		return !done
	})
	if done {
		return
	}
	bit, _ := f.first(f.at, f.from+8)
	f.found = Parting{Bit: bit, Place: InPadding}
	if r := f.t.Reject(); r != nil {
		f.found.Place = NotRead
		switch {
		case r.HidesBit():
			f.found.Secret, f.found.Bit = true, f.at
			return
		case bit >= r.Bit && bit < r.Bit+r.Width:
			f.found.Path = r.ShownPath()
		}
		if f.t.Plan.HasSecret() && f.t.Plan.SecretFrom(r.At.Point, int(r.At.Leaf)) {
			f.found.Secret, f.found.Bit = true, min(bit, r.Bit)
		}
	}
}

// orderOf is the order of an event's bits.
func (f *finder) orderOf(ev *decode.Event) {
	f.order = f.t.Plan.StepAt(f.t.Records[ev.Record].Point).At().Order
}

// first is the first of the bits that lies in from..to.
func (f *finder) first(from, to int) (int, bool) {
	for i := range 8 {
		bit := f.from + i
		mask := byte(0x80) >> i
		if f.order == wire.LSB {
			mask = 1 << i
		}
		if bit >= from && bit < to && f.mask&mask != 0 {
			return bit, true
		}
	}
	return f.from, false
}

func (f *finder) field(bit int, ev *decode.Event) {
	n := &f.t.Plan.Nodes[ev.Node]
	switch ev.Kind {
	case decode.Stretch:
		f.found = Parting{Bit: ev.Bit, Secret: true}
		return
	case decode.Masked:
		f.found = Parting{Bit: ev.Bit, Path: f.path(ev), Secret: true}
		return
	}
	f.found = Parting{Bit: bit, Path: f.path(ev)}
	if ev.Kind != decode.Item || n.Named {
		return
	}
	f.found.Place = InReserved
	up := f.found.Path
	if ev.Leaf >= 0 {
		switch info := &f.t.Plan.Info[ev.Leaf]; {
		case info.Check != nil:
			f.found.Place = InCheck
		case info.Kind == plan.LeafReserved:
		default: // the flag of a bitmap's slot, or the end of a list: the list
			f.found.Place = InField
			if cut := len(up) - len(n.Name) - 1; cut > 0 {
				f.found.Path = up[:cut]
			}
			return
		}
	}
	f.found.Path = ""
}

func (f *finder) path(ev *decode.Event) string { return string(f.t.AppendEventPath(nil, ev)) }
