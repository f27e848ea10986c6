package plan

import (
	"iter"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// The tree of steps is what the checker knew of a packet's structure. decode/internal/ops lowers it to flat ops, for
// the interpreter alone.

// StepID is an index into Plan.Steps; NoStep where there is none.
type StepID int32

// NoStep stands for no step.
const NoStep StepID = -1

// Point is a place in a plan. Points are numbered in the order of the wire: each step has one, those that repeat or
// enclose have one after their blocks, and those that repeat one before each element. The last is the end of the
// packet.
type Point = reject.Point

// NoPoint stands for no place in a plan: the packet as a whole.
const NoPoint = reject.NoPoint

// Step is one thing that a decoder does, with the steps that it brackets. The types of steps are those in step.go: a
// type that lacks a method does not compile.
type Step interface {
	// At is where the step is, and what is known there.
	At() *Base
	// Flow is when its blocks run.
	Flow() Flow
	// Blocks are the steps that it brackets, one block for each way through it; nil where it brackets none.
	Blocks() []Block
	// Expr is the expression that it asks: a condition, a tag, a count, a size, a value. ok is false where it asks
	// none.
	Expr() (operand uint32, ok bool)
	// Leaves are those whose codes it reads, in wire order.
	Leaves() iter.Seq[int]
	// Extent is how many bits lie after a record of n in a Trace: 0 where it marks what other steps read. See
	// decode.Span.
	Extent(p *Plan, n int) int
	// Keeps is how many of the bits that it skips may be any, at most; 0 where they have to be zero.
	Keeps() int
	// Pads is the bits to a multiple of which it skips padding before all else; 0 where it skips none.
	Pads() int
	// Rejects are the kinds that it refuses a packet with, in their order, and those after its blocks. What is about
	// the code of a leaf is not among them: that is the leaf's kind's (LeafInfo.Judge, Declares).
	Rejects(p *Plan) (itself, behind []reject.Kind)
	// Registers are those that it writes, without its blocks.
	Registers() []uint32
	// Cover is what coverage counts of it: of itself, and of what is after its blocks.
	Cover() (itself, behind Cover)
	// Records is what a decoder records at its Point, and the first leaf of it, -1 without one.
	Records() (s Shape, leaf int)
	// Sized is that expression where it says how large the step is: how many elements, bytes, units, or bits of a
	// window.
	Sized() (operand uint32, ok bool)
	// leak finds what a secret flows into, from what of the position is lost before it; it gives what else is lost
	// after it.
	leak(f *flow, l lost) lost
	// work bounds what it takes, with its blocks: as the last of its window, and where some of that is left.
	work(p *Plan, last, some bool) work
	// facts collects what decides how it reads, without its leaves and blocks.
	facts(f *facts)
	// ops is how many ops it is lowered to, without its blocks.
	ops() int
}

// Flow is when the blocks of a step run.
type Flow uint8

// The flows.
const (
	Straight Flow = iota // it has none
	Choose               // one of them, as its one operand says
	Repeat               // as often as there are elements
	Enter                // once
)

// Shape is what a decoder records at a point.
type Shape uint8

// The shapes.
const (
	NoShape    Shape = iota // nothing
	ShapeCodes              // the codes of leaves whose widths are constants
	ShapeCode               // one code, and how many bits it took
	ShapeBytes              // bytes or text
	ShapeGap                // bits without a code
	ShapeOpen               // a list or a struct that is begun, with all that is in it
)

// Base is what all steps have.
type Base struct {
	// ID is the index in Plan.Steps; the steps that this one brackets are those after it up to End-1. Up is the one
	// that brackets it, NoStep of the packet's own.
	ID, Up, End StepID
	Node        NodeID
	Pos         schema.Pos
	Order       wire.Order
	// Room is where it can begin, before its padding. Compile follows positions with schema.Positions, by which the
	// checker refused what has to lie on a byte and does not. How many bits are left is no part of it: that follows
	// from conditions, which fuzz follows.
	Room  schema.Places
	Depth int // lists around it
	// Point is where the step begins, Each before each element of one that repeats (of a bitmap, of each flag),
	// and Last the last point in it: after the blocks of one that repeats or encloses.
	Point, Each, Last Point
}

// At gives the Base itself.
func (b *Base) At() *Base { return b }

// Flow is Straight.
func (b *Base) Flow() Flow { return Straight }

// Blocks gives none.
func (b *Base) Blocks() []Block { return nil }

// Expr gives none.
func (b *Base) Expr() (operand uint32, ok bool) { return 0, false }

// Sized gives none.
func (b *Base) Sized() (operand uint32, ok bool) { return 0, false }

// Leaves gives none.
func (b *Base) Leaves() iter.Seq[int] { return leaves() }

// leaves gives leaves, without those that are -1.
func leaves(all ...int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, leaf := range all {
			if leaf >= 0 && !yield(leaf) {
				return
			}
		}
	}
}

// Extent is none.
func (b *Base) Extent(*Plan, int) int { return 0 }

// Keeps is 0.
func (b *Base) Keeps() int { return 0 }

// Registers gives none.
func (b *Base) Registers() []uint32 { return nil }

// Records gives none.
func (b *Base) Records() (s Shape, leaf int) { return NoShape, -1 }

// Block is steps that follow each other.
type Block struct {
	Arm   int32 // of a Switch: index into the schema's arms; else 0
	Steps []Step
}

// Holds reports whether a step is in the block, however deep.
func (b *Block) Holds(id StepID) bool {
	n := len(b.Steps)
	return n > 0 && b.Steps[0].At().ID <= id && id < b.Steps[n-1].At().End
}

// StepAt is the step that a point is in; nil of the packet as a whole and of its end.
func (p *Plan) StepAt(at Point) Step {
	if at == NoPoint || p.points[at].step == NoStep {
		return nil
	}
	return p.Steps[p.points[at].step]
}

// End is the point after the last step.
func (p *Plan) End() Point { return Point(len(p.points) - 1) }

// ShapeAt is what a decoder records at a point.
func (p *Plan) ShapeAt(at Point) Shape { return p.points[at].shape }

// ListAt reports whether what a decoder records at a point is a list, and no flag or index of one.
func (p *Plan) ListAt(at Point) bool {
	return p.ShapeAt(at) == ShapeOpen && p.StepAt(at).Flow() == Repeat
}

// FlagAt reports whether what a decoder records at a point is a flag of a bitmap, or the index that a set one is
// for.
func (p *Plan) FlagAt(at Point) bool {
	return p.ShapeAt(at) == ShapeCode && p.StepAt(at).Flow() == Repeat
}

// LeafAt is the first leaf that a decoder records at a point.
func (p *Plan) LeafAt(at Point) int { return int(p.points[at].leaf) }

// point is what is known of a Point.
type point struct {
	step  StepID
	leaf  int32
	shape Shape
}

// mark adds a point.
func (p *Plan) mark(id StepID, shape Shape, leaf int) Point {
	p.points = append(p.points, point{step: id, shape: shape, leaf: int32(leaf)})
	return p.End()
}

// behind is the point that comes after a step and all that it brackets.
func (p *Plan) behind(s Step) Point {
	for {
		b := s.At()
		if b.Up == NoStep {
			break
		}
		up := p.Steps[b.Up]
		if b.End < up.At().End && BlockOf(up, b.End) == BlockOf(up, b.ID) {
			return p.Steps[b.End].At().Point
		}
		if up.Flow() != Choose {
			return up.At().Last
		}
		s = up
	}
	if end := s.At().End; int(end) < len(p.Steps) {
		return p.Steps[end].At().Point
	}
	return p.End()
}

// LeafOf is the leaf that an OperandLeaf of a step reads: one of the run right before it.
func (p *Plan) LeafOf(o *Operand, id StepID) int {
	for at := id - 1; at >= 0; at-- {
		if run, ok := p.Steps[at].(*Run); ok {
			return run.First + int(o.Register)
		}
	}
	panic("pktscope: internal error: an operand reads a leaf after no run")
}

// Walk gives the steps of a block and all that they bracket, from the outside in and in the order of the wire.
func Walk(steps []Step) iter.Seq[Step] {
	return func(yield func(Step) bool) { walk(steps, yield) }
}

func walk(steps []Step, yield func(Step) bool) bool {
	for _, s := range steps {
		if !yield(s) {
			return false
		}
		for _, b := range s.Blocks() {
			if !walk(b.Steps, yield) {
				return false
			}
		}
	}
	return true
}

// number gives the steps of a block their places.
func (p *Plan) number(steps []Step, up StepID, depth int) {
	for _, s := range steps {
		b := s.At()
		b.ID, b.Up, b.Depth = StepID(len(p.Steps)), up, depth
		p.Steps = append(p.Steps, s)
		shape, leaf := s.Records()
		b.Point = p.mark(b.ID, shape, leaf)
		b.Each = b.Point
		inside := depth
		if s.Flow() == Repeat {
			inside++
			shape, leaf = NoShape, -1
			if subset, ok := s.(*Subset); ok && subset.Kind == schema.SubsetBitmap {
				shape, leaf = ShapeCode, int(subset.Flag)
			}
			b.Each = p.mark(b.ID, shape, leaf)
		}
		for leaf := range s.Leaves() {
			p.Info[leaf].Point = b.Each
		}
		for _, inner := range s.Blocks() {
			p.number(inner.Steps, b.ID, inside)
		}
		b.End, b.Last = StepID(len(p.Steps)), p.End()
		if s.Flow() == Repeat || s.Flow() == Enter {
			b.Last = p.mark(b.ID, NoShape, -1)
		}
	}
}
