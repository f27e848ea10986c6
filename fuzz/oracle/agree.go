package oracle

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/slow"
)

// Oracle runs the decoder and the reference over packets and finds where they differ, or where the decoder breaks a
// promise of its own. It reuses its memory, so the decoder's Trace is always a used one. Not for two goroutines at
// once.
type Oracle struct {
	decoder *decode.Decoder
	encoder *decode.Encoder
	trace   decode.Trace
	judged  decode.Trace // of Accepts
	raw     []uint64
	spans   []decode.Record
	path    []byte
	text    []byte
	written []byte
}

// NewOracle makes the Oracle of a decoder.
func NewOracle(d *decode.Decoder) *Oracle {
	return &Oracle{decoder: d, encoder: decode.NewEncoder(d)}
}

// Trace is that of the last packet, valid until the next.
func (o *Oracle) Trace() *decode.Trace { return &o.trace }

// Decode gives the decoder's answer to a packet. The error says which promise was broken:
//
//   - the reference has the same verdict: kind, path, bit, width; the same fields with the same codes; the same notes;
//     the same number of bits;
//   - steps, fields and bits are within what the plan has proved, and so is the memory that the Trace takes;
//   - what was accepted encodes to the same bits, but for the packet's trailing ones;
//   - decoding again into the same Trace finds the same;
//   - Accepts says the same of it;
//   - nothing that is shown of a packet holds a control byte.
func (o *Oracle) Decode(packet []byte, from decode.Direction) (Answer, error) {
	answer := o.decode(packet, from)
	if err := o.bounds(); err != nil {
		return answer, err
	}
	if err := o.reference(packet, from, answer); err != nil {
		return answer, err
	}
	if accepted := answer.Kind == reject.None && len(o.trace.Notes) == 0; accepted != o.decoder.Accepts(&decode.Packet{Data: packet, From: from}, &o.judged) {
		return answer, fmt.Errorf("accepted without a note: %t, and otherwise when it is only judged", accepted)
	}
	if err := o.shown(); err != nil {
		return answer, err
	}
	if answer.Kind == reject.None {
		if err := o.encode(packet, from); err != nil {
			return answer, err
		}
	}
	o.raw, o.spans = append(o.raw[:0], o.trace.Raw...), append(o.spans[:0], o.trace.Records...)
	bits, steps, notes := o.trace.Bits, o.trace.Steps, len(o.trace.Notes)
	if again := o.decode(packet, from); again != answer {
		return answer, fmt.Errorf("at first %v, then %v", answer, again)
	}
	t := &o.trace
	if !slices.Equal(o.raw, t.Raw) || !slices.Equal(o.spans, t.Records) || bits != t.Bits || steps != t.Steps || notes != len(t.Notes) {
		return answer, errors.New("the second decode into one trace found other things")
	}
	return answer, nil
}

// encode holds the law encode(decode(b)) == b.
func (o *Oracle) encode(packet []byte, from decode.Direction) error {
	var err error
	o.written, err = o.encoder.Append(o.written[:0], decode.Replay(&o.trace), from)
	if err != nil && o.trace.Plan.SeesBits() && trailingBits(&o.trace) {
		return nil // a look sees the trailing bits, which an encoder leaves zero
	}
	if err != nil {
		return fmt.Errorf("what was accepted has no encoding: %w", err)
	}
	return Rewritten(&o.trace, o.written)
}

// Rewritten holds the law encode(decode(b)) == b: what an encoder made of an accepted packet's values is the packet,
// but for its trailing bits.
func Rewritten(t *decode.Trace, out []byte) error {
	packet, order := t.Payload, t.Plan.Order
	if bytes.Equal(out, packet) || t.Plan.SeesBits() && trailingBits(t) {
		return nil
	}
	if len(out) > len(packet) && t.Emptied() {
		return nil // a length of 0 in a struct asks for one, which has the first byte
	}
	if len(out) != len(packet) {
		return fmt.Errorf("what was accepted in %d bytes encodes to %d", len(packet), len(out))
	}
	if len(t.Plan.Checksums) > 0 && trailingBits(t) {
		return nil // a checksum covers the trailing bits, too, which an encoder leaves zero
	}
	for at := 0; at < t.Bits; at += 8 {
		n := min(8, t.Bits-at)
		if got, want := order.Load(out, at, n), order.Load(packet, at, n); got != want {
			return fmt.Errorf("what was accepted encodes to other bits behind bit %d: want %#x, got %#x", at, want, got)
		}
	}
	return nil
}

// trailingBits reports whether a packet has bits after its last field that are not zero.
func trailingBits(t *decode.Trace) bool {
	left := 8*len(t.Payload) - t.Bits
	return left > 0 && t.Plan.Order.Load(t.Payload, t.Bits, left) != 0
}

func (o *Oracle) decode(packet []byte, from decode.Direction) Answer {
	err := o.decoder.Decode(packet, from, &o.trace)
	r := o.trace.Reject()
	if (err == nil) != (r == nil) || o.trace.Rejected() != (r != nil) {
		panic("pktscope: internal error: Decode and its Trace disagree")
	}
	return AnswerOf(&o.trace)
}

func (o *Oracle) bounds() error {
	t, b := &o.trace, &o.decoder.Plan().Bound
	fields := len(t.Raw)
	for i := range t.Records {
		step := t.Plan.StepAt(t.Records[i].Point)
		_, bytes := step.(*plan.Blob)
		if _, reserved := step.(*plan.Reserved); bytes || reserved {
			fields++
		}
	}
	switch {
	case int64(t.Steps) > b.MaxSteps:
		return fmt.Errorf("%d steps, at most %d are proved", t.Steps, b.MaxSteps)
	case int64(fields) > b.MaxFields:
		return fmt.Errorf("%d fields, at most %d are proved", fields, b.MaxFields)
	case int64(t.Bits) > b.MaxBits:
		return fmt.Errorf("%d bits, at most %d are proved", t.Bits, b.MaxBits)
	case !t.Rejected() && int64(t.Bits) < b.MinBits:
		return fmt.Errorf("accepted with %d bits, at least %d are proved", t.Bits, b.MinBits)
	}
	// A Trace grows by append, which takes up to twice what is needed; a few are there from the start.
	if most := 2*b.MaxFields + 64; int64(cap(t.Raw)) > most {
		return fmt.Errorf("memory for %d codes, %d fields at most are proved", cap(t.Raw), b.MaxFields)
	}
	if most := 2*(b.MaxFields+b.MaxSteps) + 64; int64(cap(t.Records)) > most {
		return fmt.Errorf("memory for %d spans, %d fields in %d steps at most are proved", cap(t.Records), b.MaxFields, b.MaxSteps)
	}
	if r := t.Reject(); r != nil && (r.Kind == reject.None || r.Kind == reject.OverBudget || r.Bit < 0 || r.Width < 0 || r.Bit > 8*len(t.Payload)) {
		return fmt.Errorf("%v at bit %d, width %d of %d", r.Kind, r.Bit, r.Width, 8*len(t.Payload))
	}
	return nil
}

// reference compares with decode/slow.
func (o *Oracle) reference(packet []byte, from decode.Direction, got Answer) error {
	var held slow.Held
	if given := o.decoder.Plan().Context; given != nil {
		held = func(r *schema.Register, side schema.Side) *big.Int { return given.Of(r, side, from) }
	}
	want := slow.DecodeHeld(o.decoder.Plan().Schema, packet, from, held)
	verdict := Answer{}
	if r := want.Reject; r != nil {
		verdict = Answer{r.Kind, r.Path, r.Bit, r.Width}
	}
	if got != verdict {
		return fmt.Errorf("reference: %v, decoder: %v", verdict, got)
	}
	if want.Reject == nil && want.Bits != o.trace.Bits {
		return fmt.Errorf("reference: %d bits, decoder: %d", want.Bits, o.trace.Bits)
	}
	if err := o.fields(want.Fields); err != nil {
		return err
	}
	if want.Reject == nil {
		if err := o.fragments(want.Fragments); err != nil {
			return err
		}
	}
	return o.notes(want.Notes)
}

// fragments compares what an accepted packet holds of messages.
func (o *Oracle) fragments(want []slow.Fragment) error {
	got := o.trace.Fragments
	if len(got) != len(want) {
		return fmt.Errorf("reference: %d fragments, decoder: %d", len(want), len(got))
	}
	number := func(v *big.Int) uint64 {
		if v == nil {
			return 0
		}
		return plan.Low64(v)
	}
	for i := range want {
		w, f := &want[i], &got[i]
		data := o.trace.Bytes(int(f.Record), new([]byte))
		if s := o.decoder.Schema().Sections[f.Section]; s != w.Section || !bytes.Equal(data, w.Data) || f.ID != number(w.ID) || f.At != number(w.At) ||
			f.Of != number(w.Whole) || f.Last != (number(w.Last) != 0) || f.Whole() != (w.ID == nil) || f.Ends() != (w.Last != nil) {
			return fmt.Errorf("fragment %d, reference: %s %x id %v at %v of %v last %v, decoder: %s %x id %d at %d of %d last %t",
				i, w.Section.Name, w.Data, w.ID, w.At, w.Whole, w.Last, s.Name, data, f.ID, f.At, f.Of, f.Last)
		}
	}
	return nil
}

func (o *Oracle) fields(want []slow.Field) error {
	n := 0
	for ev := range o.trace.Walk() {
		if ev.Kind == decode.Open || ev.Kind == decode.Close {
			continue
		}
		o.path = o.trace.AppendEventPath(o.path[:0], ev)
		node := &o.trace.Plan.Nodes[ev.Node]
		item := ev.Kind == decode.Item && !node.Named
		if item {
			o.path = OwnerPath(o.path)
		}
		if ev.Kind == decode.Leaf && ev.Width == 0 && o.trace.Plan.FlagAt(o.trace.Records[ev.Record].Point) {
			continue // the index that a bitmap's flag stands for is on no wire
		}
		if n == len(want) {
			return fmt.Errorf("reference: %d fields, decoder has one more: %s at bit %d", n, o.path, ev.Bit)
		}
		f := &want[n]
		n++
		if node.Name == "end" && item {
			// The reference reads the index that ends a list as one more element's.
			o.path, item = append(o.path[:0], f.Path...), false
		}
		if node.Named {
			item = f.Item // a flag or a count: an item with a path
		}
		if string(o.path) != f.Path || ev.Bit != f.Bit || ev.Width != f.Width || ev.Raw != f.Raw || string(ev.Data) != string(f.Data) || item != f.Item {
			return fmt.Errorf("field %d: reference: %+v, decoder: %s at bit %d, %d bits, code %d, data %x", n, *f, o.path, ev.Bit, ev.Width, ev.Raw, ev.Data)
		}
	}
	if n < len(want) {
		return fmt.Errorf("reference: %d fields, decoder: %d; %+v is missing", len(want), n, want[n])
	}
	return nil
}

func (o *Oracle) notes(want []slow.Note) error {
	t := &o.trace
	if len(want) != len(t.Notes)+t.NotesLeft {
		return fmt.Errorf("reference: %d notes %+v, decoder: %d", len(want), want, len(t.Notes)+t.NotesLeft)
	}
	for i := range t.Notes {
		n, w := &t.Notes[i], &want[i]
		if n.Kind != w.Kind || n.Path() != w.Path || n.Bit != w.Bit || n.Width != w.Width {
			return fmt.Errorf("note %d: reference: %+v, decoder: %v at %q, bit %d, %d bits", i+1, *w, n.Kind, n.Path(), n.Bit, n.Width)
		}
	}
	return nil
}

// shown looks at what a terminal would get of a reject and of notes, from the trace and from clones.
func (o *Oracle) shown() error {
	if r := o.trace.Reject(); r != nil {
		o.text = r.AppendError(o.text[:0])
		if clone := r.Clone().Error(); clone != string(o.text) {
			return fmt.Errorf("reject %q has the clone %q", o.text, clone)
		}
		if err := Printable(o.text); err != nil {
			return err
		}
	}
	for i := range o.trace.Notes {
		n := &o.trace.Notes[i]
		o.text = n.AppendLine(o.text[:0])
		if clone := n.Clone().AppendLine(nil); string(clone) != string(o.text) {
			return fmt.Errorf("note %q has the clone %q", o.text, clone)
		}
		if err := Printable(o.text); err != nil {
			return err
		}
	}
	return nil
}
