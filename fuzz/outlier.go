package fuzz

import (
	"bytes"
	"context"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz/coverage"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Rules that a change of one field does not break without breaking others: the most of every size, which is broken by
// one too many with all of it there, and relations between fields. A reader that forgets one takes a packet in which
// all else is right, so that is what is made: by Generators of plans that do not have these rules (plan.Raised,
// plan.Without), whose packets the true decoder has to refuse for the rule at hand and nothing else.

// outlier is a rule that such packets break.
type outlier struct {
	refusal int
	relates bool   // it is of a relation, a computed value or a tag, not of a size
	from    uint32 // elements of a list before this one keep it
	below   bool   // the computed value is below its range, not above
	class   Class
	done    string
}

// beyond is by how much a size is too large, in the order in which it is tried: another rule may want it to be a
// multiple.
var beyond = [...]int{1, 2, 4, 3, 8, 16}

// outliers makes such packets.
type outliers struct {
	decoder   *decode.Decoder
	raised    [len(beyond)]*Generator // as they are needed
	unrelated *Generator              // of no requirements, as it is needed
	tied      map[int]*group
	all       *coverage.RejectIndex
	list      []outlier
	trace     decode.Trace
}

func newOutliers(m *Mutator) *outliers {
	o := &outliers{decoder: m.decoder, all: coverage.NewRejectIndex(m.plan)}
	p := m.plan
	o.raised[0] = NewGenerator(decode.New(m.raised))
	for i := range o.all.List {
		r := &o.all.List[i]
		if r.Unreachable != "" {
			continue
		}
		if ways := o.raised[0].fullest(r); len(ways) > 0 {
			o.list = append(o.list, outlier{i, false, 0, false, classCount, "too many, and all there"})
		}
		switch {
		case r.At != plan.NoPoint && isRequire(p.StepAt(r.At)):
			o.list = append(o.list, outlier{i, true, 0, false, classEdge, "values that are not related so"})
		case r.Kind == reject.UnknownCase && isSwitch(p.StepAt(r.At)):
			o.list = append(o.list, outlier{i, true, 0, false, classEdge, "a tag without an arm, and all else right"})
		case r.Kind == reject.OutOfRange && isLet(p.StepAt(r.At)):
			o.list = append(o.list, outlier{i, true, 0, false, classEdge, "a computed value out of its range, and all else right"},
				outlier{i, true, 0, true, classEdge, "a computed value below its range, and all else right"})
		}
		if r.At != plan.NoPoint && carries(o.all.Terms, p.StepAt(r.At)) {
			for _, from := range []uint32{1, 3} {
				o.list = append(o.list, outlier{i, true, from, false, classEdge, "not what the element before it asks for"})
			}
		}
	}
	return o
}

// fullest are the goals of a packet that has the most of the size which a refusal is about; none for any other refusal.
func (g *Generator) fullest(r *coverage.RejectPoint) []goal {
	p := g.plan
	if r.At == plan.NoPoint {
		return nil
	}
	at := p.StepAt(r.At)
	b, bytes := at.(*plan.Blob)
	switch {
	case bytes && b.Text == schema.TextCString:
		if r.Kind == reject.BadString {
			return g.full(at)
		}
	case r.Kind != reject.OutOfRange:
	case r.Leaf >= 0:
		if subset := anyOrder(p, r.Leaf); subset != nil {
			return g.full(subset)
		}
		var ways []goal
		for _, s := range g.sizings[r.Leaf] {
			if sized := p.StepAt(s.Point); !isWindow(sized) {
				ways = append(ways, goal{at: at.At().ID, leaf: r.Leaf, to: sized.At().ID, end: goalMost})
			}
		}
		return ways
	case bytes, at.Flow() == plan.Repeat:
		return g.full(at)
	}
	return nil
}

// anyOrder is the list in any order of which a leaf is the index, if an index ends it: it is refused at the index of an
// element too many.
func anyOrder(p *plan.Plan, leaf int) plan.Step {
	if leaf < 0 {
		return nil
	}
	if n, ok := p.Reader(leaf).(*plan.Number); ok && n.Any && n.EndLeaf >= 0 {
		return p.Steps[n.Up]
	}
	return nil
}

// mutations yields a packet for each rule that chance finds one for, until ctx ends. The data of a mutation is valid
// until the next.
func (o *outliers) mutations(ctx context.Context, seed uint64) iter.Seq2[*Mutation, decode.Direction] {
	return func(yield func(*Mutation, decode.Direction) bool) {
		for i := range o.list {
			if ctx.Err() != nil {
				return
			}
			if m, from := o.mutation(ctx, seed, i); m != nil && !yield(m, from) {
				return
			}
		}
	}
}

// anyStep is all steps of a plan.
func anyStep(plan.Step) bool { return true }

func isSwitch(s plan.Step) bool { _, ok := s.(*plan.Switch); return ok }

func isLet(s plan.Step) bool { _, ok := s.(*plan.Let); return ok }

// carries reports whether a relation or the range of a computed value is about what is carried from the element before.
func carries(r *coverage.Terms, s plan.Step) bool {
	_, relation := s.(*plan.Require)
	i, ok := s.Expr()
	if !ok || !relation && !isLet(s) {
		return false
	}
	d := demand{}
	newLines(r).leavesOf(r.Of(i), coverage.MaxLets, &d)
	return d.carried
}

func isRequire(s plan.Step) bool { _, ok := s.(*plan.Require); return ok }

func isWindow(s plan.Step) bool { _, ok := s.(*plan.Window); return ok }

func isStep(one plan.Step) func(plan.Step) bool {
	return func(s plan.Step) bool { return s.At().ID == one.At().ID }
}

// bounded are the steps whose most a refusal is about.
func (o *outliers) bounded(r *coverage.RejectPoint) func(plan.Step) bool {
	if subset := anyOrder(o.decoder.Plan(), r.Leaf); subset != nil {
		return isStep(subset)
	}
	if r.Leaf >= 0 {
		sizings := o.raised[0].sizings[r.Leaf]
		return func(s plan.Step) bool {
			return slices.ContainsFunc(sizings, func(by plan.Sizing) bool { return by.Point == s.At().Point })
		}
	}
	return isStep(o.decoder.Plan().StepAt(r.At))
}

// mutation is a packet that breaks rule i, nil where chance finds none. It keeps the most of every other size where
// that can be: of a reader that lacks this check alone it must show nothing else.
func (o *outliers) mutation(ctx context.Context, seed uint64, i int) (*Mutation, decode.Direction) {
	b := &o.list[i]
	if b.relates {
		return o.unrelating(ctx, seed, i)
	}
	p, r := o.decoder.Plan(), &o.all.List[b.refusal]
	for n, by := range beyond {
		if o.raised[n] == nil {
			o.raised[n] = NewGenerator(decode.New(p.Raised(by, anyStep)))
		}
		var only *decode.Decoder
		var trace decode.Trace
		var worse *Mutation // it breaks others, too
		var worseFrom decode.Direction
		keeps := func(m *Mutation, from decode.Direction) bool {
			if only == nil {
				only = decode.New(p.Raised(by, o.bounded(r)))
			}
			if only.Decode(m.Data, from, &trace) == nil {
				return true
			}
			if worse == nil {
				m.Data = bytes.Clone(m.Data)
				worse, worseFrom = m, from
			}
			return false
		}
		g := o.raised[n]
		if m, from := o.by(ctx, g, g.fullest(r), nil, tries, seed, i, keeps); m != nil {
			return m, from
		}
		if worse == nil {
			continue
		}
		g = NewGenerator(only)
		if m, from := o.by(ctx, g, g.fullest(r), nil, tries, seed, i, keeps); m != nil {
			return m, from
		}
		return worse, worseFrom
	}
	return nil, 0
}

// unrelating is a packet that breaks requirement i, or has a tag without an arm: with all requirements else kept, where
// the solver knows how, and else with none, as chance has it.
func (o *outliers) unrelating(ctx context.Context, seed uint64, i int) (*Mutation, decode.Direction) {
	p := o.decoder.Plan()
	at := p.StepAt(o.all.List[o.list[i].refusal].At)
	way := []goal{{at: at.At().ID, leaf: -1, to: at.At().ID}}
	var how [][]sum
	var broken []demand
	relation, ok := at.(*plan.Require)
	if ok {
		l := newLines(o.all.Terms)
		if how = l.breaks(l.terms.Of(relation.Cond)); len(how) == 0 {
			broken = l.demands(l.terms.Of(relation.Cond), true)
		}
	} else if let, ok := at.(*plan.Let); ok {
		s, below := newLines(o.all.Terms).ends(let)
		if o.list[i].below {
			s = below
		}
		if s.less {
			edge := s
			edge.less = false // right after the end
			how = append(how, []sum{edge}, []sum{s})
		}
	}
	if sw, is := at.(*plan.Switch); is {
		broken = newLines(o.all.Terms).untagged(sw)
	}
	if !ok || len(how)+len(broken) > 0 {
		g := NewGenerator(decode.New(p.Without(isStep(at))))
		g.usual, g.from = o.usual(), o.list[i].from
		turns := g.plan.Around(at.At().ID)
		on := g.demandsOf(turns, g.constrain(turns))
		var groups []map[int]*group
		for _, s := range how {
			groups = append(groups, g.groupsWith(turns, s, on))
		}
		for _, d := range broken {
			d.holds = !d.holds
			groups = append(groups, g.groupsWith(turns, nil, append(slices.Clone(on), d)))
		}
		if isLet(at) && len(groups) > 0 {
			if m, from := o.by(ctx, g, way, groups[:1], tries, seed, i, anyPacket); m != nil {
				return m, from
			}
		}
		if m, from := o.by(ctx, g, way, groups, tries, seed, i, anyPacket); m != nil {
			return m, from
		}
	}
	if o.unrelated == nil {
		o.unrelated = NewGenerator(decode.New(p.Without(isRequire)))
	}
	return o.by(ctx, o.unrelated, way, nil, 8*tries, seed, i, anyPacket) // nothing steers to what breaks it
}

// usual is what ties the fields of packets in which nothing is broken.
func (o *outliers) usual() map[int]*group {
	if o.tied == nil {
		o.tied = NewGenerator(o.decoder).groups
	}
	return o.tied
}

func anyPacket(*Mutation, decode.Direction) bool { return true }

// by is a packet of g that breaks rule i and that will do, found in so many tries, in which g solves one of groups
// after the other if there are any.
func (o *outliers) by(
	ctx context.Context, g *Generator, ways []goal, groups []map[int]*group, most, seed uint64, i int, will func(*Mutation, decode.Direction) bool,
) (*Mutation, decode.Direction) {
	b := &o.list[i]
	node := o.all.List[b.refusal].Node
	for try := uint64(0); try < most && len(ways) > 0 && ctx.Err() == nil; try++ {
		r := rand.New(rand.NewPCG(seed, uint64(i)<<16|try))
		from := g.begin(r, &ways[int(try)%len(ways)], true)
		if len(groups) > 0 {
			g.source.way.groups = groups[try%uint64(len(groups))]
		}
		data, err := g.encoder.AppendOverridden(g.source.buf[:0], &g.source, from, nil)
		if err != nil {
			continue
		}
		g.source.buf = data
		if o.decoder.Decode(data, from, &o.trace) == nil || o.all.Find(o.trace.Reject()) != b.refusal {
			continue
		}
		said := o.trace.Reject()
		found := &Mutation{
			Data: data, Class: b.class, Node: node, Path: said.Path(), Done: b.done, Bit: said.Bit, Width: said.Width,
			Expect: oracle.Expectation{Verdict: oracle.MustReject},
		}
		if will(found, from) {
			return found, from
		}
	}
	return nil, 0
}
