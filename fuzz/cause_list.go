package fuzz

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// A reader that reads elements of a list as long as there is anything accepts a packet with fewer than it announces. That
// is no mistake of the field that such an element would have begun with. A packet that announces more elements or bytes
// than it may is in the same case, unless it has them: a reader that looks at what is there would refuse it, too.

// withMost is the packet of a trace with the most elements, or bytes, that it may announce, where it is refused for
// announcing more and what is in it would be refused even so; else it is the packet itself.
func (j *Judge) withMost(t *decode.Trace) *decode.Trace {
	r, p := t.Reject(), t.Plan
	if r == nil || r.Kind != reject.OutOfRange || r.At.Point < 0 || p.HasSecret() {
		return t
	}
	sized, ok := p.StepAt(r.At.Point).(interface{ Most() uint64 })
	if !ok {
		return t
	}
	if j.sizings == nil {
		j.sizings = p.Sizings()
	}
	var most []byte
	for ev := range t.Walk() {
		if ev.Kind != decode.Leaf || ev.Leaf < 0 || ev.Cut() {
			continue
		}
		for _, z := range j.sizings[ev.Leaf] {
			if value, ok := z.Most(sized.Most()); ok && value >= 0 && z.Point == r.At.Point {
				most = withCode(p, append([]byte(nil), t.Payload...), ev, p.Info[ev.Leaf].CodeOf(uint64(value), ev.CodeWidth))
			}
		}
	}
	if most == nil || j.decoder.Decode(most, t.From, &j.fewer) == nil || !isInside(&j.fewer, r.At.Point) {
		return t
	}
	return &j.fewer
}

// isInside reports whether a packet is refused for what is in the list, or in the bytes, at a point.
func isInside(t *decode.Trace, at reject.Point) bool {
	r := t.Reject()
	if r.At.Point == at {
		return r.Kind == reject.PastEnd
	}
	for list := r.At.Parent; list >= 0; list = t.Records[list].Parent {
		if t.Records[list].Point == at {
			return true
		}
	}
	return false
}

// missingElement is the element of a list that a packet announces and has no bit of; NoNode where it is refused for
// something else.
func missingElement(t *decode.Trace) plan.NodeID {
	r, p := t.Reject(), t.Plan
	if r == nil || r.Kind != reject.PastEnd || r.Code != 0 || r.At.Parent < 0 || p.HasSecret() {
		return plan.NoNode
	}
	list := p.StepAt(t.Records[r.At.Parent].Point)
	if !plan.Counted(list) {
		return plan.NoNode
	}
	for _, read := range t.Records[r.At.Parent+1:] {
		if read.Parent == r.At.Parent && read.Index == r.At.Index && read.N > 0 && p.ShapeAt(read.Point) != plan.ShapeOpen {
			return plan.NoNode
		}
	}
	around := list.At().Node
	for node := around + 1; int(node) < len(p.Nodes); node++ {
		if p.Nodes[node].Elem && p.Nodes[node].Parent == around {
			return node
		}
	}
	return plan.NoNode
}
