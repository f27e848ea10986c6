package dialogue

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
)

// class is what a field holds, as far as values must fit it.
type class uint8

const (
	anything  class = iota // of a literal: the encoder judges it
	number                 // a whole number, a case, flags
	fraction               // a float
	truth                  // a bool
	octets                 // raw bytes
	text                   // text
	structure              // a struct or a list
)

var classWords = [...]string{"a value", "a number", "a float", "a bool", "bytes", "a text", "a struct or a list"}

// String is the class as messages name it.
func (c class) String() string { return classWords[c] }

// place is a field of a case's packets, or of a message that is sealed in them.
type place struct {
	of     *plan.SealedText // nil: of the packet itself
	parts  []string         // from the packet on, or from the message on; indexes in digits
	path   string           // the same as decode writes it
	class  class
	secret bool
	holds  bool     // a secret is in it
	lo, hi *big.Int // of a number
	mask   uint64   // of an unsigned integer that holds every code: its largest; a sum wraps there
}

// tree finds fields of cases in a plan.
type tree struct {
	plan     *plan.Plan
	children map[plan.NodeID][]plan.NodeID
	texts    map[plan.NodeID]bool
	cases    *plan.Switch // on the packet's case; nil without one
	tags     map[string]uint64
	names    []string // of the cases, in the enum's order
	armless  bool     // a case has no arm: an `if` decides what its packets have
	sections []*tree  // of Plan.Sections, made when they are needed
}

func newTree(p *plan.Plan) *tree {
	t := &tree{
		plan: p, children: map[plan.NodeID][]plan.NodeID{}, texts: map[plan.NodeID]bool{}, tags: map[string]uint64{}, sections: make([]*tree, len(p.Sections)),
	}
	for id := range p.Nodes {
		t.children[p.Nodes[id].Parent] = append(t.children[p.Nodes[id].Parent], plan.NodeID(id))
	}
	for _, b := range p.Blobs {
		t.texts[b.Node] = b.Text != 0
	}
	for _, s := range p.Switches {
		if s.Case && t.cases == nil {
			t.cases = s
		}
	}
	if t.cases == nil || p.Case == nil || t.cases.Item.Cases() == nil || t.cases.Item.Cases().Flags {
		return t
	}
	for i := range t.cases.Item.Cases().Cases {
		c := &t.cases.Item.Cases().Cases[i]
		tag := plan.Low64(c.Value)
		t.tags[c.Name] = tag
		t.names = append(t.names, c.Name)
		t.armless = t.armless || t.arm(tag) == plan.NoNode
	}
	return t
}

// forget takes a case out that no packet has.
func (t *tree) forget(tag uint64) {
	t.names = slices.DeleteFunc(t.names, func(name string) bool { return t.tags[name] == tag })
	for name, of := range t.tags {
		if of == tag {
			delete(t.tags, name)
		}
	}
}

// known reports whether packets have a case.
func (t *tree) known(tag uint64) bool {
	return t.arm(tag) != plan.NoNode || slices.ContainsFunc(t.names, func(name string) bool { return t.tags[name] == tag })
}

// tagOf is the case of a packet, as far as it was read.
func (t *tree) tagOf(trace *decode.Trace) (tag uint64, ok bool) {
	if trace.HasTag || !t.armless || t.cases.TagRegister < 0 {
		return trace.Tag, trace.HasTag
	}
	for f := range trace.Fields() {
		leaf := t.plan.Nodes[f.Node()].Leaf
		if leaf >= 0 && slices.Contains(t.plan.RegisterLeaves[t.cases.TagRegister], leaf) {
			return t.plan.Info[leaf].Value(f.Raw(), f.Width()), true
		}
	}
	return 0, false
}

// arm is the node of a case's packets; NoNode where it has none.
func (t *tree) arm(tag uint64) plan.NodeID {
	arm := t.cases.Find(t.plan.Operands[t.cases.Tag].Key(tag))
	if arm < 0 {
		return plan.NoNode
	}
	return t.cases.Nodes[arm]
}

// from says who sends a case; Unknown for both.
func (t *tree) from(tag uint64) decode.Direction {
	if t.arm(tag) == plan.NoNode {
		return decode.FromUnknown
	}
	if a := t.plan.Nodes[t.arm(tag)].Annotations; a != nil {
		return a.From
	}
	return decode.FromUnknown
}

// find resolves a path in the packets of a case: first in what the case adds, and what is sealed in it, then from the
// packet on. has is false for a path of the packet alone, whatever its case.
func (t *tree) find(tag uint64, has bool, path []syntax.Ident) (place, bool) {
	arm := plan.NoNode
	if has {
		if arm = t.arm(tag); arm != plan.NoNode {
			if at, ok := t.resolve([]plan.NodeID{arm}, []string{t.plan.Nodes[arm].Name}, path, arm); ok {
				return at, true
			}
		}
		for i := range t.plan.Sealed {
			s := &t.plan.Sealed[i]
			if s.Section < 0 || t.armOf(s.Node) != arm {
				continue
			}
			if at, ok := t.opened(s, path); ok {
				return at, true
			}
		}
	}
	return t.resolve([]plan.NodeID{0}, nil, path, arm)
}

// armOf is the case's arm that a node is in; NoNode for none.
func (t *tree) armOf(n plan.NodeID) plan.NodeID {
	for ; n != plan.NoNode; n = t.plan.Nodes[n].Parent {
		if t.isArm(n) {
			return n
		}
	}
	return plan.NoNode
}

// opened resolves a path in the message that is sealed somewhere.
func (t *tree) opened(s *plan.SealedText, path []syntax.Ident) (place, bool) {
	if t.sections[s.Section] == nil {
		t.sections[s.Section] = newTree(t.plan.Sections[s.Section])
	}
	in := t.sections[s.Section]
	nodes := in.walk([]plan.NodeID{0}, path, plan.NoNode)
	at := in.place(nodes, texts(path))
	at.of = s
	return at, len(nodes) > 0
}

// resolve follows a path from some nodes, whose own is before: into a message where it passes what is sealed, if the
// message has the rest of it.
func (t *tree) resolve(nodes []plan.NodeID, before []string, path []syntax.Ident, arm plan.NodeID) (place, bool) {
	for i := 0; len(nodes) > 0; i++ {
		for _, n := range nodes {
			if s := t.sealed(n); s != nil && s.Section >= 0 {
				if at, ok := t.opened(s, path[i:]); ok {
					return at, true
				}
			}
		}
		if i == len(path) {
			return t.place(nodes, append(before, texts(path)...)), true
		}
		nodes = t.walk(nodes, path[i:i+1], arm)
	}
	return place{}, false
}

// sealed is what is sealed as a node; nil for nothing.
func (t *tree) sealed(n plan.NodeID) *plan.SealedText {
	for i := range t.plan.Sealed {
		if t.plan.Sealed[i].Node == n {
			return &t.plan.Sealed[i]
		}
	}
	return nil
}

func texts(path []syntax.Ident) []string {
	all := make([]string, len(path))
	for i := range path {
		all[i] = path[i].Text
	}
	return all
}

// walk follows a path from some nodes. Of the arms of the case's switch only one counts.
func (t *tree) walk(nodes []plan.NodeID, path []syntax.Ident, arm plan.NodeID) []plan.NodeID {
	for _, part := range path {
		var below []plan.NodeID
		for _, n := range nodes {
			for _, c := range t.children[n] {
				child := &t.plan.Nodes[c]
				switch {
				case child.Elem && part.Text[0] >= '0' && part.Text[0] <= '9':
				case child.Elem || child.Name != part.Text || child.Kind == plan.NodeItem:
					continue
				case t.isArm(c) && c != arm:
					continue
				}
				below = append(below, c)
			}
		}
		nodes = below
	}
	return nodes
}

// isArm reports whether a node is a case of the packet.
func (t *tree) isArm(n plan.NodeID) bool {
	if t.cases == nil {
		return false
	}
	for _, a := range t.cases.Nodes {
		if a == n {
			return true
		}
	}
	return false
}

func (t *tree) place(nodes []plan.NodeID, parts []string) place {
	at := place{parts: parts, path: pathText(parts), secret: len(nodes) > 0}
	for i, id := range nodes {
		n := &t.plan.Nodes[id]
		at.secret = at.secret && n.Secret
		at.holds = at.holds || t.holds(id)
		c := structure
		switch n.Kind {
		case plan.NodeBlob:
			if c = octets; t.texts[id] {
				c = text
			}
		case plan.NodeLeaf:
			c = t.leaf(&at, int(n.Leaf), i == 0)
		case plan.NodeStruct, plan.NodeArray, plan.NodeItem:
		}
		if i > 0 && c != at.class {
			c = anything
		}
		at.class = c
	}
	return at
}

// holds reports whether a secret is in a node.
func (t *tree) holds(id plan.NodeID) bool {
	return t.plan.Nodes[id].Secret || slices.ContainsFunc(t.children[id], t.holds)
}

// leaf adds what a leaf may hold.
func (t *tree) leaf(at *place, leaf int, only bool) class {
	info, width := &t.plan.Info[leaf], int(t.plan.Leaves[leaf].Width)
	switch info.Form() {
	case plan.FormBool:
		return truth
	case plan.FormFloat:
		return fraction
	case plan.FormUint, plan.FormInt, plan.FormCase, plan.FormFlags, plan.FormHex, plan.FormText, plan.FormBytes:
	}
	lo, hi := new(big.Int).SetUint64(info.Value(0, width)), new(big.Int).SetUint64(info.Value(info.TypeSpan, width))
	if info.IsSigned() || info.Signed || info.ZigZag {
		half := new(big.Int).Lsh(big.NewInt(1), 63)
		lo, hi = new(big.Int).Neg(half), half.Sub(half, big.NewInt(1))
	}
	if at.lo == nil || lo.Cmp(at.lo) < 0 {
		at.lo = lo
	}
	if at.hi == nil || hi.Cmp(at.hi) > 0 {
		at.hi = hi
	}
	if only && width > 0 && info.Base == 0 && info.TypeSpan == wire.Mask(width) && !info.IsSigned() {
		at.mask = info.TypeSpan
	} else {
		at.mask = 0
	}
	return number
}

// pathText is parts as decode writes a path.
func pathText(parts []string) string {
	var b strings.Builder
	for i, p := range parts {
		switch {
		case p[0] >= '0' && p[0] <= '9':
			b.WriteString("[" + p + "]")
			continue
		case i > 0:
			b.WriteByte('.')
		}
		b.WriteString(p)
	}
	return b.String()
}

// read is the value of a field in a packet that was decoded; ok is false where the packet does not have it. The value
// is a copy.
func (p *place) read(t *decode.Trace) (v message.Value, ok bool) {
	var path []byte
	for f := range t.Fields() {
		if path = f.AppendPath(path[:0]); string(path) != p.path {
			continue
		}
		return valueOf(f.Value()), true
	}
	return message.Value{}, false
}

// valueOf copies a value, as the tree of a message takes it.
func valueOf(v decode.Value) message.Value {
	v = v.Reveal()
	switch v.Form() {
	case decode.FormBytes, decode.FormText:
		return message.Value{Kind: message.Bytes, Data: append([]byte{}, v.Bytes()...)}
	case decode.FormBool:
		out := message.Value{Kind: message.Bool}
		if v.Bool() {
			out.Code = 1
		}
		return out
	case decode.FormFloat:
		return message.Value{Kind: message.Number, Data: strconv.AppendFloat(nil, v.Float(), 'g', -1, 64)}
	}
	return message.Value{Kind: message.Number, Data: v.AppendNumber(nil)}
}

// put sets a value in the tree of a message. It makes the objects and lists on the way; of a list it adds the next
// element. ok is false where the place is beyond that.
func (p *place) put(root *message.Value, v message.Value) bool {
	at := root
	for i, part := range p.parts {
		var child *message.Value
		kind := message.Object
		if i+1 < len(p.parts) && p.parts[i+1][0] >= '0' && p.parts[i+1][0] <= '9' {
			kind = message.List
		}
		if n, err := strconv.Atoi(part); err == nil {
			if at.Kind != message.List || n > len(at.Items) {
				return false
			}
			if n == len(at.Items) {
				at.Items = append(at.Items, message.Value{Kind: kind})
			}
			child = &at.Items[n]
		} else if child = at.Member(part); child == nil {
			if at.Kind != message.Object {
				return false
			}
			at.Items = append(at.Items, message.Value{Name: part, Kind: kind})
			child = &at.Items[len(at.Items)-1]
		}
		at = child
	}
	v.Name = at.Name
	*at = v
	return true
}
