package message

import (
	"cmp"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// Which way a packet goes at an if or a switch over `rest` is not said by a value of the tree, but by the names that
// are there: the way is taken that has all of them and misses none. Where names do not tell, the ways are tried in
// order.

// maxTries bounds how often a message is written because ways were tried that no names tell apart.
const maxTries = 64

// choice is what is known of a way before any packet.
type choice struct {
	node   plan.NodeID // of a switch's arm; else NoNode
	names  []string    // sorted: the fields that it can have
	lets   []string    // of fields of other ways, those that it computes
	always []string    // of which a packet that goes there has these
}

// pick is a branch that was taken: which of the ways, in the order in which they are tried.
type pick struct{ at, of int }

// prepareBranches finds the ways of the branches that no value decides, and the leaves that a requirement says.
func (s *source) prepareBranches() {
	p := s.p
	s.ways, s.equated = make([][]choice, len(p.Steps)), make([]bool, len(p.Leaves))
	open := p.Opens()
	if open == nil {
		return
	}
	for _, e := range p.Equations() {
		for _, leaf := range e.Leaves {
			s.equated[leaf] = true
		}
	}
	for _, step := range p.Steps {
		if expr, _ := step.Expr(); step.Flow() != plan.Choose || !open[expr] {
			continue
		}
		at := step.At()
		sw, isSwitch := step.(*plan.Switch)
		for _, way := range step.Blocks() {
			c, under := choice{node: plan.NoNode}, at.Node
			if isSwitch {
				arm := p.ArmNodes(sw, way)
				c.node = arm[len(arm)-1]
				under = c.node
			}
			s.fieldsOf(&c, under, way.Steps, true)
			slices.Sort(c.names)
			c.names = slices.Compact(c.names)
			s.ways[at.ID] = append(s.ways[at.ID], c)
		}
	}
}

// fieldsOf adds the fields of a way that steps read, right under a node: the struct that an if is in, or a switch's
// arm. always says that every packet that goes there comes to the steps.
func (s *source) fieldsOf(c *choice, under plan.NodeID, steps []plan.Step, always bool) {
	add := func(id plan.NodeID, always bool) {
		for id != plan.NoNode && s.p.Nodes[id].Parent != under {
			id = s.p.Nodes[id].Parent
		}
		if id == plan.NoNode || s.p.Nodes[id].Kind == plan.NodeItem {
			return
		}
		c.names = append(c.names, s.p.Nodes[id].Name)
		if always {
			c.always = append(c.always, s.p.Nodes[id].Name)
		}
	}
	for _, step := range steps {
		if run, ok := step.(*plan.Run); ok {
			for _, info := range s.p.Info[run.First : run.First+run.N] {
				add(info.Node, always)
			}
		} else if let, ok := step.(*plan.Let); ok && let.Leaf >= 0 && s.p.Info[let.Leaf].Tells {
			c.lets = append(c.lets, s.p.Nodes[let.Node].Name)
		} else if !ok && !isIf(step) {
			_, computed := step.(*plan.Checksum)
			add(step.At().Node, always && !computed)
		}
		flow := step.Flow()
		for _, b := range step.Blocks() {
			s.fieldsOf(c, under, b.Steps, always && flow != plan.Choose && flow != plan.Repeat)
		}
	}
}

func isIf(step plan.Step) bool {
	_, ok := step.(*plan.If)
	return ok
}

// Branch answers by the names that are there, and in another try with the next best way.
func (s *source) Branch(a *decode.Query, n int) (int, error) {
	ways := s.ways[a.Step().At().ID]
	rank := make([]int, n)
	order := make([]int, n)
	var given *Value
	if ways[0].node == plan.NoNode {
		given = s.container(a, a.Node, a.Parent, a.Index)
	}
	for i := range ways {
		order[i] = i
		w, of := &ways[i], given
		if w.node != plan.NoNode {
			if of = s.child(a, w.node, a.Parent, a.Index); of != nil {
				of.used = 0 // it was looked at; the way that is taken uses it
			}
			if of != nil && !s.shaped(w.node, of) {
				rank[i] = 8
				continue
			}
		}
		if of == nil {
			of = &Value{Kind: Object}
		}
		rank[i] = w.unlike(of, ways)
	}
	if s.err != nil {
		return 0, s.err
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(rank[i], rank[j]) })
	if s.picked == len(s.picks) {
		s.picks = append(s.picks, pick{0, n})
	}
	at := s.picks[s.picked].at % n
	s.picked++
	return order[at], nil
}

// unlike is how far a way is from the names that an object has: 4 for one that the way has no place for though another
// has, 2 for one that it misses.
func (c *choice) unlike(of *Value, ways []choice) int {
	rank := 0
	for i := range of.Items {
		v := &of.Items[i]
		has := func(c choice) bool {
			if tells(v) {
				return slices.Contains(c.lets, v.Name)
			}
			_, ok := slices.BinarySearch(c.names, v.Name)
			return ok
		}
		if v.Kind != Null && !has(*c) && (c.node != plan.NoNode || slices.ContainsFunc(ways, has)) {
			rank |= 4
		}
	}
	for _, name := range c.always {
		if !slices.ContainsFunc(of.Items, func(v Value) bool { return v.Name == name }) {
			rank |= 2
		}
	}
	return rank
}

// tells reports whether a value is what JSON has of a `let` that stands in the place of a field: it has no code.
func tells(v *Value) bool {
	if v.Kind != Object {
		return false
	}
	i := slices.IndexFunc(v.Items, func(m Value) bool { return m.Name == "raw" })
	return i >= 0 && v.Items[i].Kind == Null
}

// shaped reports whether a value can be that of a node.
func (s *source) shaped(node plan.NodeID, v *Value) bool {
	switch s.p.Nodes[node].Kind {
	case plan.NodeStruct:
		return v.Kind == Object
	case plan.NodeArray:
		return v.Kind == List
	case plan.NodeLeaf, plan.NodeBlob, plan.NodeItem:
		return v.Kind != List
	default:
		panic("pktscope: internal error: a node of an unknown kind")
	}
}

// another goes on to the next ways to try; false when there are none.
func (s *source) another() bool {
	for len(s.picks) > 0 {
		last := &s.picks[len(s.picks)-1]
		if last.at++; last.at < last.of {
			return true
		}
		s.picks = s.picks[:len(s.picks)-1]
	}
	return false
}
