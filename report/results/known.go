package results

import "github.com/pktscope/pktscope/report"

// Known is what the set has of a reader of a protocol, as mistakes that its owner accepts: findings, and what was not
// tested. others is how many findings are of other protocols.
func (s *Set) Known(protocol string) (known *report.Known, others int) {
	known = &report.Known{}
	for _, f := range append(s.AllFindings(), s.AllKnown()...) {
		if f.Protocol != protocol {
			others++
			continue
		}
		known.Add(&f.SavedFinding)
	}
	untested := func(list []report.SavedUntested, of string) {
		for i := range list {
			if of == protocol && !list[i].NotReached {
				known.AddUntested(&list[i])
			}
		}
	}
	for _, a := range s.Audits {
		untested(a.Untested, a.Protocol)
	}
	for _, c := range s.Campaigns {
		untested(c.Untested, c.Protocol)
	}
	return known, others
}
