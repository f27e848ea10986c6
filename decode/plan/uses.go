package plan

import "github.com/pktscope/pktscope/decode/schema"

// uses counts, for each variable, the expressions that read it. One that is read once, by the op right behind the run
// it is in, needs no slot: the op reads the code where it lies (OperandLeaf).
type uses struct {
	count map[*schema.Var]int
	seen  map[*schema.Struct]bool
}

func countUses(s *schema.Struct) map[*schema.Var]int {
	u := &uses{count: map[*schema.Var]int{}, seen: map[*schema.Struct]bool{}}
	u.structs(s)
	return u.count
}

func (u *uses) structs(s *schema.Struct) {
	if u.seen[s] {
		return
	}
	u.seen[s] = true
	u.items(s.Items)
}

func (u *uses) items(items []schema.Item) {
	for _, it := range items {
		switch it := it.(type) {
		case *schema.Field:
			if it.Switch != nil {
				u.expr(it.Switch.Tag)
				for _, a := range it.Switch.Arms {
					u.value(a.Value)
				}
			}
			u.value(it.Value)
		case *schema.If:
			u.expr(it.Cond)
			u.items(it.Then)
			u.items(it.Else)
		case *schema.Within:
			u.expr(it.Size)
			u.items(it.Items)
		case *schema.Let:
			u.expr(it.Value)
		case *schema.Require:
			u.expr(it.Cond)
		}
	}
}

func (u *uses) value(v *schema.Value) {
	if v == nil {
		return
	}
	switch t := v.Type.(type) {
	case *schema.IntType:
		u.expr(t.Size)
	case *schema.RangedType:
		u.expr(t.HiExpr)
	case *schema.VectorType:
		u.value(t.Elem)
	case *schema.BlobType:
		u.expr(t.Size)
	case *schema.StructRef:
		for _, a := range t.Args {
			u.expr(a)
		}
		u.structs(t.Struct)
	case *schema.OptionalType:
		u.value(t.Elem)
	case *schema.ArrayType:
		u.expr(t.Count)
		u.expr(t.Cond)
		u.value(t.Elem)
	case *schema.SubsetType:
		u.value(t.Elem)
	case *schema.LadderType:
		u.expr(t.Prev)
	}
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
