package message

import (
	"slices"
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Unused finds the first value that an Encoder has not asked for in its last pass, nil when there is none: somebody
// gave it and the packet does not carry it. A checksum and a `let` are computed whatever was given, and a field that
// the packet does not have may be given as nothing (null, {}, []).
func (m *Message) Unused() error {
	v := m.unused.below(&m.Root)
	if v == nil {
		return nil
	}
	trail := trailTo(&m.Root, v, nil)
	names := m.beside(trail)
	text := "the packet has no place for it: it belongs to a branch that is not taken"
	switch {
	case isMask(v):
		text = maskedProblem
	case !slices.Contains(names, v.Name):
		text = "no such field"
		if name := syntax.Suggest(v.Name, names); name != "" {
			text += "; did you mean " + name + "?"
		}
	}
	return &decode.EncodeError{Path: string(appendTrail(nil, trail)), Problem: text}
}

// unused searches. Names are looked up once per place in the schema: JSON can have a null in each of a million
// elements.
type unused struct {
	m     *Message
	trail []step              // to the object or list at hand
	names map[string][]string // by the names on the way, which are the schema's
	key   []byte
}

// below finds the first value below v that was not asked for.
func (u *unused) below(v *Value) *Value {
	pass := u.m.source.pass
	for i := range v.Items {
		c := &v.Items[i]
		switch {
		case c.used == pass:
			if len(c.Items) > 0 {
				u.trail = append(u.trail, step{c.Name, i})
				found := u.below(c)
				u.trail = u.trail[:len(u.trail)-1]
				if found != nil {
					return found
				}
			}
		case v == &u.m.Root && u.m.source.sealed[c.Name]:
		case c.Kind == Null && v.Kind == List:
		case isMask(c) && u.decided(c.Name): // of the side that is not taken
		case u.computed(c.Name):
		case u.nothing(c, i):
			if _, known := slices.BinarySearch(u.known(), c.Name); !known {
				return c
			}
		default:
			return c
		}
	}
	return nil
}

// computed reports whether a member of the object at hand can be a `let` or a checksum.
func (u *unused) computed(name string) bool {
	if !u.m.source.computed[name] {
		return false
	}
	for _, id := range u.m.places(append(u.trail, step{})) {
		n := &u.m.plan.Nodes[id]
		if n.Name == name && u.m.computes(n) {
			return true
		}
	}
	return false
}

// decided reports whether a secret decides if a field of that name is there: such a field has a mask on either side.
func (u *unused) decided(name string) bool {
	for i := range u.m.source.p.Nodes {
		if n := &u.m.source.p.Nodes[i]; n.Decided && n.Name == name {
			return true
		}
	}
	return false
}

// nothing reports whether there is no value in v, number at of the object or list at hand: it is null, or holds no more
// than that and computed values.
func (u *unused) nothing(v *Value, at int) bool {
	u.trail = append(u.trail, step{v.Name, at})
	defer func() { u.trail = u.trail[:len(u.trail)-1] }()
	for i := range v.Items {
		if c := &v.Items[i]; !u.computed(c.Name) && !u.nothing(c, i) {
			return false
		}
	}
	return v.Kind == Null || v.Kind == Object || v.Kind == List
}

// known are the names that members of the object at hand can have, sorted.
func (u *unused) known() []string {
	u.key = u.key[:0]
	for _, s := range u.trail {
		u.key = append(append(u.key, s.name...), '.')
	}
	names, ok := u.names[string(u.key)]
	if !ok {
		names = u.m.beside(append(u.trail, step{}))
		u.names[string(u.key)] = names
	}
	return names
}

// take marks all below a value as used: a leaf's value can be an object or a list in JSON.
func (s *source) take(v *Value) {
	for i := range v.Items {
		v.Items[i].used = s.pass
		s.take(&v.Items[i])
	}
}

// step leads from an object or a list to what is in it.
type step struct {
	name string // "" of an element
	at   int
}

// trailTo finds the way from one value to another below it, nil when there is none.
func trailTo(from, to *Value, trail []step) []step {
	for i := range from.Items {
		c := &from.Items[i]
		here := append(trail, step{c.Name, i})
		if c == to {
			return here
		}
		if len(c.Items) > 0 {
			if found := trailTo(c, to, here); found != nil {
				return found
			}
		}
	}
	return nil
}

// path is the path of a value in the packet.
func (m *Message) path(v *Value) string { return string(appendTrail(nil, trailTo(&m.Root, v, nil))) }

func appendTrail(b []byte, trail []step) []byte {
	for _, s := range trail {
		if s.name == "" {
			b = appendElement(b, s.at)
		} else {
			b = appendMember(b, s.name)
		}
	}
	return b
}

func appendElement(b []byte, i int) []byte {
	return append(strconv.AppendInt(append(b, '['), int64(i), 10), ']')
}

// maxName is how much of a name from outside an error shows, in bytes.
const maxName = 128

// appendMember appends the step to a member, whose name may have been chosen by anybody.
func appendMember(b []byte, name string) []byte {
	if len(b) > 0 {
		b = append(b, '.')
	}
	if len(name) > maxName {
		return append(syntax.AppendEscaped(b, name[:maxName]), "…"...)
	}
	return syntax.AppendEscaped(b, name)
}

// beside are the names that can stand where a trail ends, sorted.
func (m *Message) beside(trail []step) []string {
	return m.namesOf(m.places(trail))
}

// namesOf are the names of nodes, sorted.
func (m *Message) namesOf(nodes []plan.NodeID) []string {
	var names []string
	for _, id := range nodes {
		names = append(names, m.plan.Nodes[id].Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// places are the nodes that can stand where a trail ends.
func (m *Message) places(trail []step) []plan.NodeID {
	under := map[plan.NodeID]bool{0: true}
	for _, s := range trail[:len(trail)-1] {
		next := map[plan.NodeID]bool{}
		for i := range m.plan.Nodes {
			if n := &m.plan.Nodes[i]; n.Parent != plan.NoNode && under[n.Parent] && n.Name == s.name {
				next[plan.NodeID(i)] = true
			}
		}
		under = next
	}
	return m.under(under)
}

// under lists what stands under some nodes.
func (m *Message) under(under map[plan.NodeID]bool) []plan.NodeID {
	var all []plan.NodeID
	for i := range m.plan.Nodes {
		if n := &m.plan.Nodes[i]; n.Parent != plan.NoNode && under[n.Parent] {
			all = append(all, plan.NodeID(i))
		}
	}
	return all
}
