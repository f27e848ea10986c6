package plan

import "strconv"

// appendPath appends a node's path with the indexes that index gives for the elements on the way, innermost first: it
// is called once per element, from the node upwards, and returns false when it does not know (then the element shows as
// [], which is the form of a rule's name).
func (p *Plan) appendPath(b []byte, id NodeID, index func() (uint64, bool), cases bool) []byte {
	type step struct {
		id    NodeID
		at    uint64
		known bool
	}
	var room [32]step // on the stack for any packet people write
	chain := room[:0]
	for ; id != NoNode && p.Nodes[id].Parent != NoNode; id = p.Nodes[id].Parent {
		s := step{id: id}
		if p.Nodes[id].Elem {
			s.at, s.known = index()
		}
		chain = append(chain, s)
	}
	start := len(b)
	for i := len(chain) - 1; i >= 0; i-- {
		node := &p.Nodes[chain[i].id]
		if node.Elem {
			b = append(b, '[')
			if chain[i].known {
				b = strconv.AppendUint(b, chain[i].at, 10)
			}
			b = append(b, ']')
		} else {
			if len(b) > start {
				b = append(b, '.')
			}
			b = append(b, node.Name...)
		}
		if cases && node.Case != "" {
			b = append(b, '<')
			b = append(b, node.Case...)
			b = append(b, '>')
		}
	}
	return b
}

// AppendPath appends the path of a node in a packet: `body.players[2].health`. index gives the numbers of the elements
// on the way, innermost first.
func (p *Plan) AppendPath(b []byte, id NodeID, index func() (uint64, bool)) []byte {
	return p.appendPath(b, id, index, false)
}

// AppendRule appends the stable name of what a schema says about a node: `body<Snapshot>.players[].health`.
func (p *Plan) AppendRule(b []byte, id NodeID) []byte {
	return p.appendPath(b, id, func() (uint64, bool) { return 0, false }, true)
}

// Flagged is the node whose presence a node's bit tells; NoNode for what is no flag of an optional. Both have one path.
// After the flag of an optional in an optional is another, whose own value it is then.
func (p *Plan) Flagged(flag NodeID) NodeID {
	for id := flag; ; id++ {
		if n := &p.Nodes[id]; n.Kind != NodeItem && id > flag {
			return id
		} else if n.Kind != NodeItem || !n.Named || n.Leaf < 0 || p.Info[n.Leaf].Kind != LeafBool {
			return NoNode
		}
	}
}
