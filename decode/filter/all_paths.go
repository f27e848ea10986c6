package filter

import (
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
)

// AllPaths lists what a filter over packets of some plans can name: EnvelopePaths, and of each plan Paths and
// MessagePaths, a path once. Its type is that of the first plan that has it.
func AllPaths(plans []*plan.Plan) []Path {
	list := EnvelopePaths()
	seen := map[string]bool{}
	for _, p := range plans {
		for _, path := range slices.Concat(Paths(p), MessagePaths(p)) {
			if !seen[path.Path] {
				seen[path.Path] = true
				list = append(list, path)
			}
		}
	}
	return list
}
