package plan

import "github.com/pktscope/pktscope/decode/schema"

// satMax is where counting stops: far above every limit, far below overflow.
const satMax = uint64(1) << 40

func satAdd(a, b uint64) uint64 {
	if a >= satMax || b >= satMax || a+b >= satMax {
		return satMax
	}
	return a + b
}

func satMul(a, b uint64) uint64 {
	if a == 0 || b == 0 {
		return 0
	}
	if a >= satMax || b >= satMax || a > satMax/b {
		return satMax
	}
	return a * b
}

// sizer counts the ops and leaves that expansion would make, without making them: every named struct is counted once,
// however often it is used, so the count is linear in the source.
type sizer struct{ memo map[*schema.Struct]uint64 }

func newSizer() *sizer { return &sizer{memo: map[*schema.Struct]uint64{}} }

func (z *sizer) structSize(s *schema.Struct) uint64 {
	if n, ok := z.memo[s]; ok {
		return n
	}
	n := satAdd(2+uint64(len(s.Params)), z.items(s.Items))
	z.memo[s] = n
	return n
}

func (z *sizer) items(items []schema.Item) uint64 {
	var n uint64
	for _, it := range items {
		n = satAdd(n, z.item(it))
	}
	return n
}

func (z *sizer) item(it schema.Item) uint64 {
	switch it := it.(type) {
	case *schema.Field:
		if it.Switch != nil {
			n := satAdd(4, exprSize(it.Switch.Tag))
			for _, a := range it.Switch.Arms {
				n = satAdd(n, 4)
				if a.Value != nil {
					n = satAdd(n, z.value(a.Value))
				}
			}
			return n
		}
		return satAdd(3, z.value(it.Value))
	case *schema.If:
		return satAdd(satAdd(2+exprSize(it.Cond), z.items(it.Then)), z.items(it.Else))
	case *schema.Within:
		return satAdd(3+exprSize(it.Size), z.items(it.Items))
	case *schema.Let:
		return 1 + exprSize(it.Value)
	case *schema.Require:
		return 1 + exprSize(it.Cond)
	}
	return 3 // align, reserved, check
}

// value counts a leaf as two: itself and the op that may save it.
func (z *sizer) value(v *schema.Value) uint64 {
	switch t := v.Type.(type) {
	case *schema.StructRef:
		n := z.structSize(t.Struct)
		for _, a := range t.Args {
			n = satAdd(n, exprSize(a))
		}
		return n
	case *schema.ArrayType:
		n := uint64(3)
		if t.Count != nil {
			n += exprSize(t.Count)
		}
		if t.Cond != nil {
			n += exprSize(t.Cond)
		}
		return satAdd(n, z.value(t.Elem))
	case *schema.OptionalType:
		return satAdd(3, z.value(t.Elem))
	case *schema.SubsetType:
		return satAdd(5, z.value(t.Elem))
	case *schema.VectorType:
		return satAdd(1, satMul(uint64(t.N), z.value(t.Elem)))
	case *schema.BlobType:
		if t.Size != nil {
			return 3 + exprSize(t.Size)
		}
	case *schema.SmallestType:
		return 6
	}
	return 3
}

func exprSize(e *schema.TypedExpr) uint64 {
	if e == nil {
		return 0
	}
	return satAdd(1, satAdd(exprSize(e.X), exprSize(e.Y)))
}
