package ops

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// Code is what an Op does.
type Code uint8

// The ops. A, B, C, D and Imm are the Op's operands.
const (
	// OpEnd: the packet is complete; what is left is trailing.
	OpEnd Code = iota
	// OpRun reads the leaves A … A+B-1, C bits in all, at constant offsets from here. Imm is its place in Program.Runs.
	OpRun
	// OpSave puts the value of leaf B of the run before it (Extend of its code, with extension C and base Imm) into
	// register A.
	OpSave
	// OpChecksum verifies checksum B of Checksums; leaf A is its field.
	OpChecksum
	// OpAlign skips zero bits to the next multiple of A bits; with FlagAny set bits are a note.
	OpAlign
	// OpReserved skips A zero bits, more than one leaf holds; with FlagAny set bits are a note.
	OpReserved
	// OpNumber reads leaf A, whose width is found on the way, as Numbers[B] says. With an EndLeaf, it can end the list
	// whose OpRepeat is at C.
	OpNumber
	// OpUnit checks that the smallest-three quaternion in leaves A … A+3 of the run before it has a fourth component; B
	// is the number of leaf A in that run.
	OpUnit
	// OpBlob aligns (unless FlagPacked) and takes raw bytes or text as Blobs[A] says.
	OpBlob
	// OpWindow aligns (unless FlagPacked) and narrows what can be seen to operand A times C bits; B is the nesting
	// depth. With Imm, whole bytes, all after its end is zeros up to so many bits from its beginning; no window is in
	// such a one.
	OpWindow
	// OpClose ends window B: less than 8 bits left over are padding, more are refused.
	OpClose
	// OpArray starts loop A (nesting depth) over operand C; Imm is the most elements. B is the op after its OpNext.
	OpArray
	// OpRepeat starts loop A of a list that finds its end on the way; Imm and B are as OpArray's. The body begins with
	// an OpMore or an OpSlot.
	OpRepeat
	// OpMore begins another element of the list whose OpRepeat is at A, or leaves the list: MoreRest (C) when less
	// than Imm bits are left, MoreWhile when operand B is false, MoreAlways never. One element above the most is refused.
	OpMore
	// OpSlot reads flags of the bitmap whose OpRepeat is at A up to the next set one, or leaves the list when all have
	// been read. Leaf B is the flag, leaf C the index of the element.
	OpSlot
	// OpUntil leaves the list whose OpRepeat is at A when operand B is true.
	OpUntil
	// OpNext ends the body of the loop whose OpArray or OpRepeat is at A.
	OpNext
	// OpIf goes on when operand A is true, else to B.
	OpIf
	// OpJump goes to A, forward.
	OpJump
	// OpSwitch goes where Switches[B] and Program.Starts[B] say for operand A.
	OpSwitch
	// OpLet puts operand B into register A. With FlagJudged a value that leaf C refuses ends the packet, with FlagShown it
	// is recorded. With Imm, it is what Kept[Imm-1] keeps of the packet.
	OpLet
	// OpRequire refuses unless operand A is true; B is the requirement's number.
	OpRequire
	// OpMark puts the position into register A.
	OpMark
	// OpFrom notes a wrong direction: what began at the bit in register A may only come from side B.
	OpFrom
	// OpStruct opens a struct that may turn out to hold nothing.
	OpStruct
)

// codes is how many there are. It is no Code, so no switch has to name it.
const codes = int(OpStruct) + 1

// String gives the word that `schema plan` prints.
func (c Code) String() string {
	if int(c) >= codes {
		return fmt.Sprintf("op code %d", uint8(c))
	}
	return opRows[c].word
}

// What an OpMore asks, in its C.
const (
	MoreAlways = iota
	MoreRest
	MoreWhile
)

// Flags of an Op.
const (
	FlagAny    uint8 = 1 << iota // set bits are a note, not a reject
	FlagPacked                   // no alignment before the bytes (order bousk)
	FlagCase                     // the switch whose tag is the packet's case
	FlagRuns                     // an OpArray whose body is one OpRun of one bit or more, so that it can be read in one go
	FlagSecret                   // an OpIf or OpSwitch that begins a Decision: the Trace keeps that it was reached
	FlagPath                     // an OpIf of which the Trace records the way (Recording)
	FlagShown                    // an OpLet that is recorded
	FlagJudged                   // an OpLet whose value can be refused
)

// Op is one instruction of a Program. Its meaning is at its Code.
type Op struct {
	Code  Code
	Flags uint8
	Order wire.Order
	Node  plan.NodeID
	Point plan.Point // NoPoint of an op that refuses and records nothing
	A     uint32
	B     uint32
	C     uint32
	Imm   uint64
}
