package parquet

import (
	"reflect"

	pq "github.com/parquet-go/parquet-go"
)

// ordered is a group whose members stay in their order: those of parquet-go are sorted by name.
type ordered struct {
	pq.Group
	members []pq.Field
}

// Fields gives the members.
func (o ordered) Fields() []pq.Field { return o.members }

// member is a node with its name.
type member struct {
	pq.Node
	name string
}

// Name gives the name.
func (m *member) Name() string { return m.name }

// Value is for rows that are Go structs, of which there are none.
func (m *member) Value(reflect.Value) reflect.Value {
	panic("pktscope: internal error: parquet: rows are columns here")
}

func (o *ordered) add(name string, node pq.Node) {
	if o.Group == nil {
		o.Group = pq.Group{}
	}
	o.Group[name] = node // for what asks for the Go type
	o.members = append(o.members, &member{node, name})
}

// schema is the file's.
func (l *Layout) schema() *pq.Schema {
	var root, reject ordered
	for at := range baseColumns {
		c := &baseColumns[at]
		switch name := c.path[len(c.path)-1]; {
		case at == columnNotes:
			root.add(name, pq.List(pq.Required(c.node)))
		case len(c.path) > 1:
			reject.add(name, pq.Optional(c.node))
			if at == columnRejectLine {
				root.add(c.path[0], pq.Optional(reject))
			}
		case c.always:
			root.add(name, pq.Required(c.node))
		default:
			root.add(name, pq.Optional(c.node))
		}
	}
	for _, g := range l.groups {
		root.add(g.name, g.nodes()[0].Node)
	}
	return pq.NewSchema("packets", root)
}

// nodes are what a field is in the schema: one, or of a field that has names and a code one for each, named by what is
// behind the field's own name.
func (f *field) nodes() []member {
	present := pq.Required
	if f.optional {
		present = pq.Optional
	}
	switch f.kind {
	case group:
		var o ordered
		for _, one := range f.inside {
			for _, m := range one.nodes() {
				o.add(one.name+m.name, m.Node)
			}
		}
		return []member{{present(o), ""}}
	case list:
		all := f.inside[0].nodes()
		for i := range all {
			all[i].Node = pq.List(all[i].Node)
		}
		return all
	case leaf:
	}
	all := []member{{present(f.types[0].node), ""}}
	if f.value == flags {
		all[0].Node = pq.List(pq.Required(f.types[0].node))
	}
	if len(f.types) > 1 {
		all = append(all, member{present(f.types[1].node), "_code"})
	}
	return all
}
