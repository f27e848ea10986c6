package wirediff

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
)

// line is where a node is declared.
func (c *comparer) line(p *plan.Plan, id plan.NodeID) Line {
	if id == plan.NoNode {
		return Line{}
	}
	pos := p.Nodes[id].Pos
	if !pos.IsValid() {
		return Line{}
	}
	file := p.Schema.Files.At(pos.Off)
	lines, ok := c.lines[file]
	if !ok {
		lines = strings.Split(string(file.Src), "\n")
		c.lines[file] = lines
	}
	if int(pos.Line) > len(lines) {
		return Line{Number: int(pos.Line)}
	}
	text := strings.TrimSpace(strings.TrimSuffix(lines[pos.Line-1], "\r"))
	if p.Nodes[id].Secret || strings.Contains(text, "@secret") {
		text, _, _ = strings.Cut(text, " ") // what is after may be the secret itself
		text += " … @secret"
	}
	return Line{int(pos.Line), text}
}

// item is a leaf of a run, or another step.
type item struct {
	step plan.Step
	leaf int // -1 without
	used int // bits of reserved ones that were compared
}

// items are the steps of a block as they are compared: runs by their leaves, and groups by what is in them.
func items(steps []plan.Step) (out []item) {
	for _, s := range steps {
		if run, ok := s.(*plan.Run); ok {
			for leaf := range run.Leaves() {
				out = append(out, item{s, leaf, 0})
			}
		} else if group, ok := s.(*plan.Group); ok {
			out = append(out, items(group.Body)...)
		} else if _, open := s.(*plan.Open); !open {
			out = append(out, item{s, -1, 0})
		}
	}
	return out
}

// inner are the items of an `if`, which has no name of its own: its fields have.
func (i item) inner() (out []item) {
	if choice, ok := i.step.(*plan.If); ok {
		out = append(items(choice.Then), items(choice.Else)...)
	}
	return out
}

// node is where an item is declared: of an `if`, its first field.
func (i item) node(p *plan.Plan) plan.NodeID {
	if i.leaf >= 0 {
		return p.Info[i.leaf].Node
	}
	for _, one := range i.inner() {
		if !one.isNothing(p) {
			return one.node(p)
		}
	}
	return i.step.At().Node
}

// own is the node that an item's step has.
func (i item) own(p *plan.Plan) plan.NodeID {
	if i.leaf >= 0 {
		return p.Info[i.leaf].Node
	}
	return i.step.At().Node
}

func rule(p *plan.Plan, id plan.NodeID) string { return string(p.AppendRule(nil, id)) }

// name is what people call an item.
func name(p *plan.Plan, i item) string {
	if text := rule(p, i.node(p)); text != "" || i.leaf >= 0 {
		return text
	}
	for _, b := range i.step.Blocks() {
		for _, inner := range items(b.Steps) {
			if text := name(p, inner); text != "" {
				return text
			}
		}
	}
	return ""
}

// shown is name, or what it is without one.
func shown(p *plan.Plan, i item) string {
	text := name(p, i)
	if unnamed(p, i) {
		text, _, _ = strings.Cut(text, "#") // its number
	}
	if text == "" {
		return "something"
	}
	return text
}

// are says of an item, or of all fields of an `if`, that they are new or gone.
func are(p *plan.Plan, i item, what string) string {
	const most = 4
	var names []string
	left := 0
	for _, one := range i.inner() {
		switch {
		case one.isNothing(p) || name(p, one) == "":
		case len(names) < most:
			names = append(names, name(p, one))
		default:
			left++
		}
	}
	switch {
	case left > 0:
		return fmt.Sprintf("%s and %d more are %s", strings.Join(names, ", "), left, what)
	case len(names) > 1:
		return fmt.Sprintf("%s and %s are %s", strings.Join(names[:len(names)-1], ", "), names[len(names)-1], what)
	}
	return shown(p, i) + " is " + what
}

// isNothing reports whether an item takes no bits and refuses nothing.
func (i item) isNothing(p *plan.Plan) bool {
	if i.leaf >= 0 {
		return false
	}
	if let, ok := i.step.(*plan.Let); ok {
		return !let.Judged
	}
	require, ok := i.step.(*plan.Require)
	if !ok {
		return false
	}
	truth, known := p.Constant(require.Cond)
	return known && truth != 0
}

func (i item) isRequire() bool {
	_, ok := i.step.(*plan.Require)
	return ok && i.leaf < 0
}
