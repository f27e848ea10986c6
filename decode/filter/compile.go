package filter

import (
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/expr-lang/expr/ast"

	"github.com/pktscope/pktscope/decode/plan"
)

// Compile turns a filter into a program over the traces of p. The error, when there is one, is an *Error with the
// place.
//
// src may be a stranger's. It is refused when it is longer than 4 KiB, has more than 200 names, constants and
// operators, nests closures more than two deep, or could do more work on one packet than its fields warrant
// (security.md, "Filters").
func Compile(p *plan.Plan, src string) (*Program, error) {
	c := newCompiler(p, src)
	if root := c.parse(); c.err == nil {
		c.prog.root = c.condition(root)
	}
	if c.err == nil {
		c.finish()
	}
	if c.err != nil {
		return nil, c.err
	}
	return c.prog, nil
}

func newCompiler(p *plan.Plan, src string) *compiler {
	c := &compiler{src: src, tree: newTree(p), prog: &Program{plan: p, src: src}, slotOf: map[string]int32{}, acts: []map[plan.Point][]action{{}}}
	c.prog.frames = make([]frame, 1)
	c.mult = []int{1}
	c.bases = [][]plan.NodeID{{0}}
	return c
}

// compiler is the state of one Compile. The first error wins; after it everything returns quickly.
type compiler struct {
	src   string
	bytes []int // offset of each character
	tree  *tree
	prog  *Program
	err   *Error

	message bool // the trace is a message's, and its names are after msg
	visits  int
	text    int // steps of regular expressions
	actions int
	frame   int32
	depth   int // closures around
	notes   bool
	bases   [][]plan.NodeID // of each frame: what its names are in; nil for the notes
	mult    []int           // of each frame: how often it is filled, at most

	slotOf    map[string]int32
	slotFrame []int32 // of each slot; -1: the envelope's
	acts      []map[plan.Point][]action
}

// fail keeps the first error.
func (c *compiler) fail(off, end int, fix, format string, args ...any) {
	if c.err == nil {
		c.err = newError(c.src, off, end, fix, fmt.Sprintf(format, args...))
	}
}

func (c *compiler) failAt(n ast.Node, fix, format string, args ...any) {
	c.fail(c.start(n), c.end(n), fix, format, args...)
}

// visit counts a node of the tree against the limit: the parser shares nodes (`a < b < c`), so a walk can meet more
// than there are.
func (c *compiler) visit(n ast.Node) bool {
	if c.visits++; c.visits > maxNodes {
		c.failAt(n, "", "the filter is too long: want %d operators, names and constants at most", maxNodes)
	}
	return c.err == nil
}

// add appends a node, whose work counts once for each time that its closure is filled.
func (c *compiler) add(n node) int32 {
	c.prog.work += c.mult[c.frame]
	if len(c.prog.nodes) >= maxSteps {
		c.fail(0, len(c.src), "", "the filter is too large: its names have too many types")
		return 0
	}
	c.prog.nodes = append(c.prog.nodes, n)
	return int32(len(c.prog.nodes) - 1)
}

// slot gives the slot of a frame under a key, and whether it is new.
func (c *compiler) slot(frame int32, key string) (int32, bool) {
	key = fmt.Sprint(frame, " ", key)
	if s, ok := c.slotOf[key]; ok {
		return s, false
	}
	s := int32(len(c.slotFrame))
	c.slotOf[key] = s
	c.slotFrame = append(c.slotFrame, frame)
	return s, true
}

// act adds an action to a point of a frame.
func (c *compiler) act(frame int32, at plan.Point, a action) {
	if c.actions++; c.actions > maxActions {
		c.fail(0, len(c.src), "", "the filter is too large: its names stand for too many fields")
		return
	}
	a.direct = len(a.chain) == 0
	c.acts[frame][at] = append(c.acts[frame][at], a)
	n := c.mult[frame]
	if !a.direct { // it is tried for every element of the lists on the way
		n = c.elements(c.tree.plan.StepAt(at).At().Node, n)
		if a.kind == inSlot { // and for every flag
			n *= 2
		}
	}
	c.prog.work += n
}

// elements is how many times a node can be in a packet, with what is around it counted from: the product of the arrays
// on the way, and never more than a packet has fields.
func (c *compiler) elements(id plan.NodeID, from int) int {
	p := c.tree.plan
	n := from
	for ; id != plan.NoNode; id = p.Nodes[id].Parent {
		if p.Nodes[id].Kind == plan.NodeArray && c.tree.at[id] != plan.NoPoint {
			n = c.most(n, c.tree.longest(id))
		}
	}
	return n
}

// most is n times a list's longest, bounded by what a packet can have.
func (c *compiler) most(n int, longest uint64) int {
	fields := uint64(max(c.tree.plan.Bound.MaxFields, 1))
	return int(min(uint64(n)*min(longest, fields), fields))
}

// finish lays out slots and tables, and judges the work.
func (c *compiler) finish() {
	p := c.prog
	if limit := max(minWork, workPerField*int(c.tree.plan.Bound.MaxFields)); p.work > limit {
		c.fail(0, len(c.src), "", "the filter would do too much on one packet: %d steps, at most %d are allowed; use fewer comparisons inside closures", p.work, limit)
		return
	}
	// Slots by frame: the envelope's first, then each frame's in one stretch that it clears at once.
	order := make([]int32, len(c.slotFrame))
	for i := range order {
		order[i] = int32(i)
	}
	sort.SliceStable(order, func(i, j int) bool { return c.slotFrame[order[i]] < c.slotFrame[order[j]] })
	to := make([]int32, len(order))
	for i, old := range order {
		to[old] = int32(i)
		switch f := c.slotFrame[old]; {
		case f < 0:
			p.envSlots++
		case p.frames[f].end == 0:
			p.frames[f].slots, p.frames[f].end = int32(i), int32(i)+1
		default:
			p.frames[f].end = int32(i) + 1
		}
	}
	p.slots = int32(len(order))
	for i := range p.nodes {
		switch n := &p.nodes[i]; n.op {
		case opSameText:
			n.a, n.b = to[n.a], to[n.b]
		case opRange, opFloat, opNaN, opMask, opPresent, opText, opPrefix, opPort, opSlotNumber, opSlotFloat, opLength, opBytes:
			n.a = to[n.a]
		}
	}
	for i := range p.env {
		p.env[i].slot = to[p.env[i].slot]
	}
	for i := range p.quants {
		if !p.quants[i].notes {
			p.quants[i].list = to[p.quants[i].list]
		}
	}
	for f := range p.frames {
		for i := range p.frames[f].fills {
			p.frames[f].fills[i].slot = to[p.frames[f].fills[i].slot]
		}
		c.table(&p.frames[f], c.acts[f], to)
	}
}

// table lays out the actions of a frame.
func (c *compiler) table(f *frame, acts map[plan.Point][]action, to []int32) {
	if len(acts) == 0 {
		return
	}
	points := slices.Sorted(maps.Keys(acts))
	f.any, f.first = true, points[0]
	f.table = make([]int32, points[len(points)-1]-f.first+1)
	for _, at := range points {
		f.table[at-f.first] = int32(len(c.prog.acts)) + 1
		for i, a := range acts[at] {
			a.slot = to[a.slot]
			a.last = i == len(acts[at])-1
			c.prog.acts = append(c.prog.acts, a)
		}
	}
}

// start is where a node's text begins, end where it ends, as far as expr's tree tells.
func (c *compiler) start(n ast.Node) int {
	switch n := n.(type) {
	case *ast.MemberNode:
		return c.start(n.Node)
	case *ast.BinaryNode:
		return c.start(n.Left)
	case *ast.PredicateNode:
		return c.start(n.Node)
	case *ast.CallNode:
		return c.start(n.Callee)
	case nil:
		return 0
	}
	return c.byteAt(n.Location().From)
}

func (c *compiler) end(n ast.Node) int {
	switch n := n.(type) {
	case *ast.MemberNode:
		if _, name := n.Property.(*ast.StringNode); name {
			return c.byteAt(n.Property.Location().To)
		}
		return c.closing(c.end(n.Property))
	case *ast.BinaryNode:
		return c.end(n.Right)
	case *ast.UnaryNode:
		return c.end(n.Node)
	case *ast.PredicateNode:
		return c.end(n.Node)
	case *ast.BuiltinNode:
		if len(n.Arguments) > 0 {
			return c.closing(c.end(n.Arguments[len(n.Arguments)-1]))
		}
	case *ast.ArrayNode:
		if len(n.Nodes) > 0 {
			return c.closing(c.end(n.Nodes[len(n.Nodes)-1]))
		}
	case nil:
		return len(c.src)
	}
	return c.byteAt(n.Location().To)
}

// closing goes on to after the bracket that follows.
func (c *compiler) closing(off int) int {
	for i := off; i < len(c.src); i++ {
		switch c.src[i] {
		case ' ', '\t', '\n', '\r', ',':
		case ')', ']':
			return i + 1
		default:
			return off
		}
	}
	return off
}

// textOf is a node's own text.
func (c *compiler) textOf(n ast.Node) string {
	from, to := c.start(n), c.end(n)
	if from > to {
		return ""
	}
	return c.src[from:to]
}
