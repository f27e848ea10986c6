package page

import (
	"github.com/pktscope/pktscope/report/budget"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/stats"
)

// Report is what a page is about. Everything in it may be missing, and all its text may be hostile.
type Report struct {
	Title   string   // of the page; "" for a usual one
	Tool    string   // version of pktscope that made it; "" is left out
	Sources []Source // what the report was made from, in the user's order
	Remarks []string // lines about what could not be read or was not counted
	// Against are the results of another run, which those of Results are compared with, protocol by protocol; nil for none.
	// AgainstName is what it is called.
	Against     *results.Set
	AgainstName string
	// Differences are of two packets or two captures; nil for none.
	Differences *Differences
	// Inferred is what a draft rests on; nil for none.
	Inferred *Inferred
	// Protocol is what -p was, "" for nothing: for commands that a reader copies.
	Protocol string
	// WantsTests says that the report was to have results of audits or fuzzing; where it has none, the page says so.
	WantsTests bool
	// Results are all counts, audits, campaigns and findings; merged, so that a kind of a protocol comes once.
	Results *results.Set
	// Packets are those that a list can be made of: a collector for each protocol of the captures. Saved results have
	// none.
	Packets []*Collector
}

// Source is one input.
type Source struct {
	Name string // as the user gave it
	Kind string // capture, statistics, budget, rejects, audit, campaign, finding; or several in words
}

// protocol is what was seen of one protocol.
type protocol struct {
	name    string          // as it is shown
	of      string          // the protocol's name
	hash    string          // of the schema, "" where it is not known
	stats   *stats.Summary  // nil without
	budget  *budget.Budget  // nil without
	rejects *rejects.Result // nil without
	packets *Collector      // nil without
}

// protocols puts together what is about one protocol and schema. Statistics of before do not say of which schema they
// are: they go with what else there is.
func (r *Report) protocols() []*protocol {
	var list []*protocol
	find := func(name string, schema *saved.SchemaRef, free func(p *protocol) bool) *protocol {
		hash := ""
		if schema != nil {
			hash = schema.Hash
		}
		for _, p := range list {
			if p.of == name && (p.hash == hash || p.hash == "") && free(p) {
				p.hash = hash
				p.name = r.Results.NameOf(name, schema)
				return p
			}
		}
		p := &protocol{name: r.Results.NameOf(name, schema), of: name, hash: hash}
		list = append(list, p)
		return p
	}
	if r.Results == nil {
		r.Results = &results.Set{}
	}
	s := r.Results
	for _, one := range s.Statistics {
		find(one.Protocol(), one.Schema(), func(p *protocol) bool { return p.stats == nil }).stats = one.Summary()
	}
	for _, one := range s.Budgets {
		find(one.Plan().Schema.Name, one.Schema(), func(p *protocol) bool { return p.budget == nil }).budget = one
	}
	for _, one := range s.Rejects {
		find(one.Protocol, one.Schema, func(p *protocol) bool { return p.rejects == nil }).rejects = one
	}
	for _, one := range r.Packets {
		if one.seen > 0 {
			find(one.plan.Schema.Name, saved.NewSchemaRef(one.plan), func(p *protocol) bool { return p.packets == nil }).packets = one
		}
	}
	return list
}
