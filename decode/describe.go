package decode

import (
	"fmt"
	"math/bits"
	"strconv"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
)

// The words of rejects and notes (wire.md, "What a reject says"), built only when somebody reads them. Everything that
// comes from the packet goes through numbers; nothing of it is text here but in hexadecimal.

// node is what a place is about, NoNode for the packet.
func (t *Trace) node(at reject.Place) plan.NodeID {
	if at.Point < 0 {
		return plan.NoNode
	}
	if at.Leaf >= 0 {
		return t.Plan.Info[at.Leaf].Node
	}
	return t.step(at).At().Node
}

// step is the step that a place is in, nil for the packet.
func (t *Trace) step(at reject.Place) plan.Step {
	if at.Point < 0 {
		return nil
	}
	return t.Plan.StepAt(at.Point)
}

// AppendPath appends the path of a place: the field's, or its owner's where it has no name of its own.
func (t *Trace) AppendPath(b []byte, at reject.Place) []byte {
	return t.appendOwner(b, t.node(at), at.Parent, at.Index)
}

// AppendShownPath appends the path of a place as far as it tells no secret: of what a secret decides about, the path of
// all of it; nothing where a secret says how far the packet was read.
func (t *Trace) AppendShownPath(b []byte, at reject.Place) []byte {
	node, parent, index := t.node(at), at.Parent, at.Index
	if t.refused && at == t.reject.At && t.endsEarly() {
		return b
	}
	if d := t.Plan.DecisionAt(at.Point); d != nil && node != plan.NoNode {
		for node != d.Fold && node != d.Base && (d.List || t.Plan.Nodes[node].Parent != d.Base) {
			if t.Plan.Nodes[node].Elem && parent >= 0 {
				parent, index = t.Records[parent].Parent, t.Records[parent].Index
			}
			node = t.Plan.Nodes[node].Parent
		}
		node = d.Fold
	}
	return t.appendOwner(b, node, parent, index)
}

// appendOwner appends the path of a node, or of its owner where it has none.
func (t *Trace) appendOwner(b []byte, node plan.NodeID, parent int32, index uint32) []byte {
	for node != plan.NoNode && t.Plan.Nodes[node].Kind == plan.NodeItem && !t.Plan.Nodes[node].Named {
		node = t.Plan.Nodes[node].Parent
	}
	if node == plan.NoNode {
		return b
	}
	return t.appendPath(b, node, parent, index)
}

// pointOf is where the packet was refused: of what is left after the last field, the end.
func (t *Trace) pointOf(at reject.Place, kind reject.Kind) plan.Point {
	if at.Point < 0 && kind == reject.TrailingBytes {
		return t.Plan.End()
	}
	return at.Point
}

// HidesBit reports whether where a reject or a note is tells a secret.
func (t *Trace) HidesBit(at reject.Place, kind reject.Kind) bool {
	p, point := t.Plan, t.pointOf(at, kind)
	if kind == reject.PastEnd && t.endsEarly() {
		return true
	}
	if point == plan.NoPoint || !p.HasSecret() {
		return false
	}
	if sw, ok := t.step(at).(*plan.Switch); ok && sw.TagRegister >= 0 { // refused at its tag
		for _, leaf := range p.RegisterLeaves[sw.TagRegister] {
			if p.PlaceSecret(p.Info[leaf].Point) {
				return true
			}
		}
	}
	return p.PlaceSecret(point) || p.DecisionAt(point) != nil
}

// secret reports whether what was there must not be shown.
func (t *Trace) secret(at reject.Place) bool {
	node := t.node(at)
	return node != plan.NoNode && t.Plan.Nodes[node].Secret || t.Plan.DecisionAt(at.Point) != nil
}

// secretSize reports whether what a step was refused for was computed from a secret: a tag, a count, a size.
func (t *Trace) secretSize(r *reject.Reject) bool { return t.Plan.SizeSecret(r.At.Point) }

// HidesWidth reports whether the width of a reject tells a secret.
func (t *Trace) HidesWidth(r *reject.Reject) bool { return t.Plan.WidthSecret(t.pointOf(r.At, r.Kind)) }

// leafInfo is the leaf of a reject, nil without one.
func (t *Trace) leafInfo(at reject.Place) *plan.LeafInfo {
	if at.Leaf < 0 {
		return nil
	}
	return &t.Plan.Info[at.Leaf]
}

// codeWidth is the bits of the code of a leaf that was refused. Of those that r has not all need be there, in a window
// that is filled with zeros.
func (t *Trace) codeWidth(leaf int32, r *reject.Reject) int {
	if t.Plan.LeafRuns(leaf) {
		return int(t.Plan.Leaves[leaf].Width)
	}
	return r.Width
}

// AppendWant appends what a correct packet would have had.
func (t *Trace) AppendWant(b []byte, r *reject.Reject) []byte {
	info := t.leafInfo(r.At)
	if t.Plan.DecisionAt(r.At.Point) != nil {
		return append(b, reject.Masked...)
	}
	switch r.Kind {
	case reject.PastEnd, reject.DatagramSize, reject.OverBudget:
		if t.HidesWidth(r) {
			return append(b, reject.Masked...)
		}
		return strconv.AppendUint(b, r.Limit, 10)
	case reject.TrailingBytes, reject.NonzeroPadding, reject.ReservedNonzero:
		return append(b, '0')
	case reject.CRCMismatch:
		if t.secret(r.At) {
			return append(b, reject.Masked...)
		}
		return appendHex(b, r.Limit, r.Width)
	case reject.CheckMismatch:
		return appendHex(b, info.Want, 32)
	case reject.BadString:
		return append(b, wire.TextRule(r.Limit).String()...)
	case reject.NotFinite:
		return append(b, "a finite number"...)
	case reject.NonUnit:
		return append(b, "squares that sum to 1 at most"...)
	case reject.NonCanonical:
		return append(b, "the shortest encoding"...)
	case reject.NotIncreasing:
		return t.appendLarger(b, r)
	case reject.RuleBroken:
		return syntax.AppendCut(b, t.requirement(r).Item.Text)
	case reject.Fragment:
		return append(b, "a piece within its message"...)
	case reject.UnknownCase:
		return t.appendCases(b, r)
	case reject.ConstMismatch:
		return t.appendConst(b, r)
	}
	if n := t.sizeRefused(r); n != nil {
		return appendSizes(b, r, n)
	}
	if s := t.bounds(r); s != nil {
		return t.appendBounds(b, s)
	}
	if info == nil {
		b = append(b, "0.."...)
		return strconv.AppendUint(b, r.Limit, 10)
	}
	if n, ok := t.step(r.At).(*plan.Number); ok && n.Kind == plan.NumberRanged && len(t.registers) > 0 && !t.secretSize(r) {
		hi := t.Plan.Eval(n.Operand, &plan.Env{Registers: t.registers, From: t.From})
		if r.Code > hi-n.Lo { // the range of this packet
			return appendInt(append(appendInt(b, n.Lo, n.Signed), ".."...), hi, n.Signed)
		}
	}
	return t.appendRange(b, r, info)
}

// sizeRefused is the number of which not the code was refused but the size that an expression gave it, nil for none.
func (t *Trace) sizeRefused(r *reject.Reject) *plan.Number {
	if n, ok := t.step(r.At).(*plan.Number); ok && r.Width == 0 && n.Kind <= plan.NumberRanged {
		return n
	}
	return nil
}

// requirement is the relation that was broken.
func (t *Trace) requirement(r *reject.Reject) *plan.Requirement {
	return &t.Plan.Requires[t.step(r.At).(*plan.Require).Index]
}

// bounds is the computed range that a leaf was refused for, nil for none.
func (t *Trace) bounds(r *reject.Reject) *plan.Require {
	if s, ok := t.step(r.At).(*plan.Require); ok && s.Bounds {
		return s
	}
	return nil
}

// Bounds are the ends that a computed range had in the packet, in a list those of its last element.
func (t *Trace) Bounds(s *plan.Require) (lo, hi uint64) {
	q, env := &t.Plan.Requires[s.Index], plan.Env{Registers: t.registers, From: t.From}
	return t.Plan.Eval(q.Lo, &env), t.Plan.Eval(q.Hi, &env)
}

// Asked is how large a step is that has a size, by what was read until the packet was refused there or after it: elements,
// bytes, units of a text, units of a window. In a list it is the last element's.
func (t *Trace) Asked(s plan.Step) uint64 {
	i, _ := s.Sized()
	o := &t.Plan.Operands[i]
	if o.Kind != plan.OperandLeaf {
		return t.Plan.Eval(i, &plan.Env{Registers: t.registers, From: t.From})
	}
	leaf := t.Plan.LeafOf(o, s.At().ID)
	for n := len(t.Records) - 1; n >= 0; n-- {
		if run, ok := t.Plan.StepAt(t.Records[n].Point).(*plan.Run); ok && run.First <= leaf && leaf < run.First+int(t.Records[n].N) {
			return t.Plan.Info[leaf].Value(t.Raw[int(t.Records[n].Raw)+leaf-run.First], int(t.Plan.Leaves[leaf].Width))
		}
	}
	return 0
}

// appendBounds appends a computed range.
func (t *Trace) appendBounds(b []byte, s *plan.Require) []byte {
	q := &t.Plan.Requires[s.Index]
	if q.Secret() {
		return append(b, reject.Masked...)
	}
	lo, hi := t.Bounds(s)
	b = appendInt(b, lo, t.Plan.Operands[q.Lo].Signed)
	return appendInt(append(b, ".."...), hi, t.Plan.Operands[q.Hi].Signed)
}

// appendSizes appends what the size of a number had to be.
func appendSizes(b []byte, r *reject.Reject, n *plan.Number) []byte {
	if n.Kind == plan.NumberRanged {
		return appendInt(append(b, "an upper end from "...), n.Lo, n.Signed)
	}
	b = append(b, "0.."...)
	return strconv.AppendUint(b, r.Limit, 10)
}

// appendLarger appends what an ascending value had to exceed.
func (t *Trace) appendLarger(b []byte, r *reject.Reject) []byte {
	n := t.step(r.At).(*plan.Number)
	b = append(b, "more than "...)
	if t.secret(r.At) || t.secretSize(r) { // the value before is a secret, and often all but the value refused
		return append(b, reject.Masked...)
	}
	if n.Previous >= 0 {
		return strconv.AppendInt(b, int64(t.registers[n.Previous]), 10)
	}
	env := plan.Env{Registers: t.registers, From: t.From}
	return strconv.AppendUint(b, t.Plan.Eval(n.Operand, &env), 10)
}

// AppendGot appends what was there.
func (t *Trace) AppendGot(b []byte, r *reject.Reject) []byte {
	info := t.leafInfo(r.At)
	switch r.Kind {
	case reject.PastEnd, reject.TrailingBytes, reject.DatagramSize, reject.NonzeroPadding, reject.OverBudget:
		if r.Kind == reject.PastEnd && t.endsEarly() || t.Plan.LeftSecret(t.pointOf(r.At, r.Kind)) || t.Plan.DecisionAt(r.At.Point) != nil {
			return append(b, reject.Masked...)
		}
		return strconv.AppendUint(b, r.Code, 10)
	case reject.RuleBroken:
		return t.appendValues(b, r)
	case reject.Fragment:
		return t.appendPiece(b, r)
	}
	bounds := t.bounds(r)
	if t.secret(r.At) || t.secretSize(r) || bounds != nil && t.requirement(r).Secret() {
		return append(b, reject.Masked...)
	}
	if bounds != nil {
		leaf := t.requirement(r).Leaf
		return t.appendLeafValue(b, &t.Plan.Info[leaf], r.Code, t.codeWidth(leaf, r))
	}
	switch r.Kind {
	case reject.CRCMismatch, reject.CheckMismatch, reject.NotFinite, reject.NonUnit, reject.NonCanonical:
		return appendHex(b, r.Code, r.Width)
	case reject.ReservedNonzero:
		code := r.Code
		if info != nil && info.Enum != nil {
			code &^= info.Enum.Mask
		}
		return appendHex(b, code, 0)
	case reject.BadString:
		if wire.TextRule(r.Limit) == wire.TextEnd {
			b = append(b, "none in "...)
			b = strconv.AppendUint(b, r.Code, 10)
			return append(b, " bytes"...)
		}
		b = appendHex(b, r.Code>>32, 8)
		if wire.TextRule(r.Limit).Wide() {
			b = append(b, " at unit "...)
		} else if wire.TextRule(r.Limit).Name() {
			b = append(b, " at byte "...)
			b = strconv.AppendUint(b, r.Code&(1<<32-1), 10)
			return append(b, " of the datagram"...)
		} else {
			b = append(b, " at byte "...)
		}
		return strconv.AppendUint(b, r.Code&(1<<32-1), 10)
	}
	step := t.step(r.At)
	if n, ok := step.(*plan.Number); ok && n.Kind == plan.NumberStep {
		return strconv.AppendInt(b, int64(r.Code), 10) // a step that cannot be leads nowhere: the index before it
	}
	if info != nil && t.sizeRefused(r) == nil {
		return t.appendLeafValue(b, info, r.Code, t.codeWidth(r.At.Leaf, r))
	}
	if blob, ok := step.(*plan.Blob); ok && r.Kind == reject.ConstMismatch {
		size := int(r.Code)
		at := r.Bit + r.Width - blob.Unit()*size
		if blob.Text == schema.TextChar || blob.Text == schema.TextCString {
			at = r.Bit
		}
		data := t.Payload
		if t.filling { // it was read from what the window was filled with
			at, data = t.failed, t.filled[t.fills[len(t.fills)-1].at:]
		}
		return appendBytes(b, blob.Bytes(data, at, size, new([]byte)))
	}
	if sw, ok := step.(*plan.Switch); ok {
		return t.switchNotation(sw, r).append(b, r.Code)
	}
	size, ok := step.Expr()
	return appendInt(b, r.Code, ok && t.Plan.Operands[size].Signed)
}

// AppendNote appends what was odd.
func (t *Trace) AppendNote(b []byte, n *reject.Note) []byte {
	if t.noteSecret(n.Kind, n.At) {
		return append(b, "got "+reject.Masked...)
	}
	switch n.Kind {
	case reject.LengthMismatch, reject.OddTime:
		return append(b, n.Kind.OfCapture()...)
	case reject.TrailingBits:
		return appendHex(append(b, "want 0 after the last field, got "...), n.Code, 0)
	case reject.NonCanonicalRaw:
		if _, window := t.step(n.At).(*plan.Window); window {
			return append(b, "a writer leaves out the zeros at its end"...)
		}
		return append(b, "a writer would have sent another code"...)
	case reject.IgnoredBits:
		return appendHex(append(b, "want 0, ignored "...), n.Code, 0)
	case reject.WrongDirection:
		b = append(b, "sent by the "...)
		b = append(b, t.From.String()...)
		b = append(b, ", only the "...)
		return append(append(b, t.step(n.At).(*plan.Group).From.String()...), " sends this"...)
	case reject.DuplicateFragment:
		return append(b, "the same bytes came before"...)
	case reject.ConflictingFragment:
		return append(b, "it disagrees with what came before, which counts"...)
	case reject.DuplicateMessage:
		return append(b, "its message is whole"...)
	case reject.OutOfOrder:
		return append(b, "its pieces came in another order"...)
	case reject.ConflictingState:
		return append(b, "a register has another value, which counts"...)
	case reject.UnlistedValue:
		info := t.leafInfo(n.At)
		b = append(b, info.Enum.Name...)
		b = append(b, " does not list "...)
		if info.Enum.Flags {
			return appendHex(b, n.Code&^info.Enum.Mask, 0)
		}
		return t.appendLeafValue(b, info, n.Code, n.Width)
	}
	return b
}

// appendValues appends what a broken relation read: the values by their names, the bytes that were left in the window,
// what looks saw, the direction.
func (t *Trace) appendValues(b []byte, r *reject.Reject) []byte {
	if t.Plan.DecisionAt(r.At.Point) != nil {
		return append(b, reject.Masked...)
	}
	q := t.requirement(r)
	separator := ""
	name := func(name string) {
		b = append(append(append(b, separator...), name...), " = "...)
		separator = ", "
	}
	for _, v := range q.Vars {
		name(v.Name)
		switch {
		case v.Secret:
			b = append(b, reject.Masked...)
		case v.Bool:
			b = strconv.AppendBool(b, t.registers[v.Register] != 0)
		default:
			b = appendInt(b, t.registers[v.Register], v.Signed)
		}
	}
	if q.Rest {
		name("rest")
		if t.Plan.LeftSecret(r.At.Point) {
			b = append(b, reject.Masked...)
		} else {
			b = strconv.AppendUint(b, r.Code, 10)
		}
	}
	for _, look := range t.looks(r) {
		word := "peek"
		if look.Last {
			word = "tail"
		}
		name(fmt.Sprintf("%s(%d)", word, look.Width))
		if t.Plan.Operands[t.step(r.At).(*plan.Require).Cond].Secret {
			b = append(b, reject.Masked...)
		} else {
			b = appendHex(b, look.Value(t.Payload), look.Width)
		}
	}
	if q.From {
		name("from")
		b = append(b, t.From.String()...)
	}
	if separator == "" { // a writer has no bits to look at as yet
		b = append(b, "false"...)
	}
	return b
}

// switchNotation is how the labels and the tag of a switch are written.
func (t *Trace) switchNotation(sw *plan.Switch, r *reject.Reject) notation {
	signed := t.Plan.Operands[sw.Tag].Signed
	return notation{signed: signed, hex: sw.Item.Hex && !signed, width: min(r.Width, 64)}
}

// appendCases lists the known values of an enum or a switch.
func (t *Trace) appendCases(b []byte, r *reject.Reject) []byte {
	if info := t.leafInfo(r.At); info != nil {
		w := intervals{b: b, as: notationOf(info, r.Width)}
		for lo, hi := range info.CaseSet() {
			if !w.add(lo, hi) {
				break
			}
		}
		return w.text()
	}
	sw := t.step(r.At).(*plan.Switch)
	w := intervals{b: b, as: t.switchNotation(sw, r)}
	for lo, hi := range sw.Set() {
		if !w.add(lo, hi) {
			break
		}
	}
	return w.text()
}

// appendHex appends 0x… with as many digits as width bits have, or as needed when width is 0.
func appendHex(b []byte, v uint64, width int) []byte {
	b = append(b, "0x"...)
	for n := (width+3)/4 - max(1, (bits.Len64(v)+3)/4); n > 0; n-- {
		b = append(b, '0')
	}
	return strconv.AppendUint(b, v, 16)
}

// appendBytes appends bytes as a quoted ASCII string, cut at 64.
func appendBytes(b, data []byte) []byte {
	more := ""
	if len(data) > 64 {
		data, more = data[:64], "…"
	}
	return append(strconv.AppendQuoteToASCII(b, string(data)), more...)
}
