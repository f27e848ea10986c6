package filter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// tree is a plan's nodes as paths find them: from the root downwards.
type tree struct {
	plan *plan.Plan
	kids [][]plan.NodeID
	at   []plan.Point // where lists, bytes and text begin, else NoPoint
}

func newTree(p *plan.Plan) *tree {
	t := &tree{plan: p, kids: make([][]plan.NodeID, len(p.Nodes)), at: make([]plan.Point, len(p.Nodes))}
	for i := range p.Nodes {
		t.at[i] = plan.NoPoint
		if up := p.Nodes[i].Parent; up != plan.NoNode && p.Nodes[i].Kind != plan.NodeItem {
			t.kids[up] = append(t.kids[up], plan.NodeID(i))
		}
	}
	for _, s := range p.Steps {
		if _, ok := s.(interface{ Most() uint64 }); ok {
			t.at[s.At().Node] = s.At().Point
		}
	}
	return t
}

// longest is how many elements a list has at most.
func (t *tree) longest(list plan.NodeID) uint64 {
	return t.plan.StepAt(t.at[list]).(interface{ Most() uint64 }).Most()
}

// empty reports whether a node stands for nothing: a switch beside its arms, an `empty` arm.
func (t *tree) empty(id plan.NodeID) bool {
	n := &t.plan.Nodes[id]
	return n.Kind == plan.NodeStruct && n.Struct == nil && len(t.kids[id]) == 0
}

// member is what a name stands for in any of these nodes: more than one where a switch's arms share it.
func (t *tree) member(nodes []plan.NodeID, name string) []plan.NodeID {
	var found []plan.NodeID
	for _, id := range nodes {
		if t.plan.Nodes[id].Kind != plan.NodeStruct {
			continue
		}
		for _, kid := range t.kids[id] {
			if t.plan.Nodes[kid].Name == name && !t.empty(kid) {
				found = append(found, kid)
			}
		}
	}
	return found
}

// names lists what can be after any of these nodes.
func (t *tree) names(nodes []plan.NodeID) []string {
	var names []string
	for _, id := range nodes {
		if t.plan.Nodes[id].Kind != plan.NodeStruct {
			continue
		}
		for _, kid := range t.kids[id] {
			if n := t.plan.Nodes[kid].Name; !t.empty(kid) && !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	return names
}

// elements is the elements of those nodes that are arrays.
func (t *tree) elements(nodes []plan.NodeID) []plan.NodeID {
	var found []plan.NodeID
	for _, id := range t.ofKind(nodes, plan.NodeArray) {
		found = append(found, t.kids[id]...)
	}
	return found
}

func (t *tree) ofKind(nodes []plan.NodeID, kind plan.NodeKind) []plan.NodeID {
	var found []plan.NodeID
	for _, id := range nodes {
		if t.plan.Nodes[id].Kind == kind {
			found = append(found, id)
		}
	}
	return found
}

// secret reports whether one of the nodes is @secret.
func (t *tree) secret(nodes []plan.NodeID) bool {
	return slices.ContainsFunc(nodes, func(id plan.NodeID) bool { return t.plan.Nodes[id].Secret })
}

// longestPath bounds the bytes of a path, whose names are as long as the schema's writer liked.
func (t *tree) longestPath() int {
	const index, dot = len("[1048575]"), len(".")
	long := make([]int, len(t.plan.Nodes))
	most := 0
	for i := range t.plan.Nodes {
		n := &t.plan.Nodes[i]
		switch {
		case n.Parent == plan.NoNode:
		case n.Elem:
			long[i] = long[n.Parent] + index
		default:
			long[i] = long[n.Parent] + dot + len(n.Name)
		}
		most = max(most, long[i])
	}
	return most
}

// Path is one field that a protocol's packets can have.
type Path struct {
	Path   string // `body.players[*].health`
	Type   string // what to compare it with: "number", "enum MessageType", "text", …; several joined by " or "
	Doc    string
	Scale  float64 // of @scale: what is shown is the value times this; 0 without it
	Secret bool
	// Values are the names that it compares with: cases of an enum, or the words that it can be; nil where there are none.
	Values []string
}

// first is the path with the first element of each list, as a filter can have it.
func (p Path) first() string { return strings.ReplaceAll(p.Path, "[*]", "[0]") }

// Paths lists the fields of a plan's packets in the order of the wire, for completion and help: a path once, however
// many arms of a switch have it. What is inside a secret struct or list is left out.
func Paths(p *plan.Plan) []Path {
	w := pathLister{tree: newTree(p), at: map[string]int{}}
	w.list(0, nil)
	return w.paths
}

type pathLister struct {
	tree  *tree
	paths []Path
	at    map[string]int
}

func (p *pathLister) list(id plan.NodeID, prefix []byte) {
	n := &p.tree.plan.Nodes[id]
	if p.tree.empty(id) {
		return
	}
	switch {
	case n.Elem:
		prefix = append(prefix, "[*]"...)
	case n.Name != "":
		if len(prefix) > 0 {
			prefix = append(prefix, '.')
		}
		prefix = append(prefix, n.Name...)
	}
	if leaf := n.Kind == plan.NodeLeaf || n.Kind == plan.NodeBlob; leaf || n.Secret {
		p.add(string(prefix), p.tree.describe(id), n)
		if leaf && !n.Secret {
			have := &p.paths[p.at[string(prefix)]]
			typ := p.tree.typeOf(id)
			have.Values = append(have.Values, typ.values()...)
		}
		return
	}
	for _, kid := range p.tree.kids[id] {
		p.list(kid, prefix)
	}
}

func (p *pathLister) add(path, kind string, n *plan.Node) {
	i, ok := p.at[path]
	if !ok {
		p.at[path] = len(p.paths)
		p.paths = append(p.paths, Path{Path: path, Type: kind, Doc: n.Doc, Secret: n.Secret})
		if n.Annotations != nil {
			p.paths[len(p.paths)-1].Scale = n.Annotations.Scale
		}
		return
	}
	if have := &p.paths[i]; !slices.Contains(strings.Split(have.Type, " or "), kind) {
		have.Type += " or " + kind
	}
	p.paths[i].Secret = p.paths[i].Secret || n.Secret
}

// describe names what a node holds, for people.
func (t *tree) describe(id plan.NodeID) string {
	switch t.plan.Nodes[id].Kind {
	case plan.NodeArray:
		return "list"
	case plan.NodeStruct:
		return "struct"
	case plan.NodeLeaf, plan.NodeBlob, plan.NodeItem:
	}
	typ := t.typeOf(id)
	return typ.String()
}

// typeOf is the type of a leaf, bytes or text.
func (t *tree) typeOf(id plan.NodeID) typ {
	n := &t.plan.Nodes[id]
	if n.Kind == plan.NodeBlob {
		max := 0
		if at := t.at[id]; at != plan.NoPoint {
			b := t.plan.StepAt(at).(*plan.Blob)
			max = b.MostText(b.Max)
		}
		if n.Value != nil && n.Value.IsText() {
			_, padded := n.Value.Type.(*schema.TextType)
			return typ{kind: kindText, max: max, padded: padded}
		}
		return typ{kind: kindBytes, max: max, display: n.Display}
	}
	if n.Leaf < 0 {
		panic(fmt.Sprintf("pktscope: internal error: node %d has no leaf", id))
	}
	info, width := &t.plan.Info[n.Leaf], int(t.plan.Leaves[n.Leaf].Width)
	switch info.Form() {
	case plan.FormBool:
		return typ{kind: kindBool}
	case plan.FormFloat:
		return typ{kind: kindFloat, width: info.FloatWidth(width)}
	case plan.FormCase:
		return typ{kind: kindEnum, enum: info.Enum, signed: info.IsSigned()}
	case plan.FormFlags:
		return typ{kind: kindFlags, enum: info.Enum, signed: info.IsSigned()}
	case plan.FormUint, plan.FormInt, plan.FormHex, plan.FormText, plan.FormBytes:
	}
	return typ{kind: kindInt, signed: info.IsSigned(), display: n.Display, bits: info.ValueBits()}
}
