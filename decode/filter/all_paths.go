package filter

import (
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
)

// AllPaths lists what a filter over packets of some plans can name: EnvelopePaths, and of each plan Paths and
// MessagePaths, a path once. Its type is that of the first plan that has it, its values are those of all.
func AllPaths(plans []*plan.Plan) []Path {
	list := EnvelopePaths()
	seen := map[string]int{}
	for _, p := range plans {
		for _, path := range slices.Concat(Paths(p), MessagePaths(p)) {
			at, ok := seen[path.Path]
			if !ok {
				seen[path.Path] = len(list)
				list = append(list, path)
			} else if len(path.Values) > 0 {
				list[at].Values = slices.Concat(list[at].Values, path.Values)
			}
		}
	}
	return list
}
