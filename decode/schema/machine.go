package schema

import "math/bits"

// MachineBytes is the size of a machine's smallest integer that has so many bits: 1, 2, 4 or 8.
func MachineBytes(width int) uint64 {
	return 1 << min(bits.Len(uint(max(width, 1)-1)>>3), 3)
}

// lengthBytes is what a count or a length of at most so much takes.
func lengthBytes(most uint64) uint64 { return MachineBytes(bits.Len64(most)) }

func (*BoolType) Machine(uint64) uint64          { return 1 }
func (i *IntType) Machine(uint64) uint64         { return MachineBytes(i.Width) }
func (r *RangedType) Machine(uint64) uint64      { return MachineBytes(r.Width) }
func (f *FloatType) Machine(uint64) uint64       { return MachineBytes(f.Width) }
func (*QuantizedType) Machine(uint64) uint64     { return 4 } // a float32
func (v *VarintType) Machine(uint64) uint64      { return MachineBytes(v.Bits) }
func (v *VectorType) Machine(elem uint64) uint64 { return satMul(uint64(v.N), elem) }
func (*SmallestType) Machine(uint64) uint64      { return 4 * 4 } // float32s
func (*ChecksumType) Machine(uint64) uint64      { return 4 }
func (e *EnumRef) Machine(uint64) uint64         { return e.Enum.Base.Type.Machine(0) }
func (*StructRef) Machine(elem uint64) uint64    { return elem }
func (*OptionalType) Machine(elem uint64) uint64 { return satAdd(1, elem) }
func (s *SubsetType) Machine(elem uint64) uint64 { return satMul(s.N, satAdd(1, elem)) } // with the flag of each
func (*LadderType) Machine(uint64) uint64        { return 4 }
func (*BelowType) Machine(uint64) uint64         { return 4 }

func (t *TextType) Machine(uint64) uint64 {
	if t.Kind == TextWString {
		return 2 * uint64(t.N)
	}
	return uint64(t.N)
}

func (b *BlobType) Machine(uint64) uint64 {
	n := uint64(b.Max)
	if b.Size == nil { // bytes(rest)
		n += lengthBytes(n)
	}
	return n
}

func (a *ArrayType) Machine(elem uint64) uint64 {
	all := satMul(a.Max, elem)
	if a.Kind == ArrayCount { // a field has the count
		return all
	}
	return satAdd(all, lengthBytes(a.Max))
}
