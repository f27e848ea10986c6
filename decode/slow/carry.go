package slow

import (
	"math/big"

	"github.com/pktscope/pktscope/decode/schema"
)

// prev(name, e): what a field or a `let` of a struct was where the struct stood before, in an element of the innermost
// array before this one; e where it was not.

// place is a place in the text, in an element of an array: its elements share it. A struct that is used twice is in
// two.
type place struct {
	inside map[*schema.StructRef]*place
	kept   map[*schema.Carry]*big.Int
}

func newPlace() *place {
	return &place{map[*schema.StructRef]*place{}, map[*schema.Carry]*big.Int{}}
}

// of is where a struct is that is used in p; nil where p is.
func (p *place) of(t *schema.StructRef) *place {
	if p == nil {
		return nil
	}
	if p.inside[t] == nil {
		p.inside[t] = newPlace()
	}
	return p.inside[t]
}

// arrive begins a struct: what it is carried is known in all of it.
func (w *walk) arrive(f frame, s *schema.Struct) {
	for _, k := range s.Carries {
		var v *big.Int
		if f.place != nil {
			v = f.place.kept[k]
		}
		if v == nil {
			v = w.eval(f.scope, k.First)
		}
		f.scope.vars[k.Var] = bound{value: v}
	}
}

// leave ends a struct: it keeps what the next one is carried.
func (f frame) leave(s *schema.Struct) {
	if f.place == nil {
		return
	}
	for _, k := range s.Carries {
		f.place.kept[k] = f.scope.vars[k.Of].value
	}
}
