package plan

import (
	"slices"

	"github.com/pktscope/pktscope/decode/schema"
)

// lowering makes the flat ops of the interpreter. Structured steps become jumps, all of them forward, and loops that lead back.
type lowering struct {
	p       *Plan
	run     *Run // the last
	loops   uint32
	list    uint32 // the op that begins the innermost
	windows uint32
}

// lower makes the ops of the whole packet, whose root is a node.
func (p *Plan) lower(root NodeID, pos schema.Pos) {
	l := &lowering{p: p}
	l.block(p.Root)
	l.add(&Base{Pos: pos, Order: p.Order}, p.mark(NoStep, NoShape, -1), Op{Code: OpEnd, Node: root})
}

func (l *lowering) block(steps []Step) {
	for _, s := range steps {
		b := s.At()
		b.Op = l.here()
		s.lower(l)
	}
}

// add adds an op of a step, at a point where it can refuse or record something, and gives its index.
func (l *lowering) add(b *Base, at Point, op Op) uint32 {
	op.Order, op.Point = b.Order, at
	if at != NoPoint {
		l.p.points[at].op = l.here()
	}
	l.p.Ops = append(l.p.Ops, op)
	l.p.OpPos = append(l.p.OpPos, b.Pos)
	within(len(l.p.Ops)+len(l.p.Leaves), MaxOps, opsAndLeaves)
	return l.here() - 1
}

// here is the index of the next op.
func (l *lowering) here() uint32 { return uint32(len(l.p.Ops)) }

func anyFlag(any bool) uint8 {
	if any {
		return FlagAny
	}
	return 0
}

func packedFlag(packed bool) uint8 {
	if packed {
		return FlagPacked
	}
	return 0
}

func (s *Run) lower(l *lowering) {
	l.run = s
	op := Op{Code: OpRun, Order: s.Order, Node: s.Node, A: uint32(s.First), B: uint32(s.N), C: s.Bits, Imm: uint64(len(l.p.Runs))}
	l.p.Runs = append(l.p.Runs, l.p.layOut(&op))
	l.add(&s.Base, s.Point, op)
	for i := range s.N {
		l.p.Info[s.First+i].Point = s.Point
	}
	for _, save := range s.Saves {
		leaf, info := &l.p.Leaves[save.Leaf], &l.p.Info[save.Leaf]
		b := Base{ID: s.ID, Pos: info.pos, Order: s.Order}
		op := Op{Code: OpSave, Node: info.Node, A: save.Slot, B: uint32(save.Leaf - s.First), Imm: info.Base, C: uint32(info.Extension(int(leaf.Width)))}
		l.add(&b, NoPoint, op)
	}
}

func (s *Unit) lower(l *lowering) {
	l.add(&s.Base, s.Point, Op{Code: OpUnit, Node: s.Node, A: s.First, B: s.First - uint32(l.run.First), C: s.Bits})
}

func (s *Checksum) lower(l *lowering) {
	l.p.Info[s.Leaf].Point = s.Point
	l.add(&s.Base, s.Point, Op{Code: OpCRC, Node: s.Node, A: s.Leaf, B: s.Sum})
}

func (s *Align) lower(l *lowering) {
	l.add(&s.Base, s.Point, Op{Code: OpAlign, Flags: anyFlag(s.Any), Node: s.Node, A: uint32(s.Bits), Imm: s.Padding})
}

func (s *Reserved) lower(l *lowering) {
	l.add(&s.Base, s.Point, Op{Code: OpReserved, Flags: anyFlag(s.Any), Node: s.Node, A: uint32(s.Bits)})
}

func (s *Number) lower(l *lowering) {
	l.add(&s.Base, s.Point, Op{Code: OpNumber, Node: s.Node, A: s.Leaf, B: s.Index, C: l.list})
	l.p.Info[s.Leaf].Point = s.Point
	if s.EndLeaf >= 0 {
		l.p.Info[s.EndLeaf].Point = s.Point
	}
}

func (s *Blob) lower(l *lowering) {
	l.add(&s.Base, s.Point, Op{Code: OpBlob, Flags: packedFlag(s.Packed), Node: s.Node, A: s.Index, Imm: s.Padding})
}

func (s *Window) lower(l *lowering) {
	depth := l.windows
	l.add(&s.Base, s.Point, Op{Code: OpWindow, Flags: packedFlag(s.Packed), Node: s.Node, A: s.Size, B: depth, C: uint32(s.Unit), Imm: s.Padding})
	l.windows++
	l.block(s.Body)
	l.windows--
	l.add(&s.Base, s.Last, Op{Code: OpClose, Node: s.Node, B: depth})
}

// loop brackets the ops of a list's elements.
func (l *lowering) loop(b *Base, op Op, body func(list uint32)) {
	op.Node, op.A = b.Node, l.loops
	start := l.add(b, b.Point, op)
	l.p.points[b.Each].op = start
	around := l.list
	l.loops, l.list = l.loops+1, start
	body(start)
	l.loops, l.list = l.loops-1, around
	l.add(b, b.Last, Op{Code: OpNext, Node: b.Node, A: start})
	l.p.Ops[start].B = l.here()
}

func (s *List) lower(l *lowering) {
	if s.Kind == ListCount {
		l.loop(&s.Base, Op{Code: OpArray, C: s.Size, Imm: s.Max}, func(uint32) { l.block(s.Body) })
		if l.p.onlyRun(int(s.Op)) {
			l.p.Ops[s.Op].Flags |= FlagRuns
		}
		return
	}
	l.loop(&s.Base, Op{Code: OpRepeat, Imm: s.Max}, func(list uint32) {
		more := Op{Code: OpMore, Node: s.Node, A: list, C: MoreAlways}
		if s.Kind == ListRest {
			more.C = MoreRest
		} else if s.Kind == ListWhile {
			more.B, more.C = s.Size, MoreWhile
		}
		l.add(&s.Base, s.Each, more)
		l.block(s.Body)
		if s.Kind == ListUntil {
			l.add(&s.Base, s.Last, Op{Code: OpUntil, Node: s.Node, A: list, B: s.Size})
		}
	})
}

func (s *Subset) lower(l *lowering) {
	switch s.Kind {
	case schema.SubsetBitmap:
		l.loop(&s.Base, Op{Code: OpRepeat, Imm: s.N}, func(list uint32) {
			l.add(&s.Base, s.Each, Op{Code: OpSlot, Node: s.Node, A: list, B: s.Flag, C: s.Index, Imm: s.N})
			l.p.Info[s.Flag].Point, l.p.Info[s.Index].Point = s.Each, s.Each
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

func (s *If) lower(l *lowering) {
	test := l.add(&s.Base, s.Point, Op{Code: OpIf, Node: s.Node, A: s.Cond})
	l.block(s.Then)
	if s.Else == nil {
		l.p.Ops[test].B = l.here()
		return
	}
	jump := l.add(&s.Base, NoPoint, Op{Code: OpJump, Node: s.Node})
	l.p.Ops[test].B = l.here()
	l.block(s.Else)
	l.p.Ops[jump].A = l.here()
}

func (s *Switch) lower(l *lowering) {
	op := Op{Code: OpSwitch, Node: s.Node, A: s.Tag, B: s.Index}
	if s.Case {
		op.Flags = FlagCase
	}
	l.add(&s.Base, s.Point, op)
	jumps := make([]uint32, len(s.Arms))
	for i, arm := range s.Arms {
		start := l.here()
		s.Starts = append(s.Starts, int(start))
		l.block(arm.Steps)
		b := Base{ID: s.ID, Pos: s.Item.Arms[arm.Arm].Pos, Order: s.Order}
		jumps[i] = l.add(&b, NoPoint, Op{Code: OpJump, Node: s.Node})
	}
	for _, j := range jumps {
		l.p.Ops[j].A = l.here()
	}
}

func (s *Let) lower(l *lowering) {
	l.add(&s.Base, s.Point, Op{Code: OpLet, Node: s.Node, A: s.Slot, B: s.Value})
}

func (s *Require) lower(l *lowering) {
	l.add(&s.Base, s.Point, Op{Code: OpRequire, Node: s.Node, A: s.Cond, B: s.Index})
}

func (s *Group) lower(l *lowering) {
	l.add(&s.Base, s.Point, Op{Code: OpMark, Node: NoNode, A: s.Slot})
	l.block(s.Body)
	l.add(&s.Base, s.Last, Op{Code: OpFrom, Node: s.Node, A: s.Slot, B: uint32(s.From)})
}

func (s *Open) lower(l *lowering) { l.add(&s.Base, s.Point, Op{Code: OpStruct, Node: s.Node}) }

// Recording are the ops with those marked at which a Trace that records its path notes the way.
func (p *Plan) Recording() []Op {
	ops := slices.Clone(p.Ops)
	for _, s := range p.Steps {
		if test, ok := s.(*If); ok {
			ops[test.Op].Flags |= FlagPath
		}
	}
	return ops
}
