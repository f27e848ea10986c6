package plan

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// value compiles a value into the node n describes, and returns that node. v is what expressions call it, nil for arms
// and elements.
func (c *compiler) value(val *schema.Value, n Node, v *schema.Var, sc *scope) (id NodeID) {
	n.Value = val
	if t, ok := val.Type.(*schema.StructRef); ok {
		n.Kind, n.Struct = NodeStruct, t.Struct
		if n.Doc == "" {
			n.Doc = t.Struct.Doc
		}
		id = c.node(n)
		inner := c.enter(t, v, sc, id)
		c.structBody(t.Struct, id, inner)
		if s := t.Struct.Seal; s != nil {
			c.sealed(s, id, sc)
		}
		c.keep(t, id, inner)
		return id
	}
	behind := c.lay.Value(val, c.order, c.at)
	id = c.typed(val, n, v, sc)
	c.at = behind
	return id
}

// typed compiles a value that is no struct, as its type has it.
func (c *compiler) typed(val *schema.Value, n Node, v *schema.Var, sc *scope) NodeID {
	switch t := val.Type.(type) {
	case *schema.ArrayType:
		return c.array(t, n, sc)
	case *schema.BlobType:
		return c.blob(t, val, n, sc)
	case *schema.TextType:
		return c.text(t, val, n)
	case *schema.ChecksumType:
		return c.checksum(t, val, n, sc)
	case *schema.VectorType:
		return c.vector(t, n, sc)
	case *schema.SmallestType:
		return c.smallest(t, n)
	case *schema.OptionalType:
		return c.optional(t, n, v, sc)
	case *schema.SubsetType:
		return c.subset(t, n, sc)
	case *schema.BoolType, *schema.IntType, *schema.RangedType, *schema.VarintType, *schema.LadderType, *schema.BelowType, *schema.FloatType,
		*schema.QuantizedType, *schema.EnumRef:
		return c.scalarValue(val, n, v, sc)
	case *schema.StructRef:
	}
	panic(fmt.Sprintf("pktscope: internal error: no step for %T", val.Type))
}

// enter makes the scope that a struct's items see, and computes its arguments into it.
func (c *compiler) enter(t *schema.StructRef, v *schema.Var, sc *scope, id NodeID) *scope {
	if t.Struct.Inline {
		return sc
	}
	inner := sc.sub(v)
	c.inside(inner, t, sc)
	for i, p := range t.Struct.Params {
		if p.Used && i < len(t.Args) {
			arg := c.operand(t.Args[i], sc)
			register := c.register(inner, p)
			if path := t.Args[i].Path; t.Args[i].Op == schema.OpVar && path[0].State == nil {
				// A parameter that is a field is that field to a switch inside, whose reject names the tag's bits.
				c.p.RegisterLeaves[register] = append(c.p.RegisterLeaves[register], c.p.RegisterLeaves[c.resolve(path, sc)]...)
			}
			c.put(&Let{Register: register, Value: arg, Leaf: -1}, id, c.p.Nodes[id].Pos)
		}
	}
	return inner
}

// leaf adds a leaf to the pending run and returns its index.
func (c *compiler) leaf(l Leaf, info LeafInfo) int {
	if c.run == nil {
		run := &Run{First: len(c.p.Leaves)}
		c.add(run, info.Node, c.p.Nodes[info.Node].Pos)
		c.run = run
	}
	l.Off = c.run.Bits
	l.Mask = wire.Mask(int(l.Width))
	c.p.Leaves = append(c.p.Leaves, l)
	c.p.Info = append(c.p.Info, info)
	within(c.steps+len(c.p.Leaves), MaxOps, opsAndLeaves)
	index := len(c.p.Leaves) - 1
	c.p.Nodes[info.Node].Leaf = int32(index)
	c.run.N++
	c.run.Bits += uint32(l.Width)
	c.at = c.at.Plus(uint64(l.Width))
	return index
}

// save asks for the leaf's value in a register, after its run.
func (c *compiler) save(leaf int, register uint32) {
	c.run.Saves = append(c.run.Saves, Save{leaf, register})
	c.p.RegisterLeaves[register] = append(c.p.RegisterLeaves[register], int32(leaf))
}

// enumerate turns an integer leaf into a leaf of an enum or of flags.
func (c *compiler) enumerate(l *LeafInfo, e *schema.Enum, width int) {
	l.Cases = c.cases[e]
	if l.Cases == nil {
		l.Cases = l.casesOf(e, width)
		c.cases[e] = l.Cases
	}
	l.Enum, l.Kind = e, LeafEnum
	if e.Flags {
		l.Kind = LeafFlags
	}
}

func (l *LeafInfo) setRule(r *schema.Rule) {
	if r != nil && r.Bounds != nil { // a step after the leaf judges it
		return
	}
	l.Rule = r
	if r == nil || l.Kind == LeafFloat || l.Kind == LeafQuantized {
		return
	}
	set := r.Set
	if r.Want != nil {
		set = []schema.Range{{Lo: r.Want, Hi: r.Want}}
	}
	l.rule = makeSet(set, l.IsSigned())
}

// prefilter finds the interval of codes that are accepted for sure. Where the accepted codes are no interval, or an
// accepted code may deserve a note, it is empty and Judge decides.
func (l *LeafInfo) prefilter(leaf *Leaf) {
	leaf.Lo, leaf.Count = 0, 0
	lo, span, ok := leafRows[l.Kind].interval(l)
	if ok && l.Rule != nil {
		lo, span, ok = l.narrow(int(leaf.Width))
	}
	if ok {
		leaf.Lo, leaf.Count = lo, count(span)
	}
}

// narrow is the codes that the type and a rule of one interval accept.
func (l *LeafInfo) narrow(width int) (lo, span uint64, ok bool) {
	if len(l.rule) != 1 || l.Rule.Kind == schema.RuleNe || l.Enum != nil || l.ZigZag {
		return 0, 0, false
	}
	bias := uint64(0)
	if l.IsSigned() {
		bias = signBit
	}
	lo = ((l.rule[0].lo ^ bias) - l.Base) & wire.Mask(width)
	span = l.rule[0].hi - l.rule[0].lo
	// The type's own range begins at code 0; a rule that the checker let reach beyond it is judged in full.
	// In two's complement -2..2 is no interval of codes.
	return lo, span, lo <= l.TypeSpan && span <= l.TypeSpan-lo
}

// alwaysVisible reports whether a struct is sure to put something into the trace that shows it was there.
func (c *compiler) alwaysVisible(s *schema.Struct) bool {
	if known, ok := c.visible[s]; ok {
		return known
	}
	c.visible[s] = false
	for _, it := range s.Items {
		f, ok := it.(*schema.Field)
		if !ok || f.Value == nil {
			continue
		}
		if ref, ok := f.Value.Type.(*schema.StructRef); !ok || c.alwaysVisible(ref.Struct) {
			c.visible[s] = true
			break
		}
	}
	return c.visible[s]
}
