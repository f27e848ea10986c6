package slow

import (
	"fmt"
	"math/big"

	"github.com/pktscope/pktscope/decode/schema"
)

// scope holds what was read in one struct of one packet: the same struct read twice has two. Names of `if` and `within`
// are in the struct around them.
type scope struct {
	vars  map[*schema.Var]bound
	outer *scope // what encloses an inline struct in the text; nil for a named one, which sees no more than itself
}

// bound is what a name stands for. value is nil where no expression can read it.
type bound struct {
	value  *big.Int // bools are 0 and 1
	wire   bool     // it was read from the packet, at bit in width bits
	bit    int
	width  int
	inside *scope // of a field of struct type
	// first and behind are the bits that a field has, without the padding before it, whatever its type.
	first, behind int
}

func newScope(outer *scope) *scope {
	return &scope{vars: map[*schema.Var]bound{}, outer: outer}
}

// find follows a dotted path: its first name outwards through the scopes, each next one inside the struct before it.
func (s *scope) find(path []*schema.Var) bound {
	for at := s; at != nil; at = at.outer {
		b, ok := at.vars[path[0]]
		if !ok {
			continue
		}
		for _, v := range path[1:] {
			if b, ok = b.inside.vars[v]; !ok {
				panic(fmt.Sprintf("pktscope: internal error: slow: `%s` was not read in `%s`", v.Name, path[0].Name))
			}
		}
		return b
	}
	panic(fmt.Sprintf("pktscope: internal error: slow: `%s` was not read", path[0].Name))
}
