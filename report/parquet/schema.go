package parquet

import (
	"math/bits"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// element is a leaf of the schema of a file.
func (t *columnType) element() format.SchemaElement {
	e := format.SchemaElement{Type: thrift.New(forms[t.form].kind)}
	switch {
	case t.bits > 0:
		e.LogicalType.Value = &format.IntType{BitWidth: int8(t.bits), IsSigned: t.signed}
		of := deprecated.Uint8
		if t.signed {
			of = deprecated.Int8
		}
		e.ConvertedType = thrift.New(of + deprecated.ConvertedType(bits.Len(uint(t.bits))-4)) // of 8, 16, 32 and 64 bits
	case t.form == formText || t.form == formWord:
		e.LogicalType.Value, e.ConvertedType = new(format.StringType), thrift.New(deprecated.UTF8)
	case t.word == timeType.word:
		e.LogicalType.Value = &format.TimestampType{IsAdjustedToUTC: true, Unit: format.TimeUnit{Value: new(format.NanoSeconds)}}
	}
	return e
}

// node is an element of a schema with all that is in it, in their order: one for each, the outer ones first.
type node []format.SchemaElement

func leafNode(t *columnType) node { return node{t.element()} }

func groupNode(members ...node) node {
	n := node{{NumChildren: thrift.New(int32(len(members)))}}
	for _, m := range members {
		n = append(n, m...)
	}
	return n
}

// listNode is a list of three levels, as the format wants it.
func listNode(of node) node {
	n := groupNode(groupNode(of.named("element")).of(format.Repeated).named("list")).of(format.Required)
	n[0].LogicalType.Value, n[0].ConvertedType = new(format.ListType), thrift.New(deprecated.List)
	return n
}

func (n node) named(name string) node {
	n[0].Name = name
	return n
}

func (n node) of(r format.FieldRepetitionType) node {
	n[0].RepetitionType = thrift.New(r)
	return n
}

// schema is the file's.
func (l *Layout) schema() []format.SchemaElement {
	var root, reject []node
	for at := range baseColumns {
		c := &baseColumns[at]
		n := leafNode(&c.columnType).of(format.Optional)
		if c.always {
			n = n.of(format.Required)
		}
		switch name := c.path[len(c.path)-1]; {
		case at == columnNotes:
			root = append(root, listNode(n.of(format.Required)).named(name))
		case len(c.path) > 1:
			reject = append(reject, n.named(name))
			if at == columnRejectLine {
				root = append(root, groupNode(reject...).of(format.Optional).named(c.path[0]))
			}
		default:
			root = append(root, n.named(name))
		}
	}
	for _, g := range l.groups {
		root = append(root, g.nodes()[0].named(g.name))
	}
	return groupNode(root...).named("packets")
}

// behind are what is after the field's own name in the names of its nodes.
var behind = [...]string{"", "_code"}

// nodes are what a field is in the schema: one, or of a field that has names and a code one for each.
func (f *field) nodes() []node {
	present := format.Required
	if f.optional {
		present = format.Optional
	}
	switch f.kind {
	case group:
		var members []node
		for _, one := range f.inside {
			for i, n := range one.nodes() {
				members = append(members, n.named(one.name+behind[i]))
			}
		}
		return []node{groupNode(members...).of(present)}
	case list:
		all := f.inside[0].nodes()
		for i := range all {
			all[i] = listNode(all[i])
		}
		return all
	case leaf:
	}
	var all []node
	for i := range f.types {
		all = append(all, leafNode(&f.types[i]).of(present))
	}
	if f.value == flags {
		all[0] = listNode(all[0].of(format.Required))
	}
	return all
}

// leafPaths are the names that lead to each leaf.
func leafPaths(schema []format.SchemaElement) (paths [][]string) {
	var walk func(at int, path []string) int
	walk = func(at int, path []string) int {
		e := &schema[at]
		if at++; at > 1 {
			path = append(path[:len(path):len(path)], e.Name)
		}
		if !e.NumChildren.Valid {
			paths = append(paths, path)
		}
		for range e.NumChildren.V {
			at = walk(at, path)
		}
		return at
	}
	walk(0, nil)
	return paths
}
