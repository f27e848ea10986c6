package schema

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Recursion: a struct inside itself would be a packet without an end. The search over who uses whom is iterative and
// linear, and gives the order in which structs are checked: what is used comes first.

// use is one mention of a struct.
type use struct {
	at Span
	to *global
}

// structOrder lists the structs so that each comes after those it uses. Those on a cycle are complained about, marked
// bad and left out.
func (c *checker) structOrder() []*global {
	var all []*global
	uses := map[*global][]use{}
	for _, u := range c.units {
		c.unit = u
		for _, g := range c.ownStructs() {
			all = append(all, g)
			g.decl.(*syntax.StructDecl).Body.Walk(func(node any) {
				v, ok := node.(*syntax.ValueExpr)
				if !ok {
					return
				}
				if t, ok := v.Type.(*syntax.NamedType); ok {
					if to := c.names[t.Name.Text]; to != nil && to.what == "struct" {
						uses[g] = append(uses[g], use{t.Name.Span, to})
					}
				}
			})
		}
	}
	const (
		unseen = iota
		open
		closed
	)
	state := map[*global]int{}
	var order []*global
	type visit struct {
		g    *global
		next int
	}
	for _, start := range all {
		if state[start] != unseen {
			continue
		}
		stack := []visit{{g: start}}
		state[start] = open
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.next == len(uses[top.g]) {
				state[top.g] = closed
				if !top.g.bad {
					order = append(order, top.g)
				}
				stack = stack[:len(stack)-1]
				continue
			}
			u := uses[top.g][top.next]
			top.next++
			switch state[u.to] {
			case unseen:
				state[u.to] = open
				stack = append(stack, visit{g: u.to})
			case open:
				var names []string
				for i := len(stack) - 1; i >= 0; i-- {
					names = append(names, stack[i].g.name.Text)
					g := stack[i].g
					g.bad, g.done, g.used = true, true, true
					if stack[i].g == u.to {
						break
					}
				}
				c.recursion(u, names)
			}
		}
	}
	return order
}

// ownStructs are the structs of a file, its packet included where that is one.
func (c *checker) ownStructs() []*global {
	var out []*global
	for _, d := range c.file.Decls {
		if d, ok := d.(*syntax.StructDecl); ok {
			if g := c.own(d.Name, d); g != nil {
				out = append(out, g)
			}
		}
	}
	if c.lent != nil {
		out = append(out, c.lent)
	}
	return out
}

// recursion names a cycle; names has it backwards, from the struct that closes it to the one closed upon.
func (c *checker) recursion(u use, names []string) {
	path := []string{u.to.name.Text}
	for i := len(names) - 2; i >= 0; i-- {
		path = append(path, names[i])
	}
	if len(path) > 8 {
		path = append(append(path[:4:4], "…"), path[len(path)-3:]...)
	}
	path = append(path, u.to.name.Text)
	for i := range path {
		path[i] = cut(path[i], 40)
	}
	name := path[0]
	c.errorf(u.at, fmt.Sprintf("a struct cannot contain itself, not even in an array: flatten it, for instance into a list of `%s` in the packet", name),
		"recursion: %s", listing(strings.Join(path, " → ")))
}
