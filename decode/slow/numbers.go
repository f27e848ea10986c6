package slow

import (
	"fmt"
	"math"
	"math/big"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// number is an integer as it came from the wire.
type number struct {
	raw     uint64
	value   *big.Int
	outside bool // it is outside its type: what that means for the packet is for the caller to say
	bit     int
	width   int
}

// integer reads a plain integer: its type's range first, then its rule.
func (w *walk) integer(f frame, v *schema.Value) (bound, bool) {
	n, ok := w.number(f, v.Type, v.Swap)
	if !ok {
		return bound{}, false
	}
	if n.outside {
		return bound{}, w.refuse(f, reject.OutOfRange, n.bit, n.width)
	}
	return w.obey(f, v.Rule, n)
}

// obey holds a number against its rule and records it.
func (w *walk) obey(f frame, rule *schema.Rule, n number) (bound, bool) {
	if rule != nil {
		switch rule.Kind {
		case schema.RuleIn:
			if b := rule.Bounds; b != nil {
				if w.eval(f.scope, b.Lo).Cmp(n.value) > 0 || n.value.Cmp(w.eval(f.scope, b.Hi)) > 0 {
					return bound{}, w.refuse(f, reject.OutOfRange, n.bit, n.width)
				}
				break
			}
			if !inSet(rule.Set, n.value) {
				return bound{}, w.refuse(f, reject.OutOfRange, n.bit, n.width)
			}
		case schema.RuleEq, schema.RuleNe:
			if (n.value.Cmp(rule.Want) == 0) != (rule.Kind == schema.RuleEq) {
				return bound{}, w.refuse(f, reject.ConstMismatch, n.bit, n.width)
			}
		default:
			panic(fmt.Sprintf("pktscope: internal error: slow: rule %d on a number", rule.Kind))
		}
	}
	w.read(f, n.bit, n.width, n.raw)
	bit, width := w.clip(n.bit, n.width)
	return bound{value: n.value, wire: true, bit: bit, width: width}, true
}

// number reads an integer of type t. swap turns its bytes around.
func (w *walk) number(f frame, t schema.Type, swap bool) (number, bool) {
	switch t := t.(type) {
	case *schema.IntType:
		width := t.Width
		if t.Size != nil {
			size := w.eval(f.scope, t.Size)
			if size.Sign() < 0 {
				return number{}, w.refuse(f, reject.OutOfRange, w.bit, 0)
			}
			width = int(size.Int64())
		}
		n, ok := w.code(f, width, swap)
		n.value = new(big.Int).SetUint64(n.raw)
		if t.Signed && width > 0 && n.raw>>(width-1) == 1 {
			n.value.Sub(n.value, powerOf2(width))
		}
		return n, ok
	case *schema.RangedType:
		hi := t.Hi
		if t.HiExpr != nil {
			hi = w.eval(f.scope, t.HiExpr)
		}
		if hi.Cmp(t.Lo) < 0 {
			return number{}, w.refuse(f, reject.OutOfRange, w.bit, 0)
		}
		return w.ranged(f, t.Lo, hi, swap)
	case *schema.VarintType:
		return w.varint(f, t)
	case *schema.LadderType:
		return w.relative(f, t)
	case *schema.BelowType:
		return w.below(f, t)
	case *schema.BoolType, *schema.FloatType, *schema.QuantizedType, *schema.VectorType, *schema.SmallestType, *schema.TextType,
		*schema.BlobType, *schema.ChecksumType, *schema.EnumRef, *schema.StructRef, *schema.OptionalType, *schema.ArrayType,
		*schema.SubsetType:
		panic(fmt.Sprintf("pktscope: internal error: slow: %T is no integer", t))
	}
	panic(fmt.Sprintf("pktscope: internal error: slow: unknown type %T", t))
}

// below reads below(e): the lowest bit first, and each only where the number with it would still be below e.
func (w *walk) below(f frame, t *schema.BelowType) (number, bool) {
	limit := w.eval(f.scope, t.Limit).Uint64()
	n := number{bit: w.bit}
	for place := uint64(1); n.raw+place < limit; place *= 2 {
		bit, ok := w.take(f, 1)
		if !ok {
			return n, false
		}
		n.raw += bit * place
		n.width++
	}
	n.value = new(big.Int).SetUint64(n.raw)
	return n, true
}

// code reads width bits.
func (w *walk) code(f frame, width int, swap bool) (number, bool) {
	n := number{bit: w.bit, width: width}
	raw, ok := w.take(f, width)
	if swap {
		raw = swapBytes(raw, width)
	}
	n.raw = raw
	return n, ok
}

// ranged reads int(lo..hi), lo ≤ hi: the offset from lo in as many bits as the largest offset has.
func (w *walk) ranged(f frame, lo, hi *big.Int, swap bool) (number, bool) {
	span := new(big.Int).Sub(hi, lo)
	n, ok := w.code(f, span.BitLen(), swap)
	offset := new(big.Int).SetUint64(n.raw)
	n.outside = offset.Cmp(span) > 0
	n.value = offset.Add(offset, lo)
	return n, ok
}

// counted reads an int(lo..hi) that belongs to a larger thing (a count, an index, a length): out of its range it is
// refused and it is a field of its own.
func (w *walk) counted(f frame, lo, hi uint64) (uint64, bool) {
	n, ok := w.ranged(f, new(big.Int).SetUint64(lo), new(big.Int).SetUint64(hi), false)
	if !ok {
		return 0, false
	}
	if n.outside {
		return 0, w.refuse(f, reject.OutOfRange, n.bit, n.width)
	}
	w.read(f, n.bit, n.width, n.raw)
	return n.value.Uint64(), true
}

// varint reads varint(n) and zigzag(n): groups of 7 bits in 8, the lowest group first, the high bit saying that more
// follow. One value has one encoding: a last group of zeros after another group is not canonical.
func (w *walk) varint(f frame, t *schema.VarintType) (number, bool) {
	n := number{bit: w.bit}
	groups := (t.Bits + 6) / 7
	all := new(big.Int)
	for g := range groups {
		b, ok := w.take(f, 8)
		if !ok {
			return n, false
		}
		n.width += 8
		low := new(big.Int).SetUint64(b & 0x7F)
		all.Or(all, low.Lsh(low, uint(7*g)))
		more := b&0x80 != 0
		if !more && b == 0 && g > 0 {
			return n, w.refuse(f, reject.NonCanonical, n.bit, n.width)
		}
		if !more {
			break
		}
		// A group after the last that n bits can fill would hold bits past n.
		n.outside = g == groups-1
	}
	n.outside = n.outside || all.BitLen() > t.Bits
	if n.outside {
		if n.value = all; all.BitLen() > 64 {
			n.value.SetUint64(math.MaxUint64) // no flags have bits there
		}
		return n, true
	}
	n.raw = all.Uint64()
	n.value = all
	if t.ZigZag {
		// Bit 0 is the sign: 0, -1, 1, -2, …
		n.value = new(big.Int).Rsh(all, 1)
		if n.raw&1 == 1 {
			n.value.Not(n.value)
		}
	}
	return n, true
}

// swapBytes turns the n/8 bytes of v around.
func swapBytes(v uint64, n int) uint64 {
	var r uint64
	for i := 0; i < n; i += 8 {
		r = r<<8 | v>>i&0xFF
	}
	return r
}

func powerOf2(n int) *big.Int {
	return new(big.Int).Lsh(big.NewInt(1), uint(n))
}
