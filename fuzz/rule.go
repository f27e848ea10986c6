package fuzz

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// ruleOf is the stable name of what a reject is about, "packet" for the packet as a whole.
func ruleOf(p *plan.Plan, at reject.Place) string {
	node := plan.NoNode
	switch {
	case at.Leaf >= 0:
		node = p.Info[at.Leaf].Node
	case at.Point >= 0:
		node = p.StepAt(at.Point).At().Node
	}
	return RuleName(p, node)
}

// RuleName is the stable name of a node: `body<Snapshot>.players[].health`. What has no name of its own goes by its
// owner's, and the packet by "packet".
func RuleName(p *plan.Plan, node plan.NodeID) string {
	for node != plan.NoNode && p.Nodes[node].Kind == plan.NodeItem && !p.Nodes[node].Named {
		node = p.Nodes[node].Parent
	}
	if node == plan.NoNode {
		return "packet"
	}
	if name := string(p.AppendRule(nil, node)); name != "" {
		return name
	}
	return "packet"
}
