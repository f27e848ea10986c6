package rejects

import (
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/report/saved"
)

// Rules finds where a schema states the rules that results name.
type Rules struct {
	schema *schema.Schema
	at     map[string]ruleAt
}

type ruleAt struct {
	pos    schema.Pos
	stable string
}

// NewRules lists the rules of a plan; of a nil one there are none.
func NewRules(p *plan.Plan) *Rules {
	r := &Rules{at: map[string]ruleAt{}}
	if p == nil {
		return r
	}
	r.schema = p.Schema
	put := func(name string, node *plan.Node) {
		if _, ok := r.at[name]; !ok && name != "" {
			r.at[name] = ruleAt{node.Pos, stableName(p, name, node)}
		}
	}
	put("packet", &plan.Node{Pos: p.Schema.Packet.Pos})
	var b []byte
	for id := range p.Nodes {
		b = p.AppendRule(b[:0], plan.NodeID(id))
		put(string(b), &p.Nodes[id])
	}
	// A finding that is about a value goes by a path, which names no case; the first of several is as good as any.
	for id := range p.Nodes {
		b = p.AppendPath(b[:0], plan.NodeID(id), func() (uint64, bool) { return 0, false })
		put(string(b), &p.Nodes[id])
	}
	return r
}

// Place is where a rule is stated, nil when the schema has none of that name.
func (r *Rules) Place(rule string) *saved.Place {
	at, ok := r.at[rule]
	if !ok {
		if at, ok = r.at[oracle.PathRule(rule)]; !ok {
			return nil
		}
	}
	return &saved.Place{File: r.schema.Files.At(at.pos.Off).Name, Line: int(at.pos.Line), Column: int(at.pos.Col), Stable: at.stable}
}

// stableName is a rule's name with its text where its name has its line, as require@12 does; else "".
func stableName(p *plan.Plan, rule string, node *plan.Node) string {
	text := fuzz.StableName(p, node)
	if text == node.Name {
		return ""
	}
	return strings.TrimSuffix(rule, node.Name) + text
}
