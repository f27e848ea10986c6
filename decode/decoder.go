package decode

import (
	"io"
	"sync"

	"github.com/pktscope/pktscope/decode/internal/ops"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// Decoder runs a plan over datagrams, as a verified program of flat ops. It is immutable and safe for concurrent use;
// each goroutine has its own Trace.
type Decoder struct {
	plan     *plan.Plan
	program  *ops.Program
	once     sync.Once
	recorded []ops.Op // see recording
	sections sections
}

// New makes a Decoder of a plan.
func New(p *plan.Plan) *Decoder {
	d := &Decoder{plan: p, program: ops.Lower(p)}
	if err := d.Verify(); err != nil {
		panic("pktscope: internal error: the program of a plan does not verify: " + err.Error())
	}
	return d
}

// Verify proves once more what New has proved of the program: that it ends on every datagram and reads nothing that is
// not there.
func (d *Decoder) Verify() error { return d.program.Verify() }

// Disassemble prints the program with the proof of its plan: a line per op, under each run a line per leaf, the schema
// line on the left. After that of a packet stand those of its messages.
func (d *Decoder) Disassemble(w io.Writer) error {
	err := d.program.Disassemble(w)
	if d.Schema().Message != nil {
		return err
	}
	for _, section := range d.Sections() {
		if err == nil {
			_, err = io.WriteString(w, "\n")
		}
		if err == nil {
			err = section.program.Disassemble(w)
		}
	}
	return err
}

// Plan is the plan it runs.
func (d *Decoder) Plan() *plan.Plan { return d.plan }

// Decode reads one datagram into t. The error, when there is one, is a *reject.Reject inside t, valid as long as t; all
// that was read before the failing field stays in t.
//
// payload is the attacker's in every bit. Decode never panics on it, reads nothing outside it, ends within the plan's
// proven number of steps, and allocates nothing once t has grown to the size of the packets it meets.
func (d *Decoder) Decode(payload []byte, from Direction, t *Trace) error {
	return d.decode(payload, len(payload), from, nil, FromUnknown, t)
}

// decode reads a datagram of size bytes of which kept is the beginning.
func (d *Decoder) decode(kept []byte, size int, from Direction, held *Held, sender Direction, t *Trace) error {
	if size < len(kept) {
		panic("pktscope: internal error: more was kept of a datagram than there was")
	}
	p := d.plan
	t.reset(p, kept, size, from)
	if held != nil {
		t.hold(p, held, sender)
	}
	if size > p.Schema.MaxDatagram {
		return t.refuse(reject.DatagramSize, 0, 8*size, packetPlace, uint64(size), uint64(p.Schema.MaxDatagram))
	}
	// Field by field: a literal is made elsewhere and copied in wider pieces than it was stored in, which stalls.
	var m machine
	m.t, m.p, m.program, m.data, m.seen = t, p, d.program, kept, kept
	m.end, m.parent, m.next = 8*len(kept), -1, -1
	if t.records {
		return m.execute(d.recording())
	}
	return m.execute(d.program.Ops)
}

// packetPlace is the place of what concerns the packet as a whole.
var packetPlace = reject.Place{Point: plan.NoPoint, Leaf: -1, Parent: -1}

// machine is the state of one Decode.
//
// Invariants: 0 ≤ bit ≤ end ≤ 8*len(data); pc is inside the program; parent and index name the element being read.
type machine struct {
	t       *Trace
	p       *plan.Plan
	program *ops.Program
	data    []byte
	seen    []byte // what looks see: the datagram; of a writer what the pass before has written
	shift   int    // how much further the machine is than in what looks see
	bit     int
	end     int
	pc      int
	at      plan.Point
	steps   int
	parent  int32
	index   uint32
	next    int   // op to go to where an op left its list, else -1
	err     error // the refusal of a piece of a number
	// judging is Accepts: of a run only the codes that can be refused are read, and none is kept.
	judging bool
	ran     *ops.Op // the run read last, while judging
	ranFrom int     // its first bit
	// pending is the note that the number being read deserves if it is accepted.
	pending reject.NoteKind
}

// place is where the machine is.
func (m *machine) place(leaf int) reject.Place {
	return reject.Place{Point: m.at, Leaf: int32(leaf), Parent: m.parent, Index: m.index}
}

// refuse stops where the machine is.
func (m *machine) refuse(kind reject.Kind, bit, width, leaf int, code, limit uint64) error {
	if m.judging {
		return errNotAccepted
	}
	m.t.Bits, m.t.Steps = m.bit, m.steps
	if m.t.filling {
		m.t.failed = m.bit
		m.t.Bits, _ = m.t.fills[len(m.t.fills)-1].clip(m.bit, 0)
	}
	err := m.t.refuse(kind, bit, width, m.place(leaf), code, limit)
	if m.t.HasTag && m.t.EndsEarly() && m.p.CaseLost() { // that the case was reached tells how far it was read
		m.t.HasTag = false
	}
	return err
}

func (m *machine) pastEnd(bit, need, leaf int) error {
	return m.refuse(reject.PastEnd, bit, need, leaf, uint64(m.end-bit), uint64(need))
}

// span records what was found at a point. The fields are stored one by one because the compiler makes a literal
// elsewhere first and copies it, which cost 3 ns a run.
func (m *machine) addRecord(raw, n int) {
	t := m.t
	at := len(t.Records)
	if at == cap(t.Records) {
		t.Records = append(t.Records, Record{})
	} else {
		t.Records = t.Records[:at+1]
	}
	s := &t.Records[at]
	s.Point, s.Bit, s.Raw, s.N = m.at, uint32(m.bit), uint32(raw), uint32(n)
	s.Parent, s.Index = m.parent, m.index
}

func (m *machine) env() plan.Env {
	return plan.Env{Registers: m.t.registers, Data: m.seen, Bit: m.bit - m.shift, End: m.end - m.shift, Here: m.bit, From: m.t.From}
}

// eval computes an operand, its cost included.
func (m *machine) eval(i uint32) uint64 {
	o := &m.p.Operands[i]
	switch o.Kind {
	case plan.OperandConst:
		return o.Const
	case plan.OperandRegister:
		return m.t.registers[o.Register]
	case plan.OperandLeaf:
		return m.leafValue(o.Register, o.Extend, o.Const)
	case plan.OperandCode:
	}
	m.steps += int(o.End - o.Start)
	env := m.env()
	if m.t.records {
		m.t.Sights = m.p.AppendSights(m.t.Sights, i, &env)
	}
	return m.p.Eval(i, &env)
}

// leafValue is the value of leaf n of the run before.
func (m *machine) leafValue(n uint32, extend uint8, base uint64) uint64 {
	if m.judging {
		return plan.Extend(m.ranCode(n), extend, base)
	}
	s := &m.t.Records[len(m.t.Records)-1]
	return plan.Extend(m.t.Raw[s.Raw+n], extend, base)
}

// execute runs the plan to its end or to the first failure. The verifier has proved that it ends; the step counter is a
// tripwire, looked at where the plan goes backwards.
func (m *machine) execute(code []ops.Op) error {
	t := m.t
	for {
		op := &code[m.pc]
		m.at = op.Point
		switch op.Code {
		case ops.OpRun:
			if m.judging {
				if !m.passRun(op, 1) {
					return errNotAccepted
				}
			} else if err := m.run(op); err != nil {
				return err
			}
		case ops.OpSave:
			t.registers[op.A] = m.leafValue(op.B, uint8(op.C), op.Imm)
		case ops.OpIf:
			m.steps++
			if op.Flags&(ops.FlagSecret|ops.FlagPath) != 0 {
				m.part(op)
			}
			if m.eval(op.A) == 0 {
				m.pc = int(op.B)
				continue
			}
		case ops.OpJump:
			m.pc = int(op.A)
			continue
		case ops.OpSwitch:
			if err := m.takeArm(op); err != nil {
				return err
			}
			continue
		case ops.OpArray:
			if err := m.enter(op); err != nil {
				return err
			}
			if op.Flags&ops.FlagRuns != 0 && m.pc != int(op.B) {
				if err := m.elements(op); err != nil {
					return err
				}
			}
			continue
		case ops.OpNext:
			if err := m.beginElement(op); err != nil {
				return err
			}
			continue
		case ops.OpSlot:
			m.steps++
			if err := m.slot(op); err != nil {
				return err
			}
			if m.next >= 0 {
				m.pc, m.next = m.next, -1
				continue
			}
		case ops.OpUnit:
			m.steps++
			if err := m.unit(int(op.B), int(op.C), op.Order); err != nil {
				return err
			}
		case ops.OpEnd:
			return m.finish()
		case ops.OpChecksum, ops.OpAlign, ops.OpReserved, ops.OpNumber, ops.OpBlob, ops.OpWindow, ops.OpClose, ops.OpRepeat, ops.OpMore,
			ops.OpUntil, ops.OpLet, ops.OpRequire, ops.OpMark, ops.OpFrom, ops.OpStruct:
			fallthrough
		default:
			if err := m.executeRare(op); err != nil {
				return err
			}
			if m.next >= 0 {
				m.pc, m.next = m.next, -1
				continue
			}
		}
		m.pc++
	}
}

// rare is the ops that a hot packet seldom has.
func (m *machine) executeRare(op *ops.Op) error {
	t := m.t
	m.steps++
	switch op.Code {
	case ops.OpChecksum:
		return m.checksum(op)
	case ops.OpNumber:
		return m.number(op)
	case ops.OpWindow:
		return m.window(op)
	case ops.OpClose:
		return m.close(op)
	case ops.OpRepeat:
		m.repeat(op)
	case ops.OpMore:
		return m.more(op)
	case ops.OpUntil:
		way := WayOn
		if m.eval(op.B) != 0 {
			m.leave(&m.program.Ops[op.A])
			way = WayOut
		}
		if t.records {
			m.way(way)
		}
	case ops.OpAlign:
		return m.align(op)
	case ops.OpReserved:
		return m.reserved(op)
	case ops.OpBlob:
		return m.blob(op)
	case ops.OpLet:
		v := m.eval(op.B)
		t.registers[op.A] = v
		if op.Imm != 0 {
			t.Kept = append(t.Kept, Kept{&m.p.Kept[op.Imm-1], v})
		}
		if op.Flags&(ops.FlagShown|ops.FlagJudged) != 0 {
			return m.computed(int(op.C), v, op.Flags&ops.FlagJudged != 0, op.Flags&ops.FlagShown != 0)
		}
	case ops.OpRequire:
		t.context |= m.p.Requires[op.B].State
		if m.eval(op.A) == 0 {
			return m.broken(&m.p.Requires[op.B])
		}
	case ops.OpMark:
		t.registers[op.A] = uint64(m.bit)
	case ops.OpFrom:
		if t.From != FromUnknown && t.From != schema.Direction(op.B) {
			start := int(t.registers[op.A])
			t.note(reject.WrongDirection, start, m.bit-start, m.place(-1), 0)
		}
	case ops.OpStruct:
		m.addRecord(0, 0)
	case ops.OpEnd, ops.OpRun, ops.OpSave, ops.OpUnit, ops.OpArray, ops.OpSlot, ops.OpNext, ops.OpIf, ops.OpJump, ops.OpSwitch: // execute's
		fallthrough
	default:
		panic("pktscope: internal error: unknown op " + op.Code.String())
	}
	return nil
}

// broken refuses what a requirement does not allow: of a range, the leaf right before it, which is then not of the
// packet any more.
func (m *machine) broken(q *plan.Requirement) error {
	if m.judging {
		return errNotAccepted
	}
	if q.Leaf < 0 {
		return m.refuse(reject.RuleBroken, m.bit, 0, -1, uint64(m.end-m.bit)/8, uint64(m.end-m.bit))
	}
	t, last := m.t, len(m.t.Records)-1
	width, code := m.read(q)
	if s := &t.Records[last]; s.N > 1 && t.Plan.LeafRuns(q.Leaf) {
		s.N--
	} else {
		t.Records = t.Records[:last]
	}
	t.Raw = t.Raw[:len(t.Raw)-1]
	m.bit -= width
	return m.refuse(reject.OutOfRange, m.bit, width, -1, code, 0)
}

// read is the width and the code of the leaf that a range bounds, which was read last.
func (m *machine) read(q *plan.Requirement) (width int, code uint64) {
	t := m.t
	width = int(t.Records[len(t.Records)-1].N)
	if t.Plan.LeafRuns(q.Leaf) {
		width = int(t.Plan.Leaves[q.Leaf].Width)
	}
	return width, t.Raw[len(t.Raw)-1]
}

// computed judges and records a value that no bits hold.
func (m *machine) computed(leaf int, v uint64, judged, shown bool) error {
	if judged {
		if kind, _ := m.p.Info[leaf].Judge(v, 0); kind != reject.None {
			return m.refuse(kind, m.bit, 0, leaf, v, 0)
		}
	}
	if shown {
		m.addRecord(len(m.t.Raw), 0)
		m.t.Raw = append(m.t.Raw, v)
	}
	return nil
}

// enter starts an array. Its count is the attacker's; the checker has bounded it, and nothing is sized by it here: each
// element takes its bits from the datagram or is refused.
func (m *machine) enter(op *ops.Op) error {
	t := m.t
	m.steps++
	n := m.eval(op.C)
	if n > op.Imm { // also a negative size, as an int64's bits
		return m.refuse(reject.OutOfRange, m.bit, 0, -1, n, op.Imm)
	}
	self := int32(len(t.Records))
	m.addRecord(len(t.Raw), int(n))
	if n == 0 {
		m.pc = int(op.B)
		return nil
	}
	t.loops[op.A] = loop{span: self, left: n - 1, outer: m.parent, index: m.index}
	m.parent, m.index = self, 0
	m.pc++
	return nil
}

// again goes back to the loop's first op, or on after the loop. A list that finds its end on the way always goes back:
// its first op asks.
func (m *machine) beginElement(op *ops.Op) error {
	start := &m.program.Ops[op.A]
	l := &m.t.loops[start.A]
	if start.Code == ops.OpArray {
		if l.left == 0 {
			m.parent, m.index = l.outer, l.index
			m.pc = int(start.B)
			return nil
		}
		l.left--
	}
	if int64(m.steps) > m.p.Bound.MaxSteps {
		return m.refuse(reject.OverBudget, m.bit, 0, -1, uint64(m.steps), uint64(m.p.Bound.MaxSteps))
	}
	m.index++
	m.pc = int(op.A) + 1
	return nil
}

// choose takes the arm of a switch.
func (m *machine) takeArm(op *ops.Op) error {
	t := m.t
	m.steps++
	tag := m.eval(op.A)
	if op.Flags&ops.FlagCase != 0 {
		t.Tag, t.HasTag = tag, true
	}
	s := m.p.Switches[op.B]
	to := s.Find(m.p.Operands[op.A].Key(tag))
	if to < 0 {
		if m.judging {
			return errNotAccepted
		}
		bit, width := m.tagPlace(s)
		return m.refuse(reject.UnknownCase, bit, width, -1, tag, 0)
	}
	if op.Flags&ops.FlagSecret != 0 {
		m.reach()
	}
	if t.records {
		m.way(to)
	}
	m.pc = int(m.program.Starts[op.B][to])
	return nil
}

// tagPlace finds the bit and width of a switch's tag: those of the last leaf read into its register, of what it looks
// at, or where the switch is when its tag is computed.
func (m *machine) tagPlace(s *plan.Switch) (bit, width int) {
	if s.TagRegister >= 0 {
		leaves := m.p.RegisterLeaves[s.TagRegister]
		for i := len(m.t.Records) - 1; i >= 0; i-- {
			span := &m.t.Records[i]
			for _, leaf := range leaves {
				if m.p.Info[leaf].Point != span.Point {
					continue
				}
				if run, ok := m.p.StepAt(span.Point).(*plan.Run); !ok {
					return m.t.Clip(i, int(span.Bit), int(span.N))
				} else if uint32(int(leaf)-run.First) < span.N {
					l := &m.p.Leaves[leaf]
					return m.t.Clip(i, int(span.Bit+l.Off), int(l.Width))
				}
			}
		}
	}
	width, last := m.p.Look(s.Tag)
	if bit = m.bit; last {
		bit = max(bit, m.end-width)
	}
	return bit, min(width, m.end-bit)
}

// finish judges what is left after the last field: whole bytes are refused, a few bits are a note when set.
func (m *machine) finish() error {
	t := m.t
	t.Bits, t.Steps = m.bit, m.steps
	left := m.end - m.bit
	if left >= 8 {
		if m.judging {
			return errNotAccepted
		}
		return t.refuse(reject.TrailingBytes, m.bit, left, packetPlace, uint64(left), 0)
	}
	if left > 0 {
		if code := m.p.Order.Load(m.data, m.bit, left); code != 0 {
			t.note(reject.TrailingBits, m.bit, left, packetPlace, code)
		}
	}
	return nil
}
