package fuzz

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// A reader that reads the fields of a struct one after the other, as long as there is anything, accepts it without its
// last fields: that shows at each of them, and is one mistake. So is that of a reader that reads all lists so.

// Bounds of what is tried to find out where structs and lists may end.
const (
	frontBases  = 256 // random packets that are cut
	frontTries  = 3   // cuts before each declaration
	frontFewest = 2   // declarations
	frontSent   = 2000
)

// endsInFront says what the reader lets end before anything, where a finding's packet is cut so: all lists, or the
// widest struct, arm or switch; "" where it refuses others of these packets, or that is not known.
func (m *Minimizer) endsInFront(f *Finding) string {
	if m.mutator.plan.HasSecret() {
		return "" // where something ends can tell a secret
	}
	field, inside := m.cutAt(f.Packet, f.From)
	if field == "" {
		return ""
	}
	if m.fronts == nil {
		fronts, insides := m.asksForFronts()
		if m.failed != nil || m.late() {
			return ""
		}
		m.fronts, m.insides = fronts, insides
	}
	half := m.insides[field]
	inside = inside || half != nil && half.accepted > 0 // that is a mistake of the field, if it is none of all
	if isElement(field) {
		for _, of := range []string{"", m.structOf(field)} {
			alike := func(name string) bool { return isElement(name) && (of == "" || m.structOf(name) == of) }
			if lists := m.fronts.never(alike); len(lists) > 0 && len(with(lists, field)) >= frontFewest {
				f.Places = placesWith(lists, field)
				what := "any list"
				if of != "" {
					what += " of " + of
				}
				return "the reader lets " + what + " end in front of any element"
			}
		}
		return ""
	}
	cause := ""
	for around, direct := outer(field), true; ; {
		beside := func(name string) bool { return isFieldIn(name, around) && (!direct || outer(name) == around) }
		fields := m.fronts.never(beside)
		if fields == nil {
			return cause
		}
		if len(fields) >= frontFewest && (!inside || m.insides.never(beside) != nil) {
			cause = "the reader lets " + cmp.Or(around, "the packet") + " end in front of any field"
		}
		switch {
		case direct:
			direct = false
		case around == "":
			return cause
		default:
			around = outer(around)
		}
	}
}

// isFieldIn reports whether a declaration is in what has a name, and in no list of it.
func isFieldIn(name, around string) bool {
	return isIn(name, around) && !strings.Contains(name[len(around):], "[]")
}

// structOf is the struct that the elements of a list are; "" of others.
func (m *Minimizer) structOf(element string) string {
	p := m.mutator.plan
	for node := range p.Nodes {
		if n := &p.Nodes[node]; n.Elem && n.Struct != nil && declarationOf(p, plan.NodeID(node)) == element {
			return n.Struct.Name
		}
	}
	return ""
}

// isElement reports whether a declaration is of a list's elements.
func isElement(name string) bool { return strings.HasSuffix(name, "[]") }

// cutAt is the declaration of the field, or of the element of a list, that a packet ends before, or inside; "" where it
// is refused for something else.
func (m *Minimizer) cutAt(packet []byte, from decode.Direction) (field string, inside bool) {
	m.judge.Truth(packet, from)
	t := m.judge.withMost(&m.judge.trace)
	r := t.Reject()
	if r == nil || r.Kind != reject.PastEnd {
		return "", false
	}
	node := m.judge.unmet(t)
	if node == plan.NoNode || node != missingElement(t) && (t.Plan.Nodes[node].Elem || t.Plan.Nodes[node].Case != "") {
		return "", false // what is there instead of others is no field beside them
	}
	return declarationOf(t.Plan, node), r.Code > 0
}

// asksForFronts cuts packets before fields and inside them, and before elements of lists, that nothing follows but
// what is beside them.
func (m *Minimizer) asksForFronts() (fronts, insides asked) {
	of := m.asks(frontSent)
	fronts, insides = asked{}, asked{}
	defer of.close()
	try := func(packet []byte, from decode.Direction, may func(field string) bool) {
		field, inside := m.cutAt(packet, from)
		if field == "" || !may(field) {
			return
		}
		if inside {
			insides.try(of, field, frontTries, true, packet, from)
		} else {
			fronts.try(of, field, frontTries, true, packet, from)
		}
	}
	var whole decode.Trace
	for data, from := range m.bases(frontBases, &whole) {
		if accepted, _ := of.accepts(data, from); !accepted {
			continue
		}
		last := lastPath(&whole)
		for ev := range whole.Walk() {
			if ev.Kind == decode.Leaf || ev.Kind == decode.Blob {
				path := whole.AppendEventPath(nil, ev)
				beside := strings.HasPrefix(last, string(path[:bytes.LastIndexByte(path, '.')+1]))
				element := strings.HasPrefix(last, string(path[:bytes.LastIndexByte(path, '[')+1]))
				may := func(field string) bool { return isElement(field) && element || !isElement(field) && beside }
				first, half := (ev.Bit+7)/8, (ev.Bit+ev.Width-1)/8
				if ev.Bit%8 == 0 {
					try(data[:first], from, may)
				}
				if half > first {
					try(data[:half], from, may)
				}
			}
			if !m.sizesWindow(ev) {
				continue
			}
			for by := uint64(1); by <= min(ev.Raw, sizeNear); by++ {
				if short := m.mutator.shortWindow(data, &whole, ev, by, &m.probe.trace); short != nil {
					try(short, from, func(string) bool { return true })
				}
			}
		}
	}
	if of.over {
		return asked{}, asked{}
	}
	return fronts, insides
}

// lastPath is the path of the last field of a packet that has any bits: it is in every struct whose cutting takes nothing
// else along.
func lastPath(t *decode.Trace) (path string) {
	for ev := range t.Walk() {
		if ev.Width > 0 && (ev.Kind == decode.Leaf || ev.Kind == decode.Blob) {
			path = string(t.AppendEventPath(nil, ev))
		}
	}
	return path
}
