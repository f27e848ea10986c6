package slow

import (
	"fmt"
	"math"
	"math/big"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// Items of a struct. f is the struct's own frame: where an item has no name, its path is what a reject says.

func (w *walk) items(f frame, items []schema.Item) bool {
	for _, it := range items {
		if !w.item(f, it) {
			return false
		}
	}
	return true
}

func (w *walk) item(f frame, it schema.Item) bool {
	around := w.around
	w.around = f
	defer func() { w.around = around }()
	if !w.knows(it.Exprs()...) {
		return false
	}
	switch it := it.(type) {
	case *schema.Field:
		return w.field(f, it)
	case *schema.If:
		if w.holds(f.scope, it.Cond) {
			return w.items(f, it.Then)
		}
		return w.items(f, it.Else)
	case *schema.Within:
		return w.within(f, it)
	case *schema.Let:
		return w.let(f, it)
	case *schema.Require:
		if !w.holds(f.scope, it.Cond) {
			return w.refuse(f, reject.RuleBroken, w.bit, 0)
		}
		return true
	case *schema.Align:
		return w.alignItem(f, it)
	case *schema.Reserved:
		return w.reserved(f, it)
	case *schema.Check:
		return w.check(f, it)
	}
	panic(fmt.Sprintf("pktscope: internal error: slow: unknown item %T", it))
}

// let computes a value. It takes no bits; one that is shown is a field of none.
func (w *walk) let(f frame, it *schema.Let) bool {
	v := w.eval(f.scope, it.Value)
	if it.State != nil {
		w.out.Kept = append(w.out.Kept, Kept{*it.State, v})
		return true
	}
	at := f.named(it.Var.Name)
	if it.Range != nil && !inSet(it.Range.Set, v) {
		return w.refuse(at, reject.OutOfRange, w.bit, 0)
	}
	f.scope.vars[it.Var] = bound{value: v}
	if it.Shown() {
		low := new(big.Int).And(v, new(big.Int).SetUint64(math.MaxUint64)) // two's complement
		bit, _ := w.clip(w.bit, 0)
		w.out.Fields = append(w.out.Fields, Field{Path: at.path, Bit: bit, Raw: low.Uint64(), Computed: true})
	}
	return true
}

// field reads a named value or a switch.
func (w *walk) field(f frame, it *schema.Field) bool {
	start := w.bit
	at := f.named(it.Name)
	first := start
	delete(w.last, it.Element())
	b, ok := bound{}, false
	if it.Switch != nil {
		b, ok = w.choose(at, it.Switch)
	} else {
		if aligns(it.Value) && f.order != schema.Bytewise {
			first += w.padding(8)
		}
		w.held = it.Annotations.Fragment
		b, ok = w.value(at, it.Value)
		w.held = nil
	}
	if !ok {
		return false
	}
	b.first, b.behind = first, w.bit
	f.scope.vars[it.Var] = b
	for _, k := range it.Last { // after a list: of its last element
		v := w.eval(f.scope, k.First)
		if in := w.last[it.Element()]; in != nil {
			v = in.vars[k.Of].value
		}
		f.scope.vars[k.Var] = bound{value: v}
	}
	w.direction(at, it.Annotations, start)
	return true
}

// aligns reports whether a value begins with padding to a byte.
func aligns(v *schema.Value) bool {
	if t, ok := v.Type.(*schema.TextType); ok {
		return t.Kind == schema.TextCString || t.Kind == schema.TextChar || t.Kind == schema.TextName
	}
	_, blob := v.Type.(*schema.BlobType)
	return blob
}

// direction notes what its side does not send. Where the sender is unknown there is nothing to say.
func (w *walk) direction(f frame, said schema.Annotations, start int) {
	if said.From != schema.FromUnknown && w.from != schema.FromUnknown && said.From != w.from {
		w.note(f, reject.WrongDirection, start, w.bit-start)
	}
}

// choose reads the arm of a switch that the tag names: its value is the switch's.
func (w *walk) choose(f frame, sw *schema.Switch) (b bound, ok bool) {
	tag := w.eval(f.scope, sw.Tag)
	arm := armFor(sw, tag)
	if arm == nil {
		// The tag is to blame, where it was read from the packet; a computed one has no bits of its own.
		if sw.Tag.Op == schema.OpVar && register(sw.Tag) == nil {
			if tag := f.scope.find(sw.Tag.Path); tag.wire && !sw.Tag.Path[len(sw.Tag.Path)-1].Joined {
				return b, w.refuse(f, reject.UnknownCase, tag.bit, tag.width)
			}
		}
		bit := w.bit
		if sw.Tag.Op == schema.OpTail { // a look has bits, though nobody has read them
			bit = max(bit, w.end-sw.Tag.Bits)
		}
		if sw.Tag.Op == schema.OpPeek || sw.Tag.Op == schema.OpTail {
			return b, w.refuse(f, reject.UnknownCase, bit, min(sw.Tag.Bits, w.end-bit))
		}
		return b, w.refuse(f, reject.UnknownCase, w.bit, 0)
	}
	start := w.bit
	if arm.Value != nil {
		w.held = arm.Annotations.Fragment
		b, ok = w.value(f, arm.Value)
		if w.held = nil; !ok {
			return b, false
		}
	}
	w.direction(f, arm.Annotations, start)
	return b, true
}

// armFor finds the arm with the tag among its labels, else the default, else nil.
func armFor(sw *schema.Switch, tag *big.Int) *schema.Arm {
	var other *schema.Arm
	for _, arm := range sw.Arms {
		if arm.Default {
			other = arm
		}
		if inSet(arm.Ranges, tag) {
			return arm
		}
	}
	return other
}

// within reads a window: what is inside sees no further than its end, and may leave no whole byte of it.
func (w *walk) within(f frame, it *schema.Within) bool {
	unit := big.NewInt(1)
	if !it.Bits {
		if !w.align(f) {
			return false
		}
		unit = big.NewInt(8)
	}
	size := w.eval(f.scope, it.Size)
	if size.Sign() < 0 {
		return w.refuse(f, reject.OutOfRange, w.bit, 0)
	}
	wanted := new(big.Int).Mul(size, unit)
	if wanted.Cmp(big.NewInt(int64(w.end-w.bit))) > 0 {
		most := big.NewInt(reject.MaxWidth)
		if wanted.Cmp(most) > 0 {
			wanted = most
		}
		return w.refuse(f, reject.PastEnd, w.bit, int(wanted.Int64()))
	}
	outer, start, window := w.end, w.bit, w.window
	w.window = start
	w.end = start + int(wanted.Int64())
	if it.Trimmed && w.end <= start+it.Fill { // zeros at its end that nobody need send, but the first byte
		last := w.end
		for last > start+8 && w.data[last/8-1] == 0 {
			last -= 8
		}
		if last < w.end {
			w.note(f, reject.NonCanonicalRaw, last, w.end-last)
		}
	}
	if it.Fill > 0 { // what is after its end is there, and zero
		w.there, w.end = w.end, max(w.end, start+it.Fill)
	}
	if !w.items(f, it.Items) {
		return false
	}
	end := min(w.end, w.there)
	left := max(0, end-w.bit)
	if left >= 8 {
		return w.refuse(f, reject.TrailingBytes, w.bit, left)
	}
	if !w.zeros(f, left) {
		return false
	}
	w.bit, w.end, w.there, w.window = end, outer, 8*len(w.data), window
	return true
}

// alignItem is `align`, which works in every bit order.
func (w *walk) alignItem(f frame, it *schema.Align) bool {
	n := w.padding(it.Bits)
	if !it.Any {
		return w.zeros(f, n)
	}
	if !w.fits(f, n) {
		return false
	}
	if _, set := w.firstSet(f.order, w.bit, n); set {
		w.note(f, reject.IgnoredBits, w.bit, n)
	}
	w.bit += n
	return true
}

func (w *walk) reserved(f frame, it *schema.Reserved) bool {
	if !w.fits(f, it.Bits) {
		return false
	}
	start := w.bit
	if _, set := w.firstSet(f.order, start, it.Bits); set {
		if !it.Any {
			return w.refuse(f, reject.ReservedNonzero, start, it.Bits)
		}
		w.note(f, reject.IgnoredBits, start, it.Bits)
	}
	raw := uint64(0)
	if it.Bits <= 64 {
		raw = w.load(f.order, start, it.Bits)
	}
	w.bit += it.Bits
	w.readItem(f, start, it.Bits, raw)
	return true
}

// check reads a serialize check: a known value, or the hash of a label.
func (w *walk) check(f frame, it *schema.Check) bool {
	want := uint64(it.Value)
	if it.HasLabel {
		if !w.align(f) {
			return false
		}
		want = uint64(LabelHash(it.Label))
	}
	start := w.bit
	got, ok := w.take(f, 32)
	if !ok {
		return false
	}
	if got != want {
		return w.refuse(f, reject.CheckMismatch, start, 32)
	}
	w.readItem(f, start, 32, got)
	return true
}

// LabelHash is what a check with a label puts on the wire: the one-at-a-time hash of the label in ASCII upper case,
// from 0 and without the final mixing (wire.md, "Checks and checksums").
func LabelHash(label string) uint32 {
	h := uint32(0)
	for i := 0; i < len(label); i++ {
		c := label[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		h += uint32(c)
		h += h << 10
		h ^= h >> 6
	}
	return h
}
