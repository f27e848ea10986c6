package fuzz

import (
	"math/big"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// known is what the candidates of a plan's leaves share. A schema from a stranger can have a hundred thousand leaves,
// an enum of as many cases, or both: what is kept for all leaves together has a bound, and a case is found without a
// search.
type known struct {
	most  int // codes that are kept for one leaf
	cases map[*schema.Enum]map[caseKey]bool
}

const (
	allKept   = 1 << 18 // codes that are kept for all leaves together, about
	leastKept = 32      // for one, however many there are
)

func newKnown(p *plan.Plan) *known {
	return &known{max(leastKept, allKept/max(len(p.Leaves), 1)), map[*schema.Enum]map[caseKey]bool{}}
}

// caseKey is an integer that fits int64 or uint64.
type caseKey struct {
	bits uint64
	neg  bool
}

func keyOf(v *big.Int) caseKey {
	if v.Sign() < 0 {
		return caseKey{uint64(v.Int64()), true}
	}
	return caseKey{v.Uint64(), false}
}

// casesOf are the values of an enum's cases.
func (k *known) casesOf(e *schema.Enum) map[caseKey]bool {
	cases := k.cases[e]
	if cases == nil {
		cases = make(map[caseKey]bool, len(e.Cases))
		for i := range e.Cases {
			cases[keyOf(e.Cases[i].Value)] = true
		}
		k.cases[e] = cases
	}
	return cases
}
