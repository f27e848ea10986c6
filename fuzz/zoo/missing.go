package zoo

import (
	"slices"

	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Missing are the findings of an audit that a campaign does not have: none of the same cause, and none of the same field
// with the same wrong answer, whose cause may name another number. Bits and values that are read wrongly have the place
// of the packet that shows it, which a campaign makes simple: there the kind is enough.
func Missing(audit []fuzz.Finding, campaign []*fuzz.Finding) (list []fuzz.Finding) {
	for _, f := range audit {
		misread := f.Kind == oracle.FoundWrongBits || f.Kind == oracle.FoundWrongValue
		if !slices.ContainsFunc(campaign, func(o *fuzz.Finding) bool {
			return o.Identity() == f.Identity() || o.Kind == f.Kind && (misread || o.What() == f.What())
		}) {
			list = append(list, f)
		}
	}
	return list
}
