package ops

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/schema"
)

// opRow is what holds for all ops of a code.
type opRow struct {
	word string // in `schema plan`
	// text is what a line says of the op, {N} is its node and {A} … {C}, {I} what its operands are.
	text  string
	flow  opFlow
	roles [4]role // of A, B, C and Imm
}

// opFlow is which op comes after one.
type opFlow uint8

const (
	flowOn     opFlow = iota // the next
	flowIf                   // the next, or B
	flowJump                 // A
	flowSwitch               // what Switches[B] says
	flowLoop                 // the next, or B; B-1 leads back
	flowBack                 // the one after A, or after this
	flowEnd                  // none
)

// role is what an operand of an op is.
type role uint8

const (
	roleNone     role = iota // nothing
	roleCount                // a number
	rolePlace                // the number of an op, a loop or a window, which the flow checks
	roleBits                 // how many bits
	roleRun                  // the first leaf of a run
	roleLeaves               // how many leaves
	roleLeaf                 // a leaf
	roleInRun                // the number of a leaf in the run before
	roleQuat                 // the first of four leaves
	roleInQuat               // the number of the first of four leaves in the run before
	roleParts                // bits of a component of a quaternion
	roleWrites               // a register that it writes
	roleReads                // a register that it reads
	roleOperand              // an expression
	roleMore                 // an expression where C is MoreWhile
	roleAsks                 // MoreAlways, MoreRest or MoreWhile
	roleLeft                 // bits that must be left where C is MoreRest
	roleList                 // the OpRepeat around it
	roleFlags                // how many flags that has
	roleTarget               // an op
	roleBack                 // the op before the one that it goes to
	roleOpens                // how many windows are open
	roleCloses               // how many windows are open after it
	roleUnit                 // bits of a unit of a window
	roleFill                 // bits that are zeros after a window's end
	roleAlign                // bits
	roleSum                  // of Checksums
	roleNumber               // of Numbers
	roleBlob                 // of Blobs
	roleSwitch               // of Switches
	roleRequire              // of Requires
	roleSide                 // a schema.Direction
	roleComputed             // the leaf of a computed value, where it is recorded or judged
	roleKept                 // 1 + what of Kept, 0 for nothing
	roles
)

var opRows = [codes]opRow{
	OpEnd:      {"end", "", flowEnd, [4]role{}},
	OpRun:      {"run", "{C}, {B}", flowOn, [4]role{roleRun, roleLeaves, roleBits, rolePlace}},
	OpSave:     {"save", "{A} = {N}", flowOn, [4]role{roleWrites, roleInRun, roleCount, roleCount}},
	OpChecksum: {"crc", "{N}: {B}", flowOn, [4]role{roleLeaf, roleSum}},
	OpAlign:    {"align", "{N}: to {A} bits", flowOn, [4]role{roleAlign}},
	OpReserved: {"reserved", "{N}: {A} bits", flowOn, [4]role{roleCount}},
	OpNumber:   {"number", "{N}: {B}", flowOn, [4]role{roleLeaf, roleNumber, roleCount}},
	OpUnit:     {"unit", "{N}: squares of {C}-bit parts within 1", flowOn, [4]role{roleQuat, roleInQuat, roleParts}},
	OpBlob:     {"blob", "{N}: {A}", flowOn, [4]role{roleBlob}},
	OpWindow:   {"window", "{N}: {A} times {C} bits", flowOn, [4]role{roleOperand, roleOpens, roleUnit, roleFill}},
	OpClose:    {"close", "{N}", flowOn, [4]role{roleNone, roleCloses}},
	OpArray:    {"array", "{N}: {C} times, at most {I}; then {B}", flowLoop, [4]role{rolePlace, roleTarget, roleOperand, roleCount}},
	OpRepeat:   {"repeat", "{N}: at most {I}; then {B}", flowLoop, [4]role{rolePlace, roleTarget, roleNone, roleCount}},
	OpMore:     {"more", "{B}", flowOn, [4]role{roleList, roleMore, roleAsks, roleLeft}},
	OpSlot:     {"slot", "next of {I} flags that is set", flowOn, [4]role{roleList, roleLeaf, roleLeaf, roleFlags}},
	OpUntil:    {"until", "{B}", flowOn, [4]role{roleList, roleOperand}},
	OpNext:     {"next", "back to {A}", flowBack, [4]role{roleBack}},
	OpIf:       {"if", "{A}, else {B}", flowIf, [4]role{roleOperand, roleTarget}},
	OpJump:     {"jump", "to {A}", flowJump, [4]role{roleTarget}},
	OpSwitch:   {"switch", "{N}: {A}{B}", flowSwitch, [4]role{roleOperand, roleSwitch}},
	OpLet:      {"let", "{A} = {B}{I}", flowOn, [4]role{roleWrites, roleOperand, roleComputed, roleKept}},
	OpRequire:  {"require", "{A}{B}", flowOn, [4]role{roleOperand, roleRequire}},
	OpMark:     {"mark", "{A} = here", flowOn, [4]role{roleWrites}},
	OpFrom:     {"from", "{N}: from the {B}", flowOn, [4]role{roleReads, roleSide}},
	OpStruct:   {"struct", "{N}", flowOn, [4]role{}},
}

func (o *Op) row() *opRow { return &opRows[o.Code] }

// operands are A, B, C and Imm.
func (o *Op) operands() [4]uint64 {
	return [4]uint64{uint64(o.A), uint64(o.B), uint64(o.C), o.Imm}
}

// roleRow is what holds for all operands of a role.
type roleRow struct {
	check func(v *verifier, at site, x uint64) error     // nil where every number will do
	text  func(d *disassembler, op *Op, x uint64) string // nil for the number
}

var roleRows = [roles]roleRow{
	roleBits:   {text: func(_ *disassembler, _ *Op, x uint64) string { return plural(int(x), "bit") }},
	roleRun:    {check: func(v *verifier, at site, _ uint64) error { return v.run(at.op) }},
	roleLeaves: {text: func(_ *disassembler, _ *Op, x uint64) string { return plural(int(x), "leaf") }},
	roleLeaf:   {check: func(v *verifier, _ site, x uint64) error { return inTable(x, v.p.Leaves) }},
	roleInRun:  {check: func(v *verifier, at site, x uint64) error { return v.behindRun(at.pc, x) }},
	roleQuat:   {check: func(v *verifier, _ site, x uint64) error { return inTable(x+3, v.p.Leaves) }},
	roleInQuat: {check: func(v *verifier, at site, x uint64) error { return v.behindRun(at.pc, x+3) }},
	roleParts: {check: func(_ *verifier, _ site, x uint64) error {
		return hold(2 <= x && x <= 31, "components of %d bits", x)
	}},
	roleWrites:  {(*verifier).register, registerText},
	roleReads:   {(*verifier).read, registerText},
	roleOperand: {(*verifier).operand, (*disassembler).operand},
	roleMore:    {(*verifier).more, (*disassembler).more},
	roleAsks: {check: func(_ *verifier, _ site, x uint64) error {
		return hold(x <= MoreWhile, "asks nothing known")
	}},
	roleLeft: {check: func(_ *verifier, at site, x uint64) error {
		asks := at.op.C == MoreRest
		return hold(asks && (x == 1 || x == 8) || !asks && x == 0, "an element begins where 1 or 8 bits are left, not %d", x)
	}},
	roleList: {check: (*verifier).inList},
	roleFlags: {check: func(v *verifier, at site, x uint64) error {
		return hold(x == v.o.Ops[at.op.A].Imm, "flags out of range")
	}},
	roleTarget: {text: opText},
	roleBack:   {text: func(d *disassembler, op *Op, x uint64) string { return opText(d, op, x+1) }},
	roleOpens:  {check: (*verifier).opens},
	roleCloses: {check: (*verifier).closes},
	roleUnit: {check: func(_ *verifier, _ site, x uint64) error {
		return hold(x == 1 || x == 8, "a window has a unit of 1 or 8 bits, not %d", x)
	}},
	roleFill: {check: (*verifier).fill},
	roleAlign: {check: func(_ *verifier, _ site, x uint64) error {
		return hold(x >= 8 && x&(x-1) == 0, "alignment to %d bits", x)
	}},
	roleSum:     {(*verifier).checksum, (*disassembler).checksum},
	roleNumber:  {(*verifier).number, (*disassembler).number},
	roleBlob:    {(*verifier).blob, (*disassembler).blob},
	roleSwitch:  {func(v *verifier, _ site, x uint64) error { return inTable(x, v.p.Switches) }, (*disassembler).table},
	roleRequire: {func(v *verifier, _ site, x uint64) error { return inTable(x, v.p.Requires) }, (*disassembler).names},
	roleComputed: {check: func(v *verifier, at site, x uint64) error {
		if at.op.Flags&(FlagShown|FlagJudged) == 0 {
			return hold(x == noLeaf, "a leaf without a use")
		}
		return hold(x < uint64(len(v.p.Info)) && v.p.Info[x].Let != nil, "leaf %d is not computed", x)
	}},
	roleKept: {
		func(v *verifier, _ site, x uint64) error { return hold(x <= uint64(len(v.p.Kept)), "out of range") },
		func(d *disassembler, _ *Op, x uint64) string {
			if x == 0 {
				return ""
			}
			return ", kept as " + d.p.Kept[x-1].Path()
		},
	},
	roleSide: {(*verifier).side, func(_ *disassembler, _ *Op, x uint64) string { return schema.Direction(x).String() }},
}

// noLeaf is in the place of a leaf where there is none.
const noLeaf = uint64(^uint32(0))

func opText(_ *disassembler, _ *Op, x uint64) string { return fmt.Sprintf("op %d", x) }

func registerText(_ *disassembler, _ *Op, x uint64) string { return fmt.Sprintf("s%d", x) }

// hold is an error unless something holds.
func hold(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func inTable[T any](i uint64, table []T) error { return hold(i < uint64(len(table)), "out of range") }
