package parquet

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// MaxColumns is how many columns a file has at most: each takes memory of its own while a row group is written.
const MaxColumns = 4096

// Layout is the columns of a protocol's packets. It is immutable, and for several goroutines at once.
type Layout struct {
	plan    *plan.Plan
	leaves  map[plan.NodeID][]int // of each node
	groups  []*field              // `fields`, and a group for each case
	fields  []*field              // of each node; nil where it has no columns
	columns []column
	paths   [][]string // of each column, with the names that Parquet needs for lists
	ids     int        // fields
	secrets int        // fields that have no column for that they are, or tell of, a secret
	// density is how many values a bit of a packet can come to at most, in all columns together.
	density float64
}

// column is a leaf column.
type column struct {
	path  []string // the names that lead to it, without those that Parquet needs for lists
	of    string   // the path of the field in a packet; "" of a column that every file has
	unit  string   // its @unit
	times int      // values for each element around it, at most: names of flags are several
	columnType
	def, rep uint8 // its highest levels
}

// field is what one node of the plan has for columns, or a group of such.
type field struct {
	id       int
	name     string // "" of an element
	kind     fieldKind
	value    valueKind // of a leaf
	types    []columnType
	node     plan.NodeID
	arm      int    // of a group that is a case: the arm of the switch; else -1
	label    string // of such a group: the arm's tags
	whole    bool   // of such a group: it is the arm's struct itself
	optional bool   // it may be absent where what it is in is there
	lo, hi   int    // its columns
	def      uint8  // definition level of where it is there; of a list: of where it has no elements
	rep      uint8  // repetition level of the elements of a list, or of the names of flags
	parent   *field
	inside   []*field // of a group; of a list the one element
}

type fieldKind uint8

const (
	group fieldKind = iota
	list
	leaf
)

// NewLayout finds the columns of a plan's packets. The error is that there are more than MaxColumns.
func NewLayout(p *plan.Plan) (*Layout, error) {
	l := &Layout{plan: p, leaves: map[plan.NodeID][]int{}, fields: make([]*field, len(p.Nodes))}
	for i := range p.Info {
		l.leaves[p.Info[i].Node] = append(l.leaves[p.Info[i].Node], i)
	}
	children := make([][]plan.NodeID, len(p.Nodes))
	for id := range p.Nodes {
		if parent := p.Nodes[id].Parent; parent != plan.NoNode {
			children[parent] = append(children[parent], plan.NodeID(id))
		}
	}
	l.group(children)
	l.place()
	l.paths = leafPaths(l.schema())
	if n := len(l.columns); n > MaxColumns {
		return nil, fmt.Errorf("%s has %d fields as columns: want at most %d", p.Schema.Name, n, MaxColumns)
	}
	l.density = l.dense()
	return l, nil
}

// group makes the groups: what is outside of the case's switch, and each arm of it.
func (l *Layout) group(children [][]plan.NodeID) {
	arms := map[plan.NodeID]int{}
	if s := l.plan.CaseSwitch; s != nil {
		for i, id := range s.Nodes {
			arms[id] = i
		}
	}
	var outside []plan.NodeID
	for _, id := range children[0] {
		if _, is := arms[id]; !is {
			outside = append(outside, id)
		}
	}
	taken := baseNames()
	rest := &field{kind: group, arm: -1, optional: true, node: 0}
	rest.inside = l.members(rest, outside, children)
	l.addGroup(rest, "fields", taken)
	if l.plan.CaseSwitch == nil {
		return
	}
	for i, id := range l.plan.CaseSwitch.Nodes {
		g := l.field(id, children)
		if g == nil {
			continue
		}
		g.whole = g.kind == group
		if !g.whole {
			g.name = names{}.take(l.plan.Nodes[id].Name, g.suffixes()...)
			g = &field{kind: group, inside: []*field{g}}
			g.inside[0].parent = g
		}
		tags := l.tags(i)
		g.arm, g.node, g.label, g.optional = i, id, strings.Join(tags, ", "), true
		l.addGroup(g, strings.Join(tags, "_"), taken)
	}
}

// maxTags is how many tags name an arm; one of more has the name of its first label.
const maxTags = 4

// tags are the tags of an arm as the column `case` has them: a range is `4..7`.
func (l *Layout) tags(arm int) (all []string) {
	s := l.plan.CaseSwitch
	for _, entry := range s.Entries {
		if int(entry.Arm) != arm {
			continue
		}
		tag := l.tag(entry.Lo)
		if entry.Lo != entry.Hi {
			tag += ".." + l.tag(entry.Hi)
		}
		all = append(all, tag)
	}
	if label := s.Item.Arms[arm].Label; s.Item.Arms[arm].Default || len(all) > maxTags {
		return []string{label}
	}
	return all
}

// key is the key of a tag, and the tag of a key.
func (l *Layout) key(tag uint64) uint64 { return l.plan.Operands[l.plan.CaseSwitch.Tag].Key(tag) }

// tag is the text of a tag with a key.
func (l *Layout) tag(key uint64) string { return decode.CaseOf(l.plan, l.key(key)).String() }

func (l *Layout) addGroup(g *field, name string, taken names) {
	if len(g.inside) > 0 {
		g.name = taken.take(name)
		l.groups = append(l.groups, g)
	}
}

// members makes the fields of a struct, without those that have no columns.
func (l *Layout) members(in *field, ids []plan.NodeID, children [][]plan.NodeID) (all []*field) {
	taken, several := names{}, map[string]int{}
	for _, id := range ids {
		if f := l.field(id, children); f != nil {
			f.parent, f.optional = in, f.kind != list
			all = append(all, f)
			several[l.plan.Nodes[id].Name]++
		}
	}
	for _, f := range all {
		n := &l.plan.Nodes[f.node]
		name := n.Name
		if n.Case != "" && several[name] > 1 { // the arms of a switch have one name
			name += "_" + n.Case
		}
		f.name = taken.take(name, f.suffixes()...)
	}
	return all
}

// suffixes are what further columns of the field have after its name.
func (f *field) suffixes() []string {
	for f.kind == list {
		f = f.inside[0]
	}
	if f.kind == leaf && len(f.types) > 1 {
		return []string{"_code"}
	}
	return nil
}

// field makes the field of a node; nil where it has no columns.
func (l *Layout) field(id plan.NodeID, children [][]plan.NodeID) *field {
	n := &l.plan.Nodes[id]
	f := &field{node: id, arm: -1}
	switch n.Kind {
	case plan.NodeItem:
		return nil
	case plan.NodeLeaf, plan.NodeBlob:
		if n.Secret || n.Decided {
			l.secrets++
			return nil
		}
		f.kind = leaf
		f.value, f.types = l.leafOf(id)
	case plan.NodeArray:
		f.kind = list
		flagged := false
		for _, child := range children[id] {
			if l.plan.Nodes[child].Kind == plan.NodeItem {
				flagged = flagged || l.plan.Nodes[child].Elem
				continue
			}
			if element := l.field(child, children); element != nil {
				element.parent, element.optional = f, flagged && element.kind != list
				f.inside = append(f.inside, element)
			}
		}
		if len(f.inside) > 1 {
			panic("pktscope: internal error: parquet: a list of two kinds of elements")
		}
	case plan.NodeStruct:
		f.kind = group
		f.inside = l.members(f, children[id], children)
	default:
		panic("pktscope: internal error: parquet: a node of no kind")
	}
	if f.kind != leaf && len(f.inside) == 0 || n.Secret || n.Decided {
		return nil
	}
	l.fields[id] = f
	return f
}

// place numbers the columns and finds their levels.
func (l *Layout) place() {
	l.columns = append(l.columns, baseColumns[:]...)
	for at := range baseColumns {
		c := &l.columns[at]
		if !c.always {
			c.def = uint8(len(c.path)) // of the column, and of what it is in
		}
		if at == columnNotes {
			c.rep = 1
		}
	}
	for _, g := range l.groups {
		l.placeField(g, []string{g.name}, 0, 0)
	}
}

func (l *Layout) placeField(f *field, path []string, def, rep uint8) {
	f.id, f.lo = l.ids, len(l.columns)
	l.ids++
	f.def = def
	if f.optional {
		f.def++
	}
	switch f.kind {
	case group:
		for _, one := range f.inside {
			l.placeField(one, append(path[:len(path):len(path)], one.name), f.def, rep)
		}
	case list:
		f.rep = rep + 1
		l.placeField(f.inside[0], path, f.def+1, f.rep)
	case leaf:
		f.rep = rep + 1
		of := string(l.plan.AppendPath(nil, f.node, func() (uint64, bool) { return 0, false }))
		for i, t := range f.types {
			own := append([]string{}, path...)
			if i > 0 {
				own[len(own)-1] += behind[i]
			}
			c := column{path: own, of: of, unit: l.plan.Unit(f.node), times: 1, columnType: t, def: f.def, rep: rep}
			if f.value == flags && i == 0 {
				c.def, c.rep = f.nameLevel(), f.rep
				c.times = len(l.plan.Info[l.leaves[f.node][0]].Cases.List)
			}
			l.columns = append(l.columns, c)
		}
	}
	f.hi = len(l.columns)
}

// dense is the density.
func (l *Layout) dense() (sum float64) {
	for _, s := range l.plan.Steps {
		if s.Flow() != plan.Repeat {
			continue
		}
		f := l.fields[s.At().Node]
		if f == nil {
			continue
		}
		least := uint64(0)
		for _, b := range s.Blocks() {
			for _, inner := range b.Steps {
				bits, _ := l.plan.Bits(inner)
				least += bits
			}
		}
		sum += float64(f.hi-f.lo) / float64(max(least, 1))
	}
	return sum
}
