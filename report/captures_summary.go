package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// mostFlows is how many flows each line of the summary names, or has a line for.
const mostFlows = 10

// pairings says which flows were taken for one another and why, and which were not.
func (c *Captures) pairings(b *strings.Builder) {
	m := c.matching
	for _, f := range m.Paired[:min(len(m.Paired), mostFlows)] {
		why := "the only ones left of their direction"
		if f.Alike > 0 {
			why = "by " + syntax.Count(f.Alike, "payload") + " of theirs alone"
		}
		fmt.Fprintf(b, "taken for one flow: %s → %s and %s → %s (%s)\n", f.A.Src, f.A.Dst, f.B.Src, f.B.Dst, why)
	}
	if n := len(m.Paired) - mostFlows; n > 0 {
		fmt.Fprintf(b, "and %s\n", syntax.Count(n, "more flow"))
	}
	for side, list := range m.Unpaired {
		for _, shared := range []bool{true, false} {
			why := "nothing that it carries is in the other capture"
			if shared {
				why = "others carry the same"
			} else if len(m.Unpaired[1-side]) == 0 {
				continue // there is nobody left to be paired with
			}
			n := 0
			var names []string
			for _, u := range list {
				if u.Shared != shared {
					continue
				}
				if n++; n <= mostFlows {
					names = append(names, fmt.Sprintf("%s ↔ %s", u.Flow.Src, u.Flow.Dst))
				}
			}
			if n > mostFlows {
				names = append(names, fmt.Sprintf("%d more", n-mostFlows))
			}
			if n > 0 {
				fmt.Fprintf(b, "not paired, %s: in %s %s\n", why, syntax.EscapeText(c.Files[side]), strings.Join(names, ", "))
			}
		}
	}
}

// AppendSummaryJSON appends what came out, as the last object.
func (c *Captures) AppendSummaryJSON(b []byte) []byte {
	m := c.matching
	b = append(b, `{"schema_version":1,"kind":"summary"`...)
	for _, f := range []struct {
		key string
		n   int64
	}{{"same", int64(m.Same) + c.cutAlike}, {"differ", c.differs}, {"not_compared", c.unseen}, {"only_a", int64(len(m.OnlyA))}, {"only_b", int64(len(m.OnlyB))}, {"reordered", int64(m.Reordered)},
		{"paired_flows", int64(len(m.Paired))}, {"unpaired_a", int64(len(m.Unpaired[0]))}, {"unpaired_b", int64(len(m.Unpaired[1]))}} {
		b = strconv.AppendInt(append(append(append(b, `,"`...), f.key...), `":`...), f.n, 10)
	}
	return append(b, "}\n"...)
}

// AppendSummary appends what came out, in lines. ended: Show was interrupted.
func (c *Captures) AppendSummary(text []byte, ended bool) []byte {
	m := c.matching
	same := int64(m.Same) + c.cutAlike
	var b strings.Builder
	fmt.Fprintf(&b, "%s in both: %d alike, %d differ", syntax.Count(same+c.differs+c.unseen, "packet"), same, c.differs+c.unseen)
	switch {
	case c.unseen > 0 && ended:
		fmt.Fprintf(&b, " (%d not looked at)", c.unseen)
	case c.unseen > 0:
		fmt.Fprintf(&b, " (%d not looked at: the captures differ in more than fits)", c.unseen)
	}
	if m.Reordered > 0 {
		fmt.Fprintf(&b, ", %d in another order", m.Reordered)
	}
	fmt.Fprintf(&b, "\nonly in %s: %d; only in %s: %d\n", syntax.EscapeText(c.Files[0]), len(m.OnlyA), syntax.EscapeText(c.Files[1]), len(m.OnlyB))
	c.pairings(&b)
	if n := c.counts[0].NoPort + c.counts[1].NoPort; n > 0 {
		fmt.Fprintf(&b, "skipped: %d on no built-in protocol's port\n", n)
	}
	return append(text, b.String()...)
}
