package decode

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// What of one packet may be shown. What follows from the schema alone is in plan/secret.go.

// HoldsSecret reports whether a secret can be read from the packet: a field that is one was read, or the packet was
// refused where one can follow.
func (t *Trace) HoldsSecret() bool { return t.readSecret() || t.secretFollows() }

// RestSecret reports whether the bytes of a refused packet from the failing bit's byte on must not be shown.
//
// Five ways lead a secret there: where the failing bit is, is one itself; the failing field, or one that could have
// followed it, is secret (a token cut short is still most of a token); a checksum over a secret follows; a secret that
// was read shares the failing byte; a reject points back before a secret that was read (a switch is refused at its
// tag's bit).
func (t *Trace) RestSecret() bool {
	r := t.Reject()
	if r == nil || !t.Plan.HasSecret() {
		return false
	}
	if t.secretFollows() || r.HidesBit() || t.readSecret() && t.Plan.SumFrom(r.At.Point) {
		return true
	}
	from := r.Bit &^ 7
	for ev := range t.Walk() {
		if t.Plan.Nodes[ev.Node].Secret && ev.Width > 0 && ev.Bit+ev.Width > from {
			return true
		}
	}
	return false
}

// ShownLeft is how many of the notes that did not fit may be shown.
func (t *Trace) ShownLeft() int { return t.NotesLeft - t.leftHidden }

func (t *Trace) hidesNote(kind reject.NoteKind, at reject.Place) bool {
	if !t.Plan.HasSecret() {
		return false
	}
	if at.Point < 0 { // bits after the last field
		return t.Plan.PlaceSecret(t.Plan.End())
	}
	// How much padding there is at a secret's place, and so whether something is in it, is a secret, too.
	if _, align := t.Plan.StepAt(at.Point).(*plan.Align); align && t.Plan.PlaceSecret(at.Point) {
		return true
	}
	return t.Plan.DecisionAt(at.Point) != nil || t.noteSecret(kind, at)
}

// noteSecret reports whether what a note is about is a secret. Of a piece of a message it is about its numbers, and of
// a direction about who sent it.
func (t *Trace) noteSecret(kind reject.NoteKind, at reject.Place) bool {
	if kind == reject.WrongDirection || kind.OfCapture() != "" {
		return false
	}
	if _, window := t.step(at).(*plan.Window); window { // zeros that it need not have at its end
		return t.Plan.SizeSecret(at.Point)
	}
	if blob, ok := t.step(at).(*plan.Blob); ok && kind > reject.OddTime {
		return blob.Fragment.Secret
	}
	return t.secret(at)
}

// readSecret reports whether the trace has a secret, other than a checksum, which in a packet without secrets covers
// none.
func (t *Trace) readSecret() bool {
	if !t.Plan.HasSecret() {
		return false
	}
	for ev := range t.Walk() {
		n := &t.Plan.Nodes[ev.Node]
		sum := n.Derived && ev.Leaf >= 0 && t.Plan.Info[ev.Leaf].Kind == plan.LeafChecksum
		if n.Secret && ev.Width > 0 && !sum {
			return true
		}
	}
	return false
}

// secretFollows reports whether what was not read of a refused packet can begin with a secret, or have one in it.
func (t *Trace) secretFollows() bool {
	r := t.Reject()
	if r == nil {
		return false
	}
	// After the packet's last field nothing follows.
	return (r.Kind != reject.TrailingBytes || r.At.Point >= 0) && t.Plan.SecretFrom(r.At.Point, int(r.At.Leaf))
}
