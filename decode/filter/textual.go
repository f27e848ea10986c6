package filter

import (
	"regexp"
	"regexp/syntax"

	"github.com/expr-lang/expr/ast"
)

var textModes = map[string]textMode{"contains": textContains, "startsWith": textStarts, "endsWith": textEnds, "matches": textMatches}

// textual compiles contains, startsWith, endsWith and matches: a field on the left, a constant on the right.
func (c *compiler) textual(n *ast.BinaryNode) term {
	a := c.term(n.Left)
	if c.err != nil {
		return term{}
	}
	b := c.term(n.Right)
	refs := c.refs(a)
	if c.err != nil {
		return term{}
	}
	if b.kind != termConst || b.val.kind != constText && b.val.kind != constBytes {
		c.failAt(n.Right, "", "want a constant in quotes after %s", n.Operator)
		return term{}
	}
	tc := textConst{mode: textModes[n.Operator]}
	if tc.mode == textMatches {
		tc.re = c.pattern(n.Right, b.val)
	}
	result, problem := int32(-1), ""
	for _, r := range refs {
		one := tc
		switch {
		case r.typ.kind == kindText && b.val.kind == constText:
			one.want = []byte(b.val.text)
		case r.typ.kind == kindBytes && tc.mode != textMatches:
			if one.want, problem = bytesOf(b.val); problem != "" {
				continue
			}
		default:
			continue
		}
		result = c.either(result, c.textNode(r, one, false))
	}
	if result < 0 {
		if problem != "" {
			c.failAt(n.Right, "", "%s", problem)
		}
		c.failAt(n, "", "%s is %s: %s wants text", quote(c.textOf(n.Left)), c.what(a), n.Operator)
	}
	return term{kind: termCond, at: n, node: max(result, 0)}
}

// pattern compiles a regular expression. Go's take time linear in the text, times the size of the pattern, which is the
// writer's: `(x{100}){10}` is a thousand instructions in twelve bytes.
func (c *compiler) pattern(n ast.Node, val constant) *regexp.Regexp {
	if val.kind != constText {
		c.failAt(n, "", "want a regular expression in quotes")
		return nil
	}
	if len(val.text) > maxPattern {
		c.failAt(n, "", "the regular expression is too long: want %d bytes at most, got %d", maxPattern, len(val.text))
		return nil
	}
	if size, err := patternSize(val.text); err != nil {
		c.failAt(n, "", "bad regular expression: %s", err.(*syntax.Error).Code)
		return nil
	} else if size > maxRegexp {
		c.failAt(n, "", "the regular expression is too large: want %d steps at most, got %d", maxRegexp, size)
		return nil
	}
	re, err := regexp.Compile(val.text)
	if err != nil {
		c.failAt(n, "", "bad regular expression")
		return nil
	}
	return re
}

// patternSize is how many instructions a regular expression makes.
func patternSize(s string) (int, error) {
	tree, err := syntax.Parse(s, syntax.Perl)
	if err != nil {
		return 0, err
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return 0, err
	}
	return len(prog.Inst), nil
}

// textNode adds a comparison of text or bytes, and the work that its length can make.
func (c *compiler) textNode(r ref, tc textConst, not bool) int32 {
	times := c.mult[c.frame]
	if tc.re != nil {
		size, _ := patternSize(tc.re.String())
		if c.text += times * (r.typ.max + 1) * size; c.text > max(minText, textPerByte*c.tree.plan.Schema.MaxDatagram) {
			c.fail(0, len(c.src), "use contains, startsWith or endsWith", "the filter would do too much on one packet: %d steps of regular expressions, at most %d are allowed", c.text, max(minText, textPerByte*c.tree.plan.Schema.MaxDatagram))
		}
	} else {
		c.prog.work += times * (min(r.typ.max, workText) / bytesPerStep)
	}
	c.prog.texts = append(c.prog.texts, tc)
	return c.add(node{op: opText, a: r.slot, b: int32(len(c.prog.texts) - 1), lo: textFlags(r.typ), not: not})
}

// workText is the most bytes of one text that count as work: comparing bytes is as fast as having read them.
const workText = 1024

// What opText must know of where its text is.
const (
	flagComputed = 1 << iota // a register
	flagPadded               // text that ends at a NUL
)

func textFlags(t typ) uint64 {
	switch {
	case t.computed:
		return flagComputed
	case t.padded:
		return flagPadded
	}
	return 0
}
