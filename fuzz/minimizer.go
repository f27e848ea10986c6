package fuzz

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Minimizer makes the packet of a finding simple, and finds the cause: the field, or what the reader does not check. It
// fixes a malformed packet up until the decoder accepts it, and remembers what was wrong. Then it leaves out elements
// of lists, sets fields to their simplest value and shortens texts, all through the encoder, so that counts, lengths,
// padding and checksum stay right; breaks the packet again in the one way that the finding is about; and keeps what the
// target still stumbles over.
//
// One long-lived target has all packets that are tried, as long as it lives: to start one for each takes a hundred
// times as long. What comes of them is shown to a new target; where that one does not stumble, each packet has a new
// one. A reader that dies of what is tried has a new target each time anyway.
//
// What it has learned of one finding, it uses for the next. It is for one goroutine.
type Minimizer struct {
	Decoder *decode.Decoder
	// NewTarget makes a target. What it waits for ends with ctx.
	NewTarget func(context.Context) (oracle.Target, error)
	SelfTest  bool   // the target is this module's own code
	Seed      uint64 // of the random packets that a cause is looked for with

	mutator *Mutator
	havoc   *havoc
	probe   probe
	judge   *Judge
	after   *deferredCrash
	tags    map[int]bool
	asked   []decode.Packet             // packets that causes are asked for with; nil as long as none is
	causes  []blame                     // of findings so far
	noEnd   *bool                       // what checksNoEnd found
	uses    map[string]bool             // what usesSize found
	flags   map[string]asked            // what asksForFlags found
	behind  map[string]bool             // what acceptsBehind found
	insides asked                       // and of cuts inside of fields
	fronts  asked                       // what asksForFronts found
	sorts   map[string]map[string]asked // what asksForSorts found
	used    oracle.Target               // the long-lived target, while keeps; nil for none
	pause   func() time.Duration        // waits before a trial, and returns how long; nil does not
	h       fixup
	base    spliceSource
	attempts
}

// attempts is what is known of the finding at hand.
type attempts struct {
	ctx      context.Context // of targets
	f        *Finding
	least    *Finding // the simplest so far
	loose    bool     // any finding of its kind is the same: see mend
	unplaced bool
	trials   int
	starts   int  // of targets
	keeps    bool // one target has all that is tried
	forgets  bool // the targets keep nothing
	end      time.Time
	failed   error
	undone   oracle.Undone
	skipped  bool     // something was not tried, for it was late
	holds    []string // fields that could not be simplified
	blame    *blame   // what goes on to decide
	trailing bool     // no field is what decides: see unseen
}

// Bounds of what is tried for one finding. The time is one for targets that take long to start or to hang.
const (
	maxTrials     = 10000
	maxStarts     = 2000 // targets
	maxMinimizing = 30 * time.Second
)

// Minimize returns the finding with the simplest packet that it finds, minimal or as far as the time for it reached:
// Undone says so. A finding that a new target does not show again comes back as it is. The error is a target's; the
// finding comes with it. ctx ends the search.
func (m *Minimizer) Minimize(ctx context.Context, f *Finding) (*Finding, error) {
	return m.minimizeBy(ctx, f, time.Now().Add(maxMinimizing))
}

// prepare makes what all findings need.
func (m *Minimizer) prepare() {
	if m.havoc != nil {
		return
	}
	if m.mutator == nil {
		m.mutator = NewMutator(m.Decoder)
	}
	m.havoc = newHavoc(m.mutator, NewGenerator(m.Decoder))
	m.havoc.random = rand.New(rand.NewPCG(m.Seed, 0))
	m.probe.havoc = newHavoc(m.mutator, NewGenerator(m.Decoder))
	m.probe.havoc.random = rand.New(rand.NewPCG(m.Seed, 1))
	m.judge = NewJudge(m.Decoder, m.SelfTest)
	m.after = newDeferredCrash(m.Decoder, m.judge)
	m.tags = m.mutator.tagsOf()
}

// begin begins with a finding; nothing is tried after end.
func (m *Minimizer) begin(ctx context.Context, f *Finding, end time.Time) {
	m.prepare()
	m.attempts = attempts{ctx: ctx, f: f, least: f, end: end, undone: f.Undone}
}

// minimizeBy is Minimize with an end of its own.
func (m *Minimizer) minimizeBy(ctx context.Context, f *Finding, end time.Time) (*Finding, error) {
	m.begin(ctx, f, end)
	defer m.drop()
	if !m.reproduce(f) {
		m.notReproduced(f)
		f.keepSent()
		if f.Undone == oracle.NotTried {
			m.ends(f) // other findings may have shown it
		}
		return f, m.failed
	}
	first, undone := m.least, m.undone
	m.keeps = !f.lethal() && len(first.Before) == 0 && !m.forgets
	least := m.simple(f)
	if m.keeps && !m.stands() {
		m.least, m.undone, m.blame, m.holds = first, undone, nil, nil // what it had before made the difference, or nobody knows
		least = m.simple(f)
	}
	switch {
	case m.trailing:
		least.Changed, least.Done = "", ""
	case m.blame != nil && m.knows(m.blame):
		m.names(least, *m.blame)
	case m.skipped: // another change may decide
		if least.Kind == oracle.FoundRejectedValid {
			m.holds = nil
			m.attribute(least)
		}
	case m.blame != nil:
		m.names(least, *m.blame)
	default:
		m.attribute(least)
	}
	if m.unplaced && !m.skipped && m.blame == nil {
		m.placed(least)
	}
	m.ends(least)
	return least, m.failed
}

// simple makes a finding's packet simple, and finds what is to blame. It is for a finding that was shown.
func (m *Minimizer) simple(f *Finding) *Finding {
	if m.least.behindSum() {
		f = m.resums(f)
	}
	m.unplaced = m.least.unplaced() && f.unplaced()
	if m.unplaced {
		m.mend()
		if c, ok := m.blamesKnown(m.least.Packet, m.f.From); ok { // one of those that are simple
			m.blame = &c
			return m.taken(f)
		}
	}
	if f.Kind == oracle.FoundRejectedValid {
		if m.trailing = m.unseen(f); m.trailing {
			return m.taken(f)
		}
		if c, ok := m.blames(f.Packet, f.From); ok {
			if m.knows(&c) { // one of those that are simple
				m.blame = &c
				return m.taken(f)
			}
			c = m.narrow(c)
			m.widen(&c, m.least.Packet)
			m.blame = &c
		}
	}
	if m.fixUp(m.least.Packet, m.f.From, &m.h) {
		m.simplify()
		m.shorten()
	} else {
		m.shorten()
		m.inPlace()
	}
	if f.Kind == oracle.FoundRejectedValid && (m.blame == nil || m.blame.what == blameTag) {
		// Two mistakes hid each other, or were hidden by the choice of what follows. One may be left.
		if c, ok := m.blames(m.least.Packet, f.From); ok {
			m.blame = &c
		}
	}
	return m.taken(f)
}

// taken is the simplest finding as the one that was made simple, with what it had of its own.
func (m *Minimizer) taken(f *Finding) *Finding {
	least := *m.least
	least.Count, least.Changed, least.Done, least.Undone = f.Count, f.Changed, f.Done, m.undone
	if m.undone == oracle.AllDone && m.skipped {
		least.Undone = oracle.NotSimplified
	}
	return &least
}

// names gives a finding the cause that was found, for later findings too.
func (m *Minimizer) names(f *Finding, c blame) {
	text, ev := m.cause(&c, f.Packet, f.From)
	if ev == nil {
		return
	}
	path := string(m.probe.trace.AppendEventPath(nil, ev))
	at := shownAt(&m.probe.trace, path)
	if !m.knows(&c) && m.contradicted(&c, path) {
		m.attribute(f)
		return
	}
	f.Cause = text
	f.Rule, f.Path, f.Bit, f.Width = RuleName(m.mutator.plan, at.node), at.path, at.bit, at.width
	f.Changed, f.Done = f.Path, "" // how the packet was made at first says nothing any more
	if !m.knows(&c) {
		c.cause = text
		m.causes = append(m.causes, c)
	}
}

// ends names the cause of a packet that is accepted and ends in the wrong place, or a window of it, where that is so of
// every field.
func (m *Minimizer) ends(f *Finding) {
	if f.Kind != oracle.FoundAcceptedMalformed && f.Kind != oracle.FoundWrongValue || len(f.Before) > 0 {
		return
	}
	if flag := m.unusedFlag(f); flag != "" {
		f.Cause = "the reader does not use " + flag
		return
	}
	if f.Kind == oracle.FoundWrongValue {
		return
	}
	if f.Reject == reject.PastEnd && m.behindEnd(f.Packet, f.From) && m.checksNoEnd() {
		f.Cause = endUnchecked
	} else if size := m.unusedSize(f); size != "" {
		f.Cause = "the reader does not use " + size
	} else if lets := m.endsInFront(f); lets != "" {
		f.Cause = lets
	} else if sort := m.everywhere(f); sort != "" {
		f.Cause = "the reader does not refuse " + sort + " anywhere"
	}
}

// attribute names the field that a finding is about where nothing is wrong with the packet: of a packet that the reader
// stumbles over what could not be made simpler; of a field that it read wrongly, and that is there because of another,
// that other.
func (m *Minimizer) attribute(f *Finding) {
	switch {
	case f.Reject != reject.None:
	case f.Kind <= oracle.FoundHang || f.Kind == oracle.FoundRejectedValid:
		f.Path, f.Changed, f.Rule, f.Bit, f.Width = "", "", "packet", 0, 0
		if len(m.holds) > 0 {
			at := shownAt(m.base.trace, m.holds[0])
			f.Rule, f.Path, f.Bit, f.Width, f.Changed = at.rule(), at.path, at.bit, at.width, at.path
		}
	case f.Changed == "":
		f.Changed = m.decider(f)
	}
}

// decider is the path of the field that decides whether a finding's field is there; "" for none.
func (m *Minimizer) decider(f *Finding) (path string) {
	t := &m.judge.trace
	_ = m.mutator.decoder.Decode(f.Packet, f.From, t) // it is valid
	p := m.mutator.plan
	read := map[int]string{}
	for ev := range t.Walk() {
		if ev.Kind != decode.Leaf && ev.Kind != decode.Blob {
			continue
		}
		own := string(t.AppendEventPath(nil, ev))
		if own == f.Path {
			turns := p.Around(p.StepAt(t.Records[ev.Record].Point).At().ID)
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
