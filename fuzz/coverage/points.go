package coverage

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

// points is where each thing that a Set tells apart has its bit: the reject points first, then what each step and each
// leaf can do, at last pairs of decisions. It is made once for a plan and never changed.
type points struct {
	p        *plan.Plan
	rejects  *RejectIndex
	blocks   []pointBlock
	itself   []uint32 // first point of each step that has any
	behind   []uint32 // the same of what is after its blocks
	end      uint32   // first point of the packet's end
	cover    []stepCover
	around   []plan.StepID // of each step: the innermost choice around it
	root     passing       // of the packet
	blocked  []passing     // of the blocks where ways part
	within   []int         // the first of each step that has such
	leaf     []leafPoints
	span     []uint64 // of each leaf: its highest code
	most     []uint64 // of each list or blob: its most elements or units
	pairs    uint32   // first of the pairs, after everything that is counted
	pairMask uint32
	possible []uint64
	count    int // of possible
}

// stepCover is what the hot loop needs of a step.
type stepCover struct {
	cover plan.Cover
	run   bool  // its leaves are those from leaf on
	list  bool  // its sizes are of elements
	leaf  int32 // -1: which one its code is of is the trace's to say
}

// pointBlock is the points of a step, of what is after its blocks, or of a leaf.
type pointBlock struct {
	first uint32
	cover plan.Cover
	step  plan.StepID // NoStep: a leaf or the packet's end
	leaf  int32       // -1: none
}

// The number of pairs of decisions that are told apart.
const (
	minPairs = 1 << 8
	maxPairs = 1 << 16
)

func newPoints(p *plan.Plan) *points {
	n := len(p.Steps)
	m := &points{
		p: p, rejects: NewRejectIndex(p), itself: make([]uint32, n), behind: make([]uint32, n), most: make([]uint64, n), leaf: make([]leafPoints, len(p.Leaves)),
		cover: make([]stepCover, n), around: make([]plan.StepID, n), within: make([]int, n),
	}
	next := uint32(len(m.rejects.List))
	decisions := m.steps(p.Root, &next)
	m.end = m.block(plan.CoverNoted, plan.NoStep, 2, &next)
	m.root = m.passed(p.Root)
	m.coverSteps()
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
		m.blocks = append(m.blocks, pointBlock{next, plan.CoverValues, plan.NoStep, int32(leaf)})
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

// steps gives steps and what they bracket their points, in the order of the wire. It returns how many decisions there
// are.
func (m *points) steps(steps []plan.Step, next *uint32) (decisions int) {
	for _, s := range steps {
		id := s.At().ID
		itself, behind := s.Cover()
		if itself == plan.CoverSize {
			if m.most[id] = plan.MostOf(s); endsByIndex(s) {
				m.most[id]-- // the index that ends it is no element
			}
		}
		decisions += asked(s)
		if itself == plan.CoverWays {
			decisions += len(s.Blocks())
		}
		m.itself[id] = m.block(itself, id, m.pointsOf(s, itself), next)
		for _, b := range s.Blocks() {
			decisions += m.steps(b.Steps, next)
		}
		m.behind[id] = m.block(behind, id, m.pointsOf(s, behind), next)
		if behind != plan.CoverNone {
		}
	}
	return decisions
}

// asked is how many ways a list can go where it asks whether it goes on: before an element, and after one.
func asked(s plan.Step) int {
	list, ok := s.(*plan.List)
	switch {
	case ok && list.Kind == plan.ListUntil:
		return 4
	case ok && list.Kind != plan.ListCount, endsByIndex(s):
		return 2
	}
	return 0
}

// pointsOf is how many points a step has, or what is after it.
func (m *points) pointsOf(s plan.Step, c plan.Cover) uint32 {
	switch c {
	case plan.CoverNone, plan.CoverValues: // its leaves have points
		return 0
	case plan.CoverPassed:
		return 1
	case plan.CoverNoted:
		return 2
	case plan.CoverWays:
		return uint32(len(s.Blocks()))
	case plan.CoverSize:
		return sizeBuckets(m.most[s.At().ID])
	}
	panic("pktscope: internal error: coverage counts something unknown")
}

// block gives a step so many points, and returns the first.
func (m *points) block(c plan.Cover, id plan.StepID, n uint32, next *uint32) (first uint32) {
	first = *next
	if n > 0 {
		m.blocks = append(m.blocks, pointBlock{first, c, id, -1})
	}
	*next += n
	return first
}

// sizeBucket is the bucket of a number of elements or bytes: 0, 1, 2, 3, 4..7, 8..15 and so on.
func sizeBucket(n uint64) uint32 {
	if n < 4 {
		return uint32(n)
	}
	return uint32(bits.Len64(n)) + 1
}

// sizeBuckets is how many points there are for sizes up to most: the buckets, and most itself where it shares its
// bucket.
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
	for i := range m.rejects.List {
		if m.rejects.List[i].Unreachable == "" {
			m.setPossible(uint32(i))
		}
	}
	for id, s := range p.Steps {
		itself, behind := s.Cover()
		m.possibleOf(s, itself, m.itself[id], m.rejects.rooms.before[id].room)
		m.possibleOf(s, behind, m.behind[id], m.rejects.rooms.behind[id].room)
	}
	if end := m.rejects.rooms.end; end.at != 0 {
		m.setPossible(m.end)
		if _, most := end.at.Padding(8); most > 0 {
			m.setPossible(m.end + 1)
		}
	}
	for leaf := range p.Leaves {
		l, info := &m.leaf[leaf], &p.Info[leaf]
		if m.rejects.rooms.before[p.Reader(leaf).At().ID].at == 0 {
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

// possibleOf marks what is not proved impossible of a step, or after it, in a room.
func (m *points) possibleOf(s plan.Step, c plan.Cover, first uint32, at room) {
	if at.at == 0 {
		return
	}
	switch c {
	case plan.CoverNone, plan.CoverValues:
	case plan.CoverPassed:
		m.setPossible(first)
	case plan.CoverNoted:
		m.setPossible(first)
		if canNote(s, at) {
			m.setPossible(first + 1)
		}
	case plan.CoverWays:
		m.possibleWays(s, first, at)
	case plan.CoverSize:
		least, most := m.sizes(s, at)
		if least > most {
			return
		}
		limit := m.most[s.At().ID]
		for bucket := sizeBucket(least); bucket <= sizeBucket(most); bucket++ {
			m.setPossible(first + bucket)
		}
		if most >= limit {
			m.setPossible(first + sizeBuckets(limit) - 1)
		}
	}
}

// canNote reports whether a step that is passed can note something.
func canNote(s plan.Step, at room) bool {
	if align, ok := s.(*plan.Align); ok {
		_, most := at.at.Padding(uint64(align.Bits))
		return align.Any && most > 0
	}
	reserved, ok := s.(*plan.Reserved)
	return !ok || reserved.Any
}

func (m *points) possibleWays(s plan.Step, first uint32, at room) {
	known := m.rejects.known
	sw, ok := s.(*plan.Switch)
	if !ok {
		cond, _ := s.Expr()
		for i, holds := range []bool{true, false} {
			if known.way(at, cond, holds).at != 0 {
				m.setPossible(first + uint32(i))
			}
		}
		return
	}
	for _, e := range sw.Entries {
		if known.tagged(at, sw, e).at != 0 {
			m.setPossible(first + uint32(e.Arm))
		}
	}
	if sw.Default >= 0 {
		m.setPossible(first + uint32(sw.Default))
	}
}

// sizes is how many elements of a list, or units of a blob, there are at least and at most.
func (m *points) sizes(s plan.Step, at room) (least, most uint64) {
	limit, rests := m.most[s.At().ID], m.rejects.Terms
	if b, ok := s.(*plan.Blob); ok {
		least, most = rests.blobSize(b)
		if b.Text == schema.TextCString {
			least, most = 0, most-1 // its NUL is not counted
		}
		return least, min(most, limit, at.hi/uint64(b.Unit()))
	}
	most = limit
	if list, ok := s.(*plan.List); ok && list.Kind == plan.ListUntil {
		least = 1
	} else if plan.Counted(s) {
		count, _ := s.Expr()
		least, most = rests.intervalOf(count, s.At().ID).bits(1)
	}
	if each := m.p.ElementBits(s.At().Node); each > 0 {
		most = min(most, at.hi/each)
	}
	return least, min(most, limit)
}

// blockOf finds the block of a point after the reject points, and its number there.
func (m *points) blockOf(at uint32) (*pointBlock, uint32) {
	i := sort.Search(len(m.blocks), func(i int) bool { return m.blocks[i].first > at }) - 1
	return &m.blocks[i], at - m.blocks[i].first
}

// name is the name of a point that is counted.
func (m *points) name(at uint32) string {
	if int(at) < len(m.rejects.List) {
		return m.rejects.List[at].String()
	}
	node := plan.NodeID(0)
	if block, _ := m.blockOf(at); block.leaf >= 0 {
		node = m.p.Info[block.leaf].Node
	} else if block.step != plan.NoStep {
		node = m.p.Steps[block.step].At().Node
	}
	return m.rule(node) + ": " + m.part(at)
}

// part is what a point after the reject points is of its rule.
func (m *points) part(at uint32) string {
	block, n := m.blockOf(at)
	if block.leaf >= 0 {
		return m.leaf[block.leaf].name(m.p, int(block.leaf), n)
	}
	if block.step == plan.NoStep {
		return [...]string{"accepted", "trailing bits set"}[n]
	}
	s := m.p.Steps[block.step]
	line := " at line " + strconv.Itoa(int(s.At().Pos.Line))
	if from := m.p.Schema.Origin(s.At().Pos); from != "" {
		line += " of " + from
	}
	switch block.cover {
	case plan.CoverWays:
		if sw, ok := s.(*plan.Switch); ok {
			return armName(sw, int(n))
		}
		return [...]string{"if taken", "if not taken"}[n] + line
	case plan.CoverSize:
		what := "units"
		if s.Flow() == plan.Repeat {
			what = "elements"
		}
		return sizeName(n, m.most[block.step], what)
	case plan.CoverNone, plan.CoverValues, plan.CoverPassed, plan.CoverNoted:
	}
	return [...]string{"passed", "noted"}[n] + line
}

// armName is what a block of a switch is called.
func armName(s *plan.Switch, block int) string {
	for _, e := range s.Entries {
		if int(e.Arm) == block {
			return "case " + s.Item.Arms[e.Arm].Label
		}
	}
	return "the default case"
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
	for i := range m.rejects.List {
		_, _ = io.WriteString(h, m.rejects.List[i].String()) // a hash takes everything
	}
	var b []byte
	for _, block := range m.blocks {
		b = strconv.AppendUint(append(b, ' '), uint64(block.first), 10)
		b = append(b, byte('a'+block.cover))
	}
	b = strconv.AppendInt(append(b, ' '), int64(m.size()), 10)
	_, _ = h.Write(b)
	return h.Sum64()
}

// FewCodes is how many codes a leaf may have to be tried in full.
const FewCodes = 1 << 10
