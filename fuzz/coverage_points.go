package fuzz

import (
	"hash/fnv"
	"io"
	"math/bits"
	"sort"
	"strconv"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// points is where each thing that a Coverage tells apart has its bit: the refusals first, then what each op and each leaf
// can do, at last pairs of decisions. It is made once for a plan and never changed.
type points struct {
	p        *plan.Plan
	refusals *refusals
	blocks   []pointBlock
	op       []uint32 // first point of each op that has any
	leaf     []leafPoints
	span     []uint64 // of each leaf: its highest code
	arm      []uint32 // of each op that an arm of a switch begins with: the arm's point
	most     []uint64 // of each list: its most elements
	pairs    uint32   // first of the pairs, behind everything that is counted
	pairMask uint32
	possible []uint64
	count    int // of possible
}

// pointBlock is the points of an op or of a leaf.
type pointBlock struct {
	first uint32
	op    int32 // -1: leaf
	leaf  int32
}

// The number of pairs of decisions that are told apart.
const (
	minPairs = 1 << 8
	maxPairs = 1 << 16
)

func newPoints(p *plan.Plan) *points {
	m := &points{p: p, refusals: newRefusals(p), op: make([]uint32, len(p.Ops)), leaf: make([]leafPoints, len(p.Leaves)), arm: make([]uint32, len(p.Ops)), most: make([]uint64, len(p.Ops))}
	next := uint32(len(m.refusals.list))
	decisions := 0
	for pc := range p.Ops {
		n, d := m.opPoints(pc, next)
		decisions += d
		if n == 0 {
			continue
		}
		m.op[pc] = next
		m.blocks = append(m.blocks, pointBlock{next, int32(pc), -1})
		next += n
	}
	// The index that ends a list has a leaf of its own, and no element has it.
	ends := make([]bool, len(p.Leaves))
	m.span = make([]uint64, len(p.Leaves))
	for leaf := range p.Leaves {
		m.span[leaf] = p.Info[leaf].TypeSpan
	}
	for _, n := range p.Numbers {
		if n.EndLeaf >= 0 {
			ends[n.EndLeaf] = true
			m.span[n.Leaf]--
		}
	}
	for leaf := range p.Leaves {
		l := &m.leaf[leaf]
		l.arrange(p, leaf, m.span[leaf], ends[leaf])
		l.first = next
		m.blocks = append(m.blocks, pointBlock{next, -1, int32(leaf)})
		next += l.points()
	}
	m.pairs = next
	pairs := uint32(minPairs)
	for pairs < maxPairs && int(pairs) < 8*decisions {
		pairs *= 2
	}
	m.pairMask = pairs - 1
	m.possible = make([]uint64, (next+63)/64)
	m.findPossible()
	return m
}

// size is the number of points.
func (m *points) size() int { return int(m.pairs+m.pairMask) + 1 }

// opPoints is how many points an op has, and how many of them are decisions. An arm's point is known by the op that the
// arm begins with.
func (m *points) opPoints(pc int, first uint32) (n uint32, decisions int) {
	op := &m.p.Ops[pc]
	switch op.Code {
	case plan.OpAlign, plan.OpReserved, plan.OpUnit, plan.OpFrom, plan.OpEnd:
		return 2, 0 // done, noted
	case plan.OpWindow, plan.OpClose, plan.OpRequire:
		return 1, 0
	case plan.OpIf:
		return 2, 2
	case plan.OpMore, plan.OpUntil:
		return 0, 2 // counted by the list's sizes
	case plan.OpSwitch:
		starts := m.p.Switches[op.B].Starts
		for i, start := range starts {
			m.arm[start] = first + uint32(i)
		}
		return uint32(len(starts)), len(starts)
	case plan.OpArray, plan.OpRepeat:
		m.most[pc] = op.Imm
		if m.refusals.endsByIndex(pc) {
			m.most[pc]-- // the index that ends it is no element
		}
		return sizeBuckets(m.most[pc]), 0
	case plan.OpBlob:
		return sizeBuckets(uint64(m.p.Blobs[op.A].Max)), 0
	}
	return 0, 0
}

// sizeBucket is the bucket of a number of elements or bytes: 0, 1, 2, 3, 4..7, 8..15 and so on.
func sizeBucket(n uint64) uint32 {
	if n < 4 {
		return uint32(n)
	}
	return uint32(bits.Len64(n)) + 1
}

// sizeBuckets is how many points there are for sizes up to most: the buckets, and most itself where it shares its bucket.
func sizeBuckets(most uint64) uint32 { return sizeBucket(most) + 2 }

// bucketLeast is the smallest size of a bucket.
func bucketLeast(bucket uint32) uint64 {
	if bucket < 4 {
		return uint64(bucket)
	}
	return 1 << (bucket - 2)
}

func (m *points) setPossible(at uint32) {
	if w, bit := &m.possible[at/64], uint64(1)<<(at%64); *w&bit == 0 {
		*w |= bit
		m.count++
	}
}

// findPossible marks what is not proved impossible; the percentage is of these.
func (m *points) findPossible() {
	p := m.p
	for i := range m.refusals.list {
		if m.refusals.list[i].Unreachable == "" {
			m.setPossible(uint32(i))
		}
	}
	for pc := range p.Ops {
		if m.refusals.rooms[pc].at != 0 {
			m.possibleOf(pc)
		}
	}
	for leaf := range p.Leaves {
		l, info := &m.leaf[leaf], &p.Info[leaf]
		if m.refusals.rooms[info.Op].at == 0 {
			continue
		}
		if l.mode == valueOnce {
			m.setPossible(l.first)
			if l.noted() {
				m.setPossible(l.first + 1)
			}
			continue
		}
		for _, code := range edgeCodes(p, leaf) {
			kind, note := info.Judge(code, int(p.Leaves[leaf].Width))
			if kind != reject.None || code > m.span[leaf] {
				continue
			}
			l.each(code, m.setPossible)
			if note != reject.NoteNone && l.noted() {
				m.setPossible(l.first + l.points() - 1)
			}
		}
	}
}

func (m *points) possibleOf(pc int) {
	p, op, first := m.p, &m.p.Ops[pc], m.op[pc]
	sizes := func(least, most, limit uint64) {
		if least > most {
			return
		}
		for bucket := sizeBucket(least); bucket <= sizeBucket(most); bucket++ {
			m.setPossible(first + bucket)
		}
		if most >= limit {
			m.setPossible(first + sizeBuckets(limit) - 1)
		}
	}
	switch op.Code {
	case plan.OpAlign, plan.OpReserved, plan.OpUnit, plan.OpEnd, plan.OpFrom:
		m.setPossible(first)
		n := uint64(8)
		if op.Code == plan.OpAlign {
			n = uint64(op.A)
		}
		_, most := m.refusals.rooms[pc].padding(n)
		switch {
		case op.Code == plan.OpAlign && op.Flags&plan.FlagAny == 0, op.Code == plan.OpReserved && op.Flags&plan.FlagAny == 0:
		case op.Code == plan.OpAlign && most == 0, op.Code == plan.OpEnd && most == 0:
		default:
			m.setPossible(first + 1)
		}
	case plan.OpWindow, plan.OpClose, plan.OpRequire:
		m.setPossible(first)
	case plan.OpIf:
		for i, holds := range []bool{true, false} {
			if m.refusals.known.way(m.refusals.rooms[pc], op.A, holds).at != 0 {
				m.setPossible(first + uint32(i))
			}
		}
	case plan.OpSwitch:
		s := p.Switches[op.B]
		for _, e := range s.Entries {
			if m.refusals.known.tagged(m.refusals.rooms[pc], pc, e).at != 0 {
				m.setPossible(m.arm[int(e.Target)])
			}
		}
		if s.Default >= 0 {
			m.setPossible(m.arm[int(s.Default)])
		}
	case plan.OpArray:
		least, most := m.refusals.rests.intervalOf(op.C, pc).bits(1)
		if each := elementBits(p, op.Node); each > 0 {
			most = min(most, m.refusals.rooms[pc].hi/each)
		}
		sizes(least, min(most, op.Imm), op.Imm)
	case plan.OpRepeat:
		least, most := uint64(0), m.most[pc]
		if each := elementBits(p, op.Node); each > 0 {
			most = min(most, m.refusals.rooms[pc].hi/each)
		}
		if more := &p.Ops[pc+1]; more.Code == plan.OpMore && more.C == plan.MoreAlways && !m.refusals.endsByIndex(pc) {
			least = 1
		}
		sizes(least, most, m.most[pc])
	case plan.OpBlob:
		b := p.Blobs[op.A]
		least, most := m.refusals.rests.blobSize(pc)
		if b.Text == schema.TextCString {
			least, most = 0, most-1 // its NUL is not counted
		}
		most = min(most, m.refusals.rooms[pc].hi/uint64(b.Unit()))
		sizes(least, most, uint64(b.Max))
	}
}

// block finds the block of a point behind the refusals, and its number there.
func (m *points) block(at uint32) (pointBlock, uint32) {
	i := sort.Search(len(m.blocks), func(i int) bool { return m.blocks[i].first > at }) - 1
	return m.blocks[i], at - m.blocks[i].first
}

// name is the name of a point that is counted.
func (m *points) name(at uint32) string {
	if int(at) < len(m.refusals.list) {
		return m.refusals.list[at].String()
	}
	block, _ := m.block(at)
	if block.op < 0 {
		return m.rule(m.p.Info[block.leaf].Node) + ": " + m.part(at)
	}
	return m.rule(m.p.Ops[block.op].Node) + ": " + m.part(at)
}

// part is what a point behind the refusals is of its rule.
func (m *points) part(at uint32) string {
	block, n := m.block(at)
	if block.op < 0 {
		return m.leaf[block.leaf].name(m.p, int(block.leaf), n)
	}
	op := &m.p.Ops[block.op]
	line := " at line " + strconv.Itoa(int(m.p.OpPos[block.op].Line))
	switch op.Code {
	case plan.OpIf:
		return [...]string{"if taken", "if not taken"}[n] + line
	case plan.OpSwitch:
		s := m.p.Switches[op.B]
		start := s.Starts[n]
		for _, e := range s.Entries {
			if int(e.Target) == start {
				return "case " + s.Item.Arms[e.Arm].Label
			}
		}
		return "the default case"
	case plan.OpArray, plan.OpRepeat:
		return sizeName(n, m.most[block.op], "elements")
	case plan.OpBlob:
		return sizeName(n, uint64(m.p.Blobs[op.A].Max), "units")
	case plan.OpEnd:
		return [...]string{"accepted", "trailing bits set"}[n]
	}
	return [...]string{"passed", "noted"}[n] + line
}

func (m *points) rule(node plan.NodeID) string {
	if rule := string(m.p.AppendRule(nil, node)); rule != "" {
		return rule
	}
	return "packet"
}

func sizeName(n uint32, limit uint64, what string) string {
	if n == sizeBuckets(limit)-1 {
		return "all " + strconv.FormatUint(limit, 10) + " " + what
	}
	least := bucketLeast(n)
	if most := min(2*least-1, limit); n >= 4 && most > least {
		return strconv.FormatUint(least, 10) + ".." + strconv.FormatUint(most, 10) + " " + what
	}
	return strconv.FormatUint(least, 10) + " " + what
}

// fingerprint tells the points of one plan from those of another.
func (m *points) fingerprint() uint64 {
	h := fnv.New64a()
	for i := range m.refusals.list {
		_, _ = io.WriteString(h, m.refusals.list[i].String()) // a hash takes everything
	}
	var b []byte
	for _, block := range m.blocks {
		b = strconv.AppendUint(append(b, ' '), uint64(block.first), 10)
		if block.op >= 0 {
			b = append(b, m.p.Ops[block.op].Code.String()...)
		}
	}
	b = strconv.AppendInt(append(b, ' '), int64(m.size()), 10)
	_, _ = h.Write(b)
	return h.Sum64()
}
