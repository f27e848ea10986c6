package plan

import (
	"math/big"
	"slices"
	"sort"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// Operand is a value that a step needs: a constant, a register, or an expression. Values are 64 bits; Signed says that
// they are an int64's.
type Operand struct {
	Kind     OperandKind
	Signed   bool
	Bool     bool
	Secret   bool   // it is a secret, or computed from one
	Extend   uint8  // OperandLeaf: see LeafInfo.Extension
	Register uint32 // OperandRegister; OperandLeaf: the leaf's number in the run right before the step
	Start    uint32 // OperandCode: Insts[Start:End]
	End      uint32
	Const    uint64 // OperandConst; OperandLeaf: added to the code
	Expr     *schema.TypedExpr
}

// OperandKind tells Operands apart.
type OperandKind uint8

// The kinds of operands.
const (
	OperandConst OperandKind = iota
	OperandRegister
	OperandCode
	OperandLeaf
)

// Key biases a value so that unsigned order is the value's order.
func (o *Operand) Key(v uint64) uint64 {
	if o.Signed {
		return v ^ signBit
	}
	return v
}

// Env is what expressions can see.
type Env struct {
	Registers []uint64
	Data      []byte           // the datagram
	Bit, End  int              // where the reader is in Data, and where its window ends
	Here      int              // where it is in the packet, which a writer may be making otherwise than Data
	From      schema.Direction // who sent the datagram
}

// maxStack is the deepest expression; the parser's nesting limit keeps below it and VerifyCode makes sure.
const maxStack = 160

// InstCode is one instruction of an expression.
type InstCode uint8

// The instructions: a stack machine over 64-bit values. SX and SY say that an operand is an int64.
const (
	instConst    InstCode = iota // push Imm
	instRegister                 // push register A
	instRest                     // push the whole bytes left in the window
	instPeek                     // push the next A bits, in order Imm
	instTail                     // push the last A bits of the window, in order Imm
	instFrom                     // push: the sender is side A
	instHere                     // push the bit where the reader is, rounded up to a multiple of A
	instFlag                     // top & Imm != 0
	instNeg
	instNot
	instAdd
	instSub
	instMul
	instDiv
	instMod
	instAnd
	instOr
	instXor
	instShl
	instShr
	instEq
	instLt
	instLe
	instIn    // top is in Sets[A]
	instTable // what Tables[A] has for top
)

// instRow is what holds for all instructions of a code.
type instRow struct {
	word  string
	takes int    // values from the stack; each puts one there
	text  string // in `schema plan`, of Imm as an int64, A, the side A, and Imm; "" for word
}

// insts is how many instructions there are. It is no InstCode, so no switch has to name it.
const insts = int(instTable) + 1

var instRows = [insts]instRow{
	instConst:    {"const", 0, "%[1]d"},
	instRegister: {"register", 0, "s%[2]d"},
	instRest:     {"rest", 0, ""},
	instPeek:     {"peek", 0, "peek-%[2]d"},
	instTail:     {"tail", 0, "tail-%[2]d"},
	instFrom:     {"from", 0, "from-%[3]s"},
	instHere:     {"here", 0, "here-%[2]d"},
	instFlag:     {"flag", 1, "has-%#[4]x"},
	instNeg:      {"neg", 1, ""},
	instNot:      {"not", 1, ""},
	instAdd:      {"add", 2, ""},
	instSub:      {"sub", 2, ""},
	instMul:      {"mul", 2, ""},
	instDiv:      {"div", 2, ""},
	instMod:      {"mod", 2, ""},
	instAnd:      {"and", 2, ""},
	instOr:       {"or", 2, ""},
	instXor:      {"xor", 2, ""},
	instShl:      {"shl", 2, ""},
	instShr:      {"shr", 2, ""},
	instEq:       {"eq", 2, ""},
	instLt:       {"lt", 2, ""},
	instLe:       {"le", 2, ""},
	instIn:       {"in", 1, ""},
	instTable:    {"table", 1, "table-%[2]d"},
}

// Inst is one instruction.
type Inst struct {
	Code   InstCode
	SX, SY bool
	A      uint32
	Imm    uint64
}

// Eval computes operand i. The checker has proved that nothing overflows and no divisor is zero where it matters; where
// a dead side of && or || would divide by zero, the result is 0 and unused.
func (p *Plan) Eval(i uint32, env *Env) uint64 {
	o := &p.Operands[i]
	if o.Kind == OperandConst {
		return o.Const
	}
	if o.Kind == OperandRegister {
		return env.Registers[o.Register]
	}
	code := p.Insts[o.Start:o.End]
	if len(code) == 2 && code[0].Code == instRegister { // `if !f`, `if f.Flag`: most conditions there are
		x := env.Registers[code[0].A]
		if code[1].Code == instNot {
			return x ^ 1
		}
		if code[1].Code == instFlag {
			return flag(x&code[1].Imm != 0)
		}
	}
	if len(code) == 3 && code[0].Code == instRegister && code[1].Code == instConst && code[2].Code >= instAdd && code[2].Code <= instLe {
		return binary(&code[2], env.Registers[code[0].A], code[1].Imm)
	}
	if len(code) <= fewInsts {
		var stack [fewInsts]uint64
		return p.run(code, env, stack[:])
	}
	var stack [maxStack]uint64
	return p.run(code, env, stack[:])
}

// fewInsts is what an expression has at most that needs no deep stack: clearing one takes longer than all else.
const fewInsts = 8

func (p *Plan) run(code []Inst, env *Env, stack []uint64) uint64 {
	sp := 0 // values on the stack
	for i := range code {
		in := &code[i]
		switch in.Code {
		case instConst:
			stack[sp] = in.Imm
			sp++
		case instRegister:
			stack[sp] = env.Registers[in.A]
			sp++
		case instRest:
			stack[sp] = uint64(env.End-env.Bit) / 8
			sp++
		case instPeek:
			stack[sp] = wire.Order(in.Imm).Peek(env.Data, env.Bit, env.End, int(in.A))
			sp++
		case instTail:
			stack[sp] = wire.Order(in.Imm).Tail(env.Data, env.Bit, env.End, int(in.A))
			sp++
		case instFrom:
			stack[sp] = flag(env.From != schema.FromUnknown && env.From == schema.Direction(in.A))
			sp++
		case instHere:
			stack[sp] = uint64(env.Here + -env.Here&int(in.A-1))
			sp++
		case instFlag, instNeg, instNot, instIn, instTable:
			stack[sp-1] = p.unary(in, stack[sp-1])
		case instAdd, instSub, instMul, instDiv, instMod, instAnd, instOr, instXor, instShl, instShr, instEq, instLt, instLe:
			sp--
			stack[sp-1] = binary(in, stack[sp-1], stack[sp])
		}
	}
	return stack[0]
}

// unary computes an instruction of one value.
func (p *Plan) unary(in *Inst, x uint64) uint64 {
	if in.Code == instFlag {
		return flag(x&in.Imm != 0)
	}
	if in.Code == instNeg {
		return -x
	}
	if in.Code == instNot {
		return x ^ 1
	}
	if in.SX {
		x ^= signBit
	}
	if in.Code == instTable {
		return p.Tables[in.A].at(x)
	}
	return flag(p.Sets[in.A].has(x))
}

// keyRange is a closed interval of keys: values biased so that unsigned order is the value's order.
type keyRange struct{ lo, hi uint64 }

// keySet is a sorted list of disjoint intervals.
type keySet []keyRange

func (k keySet) has(key uint64) bool {
	lo, hi := 0, len(k)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if k[mid].hi < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo < len(k) && k[lo].lo <= key
}

// makeSet turns ranges into keys; what lies outside the domain can never match and is cut off.
func makeSet(ranges []schema.Range, signed bool) keySet {
	var set keySet
	for _, r := range ranges {
		lo, ok1 := key(r.Lo, signed, false)
		hi, ok2 := key(r.Hi, signed, true)
		if ok1 && ok2 && lo <= hi {
			set = append(set, keyRange{lo, hi})
		}
	}
	sort.Slice(set, func(i, j int) bool { return set[i].lo < set[j].lo })
	return set
}

var (
	minInt64  = big.NewInt(-1 << 63)
	maxInt64  = big.NewInt(1<<63 - 1)
	maxUint64 = new(big.Int).SetUint64(1<<64 - 1)
	zero      = new(big.Int)
)

// key is v's key, clamped into the domain from below (an upper end from above); false when all of it lies outside.
func key(v *big.Int, signed, upper bool) (uint64, bool) {
	lo, hi := zero, maxUint64
	if signed {
		lo, hi = minInt64, maxInt64
	}
	if v.Cmp(lo) < 0 {
		if upper {
			return 0, false
		}
		v = lo
	}
	if v.Cmp(hi) > 0 {
		if !upper {
			return 0, false
		}
		v = hi
	}
	k := Low64(v)
	if signed {
		k ^= signBit
	}
	return k, true
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func binary(in *Inst, x, y uint64) uint64 {
	switch in.Code {
	case instAdd:
		return x + y
	case instSub:
		return x - y
	case instMul:
		return x * y
	case instDiv, instMod:
		return wire.Divide(x, y, in.SX, in.SY, in.Code == instMod)
	case instAnd:
		return x & y
	case instOr:
		return x | y
	case instXor:
		return x ^ y
	case instShl:
		return x << (y & 63)
	case instShr:
		if in.SX {
			return uint64(int64(x) >> (y & 63))
		}
		return x >> (y & 63)
	case instEq:
		return flag(x == y && (int64(x) >= 0 || in.SX == in.SY))
	case instLt:
		return flag(wire.Less(x, y, in.SX, in.SY))
	case instLe:
		return flag(!wire.Less(y, x, in.SY, in.SX))
	case instConst, instRegister, instRest, instPeek, instTail, instFrom, instHere, instFlag, instNeg, instNot, instIn, instTable:
	}
	panic("pktscope: internal error: unknown expression instruction")
}

// Low64 is the two's complement of a value that fits int64 or uint64.
func Low64(v *big.Int) uint64 {
	if v.Sign() < 0 {
		return uint64(v.Int64())
	}
	return v.Uint64()
}

// code is an operand as an expression in postfix order; nil where it is a leaf.
func (p *Plan) code(o *Operand) []Inst {
	switch o.Kind {
	case OperandConst:
		return []Inst{{Code: instConst, Imm: o.Const}}
	case OperandRegister:
		return []Inst{{Code: instRegister, A: o.Register}}
	case OperandCode:
		return p.Insts[o.Start:o.End]
	case OperandLeaf:
	}
	return nil
}

// Reads lists the registers that operand i looks at.
func (p *Plan) Reads(i uint32) []uint32 {
	var registers []uint32
	for _, in := range p.code(&p.Operands[i]) {
		if in.Code == instRegister && !slices.Contains(registers, in.A) {
			registers = append(registers, in.A)
		}
	}
	return registers
}

// Constants lists the numbers that the plan's expressions hold, in ascending order: values that some field is compared
// with or computed from.
func (p *Plan) Constants() []uint64 {
	var all []uint64
	for i := range p.Insts {
		if in := &p.Insts[i]; in.Code == instConst || in.Code == instFlag {
			all = append(all, in.Imm)
		}
	}
	for i := range p.Tables {
		all = p.Tables[i].edges(all)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
