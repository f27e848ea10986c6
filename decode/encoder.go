package decode

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
)

// Encoder is the plan in write mode: it asks a Source for what the packet carries and writes everything else itself:
// padding, constants, checks, reserved bits, the lengths of windows, and the checksums at the end.
//
// It reuses its memory, so it is not for two goroutines at once.
type Encoder struct {
	plan    *plan.Plan
	decoder *Decoder
	w       writer
	written Trace
	read    Trace
	seen    []byte // what looks see: the packet as the pass before has written it
}

// NewEncoder makes an Encoder of a Decoder's plan, which reads back what Append writes.
func NewEncoder(d *Decoder) *Encoder {
	e := &Encoder{plan: d.plan, decoder: d}
	e.w.prepare(d)
	return e
}

// Plan is the plan it runs.
func (e *Encoder) Plan() *plan.Plan { return e.plan }

// Written is the trace of the packet that was written last, as Decode would have filled it but without notes and Tag.
// Valid until the next packet.
func (e *Encoder) Written() *Trace { return &e.written }

// Gaps lists the paddings and the windows of the packet that was written last, in the order in which a reader comes to
// them. Their places are those of Written. Valid until the next packet.
func (e *Encoder) Gaps() []Gap { return e.w.gaps }

// Append appends the packet that src describes, sent by from, to buf. It decodes what it wrote and compares: a packet
// that does not read back as what was asked for is an error, and nothing is appended. Errors are *EncodeError, or what
// src gave.
func (e *Encoder) Append(buf []byte, src Source, from Direction) ([]byte, error) {
	if err := e.write(src, from, nil); err != nil {
		return buf, err
	}
	packet := e.w.packet()
	if err := e.decoder.Decode(packet, from, &e.read); err != nil {
		return buf, &EncodeError{Path: e.read.Reject().Path(), Bit: e.read.Reject().Bit, Problem: "these values have no encoding: a reader of them refuses " + err.Error()}
	}
	if err := e.compare(); err != nil {
		return buf, err
	}
	return append(buf, packet...), nil
}

// AppendOverridden is Append for a packet that shall be wrong: it takes the overrides' bits unchecked in place of what
// belongs there, writes all else as if they were right, and does not read it back.
func (e *Encoder) AppendOverridden(buf []byte, src Source, from Direction, over []Override) ([]byte, error) {
	if err := e.write(src, from, over); err != nil {
		return buf, err
	}
	return append(buf, e.w.packet()...), nil
}

// compare finds where the packet that was read differs from the one that was meant.
func (e *Encoder) compare() error {
	if alike(e.written.Raw, e.read.Raw) && alike(e.written.Records, e.read.Records) {
		return nil
	}
	at := 0
	for at < min(len(e.written.Records), len(e.read.Records)) {
		a, b := &e.written.Records[at], &e.read.Records[at]
		if *a != *b || !slices.Equal(e.written.codes(a), e.read.codes(b)) {
			break
		}
		at++
	}
	err := &EncodeError{Bit: e.read.Bits, Problem: "these values have no encoding: " + e.difference(at)}
	if at < len(e.written.Records) {
		s := &e.written.Records[at]
		err.Bit = int(s.Bit)
		if node := e.plan.StepAt(s.Point).At().Node; node != plan.NoNode {
			err.Path = string(e.written.appendPath(nil, node, s.Parent, s.Index))
		}
	}
	return err
}

// alike is slices.Equal, several elements at a time.
func alike[E comparable](a, b []E) bool {
	const some = 16
	if len(a) != len(b) {
		return false
	}
	for len(a) >= some {
		if *(*[some]E)(a) != *(*[some]E)(b) {
			return false
		}
		a, b = a[some:], b[some:]
	}
	return slices.Equal(a, b)
}

// difference says how the packet that was read differs, from a record on, from the one that was meant. Secrets are
// masked.
func (e *Encoder) difference(from int) string {
	next, stop := iter.Pull(e.read.Fields())
	defer stop()
	read := func() (path, value string) {
		for f, ok := next(); ok; f, ok = next() {
			if f.ev.Record >= from {
				return f.Path(), briefly(f.Value())
			}
		}
		return "", ""
	}
	for f := range e.written.Fields() {
		if f.ev.Record < from {
			continue
		}
		meant, value := f.Path(), briefly(f.Value())
		path, is := read()
		switch {
		case path == "":
			return meant + " = " + value + " was given, and is not read back"
		case path != meant:
			return meant + " = " + value + " was given, and " + path + " = " + is + " is read back"
		case is != value:
			return meant + " = " + value + " was given, and reads back as " + is
		}
	}
	if path, is := read(); path != "" {
		return path + " = " + is + " is read back, and was not given"
	}
	return "what was written reads back as another packet"
}

// maxBrief is how many bytes of a value an EncodeError has.
const maxBrief = 64

// briefly is the beginning of a value's text.
func briefly(v Value) string {
	b := v.AppendText(nil)
	if len(b) > maxBrief {
		b = append(b[:maxBrief], "…"...)
	}
	return strings.ToValidUTF8(string(b), "")
}

// codes are the codes of a span.
func (t *Trace) codes(s *Record) []uint64 {
	switch t.Plan.ShapeAt(s.Point) {
	case plan.ShapeCodes:
		return t.Raw[s.Raw : s.Raw+s.N]
	case plan.ShapeCode:
		return t.Raw[s.Raw : s.Raw+1]
	case plan.NoShape, plan.ShapeBytes, plan.ShapeGap, plan.ShapeOpen:
	}
	return nil
}

// maxPasses bounds how often a packet is written until its lengths fit: once per window inside windows, once with the
// end and the bits that this gave, where a look decides about a field, and both again where a length followed from
// that.
const maxPasses = 16

// maxLight is how often in a row the end moves with a length before what is after it counts as not known.
const maxLight = 3

// write writes the packet, again when it has learned a length on the way.
func (e *Encoder) write(src Source, from Direction, over []Override) error {
	w := &e.w
	w.src, w.over = src, over
	w.codes, _ = src.(teller)
	clear(w.learned)
	// A look sees what is written only later: at first the source says what that will decide.
	end, dark := 0, w.look != nil
	told, known := src.(sizer)
	if known = known && dark; known {
		end = 8 * told.Size()
		dark = w.look.bits
	}
	if e.seen = e.seen[:0]; dark {
		w.look.judged = false
	}
	if s, ok := src.(seer); ok {
		e.seen, dark = append(e.seen, s.Packet()...), false
	}
	light := 0 // passes in a row that were not dark and found another length
	for range maxPasses {
		e.written.reset(e.plan, nil, 0, from)
		w.begin(&e.written, end, dark, e.seen)
		if r, ok := src.(restarter); ok {
			r.Restart()
		}
		if err := w.block(e.plan.Root); err != nil {
			return err
		}
		if w.look == nil {
			if !w.retry {
				return w.finish()
			}
			continue
		}
		total := w.total() - w.shift
		same := end == total
		if w.look.bits && over == nil {
			w.seal() // a look can see the checksum
			same = same && bytes.Equal(e.seen, w.packet())
			e.seen = append(e.seen[:0], w.packet()...)
		}
		w.look.judged = false
		switch {
		case w.retry && w.pointed && !dark && light < maxLight:
			// A name that finds itself in what the pass before has written is shorter than in the dark.
			end, light = total, light+1
		case w.retry:
			// A length that is another moves the end: what is after it is not known any more.
			dark, light = dark || !known, 0
		case dark && known:
			dark = false
		case dark && w.look.wide && !same:
			end = total // what is as wide as the rest is made as wide before anything is held against that
		case dark && w.look.asked, !dark && !same && over == nil:
			end, dark = total, false
		case w.look.missed:
			w.look.judged = true
		default:
			return w.finish()
		}
	}
	return &EncodeError{Problem: "these values have no encoding: the lengths in the packet do not settle"}
}

// finish ends the last pass.
func (w *writer) finish() error {
	if err := w.crowded(plan.NoNode, w.total()); err != nil {
		return err
	}
	w.seal()
	return nil
}

// seal ends a pass with the checksums that cover what is around all.
func (w *writer) seal() {
	w.sealFrom(0)
	w.t.Payload, w.t.Bits, w.t.Steps = w.packet(), w.bit, w.steps
}
