package sarif

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"

	"github.com/pktscope/pktscope/report/results"
)

// A run is what is known of one protocol, or of one of its targets. Services take a run's results instead of those that
// they had of its category, so a category is made of protocol and target alone: two readers that are uploaded for one
// commit are side by side, and a run without results says that what was there is mended.

// maxRuns is how many a file has: GitHub takes 20. The last has what belongs to all others.
const maxRuns = 20

// subject is what a run is about; Target is "" for captures and budgets, which have none.
type subject struct{ protocol, target string }

// subjects lists what a set has anything about, even if that is that nothing was found.
func subjects(s *results.Set) []subject {
	list := []subject{}
	for _, a := range s.Audits {
		list = append(list, subject{a.Protocol, a.Target})
	}
	for _, c := range s.Campaigns {
		list = append(list, subject{c.Protocol, c.Target})
	}
	for _, f := range s.Findings {
		list = append(list, subject{f.Protocol, f.Target})
	}
	for _, r := range s.Rejects {
		list = append(list, subject{r.Protocol, ""})
	}
	for _, one := range s.Statistics {
		list = append(list, subject{one.Protocol(), ""})
	}
	for _, b := range s.Budgets {
		list = append(list, subject{b.Plan().Schema.Name, ""})
	}
	slices.SortFunc(list, func(a, b subject) int {
		return cmp.Or(cmp.Compare(a.protocol, b.protocol), cmp.Compare(a.target, b.target))
	})
	return slices.Compact(list)
}

// category is the run's automationDetails.id. It ends with a slash: what comes after the last one would be the name of
// the one run.
func (s subject) category() string {
	if s.target == "" {
		return "pktscope/" + segment(s.protocol) + "/"
	}
	return "pktscope/" + segment(s.protocol) + "/" + segment(s.target) + "/"
}

const (
	noCategory     = "pktscope/"
	othersCategory = "pktscope//others/" // no protocol has an empty name
	maxSegment     = 60                  // bytes of a name
)

// segment is a name from outside as a part of a category. Another name is another segment.
func segment(name string) string {
	if len(name) <= maxSegment {
		return url.PathEscape(name)
	}
	sum := sha256.Sum256([]byte(name))
	return url.PathEscape(name[:maxSegment]) + "~" + hex.EncodeToString(sum[:8])
}
