package tsgen

import (
	"github.com/pktscope/pktscope/decode/plan"
)

// place is a member of a struct: a switch's arms are one.
type place struct {
	of   plan.NodeID
	name string
}

// present is what is in the values of packets.
type present struct {
	touched map[plan.NodeID]bool // that some packet has
	always  map[place]bool       // that is there wherever the struct is
}

// presence finds what is always there: what no branch decides about that is taken when the struct is there already, or
// what all ways of one have.
func presence(p *plan.Plan) present {
	f := finder{p: p, touched: map[plan.NodeID]bool{}}
	always := f.block(p.Root)
	return present{f.touched, always}
}

type finder struct {
	p       *plan.Plan
	touched map[plan.NodeID]bool
}

// touch adds a node and the structs and lists around it.
func (f *finder) touch(set map[place]bool, id plan.NodeID) {
	for ; id != plan.NoNode && f.p.Nodes[id].Parent != plan.NoNode; id = f.p.Nodes[id].Parent {
		n := &f.p.Nodes[id]
		at := place{n.Parent, n.Name}
		if f.touched[id] && set[at] {
			return
		}
		f.touched[id], set[at] = true, true
	}
}

// value adds what a value goes into, and, unless it is the count or the check of something, itself.
func (f *finder) value(set map[place]bool, id plan.NodeID) {
	for id != plan.NoNode && f.p.Nodes[id].Kind != plan.NodeStruct && f.p.Nodes[id].Kind != plan.NodeArray && f.p.Nodes[id].Kind == plan.NodeItem {
		id = f.p.Nodes[id].Parent
	}
	f.touch(set, id)
}

// around reports whether a struct is around a node, or is it.
func (f *finder) around(of, id plan.NodeID) bool {
	for id != plan.NoNode && id > of {
		id = f.p.Nodes[id].Parent
	}
	return id == of
}

// block finds what steps that follow each other always have.
func (f *finder) block(steps []plan.Step) map[place]bool {
	set := map[place]bool{}
	for _, s := range steps {
		node := s.At().Node
		for leaf := range s.Leaves() {
			f.value(set, f.p.Info[leaf].Node)
		}
		shape, leaf := s.Records()
		if leaf >= 0 {
			f.value(set, f.p.Info[leaf].Node)
		} else if shape != plan.NoShape {
			f.value(set, node)
		}
		blocks := s.Blocks()
		counts := map[place]int{}
		for _, b := range blocks {
			for at := range f.block(b.Steps) {
				if inside := !f.around(at.of, node); inside || s.Flow() == plan.Enter {
					set[at] = true
				} else if s.Flow() == plan.Choose {
					counts[at]++
				}
			}
		}
		for at, n := range counts {
			if n == len(blocks) {
				set[at] = true
			}
		}
	}
	return set
}
