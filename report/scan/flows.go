package scan

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Flows counts the datagrams between two ends. Whoever sends them decides nothing about memory: of 2×maxFlows the smaller
// half is forgotten, so that a large one stays and its count is what was seen of it at least.
type Flows struct {
	count  map[[2]netip.AddrPort]int64 // the smaller address first
	forgot bool
}

const maxFlows = 512

func (f *Flows) add(src, dst netip.AddrPort, n int64) {
	if f.count == nil {
		f.count = map[[2]netip.AddrPort]int64{}
	}
	if dst.Compare(src) < 0 {
		src, dst = dst, src
	}
	if f.count[[2]netip.AddrPort{src, dst}] += n; len(f.count) == 2*maxFlows {
		f.forgot = true
		for _, ends := range f.largest()[maxFlows:] {
			delete(f.count, ends)
		}
	}
}

func (f *Flows) join(o *Flows) {
	for ends, n := range o.count {
		f.add(ends[0], ends[1], n)
	}
	f.forgot = f.forgot || o.forgot
}

// largest are the ends of all, the largest first.
func (f *Flows) largest() (list [][2]netip.AddrPort) {
	for ends := range f.count {
		list = append(list, ends)
	}
	slices.SortFunc(list, func(a, b [2]netip.AddrPort) int {
		return cmp.Or(cmp.Compare(f.count[b], f.count[a]), a[0].Compare(b[0]), a[1].Compare(b[1]))
	})
	return list
}

// Text is the n largest and how many more there are: `10.0.0.1:4000 ↔ 10.0.0.2:50000 (412), and 3 flows more`.
func (f *Flows) Text(n int) string {
	all := f.largest()
	var list []string
	for _, ends := range all[:min(n, len(all))] {
		list = append(list, fmt.Sprintf("%s ↔ %s (%d)", ends[0], ends[1], f.count[ends]))
	}
	if f.forgot {
		list = append(list, "and others; the counts are what was seen at least")
	} else if more := len(all) - n; more > 0 {
		list = append(list, fmt.Sprintf("and %s more", syntax.Count(int64(more), "flow")))
	}
	return strings.Join(list, ", ")
}
