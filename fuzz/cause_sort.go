package fuzz

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// A reader that skips padding without a look does so in one function, and accepts what is wrong with it wherever a schema
// has padding. So it is with every rule that belongs to a type and not to a field. It need not accept all that is wrong: of
// text, what is wrong in one way.

// Bounds of what is tried to find out whether the reader refuses a sort of rule anywhere.
const (
	sortBases  = 256 // random packets that are broken
	sortTries  = 4   // packets for each declaration
	sortFewest = 2   // declarations
	sortMade   = 3e5 // packets that are looked at
	sortSent   = 3000
)

// ofTypes are the kinds of rules that belong to types, whatever the field.
var ofTypes = map[reject.Kind]bool{
	reject.ReservedNonzero: true, reject.NonzeroPadding: true, reject.NotFinite: true, reject.NonUnit: true, reject.NonCanonical: true, reject.BadString: true,
}

// sortOf is what the rule that a packet breaks has in common with that of other declarations, and the declaration; "" of a
// rule that is a field's own, and where it can tell a secret.
func (m *Minimizer) sortOf(packet []byte, from decode.Direction) (sort, name string) {
	m.judge.Truth(packet, from)
	t := m.judge.withMost(&m.judge.trace)
	r := t.Reject()
	if r == nil || t.Plan.HasSecret() {
		return "", ""
	}
	node := m.judge.unmet(t)
	if node == plan.NoNode {
		return "", ""
	}
	sort, name = r.Kind.String(), declarationOf(t.Plan, node)
	n := &t.Plan.Nodes[node]
	own := StableName(t.Plan, n)
	item, _, numbered := strings.Cut(own, "#")
	switch {
	case r.Kind == reject.BadString && isName(t.Plan.StepAt(r.At.Point)): // it is one everywhere: see Judge.unchecked
		return "", ""
	case r.Kind == reject.BadString:
		return sort + " (want " + r.Want() + ")", name
	case ofTypes[r.Kind]:
		return sort, name
	case r.Kind == reject.RuleBroken && strings.HasPrefix(own, "require "):
		return sort + " at " + own, name
	case r.Kind == reject.PastEnd && n.Kind == plan.NodeItem && numbered:
		return sort + " at " + item, name
	}
	return "", ""
}

// everywhere is the sort of rule that a finding's packet breaks, with the ways to break it that the reader accepts, where
// it accepts them at each declaration of that sort; "" where it does not, where there is one declaration, and where that is
// not known.
func (m *Minimizer) everywhere(f *Finding) string {
	sort, name := m.sortOf(f.Packet, f.From)
	if sort == "" {
		return ""
	}
	if m.sorts == nil {
		sorts := m.asksForSorts()
		if m.failed != nil || m.late() {
			return ""
		}
		m.sorts = sorts
	}
	var ways, all, places []string
	for way, at := range m.sorts[sort] {
		all = append(all, way)
		if own := at[name]; own != nil && own.accepted == 0 || own == nil && way != "" {
			continue
		}
		some := at.some()
		switch some = with(some, name); {
		case at.some() == nil:
			return ""
		case len(some) < sortFewest:
			continue
		}
		ways, places = append(ways, way), with(places, some...)
	}
	if len(ways) == 0 {
		return ""
	}
	f.Places = placesWith(nil, places...)
	if len(ways) == len(all) {
		return sort
	}
	slices.Sort(ways)
	if more := len(ways) - shownWays; more > 0 {
		ways = append(ways[:shownWays], fmt.Sprintf("and %d more", more))
	}
	return sort + ", " + strings.Join(ways, ", ") + ","
}

// shownWays is how many ways to break a rule a cause names.
const shownWays = 3

// asksForSorts breaks the rules of packets that the reader accepts: what came of it by sort and way.
func (m *Minimizer) asksForSorts() map[string]map[string]asked {
	of, sorts, seen := m.asks(sortSent), map[string]map[string]asked{}, Dedup{}
	defer of.close()
	var whole decode.Trace
	made := 0
	for data, from := range m.bases(sortBases, &whole) {
		if accepted, _ := of.accepts(data, from); !accepted {
			continue
		}
		if made < sortMade/2 {
			clear(seen) // what is wrong with a name can hang on what it is beside
		}
		for mutation := range m.mutator.Enumerate(data, from, seen) {
			if made++; made > sortMade || of.over {
				return sorts // those that were not met may be refused: what is accepted says the same of others
			}
			if mutation.Expect.Verdict == oracle.MustAccept {
				continue
			}
			sort, name := m.sortOf(mutation.Data, from)
			if sort == "" {
				continue
			}
			way := ""
			if strings.HasPrefix(sort, reject.BadString.String()) { // there are some that a reader takes each by itself
				if way = mutation.Done; mutation.Class != classText {
					continue
				}
			}
			ways := sorts[sort]
			if ways == nil {
				ways = map[string]asked{}
				sorts[sort] = ways
			}
			if ways[way] == nil {
				ways[way] = asked{}
			}
			ways[way].try(of, name, sortTries, false, mutation.Data, from)
		}
	}
	return sorts
}
