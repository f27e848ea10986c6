package fuzz

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// Replay sends the packet of a finding to a fresh target, behind those that have to come first, and judges the answer; or that
// to one before, if the target dies of it.
func (c *Campaign) Replay(ctx context.Context, f *Finding) (found []Finding, err error) {
	t, err := c.NewTarget(ctx)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	j := NewJudge(c.Decoder, c.Own)
	for _, b := range append(f.Before[:len(f.Before):len(f.Before)], Base{f.Packet, f.From}) {
		reply, err := t.Send(b.Data, b.From)
		if err != nil {
			return found, err
		}
		found = j.Judge(&Mutation{Data: b.Data, Node: plan.NoNode, Done: "as it is"}, b.From, t, reply)
		if !reply.Outcome.answered() && len(found) > 0 {
			return found, nil // what it died of was enough
		}
	}
	if len(found) == 0 {
		return newLateness(c.Decoder, j).found(t)
	}
	return found, nil
}

// minimiser makes packets of findings simple. It is for one goroutine.
type minimiser struct {
	c        *Campaign
	used     Target // what trials have one after the other, while keeps; nil for none
	keeps    bool   // see simple
	starts   int    // of targets, for the finding at hand
	m        *Mutator
	judge    *Judge
	breed    *breeder
	f        *Finding
	least    *Finding // the simplest so far
	loose    bool     // any finding of its kind is the same: see mend
	unplaced bool
	h        healed
	donor    donor
	trials   int
	after    *lateness
	ctx      context.Context // of its targets; it ends lastMinimising after the run's
	close    func()
	end      time.Time // of the finding at hand
	failed   error
	undone   Undone   // of the finding at hand
	skipped  bool     // something was not tried, for it was late
	holds    []string // fields that could not be simplified
	probe    probe
	tags     map[int]bool
	blame    *blame  // of the finding at hand: what goes on to decide
	causes   []blame // of other findings
	noEnd    *bool   // what checksNoEnd found
}

// Bounds of what is tried for one finding. The time is one for targets that take long to start or to hang.
const (
	maxTrials      = 10000
	maxStarts      = 2000 // targets
	maxMinimising  = 30 * time.Second
	lastMinimising = 1500 * time.Millisecond // for all findings, when a run has been ended
)

// newMinimiser makes a minimiser of a run that ends with ctx. It must be closed.
func newMinimiser(ctx context.Context, c *Campaign, m *Mutator) *minimiser {
	b := newBreeder(m, NewGenerator(c.Decoder))
	b.random = rand.New(rand.NewPCG(c.Seed, 0))
	j := NewJudge(c.Decoder, c.Own)
	z := &minimiser{c: c, m: m, judge: j, after: newLateness(c.Decoder, j), breed: b, tags: tagsOf(m.plan)}
	z.probe.breed = newBreeder(m, NewGenerator(c.Decoder))
	z.probe.breed.random = rand.New(rand.NewPCG(c.Seed, 1))
	z.ctx, z.close = outlast(ctx, lastMinimising)
	return z
}

// outlast makes a context that ends some time after another.
func outlast(ctx context.Context, more time.Duration) (context.Context, func()) {
	longer, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(more, end)
		context.AfterFunc(longer, func() { timer.Stop() })
	})
	return longer, func() { stop(); end() }
}

// begin begins with a finding; nothing is tried after end.
func (z *minimiser) begin(f *Finding, end time.Time) {
	z.f, z.least, z.trials, z.end, z.failed, z.holds, z.blame = f, f, 0, end, nil, nil, nil
	z.undone, z.skipped, z.loose, z.keeps, z.starts = f.Undone, false, false, false, 0
}

// late reports whether no more is to be tried. It is asked before each trial.
func (z *minimiser) late() bool {
	late := z.trials >= maxTrials || z.starts >= maxStarts || z.ctx.Err() != nil || time.Now().After(z.end)
	z.skipped = z.skipped || late
	return late
}

// minimise makes the packet of a finding as simple as it finds it: elements of lists are left out, fields set to their
// simplest value, texts shortened, all through the encoder, so that counts, lengths, padding and checksum stay right, or
// wrong in the one way that the finding is about. Each step is kept while the finding stays the same mistake, and what comes of
// them all is shown by a fresh target. What comes back is a new Finding, minimal or as far as maxTrials and maxMinimising let it be; when f does not
// show itself again, it is f.
func (z *minimiser) minimise(f *Finding) (*Finding, error) {
	return z.minimiseBy(f, time.Now().Add(maxMinimising))
}

// minimiseBy is minimise with an end of its own.
func (z *minimiser) minimiseBy(f *Finding, end time.Time) (*Finding, error) {
	z.begin(f, end)
	defer z.drop()
	if !z.needs(f) {
		z.unseen(f)
		return f, z.failed
	}
	first, undone := z.least, z.undone
	z.keeps = f.Kind == FoundRejectedValid && len(first.Before) == 0
	least := z.simple(f)
	if z.keeps && !z.stands() {
		z.least, z.undone, z.blame, z.holds = first, undone, nil, nil // what it had before made the difference, or nobody knows
		least = z.simple(f)
	}
	switch {
	case z.skipped: // another change may decide
		if least.Kind == FoundRejectedValid {
			z.holds = nil
			z.attribute(least)
		}
	case z.blame != nil:
		z.names(least, *z.blame)
		if !slices.Contains(z.causes, *z.blame) {
			z.causes = append(z.causes, *z.blame)
		}
	default:
		z.attribute(least)
	}
	if z.unplaced && !z.skipped {
		z.placed(least)
	}
	z.ends(least)
	return least, z.failed
}

// simple makes a finding's packet simple, and finds what is to blame. It is for a finding that was shown. While z.keeps, one
// target has all packets that are tried, as long as it lives: to start one for each takes a hundred times as long.
func (z *minimiser) simple(f *Finding) *Finding {
	z.unplaced = z.least.unplaced() && f.unplaced()
	if z.unplaced {
		z.mend()
	}
	if f.Kind == FoundRejectedValid {
		if c, ok := z.blames(f.Packet, f.From); ok {
			if slices.Contains(z.causes, c) { // one of those that are simple
				z.blame = &c
				return z.taken(f)
			}
			c = z.narrow(c)
			z.blame = &c
		}
	}
	if z.heal(z.least.Packet, z.f.From, &z.h) {
		z.simplify()
		z.shorten()
	} else {
		z.shorten()
		z.inPlace()
	}
	if f.Kind == FoundRejectedValid && (z.blame == nil || z.blame.what == blameTag) {
		// Two mistakes hid each other, or were hidden by the choice of what follows. One may be left.
		if c, ok := z.blames(z.least.Packet, f.From); ok {
			z.blame = &c
		}
	}
	return z.taken(f)
}

// stands ends the target that was kept, and reports whether a fresh one shows what was found with it.
func (z *minimiser) stands() bool {
	z.keeps = false
	z.drop()
	return z.shows(nil, z.least.Packet)
}

// open is a target for one packet, and what is to be called behind it: a fresh one, or the one that is kept.
func (z *minimiser) open() (t Target, done func(Reply), err error) {
	if t = z.used; t == nil {
		z.starts++
		if t, err = z.c.NewTarget(z.ctx); err != nil {
			return nil, nil, err
		}
	}
	if !z.keeps {
		return t, func(Reply) { _ = t.Close() }, nil // there is nothing more to hear from it
	}
	z.used = t
	return t, func(r Reply) {
		if !r.Outcome.answered() || len(r.Culprit) > 0 {
			z.drop()
		}
	}, nil
}

// drop ends the target that was kept.
func (z *minimiser) drop() {
	if z.used != nil {
		_ = z.used.Close() // there is nothing more to hear from it
		z.used = nil
	}
}

// taken is the simplest finding as the one that was made simple, with what it had of its own.
func (z *minimiser) taken(f *Finding) *Finding {
	least := *z.least
	least.Count, least.Changed, least.Done, least.Undone = f.Count, f.Changed, f.Done, z.undone
	if z.undone == AllDone && z.skipped {
		least.Undone = NotSimplified
	}
	return &least
}

// names gives a finding the cause that was found.
func (z *minimiser) names(f *Finding, c blame) {
	text, ev := z.cause(&c, f.Packet, f.From)
	if ev == nil {
		return
	}
	f.Cause = text
	at := shownAt(&z.probe.trace, string(z.probe.trace.AppendEventPath(nil, ev)))
	f.Rule, f.Path, f.Bit, f.Width = RuleName(z.m.plan, at.node), at.path, at.bit, at.width
	f.Changed, f.Done = f.Path, "" // how the packet was made at first says nothing any more
}

// ends names the cause of a packet that is cut and accepted, where that is so of every field.
func (z *minimiser) ends(f *Finding) {
	if f.Kind == FoundAcceptedMalformed && f.Reject == reject.PastEnd && len(f.Before) == 0 && z.behindEnd(f.Packet, f.From) && z.checksNoEnd() {
		f.Cause = endUnchecked
	}
}

// attribute names the field that a finding is about where nothing is wrong with the packet: of a packet that the reader
// stumbles over what could not be made simpler; of a field that it read wrongly, and that is there because of another, that
// other.
func (z *minimiser) attribute(f *Finding) {
	switch {
	case f.Reject != reject.None:
	case f.Kind <= FoundHang || f.Kind == FoundRejectedValid:
		f.Path, f.Changed, f.Rule, f.Bit, f.Width = "", "", "packet", 0, 0
		if len(z.holds) > 0 {
			at := shownAt(z.donor.trace, z.holds[0])
			f.Rule, f.Path, f.Bit, f.Width, f.Changed = at.rule(), at.path, at.bit, at.width, at.path
		}
	case f.Changed == "":
		f.Changed = z.decider(f)
	}
}

// decider is the path of the field that decides whether a finding's field is there; "" for none.
func (z *minimiser) decider(f *Finding) (path string) {
	t := &z.judge.trace
	_ = z.m.decoder.Decode(f.Packet, f.From, t) // it is valid
	p := z.m.plan
	read := map[int]string{}
	for ev := range t.Walk() {
		if ev.Kind != decode.Leaf && ev.Kind != decode.Blob {
			continue
		}
		own := string(t.AppendEventPath(nil, ev))
		if own == f.Path {
			turns := p.Around(p.StepAt(t.Spans[ev.Span].Point).At().ID)
			for i := len(turns) - 1; i >= 0 && path == ""; i-- {
				at := turns[i].At
				operand, _ := at.Expr()
				if o := &p.Operands[operand]; at.Flow() == plan.Choose && o.Kind == plan.OperandLeaf {
					path = read[p.LeafOf(o, at.At().ID)]
				}
			}
			return path
		}
		if ev.Leaf >= 0 {
			read[ev.Leaf] = own
		}
	}
	return ""
}

// shows tries a packet on a fresh target, behind others, and keeps it if it shows the same mistake.
func (z *minimiser) shows(before []Base, packet []byte) bool {
	if z.failed != nil || z.late() {
		return false
	}
	z.trials++
	t, done, err := z.open()
	if err != nil {
		return z.fail(err)
	}
	var reply Reply
	defer func() { done(reply) }()
	for _, b := range before {
		if z.late() {
			return false
		}
		if _, err := t.Send(b.Data, b.From); err != nil {
			return z.fail(err)
		}
	}
	if reply, err = t.Send(packet, z.f.From); err != nil {
		return z.fail(err)
	}
	found := z.judge.Judge(&Mutation{Data: packet, Node: z.f.node}, z.f.From, t, reply)
	if z.f.Kind == FoundCrash && reply.Outcome.answered() {
		if found, err = z.after.found(t); err != nil {
			return z.fail(err)
		}
	}
	i := slices.IndexFunc(found, func(g Finding) bool { return g.same(z.f) || z.loose && g.Kind == z.f.Kind })
	if i < 0 || reply.Outcome.answered() && !bytes.Equal(found[i].Packet, packet) && z.f.Kind == FoundCrash {
		return false
	}
	if z.blame != nil && !z.flips(z.blame, packet, z.f.From) {
		return false // it is refused for another reason
	}
	g := found[i]
	g.Packet, g.Before, g.node = bytes.Clone(packet), before, z.f.node
	z.least = &g
	return true
}

// fail notes why a target is of no use; what ends with the time is no failure. It reports false.
func (z *minimiser) fail(err error) bool {
	if z.ctx.Err() == nil {
		z.failed = err
	}
	z.skipped = true
	return false
}

// same reports whether two findings are one mistake. Where nothing is wrong with the packet, the rule is only that of the
// field that was changed last.
func (f *Finding) same(o *Finding) bool {
	return f.Kind == o.Kind && f.Reject == o.Reject && (f.Rule == o.Rule || f.Reject == reject.None && f.Kind != FoundWrongValue)
}

// simplest is the simplest code that a leaf may hold.
func (z *minimiser) simplest(leaf int) uint64 {
	all := z.breed.g.leaves[leaf].all
	if len(all) == 0 {
		return 0
	}
	if _, ok := slices.BinarySearch(all, 0); ok {
		return 0
	}
	return all[0]
}

// simplify works on the healed packet until nothing becomes simpler.
func (z *minimiser) simplify() {
	z.donor.use(&z.h.trace)
	for again := true; again; {
		again = z.lists()
		again = z.texts() || again
		again = z.values() || again
	}
}

// attempt writes the packet with the changes that are made to the donor, spoils it, and tries it. If it shows the mistake, it
// is the new packet.
func (z *minimiser) attempt(change func() bool) bool {
	if z.failed != nil || z.late() {
		return false
	}
	d := &z.donor
	d.keep()
	if !change() {
		return false
	}
	b := z.breed
	b.source.begin(b.g, b.random, nil, d)
	b.source.least = true
	out, err := b.encoder.Append(b.out[:0], &b.source, z.f.From)
	if err != nil {
		return false
	}
	b.out = out
	t := b.encoder.Written()
	became := map[int32]int32{}
	for i := range t.Spans {
		s := &t.Spans[i]
		if from := d.find(t, s.Point, s.Parent, s.Index); from >= 0 {
			if _, ok := became[from]; !ok {
				became[from] = int32(i)
			}
		}
	}
	at := func(span int32) int32 {
		if i, ok := became[span]; ok {
			return i
		}
		return -1
	}
	valid := bytes.Clone(out)
	data, ok := z.h.spoil(z.m.plan, z.m.crc, out, t, at)
	if !ok || !z.shows(z.least.Before, data) {
		return false
	}
	for i := range z.h.patches {
		z.h.patches[i].span = at(z.h.patches[i].span)
	}
	z.h.cut.span = at(z.h.cut.span)
	_ = z.m.decoder.Decode(valid, z.f.From, &z.h.trace) // the encoder has read it back
	d.use(&z.h.trace)
	return true
}

// pathOf is the path of the field with a code.
func (z *minimiser) pathOf(raw int32) (path string) {
	for ev := range z.donor.trace.Walk() {
		if s := &z.donor.trace.Spans[max(ev.Span, 0)]; ev.Kind == decode.Leaf && rawOf(z.m.plan, s, ev.Leaf) == int(raw) {
			return string(z.donor.trace.AppendEventPath(nil, ev))
		}
	}
	return ""
}

// shorten finds the shortest beginning of the packet that shows the mistake.
func (z *minimiser) shorten() {
	cut := func(n int) bool {
		data := bytes.Clone(z.least.Packet[:n])
		checksumOf(&z.h.trace, z.m.crc).repair(z.m.plan, data)
		return z.shows(z.least.Before, data)
	}
	for len(z.least.Packet) > fewBytes && cut(len(z.least.Packet)/2) {
	}
	for n := range min(len(z.least.Packet), fewBytes) {
		if cut(n) {
			return
		}
	}
}

// fewBytes is how many lengths are all tried.
const fewBytes = 256

// inPlace sets the fields in front of the mistake where they stand, for a packet of which only those are understood.
func (z *minimiser) inPlace() {
	t := &z.h.trace
	_ = z.m.decoder.Decode(z.least.Packet, z.f.From, t) // as far as it goes
	for _, s := range slices.Clone(t.Spans) {
		run, ok := z.m.plan.StepAt(s.Point).(*plan.Run)
		if !ok {
			continue
		}
		for k := range int(s.N) {
			leaf := run.First + k
			l, info := &z.m.plan.Leaves[leaf], &z.m.plan.Info[leaf]
			if info.Kind == plan.LeafCheck || info.Kind == plan.LeafReserved || z.m.sizes[leaf] {
				continue
			}
			code := z.simplest(leaf)
			if info.Swap {
				code = wire.SwapBytes(code, int(l.Width))
			}
			data := bytes.Clone(z.least.Packet)
			order := run.Order
			if bit := int(s.Bit + l.Off); bit+int(l.Width) <= 8*len(data) && order.Load(data, bit, int(l.Width)) != code {
				order.Store(data, bit, int(l.Width), code)
				checksumOf(t, z.m.crc).repair(z.m.plan, data)
				z.shows(z.least.Before, data)
			}
		}
	}
}
