package plan

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/schema"
)

func mustCompile(t *testing.T, src string) *Plan {
	t.Helper()
	s, diags := schema.Load("test.pks", []byte(src), nil)
	if s == nil {
		t.Fatalf("schema: %v\n%s", diags, src)
	}
	p, diags := Compile(s)
	if p == nil {
		t.Fatalf("plan: %v\n%s", diags, src)
	}
	return p
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
	p := mustCompile(t, everyOp)
	seen := map[Code]bool{}
	for _, op := range p.Ops {
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
	find := func(p *Plan, c Code) int {
		for i, op := range p.Ops {
			if op.Code == c {
				return i
			}
		}
		t.Fatalf("no %s", c)
		return 0
	}
	rows := []struct {
		name string
		bend func(p *Plan)
		want string
	}{
		{"no end", func(p *Plan) { p.Ops = p.Ops[:len(p.Ops)-1] }, "does not end with"},
		{"end inside", func(p *Plan) { p.Ops[find(p, OpAlign)].Code = OpEnd }, "end inside"},
		{"jump back", func(p *Plan) { p.Ops[find(p, OpJump)].A = 0 }, "goes back"},
		{"jump to itself", func(p *Plan) { i := find(p, OpJump); p.Ops[i].A = uint32(i) }, "goes back"},
		{"jump out", func(p *Plan) { p.Ops[find(p, OpJump)].A = 1 << 20 }, "leaves its block"},
		{"branch back", func(p *Plan) { p.Ops[find(p, OpIf)].B = 0 }, "goes back"},
		{"array without its next", func(p *Plan) { p.Ops[find(p, OpArray)].B++ }, "without its next"},
		{"next without its array", func(p *Plan) { p.Ops[find(p, OpArray)].Code = OpMark }, "without its array"},
		{"loop depth", func(p *Plan) { p.Ops[find(p, OpArray)].A = 1 }, "out of order"},
		{"slot that is not written", func(p *Plan) { p.Ops[find(p, OpLet)].Code = OpStruct }, "before it is written"},
		{"slot that does not exist", func(p *Plan) { p.Ops[find(p, OpLet)].A = 5000 }, "does not exist"},
		{"mark that is not made", func(p *Plan) { p.Ops[find(p, OpMark)].Code = OpStruct; p.Ops[find(p, OpStruct)].Node = 0 }, ""},
		{"save of another leaf", func(p *Plan) { p.Ops[find(p, OpSave)].B = 99 }, "no run before it"},
		{"leaf out of place", func(p *Plan) { p.Leaves[p.Ops[find(p, OpRun)].A+1].Off++ }, "does not lie"},
		{"leaf too wide", func(p *Plan) { p.Leaves[p.Ops[find(p, OpRun)].A].Width = 65 }, "does not lie"},
		{"leaves that do not exist", func(p *Plan) { p.Ops[find(p, OpRun)].B = 1 << 31 }, "out of range"},
		{"run of another width", func(p *Plan) { p.Ops[find(p, OpRun)].C++ }, "has leaves of"},
		{"run of nothing", func(p *Plan) { p.Ops[find(p, OpRun)].B = 0 }, "out of range"},
		{"word of another leaf", func(p *Plan) { p.Runs[len(p.Runs)-1].Words[0].Shift[0]++ }, "not laid out"},
		{"word that accepts more", func(p *Plan) { p.Runs[0].Words[0].Span[0]++ }, "not laid out"},
		{"leaf that is not judged", func(p *Plan) {
			for i := range p.Runs {
				p.Runs[i].Judged = nil
			}
		}, "not laid out"},
		{"run without its words", func(p *Plan) { p.Ops[find(p, OpRun)].Imm = 1 << 40 }, "not laid out"},
		{"array that is said to be runs", func(p *Plan) { p.Ops[find(p, OpArray)+1].C = 0 }, "more in the array"},
		{"number that does not exist", func(p *Plan) { p.Ops[find(p, OpNumber)].B = 99 }, "out of range"},
		{"quaternion of other leaves", func(p *Plan) { p.Ops[find(p, OpUnit)].B = 99 }, "no run before it"},
		{"window that is not closed", func(p *Plan) { p.Ops[find(p, OpClose)].Code = OpStruct }, "window"},
		{"window closed twice", func(p *Plan) { p.Ops[find(p, OpWindow)].Code = OpStruct }, "no window"},
		{"list that does not ask", func(p *Plan) { p.Ops[find(p, OpMore)].Code = OpStruct }, "does not ask"},
		{"leaving another list", func(p *Plan) { p.Ops[find(p, OpUntil)].A = 0 }, "not in the list"},
		{"slots of another list", func(p *Plan) { p.Ops[find(p, OpSlot)].Imm++ }, "out of range"},
		{"index from nowhere", func(p *Plan) { i := len(p.Numbers) - 1; p.Numbers[i].Previous = -1 }, "before it is written"},
		{"alignment to 3", func(p *Plan) { p.Ops[find(p, OpAlign)].A = 3 }, "alignment"},
		{"blob that does not exist", func(p *Plan) { p.Ops[find(p, OpBlob)].A = 99 }, "out of range"},
		{"operand that does not exist", func(p *Plan) { p.Ops[find(p, OpRequire)].A = 9999 }, "out of range"},
		{"table that does not exist", func(p *Plan) { p.Ops[find(p, OpSwitch)].B = 99 }, "out of range"},
		{"switch entries that overlap", func(p *Plan) { p.Switches[0].Entries[0].Hi = 3 }, "overlap"},
		{"switch into the past", func(p *Plan) { p.Switches[0].Starts[0] = 0 }, "goes back"},
		{"node that does not exist", func(p *Plan) { p.Ops[0].Node = 9999 }, "node"},
		{"expression that underflows", func(p *Plan) { p.Insts[0].Code = instAdd }, "takes more"},
		{"op that nobody knows", func(p *Plan) { p.Ops[find(p, OpAlign)].Code = Code(codes) }, "no op"},
		{"the last code of all", func(p *Plan) { p.Ops[find(p, OpAlign)].Code = 255 }, "no op"},
		{"order that nobody knows", func(p *Plan) { p.Ops[find(p, OpRun)].Order = 3 }, "no order"},
		{"number that nobody knows", func(p *Plan) { p.Numbers[0].Kind = NumberStep + 1 }, "no number"},
		{"leaf that nobody knows", func(p *Plan) { p.Info[0].Kind = LeafReserved + 1 }, "no kind of leaf"},
		{"operand that nobody knows", func(p *Plan) { p.Operands[p.Ops[find(p, OpIf)].A].Kind = OperandLeaf + 1 }, "no operand"},
		{"instruction that nobody knows", func(p *Plan) { p.Insts[0].Code = instIn + 1 }, "no instruction"},
		{"side that nobody knows", func(p *Plan) { p.Ops[find(p, OpFrom)].B = 9 }, "no side"},
		{"window of another unit", func(p *Plan) { p.Ops[find(p, OpWindow)].C = 7 }, "unit"},
		{"expression that leaves two", func(p *Plan) { p.Insts[len(p.Insts)-1].Code = instConst }, "leaves"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			p := mustCompile(t, everyOp)
			row.bend(p)
			err := p.Verify()
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
	p := mustCompile(t, everyOp)
	for pc := range p.Ops {
		op, was := &p.Ops[pc], p.Ops[pc]
		for i, bend := range []func(){func() { op.A = 1<<30 + 3 }, func() { op.B = 1<<30 + 3 }, func() { op.C = 1<<30 + 3 }, func() { op.Imm = 1<<30 + 3 }} {
			r := was.row().roles[i]
			if r == roleNone || r == roleCount || r == roleMore && was.C != MoreWhile {
				continue
			}
			if bend(); p.Verify() == nil {
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

// The bound counts what the page says, exactly.
func TestBound(t *testing.T) {
	rows := []struct {
		body                    string
		minBits, maxBits, field int64
	}{
		{"a uint8", 8, 8, 1},
		{"a bool\nif a { b uint16 }", 1, 17, 2},
		{"a bool\nif a { b uint16 } else { c uint8, d uint8, e uint32 }", 17, 49, 4},
		{"n uint8 in 0..4\nv [n]uint16", 8, 72, 5},
		{"n uint8 in 2..4\nv [n]uint16", 8, 72, 5}, // a count's lower end is not counted: a sound bound, not the tightest
		{"v [3]uint16", 48, 48, 3},
		{"b bytes(rest, max 10)", 0, 80, 1},
		{"a bool\nb bytes(rest, max 10)", 8, 88, 2},
		{"a bool\nif a { c bits(3) }\nb bytes(2)", 17, 27, 3},
		{"n uint8 in 0..4\nb switch n { 0: uint8, default: { v [n]uint32 } }", 8, 136, 5},
	}
	for _, row := range rows {
		p := mustCompile(t, "protocol t\norder msb\npacket {\n"+row.body+"\n}")
		b := p.Bound
		if b.MinBits != row.minBits || b.MaxBits != row.maxBits || b.MaxFields != row.field {
			t.Errorf("%q: %+v", row.body, b)
		}
	}
}

// Nested lists add up, they do not multiply: 65,535 lists of 255 would be 16 million fields, but a datagram has no room.
func TestBoundOfNestedLists(t *testing.T) {
	p := mustCompile(t, "protocol t\norder msb\nstruct R { m uint8, v [m]uint8 }\npacket {\nn uint16\nrs [n]R\n}")
	if limit := int64(8 * schema.MaxUDPPayload); p.Bound.MaxFields > limit || p.Bound.MaxFields < 65504 {
		t.Errorf("%+v", p.Bound)
	}
}

// Elements that take no bits are bounded by their count alone.
func TestEmptyElementsAreBounded(t *testing.T) {
	for _, row := range []struct {
		items string
		ok    bool
	}{
		{"a [4096]{ if false { b uint8 } }", true},
		{"a [4097]{ if false { b uint8 } }", false},
		{"a [1000000]int(3..3)", false},
		{"a [100000]bool", true},
	} {
		s, diags := schema.Load("t.pks", []byte("protocol t\norder msb\npacket {\n"+row.items+"\n}\n"), nil)
		if s == nil {
			t.Fatalf("%s: %v", row.items, diags)
		}
		if p, diags := Compile(s); (p != nil) != row.ok || !row.ok && !strings.Contains(diags[0].Message, "no bits") {
			t.Errorf("%s: %v", row.items, diags)
		}
	}
}
