package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/report/budget"
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

// newIcicle is nil without bits.
func newIcicle(b *budget.Budget, total uint64) *icicleNode {
	root := &icicleNode{Name: "all bits"}
	fields, advice := b.Fields(), b.Suggestions()
	slices.SortStableFunc(fields, func(x, y budget.Field) int { return cmp.Compare(y.Bits, x.Bits) })
	for i := range fields {
		f := &fields[i]
		steps := stepsOf(f.Path)
		if i >= maxIcicle {
			steps = []string{"other fields"}
		}
		one := root
		one.add(f)
		for _, step := range steps {
			one = one.find(step)
			one.add(f)
		}
		if i >= maxIcicle {
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
	root.finish(total)
	return root
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

func (n *icicleNode) add(f *budget.Field) {
	n.Bits += f.Bits
	if f.Known {
		n.information += min(f.Entropy*float64(f.Times), float64(f.Bits))
	} else {
		n.information += float64(f.Bits) // nothing is known that could be saved
	}
}

// finish says what can be said when all fields are in.
func (n *icicleNode) finish(total uint64) {
	share := part(n.Bits, total)
	n.Name, n.Share = plain(n.Name), percent(share)
	if n.Bits > 0 {
		n.Used = int(100*n.information/float64(n.Bits) + 0.5)
	}
	if n.Tip == "" {
		n.Tip = n.Name
	}
	n.Tip += fmt.Sprintf(". %s of all bits, %s; %d %% of them carry information", n.Share, bitsText(n.Bits), n.Used)
	slices.SortStableFunc(n.Kids, func(a, b *icicleNode) int { return cmp.Compare(b.Bits, a.Bits) })
	for _, one := range n.Kids {
		one.finish(total)
	}
}
