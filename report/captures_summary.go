package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/diff"
)

// mostFlows is how many flows each line of the summary names, or has a line for.
const mostFlows = 10

// pairings says which flows were taken for one another and why, and which were not.
func (c *Captures) pairings(b *strings.Builder) {
	m := c.matching
	for _, f := range m.Paired[:min(len(m.Paired), mostFlows)] {
		why := "the only ones left of their direction"
		if f.Alike > 0 {
			what := "payload"
			if f.ByMessages {
				what = "message"
			}
			why = "by " + syntax.Count(int(f.Alike), what) + " of theirs alone"
		}
		x, y := m.Flow(f.A), m.Flow(f.B)
		fmt.Fprintf(b, "taken for one flow: %s → %s and %s → %s (%s)\n", x.Src, x.Dst, y.Src, y.Dst, why)
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
					f := m.Flow(u.Flow)
					names = append(names, fmt.Sprintf("%s ↔ %s", f.Src, f.Dst))
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

// AppendSummaryJSON appends the flows that were taken for one another, and what came out as the last object.
func (c *Captures) AppendSummaryJSON(b []byte) []byte {
	b = c.appendPairings(b)
	m := c.matching
	b = append(b, `{"schema_version":1,"kind":"summary"`...)
	type count struct {
		key string
		n   int
	}
	numbers := func(counts ...count) {
		for _, f := range counts {
			b = strconv.AppendInt(append(append(append(b, `,"`...), f.key...), `":`...), int64(f.n), 10)
		}
	}
	if !c.ByMessages {
		numbers(count{"same", m.Same + int(c.cutAlike)}, count{"differ", int(c.differs)}, count{"not_compared", int(c.unseen)},
			count{"only_a", len(m.OnlyA)}, count{"only_b", len(m.OnlyB)}, count{"reordered", m.Reordered})
	}
	numbers(count{"paired_flows", len(m.Paired)}, count{"unpaired_a", len(m.Unpaired[0])}, count{"unpaired_b", len(m.Unpaired[1])})
	if o := &m.Messages; o.Of != [2]int{} {
		b = append(b, `,"messages":{`...)
		at := len(b)
		numbers(count{"a", o.Of[0]}, count{"b", o.Of[1]}, count{"not_read", o.Unread})
		if !o.TooMany {
			numbers(count{"same", o.Same}, count{"only_a", len(o.Only[0])}, count{"only_b", len(o.Only[1])}, count{"reordered", o.Reordered})
		}
		b = append(slices.Delete(b, at, at+1), '}')
	}
	return append(b, "}\n"...)
}

// appendPairings appends an object for each two flows that were taken for one another: at most MostPairings.
func (c *Captures) appendPairings(b []byte) []byte {
	for _, f := range c.matching.Paired[:min(len(c.matching.Paired), MostPairings)] {
		b = append(b, `{"schema_version":1,"kind":"paired","a":`...)
		b = appendEnds(b, c.matching.Flow(f.A))
		b = appendEnds(append(b, `,"b":`...), c.matching.Flow(f.B))
		what := "payloads"
		if f.ByMessages {
			what = "messages"
		}
		b = strconv.AppendInt(append(append(append(b, `,"`...), what...), `":`...), int64(f.Alike), 10)
		b = append(b, "}\n"...)
	}
	return b
}

func appendEnds(b []byte, f diff.Flow) []byte {
	b = f.Src.AppendTo(append(b, `{"src":"`...))
	b = f.Dst.AppendTo(append(b, `","dst":"`...))
	return append(b, `"}`...)
}

// MostPairings is how many pairs of flows the JSON lists.
const MostPairings = 1000

// AppendSummary appends what came out, in lines. ended: Show was interrupted.
func (c *Captures) AppendSummary(text []byte, ended bool) []byte {
	m := c.matching
	same := int64(m.Same) + c.cutAlike
	var b strings.Builder
	if c.ByMessages {
		c.messagesSummary(&b)
		c.pairings(&b)
		return append(text, b.String()...)
	}
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
	if m.Messages.Of != [2]int{} {
		c.messagesSummary(&b)
	}
	c.pairings(&b)
	if n := c.counts[0].NoPort + c.counts[1].NoPort; n > 0 {
		fmt.Fprintf(&b, "skipped: %d on no built-in protocol's port\n", n)
	}
	return append(text, b.String()...)
}
