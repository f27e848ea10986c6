package ops

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// maxNesting is how deep loops are nested at most, and windows.
const maxNesting = 64

// maxFill is how many bits are filled with zeros at most.
const maxFill = 8 * 2048

// Verify proves what the interpreter relies on, from the ops alone:
//
//   - every jump is forward and stays inside its loop body; the only way back is an OpNext to its own OpArray;
//   - loops are properly nested, at most 64 deep, and each has an operand or a constant for its count and a maximum;
//   - every register is written on every way to where it is read;
//   - every operand's expression leaves one value and fits the evaluation stack;
//   - indexes into leaves, nodes and tables are in range; an OpSave follows the run it reads;
//   - every op, kind, order and instruction is one that it knows: what is unknown is refused, not passed over;
//   - a run's words are what its leaves give, and an array with FlagRuns is nothing but a run.
//
// From these follows that Decode ends: between two OpNexts the position in the plan only grows, and each loop runs as
// often as its count, which the checker has bounded.
func (o *Program) Verify() error {
	p := o.Plan
	v := &verifier{o: o, p: p, pending: map[int]registerSet{}, joined: map[int]bool{}}
	if len(o.Ops) == 0 || o.Ops[len(o.Ops)-1].Code != OpEnd {
		return fmt.Errorf("plan does not end with %q", OpEnd)
	}
	for i := range p.Info {
		if p.Info[i].Kind > plan.LeafReserved {
			return fmt.Errorf("leaf %d: no kind of leaf is %d", i, p.Info[i].Kind)
		}
	}
	held := make(registerSet, (p.Registers+63)/64)
	for _, s := range p.State { // written before the first op
		if int(s.Value) >= p.Registers || int(s.Known) >= p.Registers {
			return fmt.Errorf("a register of the flow has none here")
		}
		held = held.with(s.Value).with(s.Known)
	}
	if err := v.region(0, len(o.Ops), held, 0); err != nil {
		return err
	}
	if v.windows != 0 {
		return fmt.Errorf("a window is not closed")
	}
	return nil
}

// registerSet says which registers have been written on every way here.
type registerSet []uint64

func (s registerSet) has(i uint32) bool { return s[i/64]>>(i%64)&1 != 0 }

func (s registerSet) with(i uint32) registerSet {
	if s.has(i) {
		return s
	}
	c := append(registerSet(nil), s...)
	c[i/64] |= 1 << (i % 64)
	return c
}

func (s registerSet) and(o registerSet) registerSet {
	same := true
	for i := range s {
		same = same && s[i]&o[i] == s[i]
	}
	if same {
		return s
	}
	c := append(registerSet(nil), s...)
	for i := range c {
		c[i] &= o[i]
	}
	return c
}

type verifier struct {
	o       *Program
	p       *plan.Plan
	pending map[int]registerSet // at a join: what all the jumps to it had written
	joined  map[int]bool        // ops that a jump leads to
	lists   []uint32            // the loops around this op, outermost first
	windows int                 // open at this op
	filled  int                 // how many were when one was opened that is filled with zeros; 0 outside one
}

// region checks ops start … end-1, the plan or one loop body, in one pass: all jumps in it are forward.
func (v *verifier) region(start, end int, written registerSet, depth int) error {
	p := v.p
	live := true // this op can be reached from the one before it
	for pc := start; pc < end; pc++ {
		if in, ok := v.pending[pc]; ok {
			if live {
				in = in.and(written)
			}
			written, live = in, true
			delete(v.pending, pc)
		}
		if !live {
			return fmt.Errorf("op %d cannot be reached", pc)
		}
		op := &v.o.Ops[pc]
		if int(op.Code) >= codes {
			return fmt.Errorf("op %d: no op has the code %d", pc, op.Code)
		}
		if op.Node < plan.NoNode || int(op.Node) >= len(p.Nodes) || (op.Node == plan.NoNode && op.Code != OpMark) {
			return fmt.Errorf("op %d: node %d does not exist", pc, op.Node)
		}
		at := site{pc, op, written}
		if err := v.op(at); err != nil {
			return fmt.Errorf("op %d (%s): %w", pc, op.Code, err)
		}
		written = v.writes(at)
		switch op.row().flow {
		case flowOn:
		case flowIf:
			if err := v.jump(pc, int(op.B), end, written); err != nil {
				return err
			}
		case flowJump:
			if err := v.jump(pc, int(op.A), end, written); err != nil {
				return err
			}
			live = false
		case flowSwitch:
			if err := v.arms(pc, end, written); err != nil {
				return err
			}
			live = false
		case flowLoop:
			next, err := v.loop(pc, end, written, depth)
			if err != nil {
				return fmt.Errorf("op %d: %w", pc, err)
			}
			pc = next // what the body wrote does not count after it: it may not have run
		case flowBack:
			return fmt.Errorf("op %d: next without its array", pc)
		case flowEnd:
			if pc != len(v.o.Ops)-1 {
				return fmt.Errorf("op %d: end inside the plan", pc)
			}
		}
	}
	// A jump to the region's end joins whatever follows the region.
	if _, ok := v.pending[end]; ok {
		delete(v.pending, end)
		live = true
	}
	if !live {
		return fmt.Errorf("op %d: the end of its block cannot be reached", end)
	}
	return nil
}

// loop checks the loop that begins at an op, and gives its last.
func (v *verifier) loop(pc, end int, written registerSet, depth int) (next int, err error) {
	o, op := v.o, &v.o.Ops[pc]
	next = int(op.B) - 1
	if next <= pc || next >= end || o.Ops[next].Code != OpNext || int(o.Ops[next].A) != pc {
		return 0, fmt.Errorf("array without its next")
	}
	if depth >= maxNesting || int(op.A) != depth {
		return 0, fmt.Errorf("loops nested deeper than %d, or out of order", maxNesting)
	}
	if first := o.Ops[pc+1].Code; op.Code == OpRepeat && first != OpMore && first != OpSlot {
		return 0, fmt.Errorf("repeat that does not ask for more")
	}
	if op.Flags&FlagRuns != 0 && !o.onlyRun(pc) {
		return 0, fmt.Errorf("more in the array than a run")
	}
	windows := v.windows
	v.lists = append(v.lists, uint32(pc))
	if err := v.region(pc+1, next, written, depth+1); err != nil {
		return 0, err
	}
	v.lists = v.lists[:depth]
	return next, hold(v.windows == windows, "a window crosses the end of a loop")
}

func (v *verifier) jump(pc, to, end int, written registerSet) error {
	if to <= pc || to > end || to == len(v.o.Ops) {
		return fmt.Errorf("op %d: jump to %d leaves its block or goes back", pc, to)
	}
	if in, ok := v.pending[to]; ok {
		written = in.and(written)
	}
	v.pending[to], v.joined[to] = written, true
	return nil
}

func (v *verifier) arms(pc, end int, written registerSet) error {
	i := v.o.Ops[pc].B
	s, starts := v.p.Switches[i], v.o.Starts[i]
	for i, e := range s.Entries {
		if e.Lo > e.Hi || i > 0 && s.Entries[i-1].Hi >= e.Lo {
			return fmt.Errorf("op %d: switch entries overlap or are out of order", pc)
		}
		if int(e.Arm) >= len(starts) {
			return fmt.Errorf("op %d: switch to an arm that does not exist", pc)
		}
		if err := v.jump(pc, int(starts[e.Arm]), end, written); err != nil {
			return err
		}
	}
	if s.Default >= 0 {
		return v.jump(pc, int(starts[s.Default]), end, written)
	}
	if len(s.Entries) == 0 {
		return fmt.Errorf("op %d: switch without a way out", pc)
	}
	return nil
}

// site is an op, and what has been written on every way to it.
type site struct {
	pc      int
	op      *Op
	written registerSet
}

// op checks the operands of one op.
func (v *verifier) op(at site) error {
	for i, x := range at.op.operands() {
		if check := roleRows[at.op.row().roles[i]].check; check != nil {
			if err := check(v, at, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// writes is what has been written after an op.
func (v *verifier) writes(at site) registerSet {
	for i, x := range at.op.operands() {
		if r := at.op.row().roles[i]; r == roleWrites {
			at.written = at.written.with(uint32(x))
		} else if r == roleNumber && v.p.Numbers[x].Register >= 0 {
			at.written = at.written.with(uint32(v.p.Numbers[x].Register))
		}
	}
	return at.written
}

func (v *verifier) register(_ site, x uint64) error {
	return hold(x < uint64(v.p.Registers), "register %d does not exist", x)
}

func (v *verifier) read(at site, x uint64) error {
	return hold(x < uint64(v.p.Registers) && at.written.has(uint32(x)), "register %d is read before it is written", x)
}

// opens and closes check how deep the windows are nested.
func (v *verifier) opens(_ site, x uint64) error {
	v.windows++
	return hold(int(x) == v.windows-1 && v.windows <= maxNesting, "windows nested deeper than %d, or out of order", maxNesting)
}

// fill checks a window that is filled with zeros: a reader restores the datagram at its end, so none is inside one.
func (v *verifier) fill(at site, x uint64) error {
	if v.filled > 0 {
		return fmt.Errorf("a window in one that is filled")
	}
	if x == 0 {
		return nil
	}
	v.filled = v.windows
	return hold(at.op.C == 8 && at.op.Flags&FlagPacked == 0 && x%8 == 0 && x <= maxFill, "%d bits of zeros", x)
}

func (v *verifier) closes(_ site, x uint64) error {
	if v.windows == v.filled {
		v.filled = 0
	}
	v.windows--
	return hold(int(x) == v.windows, "no window to close")
}

// checksum checks that its registers are written, which hold where its coverage begins and ends and what is added to
// it.
func (v *verifier) checksum(at site, x uint64) error {
	if err := inTable(x, v.p.Checksums); err != nil {
		return err
	}
	s := v.p.Checksums[x]
	if err := hold(at.op.A == s.Leaf && s.Algorithm.Width == int(v.p.Leaves[s.Leaf].Width), "no checksum in leaf %d", at.op.A); err != nil {
		return err
	}
	registers := []int32{s.From.Register, s.To.Register}
	for i := range len(s.Prefix) + len(s.Suffix) {
		registers = append(registers, s.Part(i).Register)
	}
	for _, r := range registers {
		if r < 0 {
			continue
		}
		if err := v.read(at, uint64(r)); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) blob(at site, x uint64) error {
	if err := inTable(x, v.p.Blobs); err != nil {
		return err
	}
	b := v.p.Blobs[x]
	for _, i := range b.Fragment.Operands {
		if err := v.operand(at, uint64(i)); err != nil {
			return err
		}
	}
	if b.Size < 0 {
		return nil
	}
	return v.operand(at, uint64(b.Size))
}

func (v *verifier) side(_ site, x uint64) error {
	return hold(schema.Direction(x) == schema.Client || schema.Direction(x) == schema.Server, "no side of a connection: %d", x)
}

// more checks what an OpMore asks, where that is an expression.
func (v *verifier) more(at site, x uint64) error {
	if at.op.C != MoreWhile {
		return nil
	}
	return v.operand(at, x)
}

// behindRun checks that op pc follows a run, with nothing but saves between, whose leaf number n it reads. No jump
// leads in between: blocks begin with ops of their own.
func (v *verifier) behindRun(pc int, n uint64) error {
	o := v.o
	for pc--; pc >= 0 && o.Ops[pc].Code == OpSave; pc-- {
		if _, ok := v.joined[pc+1]; ok {
			break
		}
	}
	if _, ok := v.joined[pc+1]; pc < 0 || ok || o.Ops[pc].Code != OpRun || n >= uint64(o.Ops[pc].B) {
		return fmt.Errorf("no run before it holds leaf %d", n)
	}
	return nil
}

// inList checks that an op can leave the list around it.
func (v *verifier) inList(_ site, list uint64) error {
	ok := len(v.lists) > 0 && uint64(v.lists[len(v.lists)-1]) == list && v.o.Ops[list].Code == OpRepeat
	return hold(ok, "not in the list it could leave")
}

// number checks a leaf whose width is found on the way.
func (v *verifier) number(at site, x uint64) error {
	p := v.p
	if err := inTable(x, p.Numbers); err != nil {
		return err
	}
	n := p.Numbers[x]
	if n.Register >= int32(p.Registers) || n.Previous >= int32(p.Registers) || n.EndLeaf >= int32(len(p.Leaves)) {
		return fmt.Errorf("register or leaf does not exist")
	}
	if n.Kind > plan.NumberStep {
		return fmt.Errorf("no number has the kind %d", n.Kind)
	}
	if operand, ok := n.Expr(); ok {
		return v.operand(at, uint64(operand))
	}
	if n.Climbs() && (n.Previous < 0 || !at.written.has(uint32(n.Previous))) {
		return fmt.Errorf("register %d is read before it is written", n.Previous)
	}
	if n.EndLeaf < 0 {
		return nil
	}
	return v.inList(at, uint64(at.op.C))
}

// run checks that a run's leaves lie side by side and add up to its width.
func (v *verifier) run(op *Op) error {
	p := v.p
	if op.B == 0 || uint64(op.A)+uint64(op.B) > uint64(len(p.Leaves)) {
		return fmt.Errorf("leaves out of range")
	}
	if op.Order > wire.Bytewise {
		return fmt.Errorf("no order of bits: %d", op.Order)
	}
	at := uint32(0)
	for i := op.A; i < op.A+op.B; i++ {
		l := &p.Leaves[i]
		if l.Off != at || l.Width > 64 || l.Mask != wire.Mask(int(l.Width)) || l.Swap != p.Info[i].Swap {
			return fmt.Errorf("leaf %d does not lie where its run has it", i)
		}
		at += uint32(l.Width)
	}
	if at != op.C {
		return fmt.Errorf("run of %d bits has leaves of %d", op.C, at)
	}
	return v.o.verifyLayout(op)
}

// operand checks that what it reads is there and that its expression leaves one value within the stack.
func (v *verifier) operand(at site, i uint64) error {
	p := v.p
	if err := inTable(i, p.Operands); err != nil {
		return err
	}
	o := &p.Operands[i]
	switch o.Kind {
	case plan.OperandRegister:
		return v.read(at, uint64(o.Register))
	case plan.OperandConst:
		return nil
	case plan.OperandLeaf:
		return v.behindRun(at.pc, uint64(o.Register))
	case plan.OperandCode:
		return p.VerifyCode(o, func(register uint32) error { return v.read(at, uint64(register)) })
	default:
		return fmt.Errorf("no operand has the kind %d", o.Kind)
	}
}
