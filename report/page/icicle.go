package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/report/budget"
	"github.com/pktscope/pktscope/report/saved"
)

// Where the bits go, as a tree: case, struct, field. It is a list, which the script lays out as an icicle: a row for
// each level, as wide as its bits.

// maxIcicle is how many fields the tree has; the rest is one.
const maxIcicle = 600

// everyCase is what is outside the case switch.
const everyCase = "every packet"

// icicleNode is a part of all bits.
type icicleNode struct {
	Name, Share, Tip string
	Bits             uint64
	Used             int  // percent of the bits that carry information
	Tighter          bool // there is a tighter declaration
	Kids             []*icicleNode

	information float64
	kid         map[string]*icicleNode
}

// Parts of a case that are no field.
const (
	refusedPart = "(refused or cut)"
	unsplit     = "(optional fields and padding)" // of fields of every packet
)

// newIcicle is where the payload of all packets read goes: a case has all bits of its packets.
func newIcicle(b *budget.Budget) *icicleNode {
	root := &icicleNode{Name: "payload of all packets"}
	fields, advice := b.Fields(), b.Suggestions()
	slices.SortStableFunc(fields, func(x, y budget.Field) int { return cmp.Compare(y.Bits, x.Bits) })
	cases, rest, n := b.Cases(), b.Total(), 0
	for _, c := range cases {
		rest.Packets, rest.Bytes, rest.Refused = rest.Packets-c.Packets, rest.Bytes-c.Bytes, rest.Refused-c.Refused
	}
	if rest.Name = "(no case)"; len(cases) == 0 {
		rest.Name = everyCase
	}
	for _, c := range append(cases, rest) {
		left := 8 * c.Bytes
		for i := range fields {
			f := &fields[i]
			bits, inside := b.CaseBits(f, &c)
			if bits == 0 || bits > left {
				continue
			}
			left -= bits
			steps := stepsOf(f.Path)
			if inside || steps[0] == everyCase {
				steps = steps[1:]
			}
			if !inside && len(cases) > 0 {
				steps = append([]string{everyCase}, steps...)
			}
			if n++; n > maxIcicle {
				steps = []string{"other fields"}
			}
			one := root.put(append([]string{c.Name}, steps...), bits, f)
			if n > maxIcicle {
				continue
			}
			one.Tip = fieldTip(f)
			for j := range advice {
				if s := &advice[j]; s.Of(f) {
					one.Tighter = true
					one.Tip += fmt.Sprintf(". Tighter: %s (%s)", s.Text, s.Why)
				}
			}
			one.Tip = plain(one.Tip)
		}
		if left > 0 {
			root.put([]string{c.Name, everyCase, unsplit}, left, nil)
		}
		if c.Refused > 0 {
			root.put([]string{c.Name, refusedPart}, 8*c.Refused, nil)
		}
	}
	root.finish(b.Read())
	return root
}

// put adds bits of a field, or of nothing that is known, to a node and to all around it.
func (n *icicleNode) put(steps []string, bits uint64, f *budget.Field) *icicleNode {
	information := float64(bits) // unless something is known that could be saved
	if f != nil && f.Known {
		information *= min(f.Entropy*float64(f.Times)/float64(f.Bits), 1)
	}
	n.Bits += bits
	n.information += information
	if len(steps) == 0 {
		return n
	}
	return n.find(steps[0]).put(steps[1:], bits, f)
}

// stepsOf are the parts of a path from its case on: State, players[], x of body<State>.players[].x.
func stepsOf(path string) (steps []string) {
	depth, from := 0, 0
	for i, c := range path {
		switch {
		case c == '<':
			depth++
		case c == '>':
			depth--
		case c == '.' && depth == 0:
			steps, from = append(steps, path[from:i]), i+1
		}
	}
	steps = append(steps, path[from:])
	kase, ok := strings.CutSuffix(steps[0], ">")
	if _, name, is := strings.Cut(kase, "<"); ok && is {
		if steps[0] = name; len(steps) == 1 {
			steps = append(steps, "value")
		}
		return steps
	}
	return append([]string{everyCase}, steps...)
}

func fieldTip(f *budget.Field) string {
	tip := f.Path
	if f.Type != "" {
		tip += " " + f.Type
	}
	switch {
	case f.Secret:
		tip += ": secret"
	case f.Known && f.Width > 0:
		tip += fmt.Sprintf(": %d bits, of which %.1f carry information", f.Width, f.Entropy)
	case f.Known:
		tip += fmt.Sprintf(": %.1f bits of a value carry information", f.Entropy)
	}
	return tip
}

func (n *icicleNode) find(name string) *icicleNode {
	if one := n.kid[name]; one != nil {
		return one
	}
	if n.kid == nil {
		n.kid = map[string]*icicleNode{}
	}
	one := &icicleNode{Name: name}
	n.kid[name], n.Kids = one, append(n.Kids, one)
	return one
}

// finish says what can be said when all fields are in.
func (n *icicleNode) finish(total uint64) {
	share := saved.Share(n.Bits, total)
	n.Name, n.Share = plain(n.Name), percent(share)
	if n.Bits > 0 {
		n.Used = int(100*n.information/float64(n.Bits) + 0.5)
	}
	if n.Tip == "" {
		n.Tip = n.Name
	}
	n.Tip += fmt.Sprintf(". %s of payload, %s; %d %% of them carry information", n.Share, bitsText(n.Bits), n.Used)
	slices.SortStableFunc(n.Kids, func(a, b *icicleNode) int { return cmp.Compare(b.Bits, a.Bits) })
	for _, one := range n.Kids {
		one.finish(total)
	}
}
