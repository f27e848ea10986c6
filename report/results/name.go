package results

import (
	"fmt"

	"github.com/pktscope/pktscope/report/saved"
)

// schemas are the different schemas of each protocol's name that a set has results of.
type schemas map[string]map[string]bool // protocol, sha256

func (s *Set) schemas() schemas {
	all := schemas{}
	add := func(protocol string, of *saved.SchemaRef) {
		if of == nil {
			return
		}
		if all[protocol] == nil {
			all[protocol] = map[string]bool{}
		}
		all[protocol][of.Hash] = true
	}
	for _, one := range s.Statistics {
		add(one.Protocol(), one.Schema())
	}
	for _, one := range s.Budgets {
		add(one.Plan().Schema.Name, one.Schema())
	}
	for _, one := range s.Rejects {
		add(one.Protocol, one.Schema)
	}
	for _, one := range s.Audits {
		add(one.Protocol, one.Schema)
	}
	for _, one := range s.Campaigns {
		add(one.Protocol, one.Schema)
	}
	for _, one := range s.Findings {
		add(one.Protocol, one.Schema)
	}
	return all
}

// NameOf is what forms call the protocol of a result: its name, and where the set has results of several schemas of
// that name, of which it is. It is for merged sets.
func (s *Set) NameOf(protocol string, of *saved.SchemaRef) string {
	if s.names == nil {
		s.names = s.schemas()
	}
	switch {
	case len(s.names[protocol]) < 2:
		return protocol
	case of == nil:
		return protocol + " (of a schema that is not known)"
	}
	return fmt.Sprintf("%s (%s, sha256 %.8s)", protocol, of.File, of.Hash)
}
