package slow

import (
	"fmt"
	"math/big"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// Values. f is the frame of the value itself: its path is the field's.

// value reads one value, records its fields, and says what the name before it stands for from now on.
func (w *walk) value(f frame, v *schema.Value) (bound, bool) {
	list, _ := v.Type.(*schema.ArrayType) // the condition of `until` is after an element
	if _, ref := v.Type.(*schema.StructRef); !ref && (list == nil || list.Kind != schema.ArrayUntil) && !w.knows(v.Type.Sizes()...) {
		return bound{}, false
	}
	switch t := v.Type.(type) {
	case *schema.BoolType:
		return w.boolean(f, v, t)
	case *schema.IntType, *schema.RangedType, *schema.VarintType, *schema.LadderType, *schema.BelowType:
		return w.integer(f, v)
	case *schema.EnumRef:
		if t.Enum.Flags {
			return w.flags(f, v, t.Enum)
		}
		return w.enum(f, v, t.Enum)
	case *schema.StructRef:
		return w.structure(f, t)
	case *schema.FloatType:
		return bound{}, w.float(f, v, t)
	case *schema.QuantizedType:
		return bound{}, w.quantized(f, t)
	case *schema.VectorType:
		return bound{}, w.vector(f, t)
	case *schema.SmallestType:
		return bound{}, w.smallest(f, t)
	case *schema.TextType:
		return bound{}, w.text(f, v, t)
	case *schema.BlobType:
		return bound{}, w.blob(f, v, t)
	case *schema.ChecksumType:
		return bound{}, w.checksum(f, t, v.Swap)
	case *schema.OptionalType:
		return bound{}, w.optional(f, t)
	case *schema.ArrayType:
		return bound{}, w.array(f, t)
	case *schema.SubsetType:
		return bound{}, w.subset(f, t)
	}
	panic(fmt.Sprintf("pktscope: internal error: slow: unknown type %T", v.Type))
}

// boolean reads bool and bool8.
func (w *walk) boolean(f frame, v *schema.Value, t *schema.BoolType) (bound, bool) {
	width := 1
	if t.Wide {
		width = 8
	}
	start := w.bit
	raw, ok := w.take(f, width)
	if !ok {
		return bound{}, false
	}
	if raw > 1 {
		return bound{}, w.refuse(f, reject.OutOfRange, start, width)
	}
	return w.obey(f, v.Rule, number{raw: raw, value: truth(raw == 1), bit: start, width: width})
}

// structure reads a struct in a scope of its own. An inline one sees what is around it, a named one its parameters.
func (w *walk) structure(f frame, t *schema.StructRef) (bound, bool) {
	inside := newScope(nil)
	if t.Struct.Inline {
		inside.outer = f.scope
	}
	for i, p := range t.Struct.Params {
		if !p.Used {
			continue
		}
		if !w.knows(t.Args[i]) {
			return bound{}, false
		}
		arg := bound{value: w.eval(f.scope, t.Args[i])}
		if t.Args[i].Op == schema.OpVar && register(t.Args[i]) == nil {
			arg = f.scope.find(t.Args[i].Path) // a parameter that is a field is that field, its place included
		}
		inside.vars[p] = arg
	}
	in := frame{f.path, t.Struct.Order, inside, f.place.of(t)}
	w.arrive(in, t.Struct)
	ok := w.items(in, t.Struct.Items)
	if ok {
		in.leave(t.Struct)
		w.last[t] = inside
	}
	return bound{inside: inside}, ok
}

// enum reads an enum. A closed one knows its cases only, whatever its base type could hold.
func (w *walk) enum(f frame, v *schema.Value, e *schema.Enum) (bound, bool) {
	n, ok := w.number(f, e.Base.Type, v.Swap != e.Base.Swap)
	if !ok {
		return bound{}, false
	}
	listed := false
	for _, c := range e.Cases {
		listed = listed || c.Value.Cmp(n.value) == 0
	}
	switch {
	case !e.Open && (n.outside || !listed):
		return bound{}, w.refuse(f, reject.UnknownCase, n.bit, n.width)
	case n.outside:
		return bound{}, w.refuse(f, reject.OutOfRange, n.bit, n.width)
	case !listed:
		w.note(f, reject.UnlistedValue, n.bit, n.width)
	}
	return w.obey(f, v.Rule, n)
}

// flags reads flags: the bits of no flag are zero where they are closed.
func (w *walk) flags(f frame, v *schema.Value, e *schema.Enum) (bound, bool) {
	n, ok := w.number(f, e.Base.Type, v.Swap != e.Base.Swap)
	if !ok {
		return bound{}, false
	}
	mask := new(big.Int).SetUint64(e.Mask)
	unlisted := new(big.Int).AndNot(n.value, mask).Sign() != 0
	switch {
	case !e.Open && unlisted:
		return bound{}, w.refuse(f, reject.ReservedNonzero, n.bit, n.width)
	case n.outside:
		return bound{}, w.refuse(f, reject.OutOfRange, n.bit, n.width)
	case unlisted:
		w.note(f, reject.UnlistedValue, n.bit, n.width)
	}
	return w.obey(f, v.Rule, n)
}

// optional reads a bool, then the value if it was set.
func (w *walk) optional(f frame, t *schema.OptionalType) bool {
	start := w.bit
	set, ok := w.take(f, 1)
	if !ok {
		return false
	}
	w.readItem(f, start, 1, set)
	if set == 1 {
		_, ok = w.value(f, t.Elem)
	}
	return ok
}
