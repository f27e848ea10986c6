package schema

import "math/bits"

// MachineBytes is the size of a machine's smallest integer that has so many bits: 1, 2, 4 or 8.
func MachineBytes(width int) uint64 {
	return 1 << min(bits.Len(uint(max(width, 1)-1)>>3), 3)
}

// lengthBytes is what a count or a length of at most so much takes.
func lengthBytes(most uint64) uint64 { return MachineBytes(bits.Len64(most)) }

func (*BoolType) Machine(uint64) uint64          { return 1 }
func (t *IntType) Machine(uint64) uint64         { return MachineBytes(t.Width) }
func (t *RangedType) Machine(uint64) uint64      { return MachineBytes(t.Width) }
func (t *FloatType) Machine(uint64) uint64       { return MachineBytes(t.Width) }
func (*QuantizedType) Machine(uint64) uint64     { return 4 } // a float32
func (t *VarintType) Machine(uint64) uint64      { return MachineBytes(t.Bits) }
func (t *VectorType) Machine(elem uint64) uint64 { return satMul(uint64(t.N), elem) }
func (*SmallestType) Machine(uint64) uint64      { return 4 * 4 } // float32s
func (*ChecksumType) Machine(uint64) uint64      { return 4 }
func (t *EnumRef) Machine(uint64) uint64         { return t.Enum.Base.Type.Machine(0) }
func (*StructRef) Machine(elem uint64) uint64    { return elem }
func (*OptionalType) Machine(elem uint64) uint64 { return satAdd(1, elem) }
func (t *SubsetType) Machine(elem uint64) uint64 { return satMul(t.N, satAdd(1, elem)) } // with the flag of each
func (*LadderType) Machine(uint64) uint64        { return 4 }

func (t *TextType) Machine(uint64) uint64 {
	if t.Kind == TextWString {
		return 2 * uint64(t.N)
	}
	return uint64(t.N)
}

func (t *BlobType) Machine(uint64) uint64 {
	n := uint64(t.Max)
	if t.Size == nil { // bytes(rest)
		n += lengthBytes(n)
	}
	return n
}

func (t *ArrayType) Machine(elem uint64) uint64 {
	all := satMul(t.Max, elem)
	if t.Kind == ArrayCount { // a field has the count
		return all
	}
	return satAdd(all, lengthBytes(t.Max))
}
