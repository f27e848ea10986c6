package ops

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// lowering makes the flat ops of a plan. Structured steps become jumps, all of them forward, and loops that lead back.
type lowering struct {
	*Program
	secret  map[plan.Point]bool // where a Decision begins that is no list
	run     *plan.Run           // the last
	loops   uint32
	list    uint32 // the op that begins the innermost
	windows uint32
}

// Lower makes the ops of a plan: of its Steps, which Raised and Without replace, and not of those that the blocks hold.
func Lower(p *plan.Plan) *Program {
	n := p.OpCount()
	l := &lowering{
		Program: &Program{Plan: p, Ops: make([]Op, 0, n), Pos: make([]schema.Pos, 0, n), Starts: make([][]uint32, len(p.Switches))},
		secret:  map[plan.Point]bool{},
	}
	for i := range p.Decisions {
		if d := &p.Decisions[i]; !d.List {
			l.secret[d.At] = true
		}
	}
	l.block(p.Root)
	l.add(&plan.Base{Pos: p.Schema.Packet.Pos, Order: p.Order}, p.End(), Op{Code: OpEnd})
	return l.Program
}

func (l *lowering) block(steps []plan.Step) {
	for _, s := range steps {
		l.step(l.Plan.Steps[s.At().ID])
	}
}

// add adds an op of a step, at a point where it can refuse or record something, and gives its index.
func (l *lowering) add(b *plan.Base, at plan.Point, op Op) uint32 {
	op.Order, op.Point = b.Order, at
	l.Ops = append(l.Ops, op)
	l.Pos = append(l.Pos, b.Pos)
	return l.here() - 1
}

// here is the index of the next op.
func (l *lowering) here() uint32 { return uint32(len(l.Ops)) }

func (l *lowering) step(s plan.Step) {
	b := s.At()
	switch s := s.(type) {
	case *plan.Run:
		l.leaves(s)
	case *plan.Unit:
		l.add(b, b.Point, Op{Code: OpUnit, Node: b.Node, A: s.First, B: s.First - uint32(l.run.First), C: s.Bits})
	case *plan.Checksum:
		l.add(b, b.Point, Op{Code: OpChecksum, Node: b.Node, A: s.Leaf, B: s.Index})
	case *plan.Align:
		l.add(b, b.Point, Op{Code: OpAlign, Flags: flag(s.Any, FlagAny), Node: b.Node, A: uint32(s.Bits)})
	case *plan.Reserved:
		l.add(b, b.Point, Op{Code: OpReserved, Flags: flag(s.Any, FlagAny), Node: b.Node, A: uint32(s.Bits)})
	case *plan.Number:
		l.add(b, b.Point, Op{Code: OpNumber, Node: b.Node, A: s.Leaf, B: s.Index, C: l.list})
	case *plan.Blob:
		l.add(b, b.Point, Op{Code: OpBlob, Flags: flag(s.Packed, FlagPacked), Node: b.Node, A: s.Index})
	case *plan.Window:
		l.window(s)
	case *plan.List:
		l.elements(s)
	case *plan.Subset:
		l.subset(s)
	case *plan.If:
		l.choice(s)
	case *plan.Switch:
		l.arms(s)
	case *plan.Let:
		l.add(b, b.Point, Op{Code: OpLet, Flags: flag(s.Shown, FlagShown) | flag(s.Judged, FlagJudged), Node: b.Node, A: s.Register, B: s.Value, C: uint32(s.Leaf), Imm: uint64(s.Keep)})
	case *plan.Require:
		l.add(b, b.Point, Op{Code: OpRequire, Node: b.Node, A: s.Cond, B: s.Index})
	case *plan.Group:
		l.add(b, b.Point, Op{Code: OpMark, Node: plan.NoNode, A: s.Register})
		l.block(s.Body)
		l.add(b, b.Last, Op{Code: OpFrom, Node: b.Node, A: s.Register, B: uint32(s.From)})
	case *plan.Open:
		l.add(b, b.Point, Op{Code: OpStruct, Node: b.Node})
	default:
		panic("pktscope: internal error: a step of an unknown type")
	}
}

func flag(set bool, flag uint8) uint8 {
	if set {
		return flag
	}
	return 0
}

func (l *lowering) leaves(s *plan.Run) {
	p := l.Plan
	l.run = s
	op := Op{Code: OpRun, Order: s.Order, Node: s.Node, A: uint32(s.First), B: uint32(s.N), C: s.Bits, Imm: uint64(len(l.Runs))}
	l.Runs = append(l.Runs, l.layOut(&op))
	l.add(&s.Base, s.Point, op)
	for _, save := range s.Saves {
		info := &p.Info[save.Leaf]
		b := plan.Base{Pos: p.Nodes[info.Node].Pos, Order: s.Order}
		extension := info.Extension(int(p.Leaves[save.Leaf].Width))
		l.add(&b, plan.NoPoint, Op{Code: OpSave, Node: info.Node, A: save.Register, B: uint32(save.Leaf - s.First), Imm: info.Base, C: uint32(extension)})
	}
}

func (l *lowering) window(s *plan.Window) {
	depth := l.windows
	l.add(&s.Base, s.Point, Op{Code: OpWindow, Flags: flag(s.Packed, FlagPacked) | flag(s.Trimmed, FlagAny), Node: s.Node, A: s.Size, B: depth, C: uint32(s.Unit), Imm: uint64(s.Fill)})
	l.windows++
	l.block(s.Body)
	l.windows--
	l.add(&s.Base, s.Last, Op{Code: OpClose, Node: s.Node, B: depth})
}

// loop brackets the ops of a list's elements, and gives the op that it begins with.
func (l *lowering) loop(b *plan.Base, op Op, body func(list uint32)) uint32 {
	op.Node, op.A = b.Node, l.loops
	start := l.add(b, b.Point, op)
	around := l.list
	l.loops, l.list = l.loops+1, start
	body(start)
	l.loops, l.list = l.loops-1, around
	l.add(b, b.Last, Op{Code: OpNext, Node: b.Node, A: start})
	l.Ops[start].B = l.here()
	return start
}

func (l *lowering) elements(s *plan.List) {
	if s.Kind == plan.ListCount {
		start := l.loop(&s.Base, Op{Code: OpArray, C: s.Size, Imm: s.Max}, func(uint32) { l.block(s.Body) })
		l.Ops[start].Flags = flag(l.onlyRun(int(start)), FlagRuns)
		return
	}
	l.loop(&s.Base, Op{Code: OpRepeat, Imm: s.Max}, func(list uint32) {
		more := Op{Code: OpMore, Node: s.Node, A: list, C: MoreAlways}
		if s.Kind == plan.ListRest {
			more.C, more.Imm = MoreRest, uint64(s.Left)
		} else if s.Kind == plan.ListWhile {
			more.B, more.C = s.Size, MoreWhile
		}
		l.add(&s.Base, s.Each, more)
		l.block(s.Body)
		if s.Kind == plan.ListUntil {
			l.add(&s.Base, s.Last, Op{Code: OpUntil, Node: s.Node, A: list, B: s.Size})
		}
	})
}

func (l *lowering) subset(s *plan.Subset) {
	switch s.Kind {
	case schema.SubsetBitmap:
		l.loop(&s.Base, Op{Code: OpRepeat, Imm: s.N}, func(list uint32) {
			l.add(&s.Base, s.Each, Op{Code: OpSlot, Node: s.Node, A: list, B: s.Flag, C: s.Index, Imm: s.N})
			l.block(s.Body)
		})
	case schema.SubsetIndex:
		l.loop(&s.Base, Op{Code: OpArray, C: s.Count, Imm: s.N}, func(uint32) { l.block(s.Body) })
	case schema.SubsetSentinel, schema.SubsetRelative:
		// The index that ends the list is read like an element's.
		l.loop(&s.Base, Op{Code: OpRepeat, Imm: s.Most()}, func(list uint32) {
			l.add(&s.Base, s.Each, Op{Code: OpMore, Node: s.Node, A: list, C: MoreAlways})
			l.block(s.Body)
		})
	default:
		panic("pktscope: internal error: a subset of an unknown kind")
	}
}

func (l *lowering) choice(s *plan.If) {
	test := l.add(&s.Base, s.Point, Op{Code: OpIf, Flags: flag(l.secret[s.Point], FlagSecret), Node: s.Node, A: s.Cond})
	l.block(s.Then)
	if s.Else == nil {
		l.Ops[test].B = l.here()
		return
	}
	jump := l.add(&s.Base, plan.NoPoint, Op{Code: OpJump, Node: s.Node})
	l.Ops[test].B = l.here()
	l.block(s.Else)
	l.Ops[jump].A = l.here()
}

func (l *lowering) arms(s *plan.Switch) {
	flags := flag(s.Case, FlagCase) | flag(l.secret[s.Point], FlagSecret)
	l.add(&s.Base, s.Point, Op{Code: OpSwitch, Flags: flags, Node: s.Node, A: s.Tag, B: s.Index})
	starts, jumps := make([]uint32, len(s.Arms)), make([]uint32, len(s.Arms))
	for i, arm := range s.Arms {
		starts[i] = l.here()
		l.block(arm.Steps)
		b := plan.Base{Pos: s.Item.Arms[arm.Arm].Pos, Order: s.Order}
		jumps[i] = l.add(&b, plan.NoPoint, Op{Code: OpJump, Node: s.Node})
	}
	l.Starts[s.Index] = starts
	for _, j := range jumps {
		l.Ops[j].A = l.here()
	}
}
