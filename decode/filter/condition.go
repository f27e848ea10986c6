package filter

import (
	"math/big"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/pktscope/pktscope/decode/plan"
)

// condition compiles a piece of the tree that must be true, false or unknown.
func (c *compiler) condition(n ast.Node) int32 {
	if c.brings() && c.err == nil && ofMessages(n) {
		return c.messages(n)
	}
	t := c.term(n)
	if c.err != nil {
		return 0
	}
	return c.asCondition(t, n)
}

// asCondition is a condition itself, or a bool field.
func (c *compiler) asCondition(t term, n ast.Node) int32 {
	if t.kind == termCond {
		return t.node
	}
	result := int32(-1)
	for _, r := range c.refs(t) {
		if r.typ.kind == kindBool {
			result = c.either(result, c.add(node{op: opRange, a: r.slot, lo: 1, hi: 1}))
		}
	}
	if result < 0 {
		c.failAt(n, "", "%s is %s: want a condition, such as a comparison", quote(c.textOf(n)), c.what(t))
	}
	return max(result, 0)
}

// either joins what a comparison is for the different types of one path; a packet has one of them at most.
func (c *compiler) either(a, b int32) int32 {
	if a < 0 {
		return b
	}
	return c.add(node{op: opEither, a: a, b: b})
}

// what names a term in a message.
func (c *compiler) what(t term) string {
	switch t.kind {
	case termCond:
		return "a condition"
	case termNumber:
		return "a number"
	case termNotes:
		return "a list"
	case termScope:
		return "no field"
	case termConst:
		return map[constKind]string{constNumber: "a number", constText: "text", constBytes: "bytes", constNil: "nil"}[t.val.kind]
	}
	if refs := c.refs(t); len(refs) > 0 {
		return article(refs[0].typ.String())
	}
	if len(c.tree.ofKind(t.nodes, plan.NodeArray)) > 0 {
		return "a list"
	}
	return "a struct"
}

func article(noun string) string {
	switch {
	case noun == "text" || noun == "bytes" || strings.HasPrefix(noun, "flags"):
		return noun
	case noun[0] == 'e' || noun[0] == 'a':
		return "an " + noun
	}
	return "a " + noun
}

func (c *compiler) unary(n *ast.UnaryNode) term {
	switch n.Operator {
	case "!", "not":
		t := c.term(n.Node)
		if c.err != nil {
			return term{}
		}
		if t.kind != termCond && len(c.refs(t)) > 0 && c.refs(t)[0].typ.kind != kindBool {
			c.failAt(n, n.Operator+" binds tighter than a comparison: write "+n.Operator+" (…)", "%s is %s: want a condition after %s", quote(c.textOf(n.Node)), c.what(t), n.Operator)
			return term{}
		}
		return term{kind: termCond, at: n, node: c.not(c.asCondition(t, n.Node))}
	}
	t := c.term(n.Node)
	if c.err != nil {
		return term{}
	}
	if t.kind == termConst && t.val.kind == constNumber {
		if n.Operator == "-" {
			t.val.num = new(big.Rat).Neg(t.val.num)
		}
		t.at = n
		return t
	}
	x := c.number(t, true)
	if n.Operator == "-" && c.err == nil {
		x = c.add(node{op: opSubtract, a: c.add(node{op: opNumber}), b: x})
	}
	return term{kind: termNumber, at: n, node: x}
}

func (c *compiler) not(a int32) int32 { return c.add(node{op: opNot, a: a}) }

func (c *compiler) binary(n *ast.BinaryNode) term {
	switch n.Operator {
	case "&&", "and", "||", "or":
		op := opAnd
		if n.Operator == "||" || n.Operator == "or" {
			op = opOr
		}
		a := c.condition(n.Left)
		if c.err != nil {
			return term{}
		}
		b := c.condition(n.Right)
		return term{kind: termCond, at: n, node: c.add(node{op: op, a: a, b: b})}
	case "+", "-", "*", "%":
		return c.arithmetic(n)
	case "in":
		return c.in(n)
	case "contains", "startsWith", "endsWith", "matches":
		return c.textual(n)
	}
	a := c.term(n.Left)
	if c.err != nil {
		return term{}
	}
	b := c.term(n.Right)
	if c.err != nil {
		return term{}
	}
	return term{kind: termCond, at: n, node: c.compare(n, n.Operator, a, b)}
}

// turned is the comparison with its sides exchanged.
var turned = map[string]string{"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// compare compiles a comparison.
func (c *compiler) compare(n *ast.BinaryNode, op string, a, b term) int32 {
	if a.kind == termConst && b.kind != termConst {
		a, b, op = b, a, turned[op]
	}
	switch {
	case a.kind == termConst:
		c.failAt(n, "", "both sides are constants")
	case b.kind == termConst && b.val.kind == constNil:
		return c.presence(n, op, a)
	case a.kind == termCond || b.kind == termCond:
		return c.sameTruth(n, op, a, b)
	case b.kind == termConst && a.kind == termNumber:
		if b.val.kind != constNumber {
			c.failAt(n, "", "%s is a number and %s is not", quote(c.textOf(a.at)), quote(c.textOf(b.at)))
			return 0
		}
		return c.compareNumbers(op, a.node, c.number(b, false))
	case b.kind == termConst:
		return c.compareConst(n, op, a, b)
	case a.kind == termNumber || b.kind == termNumber:
		x := c.number(a, false)
		y := c.number(b, false)
		return c.compareNumbers(op, x, y)
	}
	if c.err != nil {
		return 0
	}
	return c.compareRefs(n, op, a, b)
}

// presence compiles `x == nil` and `x != nil`: the one question that an absent field answers.
func (c *compiler) presence(n *ast.BinaryNode, op string, a term) int32 {
	if op != "==" && op != "!=" {
		c.failAt(n, "", "with nil there is only == and !=")
		return 0
	}
	slot := int32(-1)
	switch a.kind {
	case termPlace:
		slot = c.presentSlot(a)
	case termRef:
		slot = a.refs[0].slot
	default:
		c.failAt(n, "", "%s is always there", quote(c.textOf(a.at)))
		return 0
	}
	return c.add(node{op: opPresent, a: slot, not: op == "=="})
}

// sameTruth compiles == and != of two conditions.
func (c *compiler) sameTruth(n *ast.BinaryNode, op string, a, b term) int32 {
	for _, t := range []term{a, b} {
		if t.kind != termCond && !c.hasBool(t) && c.err == nil {
			c.failAt(n, "", "cannot compare %s with %s", c.what(a), c.what(b))
		}
	}
	if op != "==" && op != "!=" {
		c.failAt(n, "", "conditions compare only by == and !=")
	}
	if c.err != nil {
		return 0
	}
	x := c.asCondition(a, a.at)
	y := c.asCondition(b, b.at)
	return c.add(node{op: opSame, a: x, b: y, not: op == "!="})
}

func (c *compiler) hasBool(t term) bool {
	for _, r := range c.refs(t) {
		if r.typ.kind == kindBool {
			return true
		}
	}
	return false
}

// compareRefs compiles the comparison of two fields: each pair of types that can be compared.
func (c *compiler) compareRefs(n *ast.BinaryNode, op string, a, b term) int32 {
	result := int32(-1)
	for _, x := range c.refs(a) {
		for _, y := range c.refs(b) {
			if one, ok := c.comparePair(op, x, y); ok {
				result = c.either(result, one)
			}
			if c.err != nil {
				return 0
			}
		}
	}
	if result < 0 {
		c.failAt(n, "", "cannot compare %s with %s by %s", c.what(a), c.what(b), op)
		return 0
	}
	return result
}

func (c *compiler) comparePair(op string, x, y ref) (int32, bool) {
	equality := op == "==" || op == "!="
	number := func(t typ) bool { return t.integer() || t.kind == kindFloat }
	switch {
	case x.typ.kind == kindEnum && y.typ.kind == kindEnum && x.typ.enum != y.typ.enum,
		(x.typ.kind == kindTime) != (y.typ.kind == kindTime):
		return 0, false
	case number(x.typ) && number(y.typ):
		return c.compareNumbers(op, c.slotNumber(x), c.slotNumber(y)), true
	case x.typ.kind == kindBool && y.typ.kind == kindBool && equality:
		truthOf := func(r ref) int32 { return c.add(node{op: opRange, a: r.slot, lo: 1, hi: 1}) }
		return c.add(node{op: opSame, a: truthOf(x), b: truthOf(y), not: op == "!="}), true
	case x.typ.kind == y.typ.kind && (x.typ.kind == kindText || x.typ.kind == kindBytes) && x.typ.computed == y.typ.computed && equality:
		n := node{op: opSameText, a: x.slot, b: y.slot, lo: textFlags(x.typ), hi: textFlags(y.typ), not: op == "!="}
		c.prog.work += c.mult[c.frame] * (max(x.typ.max, y.typ.max) / bytesPerStep)
		return c.add(n), true
	}
	return 0, false
}

// bytesPerStep is how many bytes of text one step of work compares.
const bytesPerStep = 16
