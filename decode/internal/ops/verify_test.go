package ops

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

func mustLower(t *testing.T, src string) *Program {
	t.Helper()
	s, diags := schema.Load("test.pks", []byte(src), nil)
	if s == nil {
		t.Fatalf("schema: %v\n%s", diags, src)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		t.Fatalf("plan: %v\n%s", diags, src)
	}
	return Lower(p)
}

// inst is the code of an expression's instruction.
func inst(word string) (c plan.InstCode) {
	for c.String() != word {
		c++
	}
	return c
}

// everyOp is a protocol whose plan has every op there is.
const everyOp = `protocol every
order lsb
struct E { if false { x uint8 } }
packet {
	crc crc32(prefix 1 : uint32)
	n uint8 in 1..9
	m uint8
	let k = n * 2 + 1
	require k > n
	e E
	align(32)
	reserved(70)
	b bytes(n)
	c char(4)
	vs [n]uint8 in 0..9
	if m > 3 { w uint16 } else { w uint16 }
	s switch n { 1: uint8 @from(server), 2..4: uint16, default: empty }
	t bits(4) in {1, 3}
	u [w]bits(3)
	z varint(20)
	q quat smallest3(10)
	within(4) { inner uint32 }
	l subset(bitmap) [9]uint8
	j subset(sentinel) [9]uint8
	tail [until tail == 0, max 9]uint8
}`

func TestEveryOpIsCompiled(t *testing.T) {
	o := mustLower(t, everyOp)
	seen := map[Code]bool{}
	for _, op := range o.Ops {
		seen[op.Code] = true
	}
	for c := Code(0); int(c) < codes; c++ {
		if !seen[c] {
			t.Errorf("no %s in the plan", c)
		}
	}
}

// The verifier refuses every plan that was bent in one place where the interpreter would go wrong.
func TestVerifyRefuses(t *testing.T) {
	find := func(o *Program, c Code) int {
		for i, op := range o.Ops {
			if op.Code == c {
				return i
			}
		}
		t.Fatalf("no %s", c)
		return 0
	}
	rows := []struct {
		name string
		bend func(o *Program)
		want string
	}{
		{"no end", func(o *Program) { o.Ops = o.Ops[:len(o.Ops)-1] }, "does not end with"},
		{"end inside", func(o *Program) { o.Ops[find(o, OpAlign)].Code = OpEnd }, "end inside"},
		{"jump back", func(o *Program) { o.Ops[find(o, OpJump)].A = 0 }, "goes back"},
		{"jump to itself", func(o *Program) { i := find(o, OpJump); o.Ops[i].A = uint32(i) }, "goes back"},
		{"jump out", func(o *Program) { o.Ops[find(o, OpJump)].A = 1 << 20 }, "leaves its block"},
		{"branch back", func(o *Program) { o.Ops[find(o, OpIf)].B = 0 }, "goes back"},
		{"array without its next", func(o *Program) { o.Ops[find(o, OpArray)].B++ }, "without its next"},
		{"next without its array", func(o *Program) { o.Ops[find(o, OpArray)].Code = OpMark }, "without its array"},
		{"loop depth", func(o *Program) { o.Ops[find(o, OpArray)].A = 1 }, "out of order"},
		{"register that is not written", func(o *Program) { o.Ops[find(o, OpLet)].Code = OpStruct }, "before it is written"},
		{"register that does not exist", func(o *Program) { o.Ops[find(o, OpLet)].A = 5000 }, "does not exist"},
		{"mark that is not made", func(o *Program) { o.Ops[find(o, OpMark)].Code = OpStruct; o.Ops[find(o, OpStruct)].Node = 0 }, ""},
		{"save of another leaf", func(o *Program) { o.Ops[find(o, OpSave)].B = 99 }, "no run before it"},
		{"leaf out of place", func(o *Program) { o.Plan.Leaves[o.Ops[find(o, OpRun)].A+1].Off++ }, "does not lie"},
		{"leaf too wide", func(o *Program) { o.Plan.Leaves[o.Ops[find(o, OpRun)].A].Width = 65 }, "does not lie"},
		{"leaves that do not exist", func(o *Program) { o.Ops[find(o, OpRun)].B = 1 << 31 }, "out of range"},
		{"run of another width", func(o *Program) { o.Ops[find(o, OpRun)].C++ }, "has leaves of"},
		{"run of nothing", func(o *Program) { o.Ops[find(o, OpRun)].B = 0 }, "out of range"},
		{"word of another leaf", func(o *Program) { o.Runs[len(o.Runs)-1].Words[0].Shift[0]++ }, "not laid out"},
		{"word that accepts more", func(o *Program) { o.Runs[0].Words[0].Span[0]++ }, "not laid out"},
		{"leaf that is not judged", func(o *Program) {
			for i := range o.Runs {
				o.Runs[i].Judged = nil
			}
		}, "not laid out"},
		{"run without its words", func(o *Program) { o.Ops[find(o, OpRun)].Imm = 1 << 40 }, "not laid out"},
		{"run with other guards", func(o *Program) { r := &o.Runs[o.Ops[find(o, OpRun)].Imm]; r.Guards = append(r.Guards, Word{}) }, "not laid out"},
		{"array that is said to be runs", func(o *Program) { o.Ops[find(o, OpArray)+1].C = 0 }, "more in the array"},
		{"number that does not exist", func(o *Program) { o.Ops[find(o, OpNumber)].B = 99 }, "out of range"},
		{"quaternion of other leaves", func(o *Program) { o.Ops[find(o, OpUnit)].B = 99 }, "no run before it"},
		{"window that is not closed", func(o *Program) { o.Ops[find(o, OpClose)].Code = OpStruct }, "window"},
		{"window closed twice", func(o *Program) { o.Ops[find(o, OpWindow)].Code = OpStruct }, "no window"},
		{"list that does not ask", func(o *Program) { o.Ops[find(o, OpMore)].Code = OpStruct }, "does not ask"},
		{"leaving another list", func(o *Program) { o.Ops[find(o, OpUntil)].A = 0 }, "not in the list"},
		{"slots of another list", func(o *Program) { o.Ops[find(o, OpSlot)].Imm++ }, "out of range"},
		{"index from nowhere", func(o *Program) { i := len(o.Plan.Numbers) - 1; o.Plan.Numbers[i].Previous = -1 }, "before it is written"},
		{"alignment to 3", func(o *Program) { o.Ops[find(o, OpAlign)].A = 3 }, "alignment"},
		{"blob that does not exist", func(o *Program) { o.Ops[find(o, OpBlob)].A = 99 }, "out of range"},
		{"operand that does not exist", func(o *Program) { o.Ops[find(o, OpRequire)].A = 9999 }, "out of range"},
		{"table that does not exist", func(o *Program) { o.Ops[find(o, OpSwitch)].B = 99 }, "out of range"},
		{"switch entries that overlap", func(o *Program) { o.Plan.Switches[0].Entries[0].Hi = 3 }, "overlap"},
		{"switch into the past", func(o *Program) { o.Starts[0][0] = 0 }, "goes back"},
		{"node that does not exist", func(o *Program) { o.Ops[0].Node = 9999 }, "node"},
		{"expression that underflows", func(o *Program) { o.Plan.Insts[0].Code = inst("add") }, "takes more"},
		{"op that nobody knows", func(o *Program) { o.Ops[find(o, OpAlign)].Code = Code(codes) }, "no op"},
		{"the last code of all", func(o *Program) { o.Ops[find(o, OpAlign)].Code = 255 }, "no op"},
		{"order that nobody knows", func(o *Program) { o.Ops[find(o, OpRun)].Order = 3 }, "no order"},
		{"number that nobody knows", func(o *Program) { o.Plan.Numbers[0].Kind = plan.NumberStep + 1 }, "no number"},
		{"leaf that nobody knows", func(o *Program) { o.Plan.Info[0].Kind = plan.LeafReserved + 1 }, "no kind of leaf"},
		{"operand that nobody knows", func(o *Program) { o.Plan.Operands[o.Ops[find(o, OpIf)].A].Kind = plan.OperandLeaf + 1 }, "no operand"},
		{"instruction that nobody knows", func(o *Program) { o.Plan.Insts[0].Code = inst("table") + 1 }, "no instruction"},
		{"side that nobody knows", func(o *Program) { o.Ops[find(o, OpFrom)].B = 9 }, "no side"},
		{"window of another unit", func(o *Program) { o.Ops[find(o, OpWindow)].C = 7 }, "unit"},
		{"expression that leaves two", func(o *Program) { o.Plan.Insts[len(o.Plan.Insts)-1].Code = inst("const") }, "leaves"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			o := mustLower(t, everyOp)
			row.bend(o)
			err := o.Verify()
			if row.want == "" {
				return // only: no panic
			}
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want …%s…", err, row.want)
			}
		})
	}
}

// Each operand that is no mere number is refused where it is far out of range, whatever the op.
func TestVerifyRefusesOperands(t *testing.T) {
	o := mustLower(t, everyOp)
	for pc := range o.Ops {
		op, was := &o.Ops[pc], o.Ops[pc]
		for i, bend := range []func(){func() { op.A = 1<<30 + 3 }, func() { op.B = 1<<30 + 3 }, func() { op.C = 1<<30 + 3 }, func() { op.Imm = 1<<30 + 3 }} {
			r := was.row().roles[i]
			if r == roleNone || r == roleCount || r == roleMore && was.C != MoreWhile {
				continue
			}
			if bend(); o.Verify() == nil {
				t.Errorf("op %d (%s): operand %d may be anything", pc, was.Code, i)
			}
			*op = was
		}
	}
	for c := range codes {
		if opRows[c].word == "" || opRows[c].text == "" && Code(c) != OpEnd {
			t.Errorf("op code %d: no row", c)
		}
	}
}
