package fuzz

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// What findings of one mistake have in common. A schema declares a field once, in a struct, and a reader checks it
// once, in the function that reads the struct; rules and paths are as many as the places where the struct is used. So a
// finding's cause names the declaration.

// declarationOf is the name of a node's declaration: Player.health wherever a Player is, Player.items[].size of what is
// declared inside the struct's own body, or the node's rule where no struct has it.
func declarationOf(p *plan.Plan, node plan.NodeID) string {
	for node != plan.NoNode && p.Nodes[node].Name == "" && !p.Nodes[node].Elem {
		node = p.Nodes[node].Parent
	}
	if node == plan.NoNode {
		return "packet"
	}
	n := &p.Nodes[node]
	if n.Elem {
		return declarationOf(p, n.Parent) + "[]"
	}
	name := string(p.AppendRule(nil, n.Parent))
	for around := n.Parent; around != plan.NoNode && p.Nodes[around].Parent != plan.NoNode; around = p.Nodes[around].Parent {
		if s := p.Nodes[around].Struct; s != nil && s.Name != "" {
			name = s.Name + name[len(p.AppendRule(nil, around)):]
			break
		}
	}
	name = strings.TrimPrefix(name+"."+StableName(p, n), ".")
	if n.Case != "" {
		name += "<" + n.Case + ">"
	}
	return name
}

// StableName is the name of a node that stays when lines of the schema move: its own, or of what is named for its line,
// as require@12 is, its text.
func StableName(p *plan.Plan, node *plan.Node) string {
	if node.Kind != plan.NodeItem || !strings.HasPrefix(node.Name, "require@") {
		return node.Name
	}
	text := node.Name
	for i := range p.Requires {
		if item := p.Requires[i].Item; item.Pos == node.Pos {
			text = "require " + item.Text
		}
	}
	const most = 200 // bytes
	if text = strings.Join(strings.Fields(text), " "); len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return text
}

// unseen reports whether a valid packet is refused for bits that are no field's: those that are set after the last field,
// which a writer leaves zero, reserved ones that may be anything, or others that nobody is shown. The reader accepts the
// packet without them, and with the checksums that it then has. They are then what the finding is about, and no field is.
func (m *Minimizer) unseen(f *Finding) bool {
	t := &m.probe.trace
	if m.mutator.decoder.Decode(f.Packet, f.From, t) != nil {
		return false
	}
	p, least := m.mutator.plan, *m.least
	least.Rule, least.Path = "packet", ""
	tried := map[string]bool{}
	for _, first := range t.Notes {
		kind := first.Kind
		if kind != reject.IgnoredBits && (kind != reject.TrailingBits || first.Bit < t.Bits) {
			continue // of a window
		}
		name := declarationOf(p, nodeOfNote(p, &first))
		if tried[name] {
			continue
		}
		tried[name] = true
		zeroed := bytes.Clone(f.Packet)
		for _, n := range t.Notes {
			if n.Kind != kind || declarationOf(p, nodeOfNote(p, &n)) != name {
				continue
			}
			for bit := n.Bit; bit < n.Bit+n.Width; bit++ {
				p.Order.Store(zeroed, bit, 1, 0)
			}
		}
		sealsOf(t, m.mutator.seals).Repair(zeroed, -1)
		if !m.accepts(zeroed, f.From) {
			continue
		}
		least.Bit, least.Width, least.Cause = first.Bit, first.Width, "the reader "+deaths[f.Kind]+" set bits after the last field"
		if kind == reject.IgnoredBits {
			node := nodeOfNote(p, &first)
			for ev := range t.Walk() {
				if bit, _ := ev.Extent(); ev.Node == node && bit == first.Bit {
					at := shownAt(t, string(t.AppendEventPath(nil, ev)))
					least.Rule, least.Path, least.Bit, least.Width = RuleName(p, node), at.path, at.bit, at.width
				}
			}
			least.Cause = "the reader " + deaths[f.Kind] + " " + name + " that is not 0"
		}
		m.least = &least
		return true
	}
	if same := m.changed(f.Packet, f.From, nil); same != nil && m.accepts(same, f.From) {
		m.least = &least // another form of the same values
		return true
	}
	return false
}

// nodeOfNote is the node of the bits that a note is about.
func nodeOfNote(p *plan.Plan, n *reject.Note) plan.NodeID {
	switch {
	case n.At.Point < 0:
		return plan.NoNode
	case n.At.Leaf >= 0:
		return p.Info[n.At.Leaf].Node
	}
	return p.StepAt(n.At.Point).At().Node
}

// unchecked is the cause of a packet that was accepted and breaks a rule.
func unchecked(p *plan.Plan, node plan.NodeID, kind reject.Kind) string {
	return fmt.Sprintf("the reader does not refuse %v at %s", kind, declarationOf(p, node))
}

// endUnchecked is the cause where that is so of every field.
const endUnchecked = "the reader does not check where the packet ends"

// behindEnd reports whether a packet that ends too early would be accepted if zeros were after it: what a reader
// without a check of the end takes it for, unless its memory holds something else there.
func (m *Minimizer) behindEnd(packet []byte, from decode.Direction) bool {
	whole := make([]byte, max(m.mutator.plan.Schema.MaxDatagram, len(packet)))
	copy(whole, packet)
	t := &m.probe.trace
	if m.mutator.decoder.Decode(whole, from, t) == nil {
		return true
	}
	r := t.Reject()
	return r.Kind == reject.TrailingBytes && r.At.Point < 0
}

// Bounds of what is tried to find out whether the reader checks the end of the packet anywhere.
const (
	endBases  = 128 // random packets that are cut
	endTries  = 3   // cuts for each declaration
	endFewest = 3   // declarations
	endSent   = 1000
)

// checksNoEnd reports whether the reader accepts packets that are cut in any field, as far as they would be accepted
// with zeros after them. Where it refuses those that are cut in one field, the end is checked, and what it accepts are
// mistakes at the fields that were cut. It asks once.
func (m *Minimizer) checksNoEnd() bool {
	if m.noEnd != nil {
		return *m.noEnd
	}
	answer := m.asksForEnd()
	if m.failed == nil && !m.late() {
		m.noEnd = &answer
	}
	return answer
}

func (m *Minimizer) asksForEnd() bool {
	of, ends := m.asks(endSent), asked{}
	defer of.close()
	var whole decode.Trace
	for data, from := range m.bases(endBases, &whole) {
		for ev := range whole.Walk() {
			if ev.Kind != decode.Leaf && ev.Kind != decode.Blob || ev.Width == 0 {
				continue
			}
			name := declarationOf(m.mutator.plan, ev.Node)
			cut := data[:(ev.Bit+ev.Width-1)/8]
			if t := ends[name]; t != nil && (t.accepted > 0 || t.tried == endTries) || !m.behindEnd(cut, from) {
				continue
			}
			accepted, known := of.accepts(cut, from)
			if !known {
				return false
			}
			ends.note(name, accepted)
		}
	}
	for _, t := range ends {
		if t.accepted == 0 {
			return false
		}
	}
	return len(ends) >= endFewest
}
