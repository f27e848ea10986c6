package filter

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/pktscope/pktscope/decode/plan"
)

// builtins are the functions of filters; expr has many more.
var builtins = []string{"any", "all", "none", "one", "count", "len"}

var quantModes = map[string]quantMode{"any": quantAny, "all": quantAll, "none": quantNone, "one": quantOne, "count": quantCount}

func (c *compiler) builtin(n *ast.BuiltinNode) term {
	mode, closure := quantModes[n.Name]
	switch {
	case closure && len(n.Arguments) == 2:
		return c.closure(n, mode)
	case closure:
		c.failAt(n, fmt.Sprintf("write %s(list, .x > 1)", n.Name), "%s wants a list and a condition", n.Name)
	case n.Name == "len" && len(n.Arguments) == 1:
		return c.length(n)
	case n.Name == "len":
		c.failAt(n, "", "len wants a list, text or bytes")
	default:
		c.failAt(n, meant("", n.Name, builtins), "%s is not part of filters", quote(n.Name))
	}
	return term{}
}

// closure compiles any, all, none, one and count.
func (c *compiler) closure(n *ast.BuiltinNode, mode quantMode) term {
	body, ok := n.Arguments[1].(*ast.PredicateNode)
	if !ok {
		c.failAt(n, "", "%s wants a list and a condition", n.Name)
		return term{}
	}
	if c.depth == maxDepth {
		c.failAt(n, "", "closures are nested too deep: want %d at most", maxDepth)
		return term{}
	}
	list := c.term(n.Arguments[0])
	if c.err != nil {
		return term{}
	}
	q := quant{mode: mode, notes: list.kind == termNotes, memo: -1}
	var arrays []plan.NodeID
	if list.kind == termPlace {
		q.list, arrays = c.listSlot(list)
	}
	if len(arrays) == 0 && !q.notes {
		c.failAt(n.Arguments[0], "", "%s is %s: want a list of the packet", quote(c.textOf(n.Arguments[0])), c.what(list))
	}
	if c.err != nil {
		return term{}
	}
	if c.depth > 0 && (q.notes || list.frame == 0) {
		q.memo = int32(c.prog.memos)
		c.prog.memos++
	}
	compile := func() int32 { return c.condition(body.Node) }
	return c.quantified(n, q, list, arrays, compile)
}

// maxNotes is how many elements `notes` can have: what a trace keeps, and the one of the capture.
const maxNotes = 33

// quantified compiles a body in a frame of its own.
func (c *compiler) quantified(n ast.Node, q quant, list term, arrays []plan.NodeID, body func() int32) term {
	// Where the list is the packet's own, the closure runs once a packet wherever it is (see quant.memo).
	times := c.mult[list.frame]
	if q.notes {
		times *= maxNotes
	} else {
		longest := uint64(0)
		for _, id := range arrays {
			longest = max(longest, c.tree.longest(id))
		}
		times = c.most(times, longest)
	}
	outer, notes := c.frame, c.notes
	q.frame = int32(len(c.prog.frames))
	c.prog.frames = append(c.prog.frames, frame{})
	c.acts = append(c.acts, map[plan.Point][]action{})
	c.mult = append(c.mult, times)
	c.bases = append(c.bases, c.tree.elements(arrays))
	c.frame, c.notes = q.frame, q.notes
	c.depth++
	c.prog.work += 3 * times // finding the elements
	q.body = body()
	c.depth--
	c.frame, c.notes = outer, notes
	c.prog.quants = append(c.prog.quants, q)
	at := int32(len(c.prog.quants) - 1)
	if q.mode == quantCount {
		return term{kind: termNumber, at: n, node: c.add(node{op: opCount, a: at})}
	}
	return term{kind: termCond, at: n, node: c.add(node{op: opQuantified, a: at})}
}

// length compiles len: elements of a list, bytes of text or bytes.
func (c *compiler) length(n *ast.BuiltinNode) term {
	t := c.term(n.Arguments[0])
	if c.err != nil {
		return term{}
	}
	if t.kind == termNotes {
		return term{kind: termNumber, at: n, node: c.add(node{op: opNotes})}
	}
	if t.kind == termPlace {
		if s, arrays := c.listSlot(t); len(arrays) > 0 {
			for _, id := range arrays { // a refused packet's list is counted, not believed
				c.prog.work += c.most(c.mult[c.frame], c.tree.longest(id))
			}
			return term{kind: termNumber, at: n, node: c.add(node{op: opLength, a: s})}
		}
	}
	for _, r := range c.refs(t) {
		if r.typ.kind == kindText || r.typ.kind == kindBytes {
			c.prog.work += c.mult[c.frame] * (min(r.typ.max, workText) / bytesPerStep)
			return term{kind: termNumber, at: n, node: c.add(node{op: opBytes, a: r.slot, lo: textFlags(r.typ)})}
		}
	}
	c.failAt(n, "", "%s is %s: len wants a list, text or bytes", quote(c.textOf(n.Arguments[0])), c.what(t))
	return term{}
}

// in compiles `x in [1, 2]`, `"Up" in keys`, `"wrong-direction" in notes`, `pkt.src_ip in "10.0.0.0/8"` and `5 in
// list`.
func (c *compiler) in(n *ast.BinaryNode) term {
	if set, ok := n.Right.(*ast.ArrayNode); ok {
		return c.inSet(n, set)
	}
	a := c.term(n.Left)
	if c.err != nil {
		return term{}
	}
	b := c.term(n.Right)
	if c.err != nil {
		return term{}
	}
	if b.kind == termConst && a.kind == termRef && a.refs[0].typ.kind == kindAddr && !a.refs[0].typ.port {
		p, err := netip.ParsePrefix(b.val.text)
		if err != nil || len(b.val.text) > 64 {
			c.failAt(n.Right, "", "want a network such as \"10.0.0.0/8\"")
			return term{}
		}
		return term{kind: termCond, at: n, node: c.prefix(a.refs[0], p.Masked(), false)}
	}
	if a.kind != termConst {
		c.failAt(n, "write x in [1, 2]", "want a constant before `in`, or a list of constants after it")
		return term{}
	}
	if b.kind == termNotes {
		return c.inNotes(n, a)
	}
	if _, arrays := c.listOf(b); len(arrays) > 0 {
		return c.inList(n, a, b)
	}
	isFlags := slices.ContainsFunc(c.refs(b), func(r ref) bool { return r.typ.kind == kindFlags })
	if c.err == nil && (!isFlags || a.val.kind != constText) {
		c.failAt(n, "", "%s is %s: want flags, notes or a list after `in`", quote(c.textOf(n.Right)), c.what(b))
	}
	if c.err != nil {
		return term{}
	}
	return term{kind: termCond, at: n, node: c.flag(n.Left, b, a.val.text)}
}

func (c *compiler) listOf(t term) (int32, []plan.NodeID) {
	if t.kind != termPlace {
		return 0, nil
	}
	return c.listSlot(t)
}

// inSet compiles `x in [a, b, c]` as x == a || x == b || x == c.
func (c *compiler) inSet(n *ast.BinaryNode, set *ast.ArrayNode) term {
	if len(set.Nodes) == 0 {
		c.failAt(n, "", "nothing is in an empty list")
		return term{}
	}
	before := c.prog.work
	a := c.term(n.Left)
	if c.err == nil && a.kind != termPlace && a.kind != termRef && a.kind != termNumber {
		c.failAt(n, "", "want a field before `in`")
	}
	again := c.prog.work - before // a computed number is computed for each of the constants
	result := int32(-1)
	for i, e := range set.Nodes {
		if i > 0 && a.kind == termNumber {
			c.prog.work += again
		}
		if c.err != nil {
			return term{}
		}
		b := c.term(e)
		if c.err == nil && b.kind != termConst {
			c.failAt(e, "", "want constants in the list")
		}
		if c.err != nil {
			return term{}
		}
		one := c.compare(&ast.BinaryNode{Operator: "==", Left: n.Left, Right: e}, "==", a, b)
		if result < 0 {
			result = one
		} else {
			result = c.add(node{op: opOr, a: result, b: one})
		}
	}
	return term{kind: termCond, at: n, node: result}
}

// flag compiles the test of a flag by its name.
func (c *compiler) flag(at ast.Node, t term, name string) int32 {
	result := int32(-1)
	var names []string
	for _, r := range c.refs(t) {
		if r.typ.kind != kindFlags {
			continue
		}
		names = append(names, caseNames(r.typ.enum)...)
		cs := caseOf(r.typ.enum, name)
		if cs == nil || cs.Value.Sign() == 0 { // a flag without a bit is never set
			continue
		}
		mask := node{op: opMask, a: r.slot, lo: keyOf(cs.Value, false)}
		if r.typ.signed {
			mask.lo, mask.hi = uint64(cs.Value.Int64()), signBit
		}
		result = c.either(result, c.add(mask))
	}
	if result < 0 {
		c.failAt(at, c.meantWord(name, names), "%s has no flag %s", quote(c.textOf(t.at)), quote(name))
	}
	return max(result, 0)
}

// inNotes compiles `"wrong-direction" in notes`.
func (c *compiler) inNotes(n *ast.BinaryNode, a term) term {
	at := slices.Index(noteWords, a.val.text)
	if a.val.kind != constText || at < 1 {
		c.failAt(n.Left, c.meantWord(a.val.text, noteWords[1:]), "there is no note %s", quote(a.val.text))
		return term{}
	}
	q := quant{mode: quantAny, notes: true, memo: -1}
	if c.depth > 0 {
		q.memo = int32(c.prog.memos)
		c.prog.memos++
	}
	return c.quantified(n, q, term{}, nil, func() int32 {
		return c.add(node{op: opRange, a: c.env(envNoteKind), lo: uint64(at), hi: uint64(at)})
	})
}

// inList compiles `5 in list` as any(list, # == 5).
func (c *compiler) inList(n *ast.BinaryNode, a, b term) term {
	if c.depth == maxDepth {
		c.failAt(n, "", "closures are nested too deep: want %d at most", maxDepth)
		return term{}
	}
	q := quant{mode: quantAny, memo: -1}
	var arrays []plan.NodeID
	q.list, arrays = c.listSlot(b)
	if c.depth > 0 && b.frame == 0 {
		q.memo = int32(c.prog.memos)
		c.prog.memos++
	}
	return c.quantified(n, q, b, arrays, func() int32 {
		element := term{kind: termPlace, at: n.Right, nodes: c.bases[c.frame], frame: c.frame}
		return c.compareConst(n, "==", element, a)
	})
}
