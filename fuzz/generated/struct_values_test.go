package generated_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// A generated struct against a trace, field by field, fast enough for every packet of a long run: where each node of
// the plan is in the Go types is looked up once.

// holder finds the value of every node in a Packet.
type holder struct {
	plan  *plan.Plan
	steps [][]int // of each node: fields from the struct around it; nil for what is not kept
	kept  []bool  // of each node
}

// newHolder lays a plan over a Packet's type. It is an error when a field of the plan is nowhere in it.
func newHolder(p *plan.Plan, packet reflect.Type) (*holder, error) {
	h := &holder{plan: p, steps: make([][]int, len(p.Nodes)), kept: make([]bool, len(p.Nodes))}
	if err := h.lay(0, packet); err != nil {
		return nil, err
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if value := n.Kind == plan.NodeBlob || n.Kind == plan.NodeLeaf && p.Info[n.Leaf].Kind != plan.LeafChecksum; value && !h.kept[i] {
			return nil, fmt.Errorf("%s is nowhere in %v", p.AppendRule(nil, plan.NodeID(i)), packet)
		}
	}
	return h, nil
}

// lay lays the children of a node over the type that it has.
func (h *holder) lay(id plan.NodeID, t reflect.Type) error {
	h.kept[id] = true
	for i := range h.plan.Nodes {
		n := &h.plan.Nodes[i]
		if n.Parent != id || i == 0 {
			continue
		}
		under := t
		switch {
		case n.Elem:
			if _, at, err := fieldOf(t, "[]"); err == nil {
				t = at // a fixed array, of which Len elements count
			}
			if t.Kind() != reflect.Slice && t.Kind() != reflect.Array {
				return fmt.Errorf("%s: elements in a %v", h.plan.AppendRule(nil, plan.NodeID(i)), t)
			}
			under = t.Elem()
		case n.Kind == plan.NodeItem: // checks, paddings, and counts of lists, whose length is compared
			continue
		case n.Kind == plan.NodeStruct && n.Value == nil && n.Struct == nil && n.Case == "":
			continue // a switch: its arms are beside it
		default:
			name := n.Name
			steps, typ := []int{}, t
			if n.Case != "" {
				at, arms, err := fieldOf(t, name)
				if err != nil {
					if n.Kind == plan.NodeStruct && n.Value == nil && n.Struct == nil {
						continue // an arm without anything
					}
					return err
				}
				steps, typ, name = append(steps, at), arms, "-"+n.Case
			}
			at, field, err := fieldOf(typ, name)
			if n.Kind == plan.NodeLeaf && h.plan.Info[n.Leaf].Kind == plan.LeafChecksum {
				continue
			}
			if err != nil {
				if n.Case != "" && n.Kind == plan.NodeStruct {
					continue // an arm of a struct without fields
				}
				return err
			}
			h.steps[i], under = append(steps, at), field
		}
		h.kept[i] = true
		if n.Kind == plan.NodeStruct || n.Kind == plan.NodeArray {
			if err := h.lay(plan.NodeID(i), under); err != nil {
				return err
			}
		}
	}
	return nil
}

// fieldOf is the field of a struct that the schema calls so.
func fieldOf(t reflect.Type, pks string) (at int, typ reflect.Type, err error) {
	at = -1
	if t.Kind() != reflect.Struct {
		return 0, nil, fmt.Errorf("%v is no struct", t)
	}
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("pks") != pks {
			continue
		}
		if at >= 0 {
			return 0, nil, fmt.Errorf("two fields of %v are %s", t, pks)
		}
		at = i
	}
	if at < 0 {
		return 0, nil, fmt.Errorf("no field of %v is %s", t, pks)
	}
	return at, t.Field(at).Type, nil
}

// comparison is a walk over a trace beside a struct. It is reused, and allocates nothing while they agree.
type comparison struct {
	*holder
	packet reflect.Value
	trace  *decode.Trace
	open   []reflect.Value
	path   string // where they part
	what   string // and how; "" while they agree
	visit  func(ev *decode.Event) bool
}

// newComparison compares with the packet that a pointer leads to.
func newComparison(h *holder, packet any) *comparison {
	c := &comparison{holder: h, packet: reflect.ValueOf(packet).Elem()}
	c.visit = c.event
	return c
}

// compare finds the first field of an accepted packet that the struct has otherwise; what is "" when all are the same.
func (c *comparison) compare(t *decode.Trace) (path, what string) {
	c.trace, c.what, c.open = t, "", append(c.open[:0], c.packet)
	t.Walk()(c.visit)
	return c.path, c.what
}

// differ ends the walk.
func (c *comparison) differ(ev *decode.Event, what string) bool {
	c.path, c.what = string(c.trace.AppendEventPath(nil, ev)), what
	return false
}

func (c *comparison) event(ev *decode.Event) bool {
	if ev.Kind == decode.Close {
		c.open = c.open[:len(c.open)-1]
		return true
	}
	n := &c.plan.Nodes[ev.Node]
	if !c.kept[ev.Node] {
		if ev.Kind == decode.Open {
			c.open = append(c.open, c.open[len(c.open)-1])
		}
		return true
	}
	v := c.open[len(c.open)-1]
	if n.Elem {
		if ev.Index >= v.Len() {
			return c.differ(ev, fmt.Sprintf("the list has %d elements", v.Len()))
		}
		v = v.Index(ev.Index)
	}
	for _, at := range c.steps[ev.Node] {
		v = v.Field(at)
	}
	if (n.Kind == plan.NodeArray || n.Kind == plan.NodeBlob) && v.Kind() == reflect.Struct { // a fixed array: Len, At
		v = v.Field(1).Slice(0, int(v.Field(0).Int()))
	}
	switch ev.Kind {
	case decode.Open:
		if n.Kind == plan.NodeArray && v.Len() != ev.Count {
			return c.differ(ev, fmt.Sprintf("%d elements where the interpreter has %d", v.Len(), ev.Count))
		}
		c.open = append(c.open, v)
	case decode.Blob:
		data := ev.Data
		if text, ok := n.Value.Type.(*schema.TextType); ok && text.Kind == schema.TextChar {
			data = bytes.TrimRight(data, "\x00")
		}
		if !bytes.Equal(v.Bytes(), data) {
			return c.differ(ev, fmt.Sprintf("%x where the interpreter has %x", v.Bytes(), data))
		}
	case decode.Leaf:
		info := &c.plan.Info[ev.Leaf]
		if got, want := bitsOf(v), wantedBits(info, ev, v.Kind()); got != want {
			return c.differ(ev, fmt.Sprintf("%v where the interpreter has %s in %d bits", v, strconv.FormatUint(ev.Raw, 10), ev.Width))
		}
	}
	return true
}

// bitsOf is a Go value as the bits that it is compared by.
func bitsOf(v reflect.Value) uint64 {
	switch {
	case v.CanUint():
		return v.Uint()
	case v.CanInt():
		return uint64(v.Int())
	case v.Kind() == reflect.Float32:
		return uint64(math.Float32bits(v.Interface().(float32))) // Float would make a signalling NaN a quiet one
	case v.CanFloat():
		return math.Float64bits(v.Float())
	case v.Kind() == reflect.Bool && v.Bool():
		return 1
	}
	return 0
}

// wantedBits is a leaf's value as bitsOf has it.
func wantedBits(info *plan.LeafInfo, ev *decode.Event, kind reflect.Kind) uint64 {
	switch {
	case info.Kind == plan.LeafFloat:
		return ev.Raw
	case info.Kind == plan.LeafQuantized && kind == reflect.Float32:
		return uint64(math.Float32bits(info.Quant.Value(uint32(ev.Raw))))
	}
	return info.Value(ev.Raw, ev.Width)
}
