package scan

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Flows counts the datagrams between two ends. Whoever sends them decides nothing about memory: of more than maxFlows the
// smallest are forgotten, so that a large one stays and its count is what was seen of it at least.
type Flows struct {
	count  map[[2]netip.AddrPort]int64
	forgot bool
}

// A Flow is how many datagrams were sent between two ends, the smaller address first.
type Flow struct {
	Ends [2]netip.AddrPort
	N    int64
}

// maxFlows is how many flows are kept at least, and half of how many there are at most.
const maxFlows = 512

func (f *Flows) add(src, dst netip.AddrPort, n int64) {
	if f.count == nil {
		f.count = map[[2]netip.AddrPort]int64{}
	}
	key := [2]netip.AddrPort{src, dst}
	if dst.Compare(src) < 0 {
		key = [2]netip.AddrPort{dst, src}
	}
	if f.count[key] += n; len(f.count) < 2*maxFlows {
		return
	}
	f.forgot = true
	largest := f.Largest(maxFlows)
	clear(f.count)
	for _, one := range largest {
		f.count[one.Ends] = one.N
	}
}

func (f *Flows) join(o *Flows) {
	for ends, n := range o.count {
		f.add(ends[0], ends[1], n)
	}
	f.forgot = f.forgot || o.forgot
}

// Text is the largest n flows and how many more there are: `10.0.0.1:4000 ↔ 10.0.0.2:50000 (412), and 3 flows more`.
func (f *Flows) Text(n int) string {
	var list []string
	for _, one := range f.Largest(n) {
		var ends [2]string
		for i, end := range one.Ends {
			if ends[i] = "-"; end.IsValid() {
				ends[i] = end.String()
			}
		}
		list = append(list, fmt.Sprintf("%s ↔ %s (%d)", ends[0], ends[1], one.N))
	}
	switch more := len(f.count) - n; {
	case f.forgot:
		list = append(list, "and others; the counts are what was seen at least")
	case more > 0:
		list = append(list, fmt.Sprintf("and %s more", syntax.Count(int64(more), "flow")))
	}
	return strings.Join(list, ", ")
}

// Largest are the n largest.
func (f *Flows) Largest(n int) []Flow {
	var list []Flow
	for ends, n := range f.count {
		list = append(list, Flow{ends, n})
	}
	slices.SortFunc(list, func(a, b Flow) int {
		return cmp.Or(cmp.Compare(b.N, a.N), a.Ends[0].Compare(b.Ends[0]), a.Ends[1].Compare(b.Ends[1]))
	})
	return list[:min(n, len(list))]
}
