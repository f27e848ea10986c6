package plan

import "github.com/pktscope/pktscope/decode/schema"

// uses counts, for each variable, the expressions that read it. One that is read once, by the step right after the run
// it is in, needs no register: the step reads the code where it lies (OperandLeaf).
type uses struct {
	count map[*schema.Var]int
	seen  map[*schema.Struct]bool
}

func countUses(s *schema.Schema) map[*schema.Var]int {
	u := &uses{count: map[*schema.Var]int{}, seen: map[*schema.Struct]bool{}}
	u.structs(s.Packet)
	for _, k := range s.FlowBy {
		u.expr(k.Value)
	}
	return u.count
}

func (u *uses) structs(s *schema.Struct) {
	if u.seen[s] {
		return
	}
	u.seen[s] = true
	for _, k := range s.Carries {
		u.expr(k.First)
		u.count[k.Of]++
	}
	u.items(s.Items)
	if s.Seal != nil {
		for _, e := range s.Seal.Exprs() {
			u.expr(e)
		}
	}
}

func (u *uses) items(items []schema.Item) {
	for _, it := range items {
		for _, e := range it.Exprs() {
			u.expr(e)
		}
		if f, ok := it.(*schema.Field); ok {
			for _, k := range f.Last {
				u.expr(k.First)
				u.count[k.Of]++
			}
		}
		for _, way := range it.Ways() {
			u.items(way.Items)
			u.value(way.Value)
			if way.Notes != nil {
				for _, e := range way.Notes.Fragment.Exprs() {
					u.expr(e)
				}
			}
		}
	}
}

func (u *uses) value(v *schema.Value) {
	if v == nil {
		return
	}
	for _, e := range v.Exprs() {
		u.expr(e)
	}
	if ref, ok := v.Type.(*schema.StructRef); ok {
		u.structs(ref.Struct)
	}
	u.value(v.Type.Inner())
}

func (u *uses) expr(e *schema.TypedExpr) {
	if e == nil {
		return
	}
	if len(e.Path) > 0 {
		u.count[e.Path[len(e.Path)-1]]++
	}
	u.expr(e.X)
	u.expr(e.Y)
}
