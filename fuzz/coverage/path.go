package coverage

import (
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// What a packet reached is read off its Trace: the codes and sizes off what was read, the decisions off its path, and
// with each block that it came into all that it has to pass there.

// passing are the points that a packet reaches which goes through a block, from where it has no choice, in the order of
// the wire: so of a packet that is refused in there, those before that.
type passing []uint32

// passed are the points that steps have to pass. Those of blocks where ways part are kept with these.
func (m *points) passed(steps []plan.Step) (all passing) {
	for _, s := range steps {
		id, parts := s.At().ID, s.Flow() != plan.Enter
		itself, behind := s.Cover()
		if itself == plan.CoverPassed || itself == plan.CoverNoted {
			all = append(all, m.itself[id])
		}
		m.within[id] = len(m.blocked)
		if parts {
			m.blocked = append(m.blocked, make([]passing, len(s.Blocks()))...)
		}
		for i, b := range s.Blocks() {
			if within := m.passed(b.Steps); parts {
				m.blocked[m.within[id]+i] = within
			} else {
				all = append(all, within...)
			}
		}
		if behind != plan.CoverNone {
			all = append(all, m.behind[id])
		}
	}
	return all
}

// coverSteps finds what reading a trace needs of the steps.
func (m *points) coverSteps() {
	for id, s := range m.p.Steps {
		cover, _ := s.Cover()
		of := stepCover{cover: cover, list: s.Flow() == plan.Repeat, leaf: -1}
		var leaves []int
		if cover == plan.CoverValues {
			leaves = slices.Collect(s.Leaves())
		}
		if _, of.run = s.(*plan.Run); of.run || len(leaves) == 1 {
			of.leaf = int32(leaves[0])
		}
		m.cover[id] = of
		m.around[id] = plan.NoStep
		if up := s.At().Up; up != plan.NoStep {
			if m.around[id] = m.around[up]; m.p.Steps[up].Flow() == plan.Choose {
				m.around[id] = up
			}
		}
	}
}

// everywhere is after all points that a packet passes.
const everywhere = ^uint32(0)

// pass marks what a packet passes that goes through a block, up to where it is refused.
func (c *Set) pass(all passing, stop uint32) {
	for _, at := range all {
		if at >= stop {
			return
		}
		c.hit(at)
	}
}

// read marks what a packet did.
func (c *Set) read(t *decode.Trace) {
	m := c.points
	at := reject.Place{Parent: -1}
	stop, id := everywhere, plan.NoStep // where it was refused
	if r := t.Reject(); r != nil {
		o := m.rejects.Find(r)
		if c.hit(uint32(o)); o == rejectSize {
			return
		}
		at, stop = r.At, m.end
		if rule := &m.rejects.List[o]; rule.At != plan.NoPoint {
			b := m.p.StepAt(rule.At).At()
			if id, stop = b.ID, m.itself[b.ID]; rule.At > b.Each {
				stop = m.behind[id]
			}
		}
	} else {
		c.hit(m.end)
	}
	c.pass(m.root, stop)
	c.path(t.Path, id, stop)
	c.spans(t, &at, id, stop)
}

// path marks the decisions, from the last to the first. The last at each choice around the step that refuses led there.
func (c *Set) path(path []decode.Way, refused plan.StepID, stop uint32) {
	m, around := c.points, plan.NoStep
	if refused != plan.NoStep {
		around = m.around[refused]
	}
	for i := len(path) - 1; i >= 0; i-- {
		w, before := &path[i], uint32(0)
		if i > 0 {
			before = m.decision(&path[i-1])
		}
		c.pair(before, m.decision(w))
		if m.cover[w.Step].cover != plan.CoverWays {
			continue // of a list, its sizes count
		}
		c.hit(m.itself[w.Step] + uint32(w.Way))
		end := everywhere
		if w.Step == around {
			end, around = stop, m.around[around]
		}
		c.pass(m.blocked[m.within[w.Step]+int(w.Way)], end)
	}
}

// decision tells the ways apart, for pairs of them.
func (m *points) decision(w *decode.Way) uint32 {
	if m.cover[w.Step].cover == plan.CoverWays {
		return m.itself[w.Step] + uint32(w.Way)
	}
	b := m.p.Steps[w.Step].At()
	return uint32([...]plan.Point{decode.WayElement: b.Each, decode.WayOn: b.Last, decode.WayOut: b.Point}[w.Way])
}

// spans marks codes and sizes, from the last to the first. at is where the packet was refused.
func (c *Set) spans(t *decode.Trace, at *reject.Place, refused plan.StepID, stop uint32) {
	m := c.points
	parent, index := at.Parent, at.Index
	for i := len(t.Records) - 1; i >= 0; i-- {
		s := &t.Records[i]
		b := m.p.StepAt(s.Point).At()
		of := &m.cover[b.ID]
		switch {
		case of.cover == plan.CoverValues && of.run:
			c.values(int(of.leaf), t.Raw[s.Raw:s.Raw+s.N])
		case of.cover == plan.CoverValues, of.list && s.Point != b.Point: // or a flag of a bitmap, or the index that it stands for
			c.code(t, s, of)
		case of.list && int32(i) == parent: // the last of its elements is not whole
			end := stop
			if index > 0 {
				end = everywhere
			}
			c.pass(m.blocked[m.within[b.ID]], end)
			parent, index = s.Parent, s.Index
		case of.cover == plan.CoverSize:
			if of.list && s.N > 0 {
				c.pass(m.blocked[m.within[b.ID]], everywhere)
			}
			if b.ID != refused || s.Parent != at.Parent || s.Index != at.Index { // else it is refused itself
				c.size(m.itself[b.ID], uint64(s.N), m.most[b.ID])
			}
		}
	}
}

// code marks a code that stands alone.
func (c *Set) code(t *decode.Trace, s *decode.Record, of *stepCover) {
	p, leaf := c.points.p, int(of.leaf)
	if leaf < 0 {
		leaf = t.LeafOf(s)
	}
	if info := &p.Info[leaf]; info.Signed && s.N > 0 {
		// The same value has the same point in every width.
		wide := [1]uint64{uint64(wire.SignExtend(t.Raw[s.Raw], int(s.N))) & p.Leaves[leaf].Mask}
		c.values(leaf, wide[:])
		return
	}
	c.values(leaf, t.Raw[s.Raw:s.Raw+1])
}

// pair marks that one decision came after another. Which pairs there can be is not known; they share places.
func (c *Set) pair(before, at uint32) {
	mix := (before*0x9e3779b1 + at) * 0x85ebca6b
	c.hit(c.points.pairs + mix>>15&c.points.pairMask)
}
