package fuzz

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/batch"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz/coverage"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Audit breaks every rule of a protocol, one at a time, by enumeration, and compares a reader's answers with what each
// packet deserves. It is deterministic: the packets and their order follow from the protocol, the bases and the seed,
// and not from the number of workers.
type Audit struct {
	Decoder  *decode.Decoder
	Seed     uint64
	Bases    []decode.Packet // valid packets to break, before the generated ones; a refused one is left out
	Workers  int
	SelfTest bool // the target is this project's own code: the decoder, or what gen go makes
	// Only, when there are any, are all the packets that are sent, in order and by one worker: to replay a finding.
	Only []decode.Packet
	// NewTarget makes the target, or one for each worker where it is Forgetful. What it waits for ends with ctx.
	NewTarget func(context.Context) (oracle.Target, error)
	// Rounds says that the time is short: it goes round the rules, instead of finishing one before the next.
	Rounds bool
	// MaxPerRule is how many packets there are at most for each rule and way to break it, and how many codes that it may
	// not hold a field is tried with before they are sampled; 0: 65,536 and 1,024.
	MaxPerRule int
	Scope      Scope // nil is all of the protocol
	// Found, when it is not nil, is given each finding as it is met: its cause is not looked for yet, and others may turn
	// out to be the same.
	Found func(f *Finding)
	// Progress, when it is not nil, is called now and then. The audit's packets are counted beside it then.
	Progress func(s AuditState)
}

// AuditState is how far an audit has come.
type AuditState struct {
	Packets  int // sent
	Of       int // that there are, as far as they are counted
	Counted  bool
	Findings int
	Newest   *Finding // nil without any
}

// AuditResult is what an audit found.
type AuditResult struct {
	Packets int // sent in all
	Hostile int // that a correct reader refuses
	Refused int // of these, refused; where the target says why, for the right reason at the right bit
	// Elsewhere are hostile packets that were refused, and are not in Refused: for another reason or at another place.
	Elsewhere int
	Valid     int // that a correct reader accepts
	Accepted  int // of these, accepted
	Misread   int // of packets with the right verdict, those that something else was wrong with: a value, the bits, the cost
	// Of a target that gives no verdict: hostile and valid packets after which it was still there. Refused and Accepted
	// do not count them.
	SurvivedHostile, SurvivedValid int
	Known                          int // whose verdict the mutation knew; the decoder was asked for the others
	Bases                          int
	Rules                          []RuleResult // in the order in which they were first met
	Findings                       []Finding    // one per mistake, at most MaxFindings
	// Hurried says that the time for all Findings was over before all was tried with them; a deadline of ctx gives
	// more.
	Hurried bool
	Lost    int      // packets that showed others
	Missed  []Missed // boundaries that no packet was found for
	// Unreached are ways to refuse a packet that no packet of the audit was refused by; Proved those of which the plan
	// proves that none can be.
	Unreached, Proved []coverage.RejectPoint
	// Untested are the ways of Unreached, which are NotReached where the audit ended early, and what no valid packet has,
	// of which an audit that ended early does not know all, and what was given up.
	Untested   []Untested
	Nothing    *NothingTested // no packet to begin with was found; else nil
	Unfinished []Unfinished   // of an audit in Rounds whose target (ErrOver) or whose time was over
	States     *StateTable    // of a server that a dialogue is spoken with; else nil
	Steps      int            // the worst packet's, of the decoder
	MaxSteps   int64          // that the plan has proved
}

// RuleResult is how a reader did with one rule: with the packets that break it, or for Kind None with those that come
// close and are valid.
type RuleResult struct {
	Rule  string
	Kind  reject.Kind
	Tried int
	Right int // of these, with the right verdict
	// Survived are those that are right because the target gives no verdict.
	Survived int
	Misread  int // of the right ones, with something else that is wrong
	// Kicked are those after each of which a server did not know the session any more: often what a refusal does.
	Kicked int
	// Elsewhere are not right, and were refused: for another reason or at another place.
	Elsewhere int
	Sampled   bool // not every code was tried
	// LeftOut is how many packets a whole enumeration would have had besides: math.MaxUint64 of as many and more.
	LeftOut uint64
	Classes []Class
}

// attack is a mutation on its way to a worker.
type attack struct {
	Mutation
	from   decode.Direction
	number int // of the enumeration's packets, from 1; 0 of none
}

// tally is what came of an attack.
type tally struct {
	rule   string
	kind   reject.Kind
	known  bool
	unsaid bool // the target gave no verdict
	kicked bool // it does not know any more who sent the packet
	steps  int
	found  []Finding
	failed error
	done   bool // the packet was sent
	held   int  // it was not, because so many others were lost
}

// auditBatch is some attacks; they share data.
type auditBatch struct {
	number  int // of the audit's batches
	attacks []attack
	data    []byte
	tallies []tally
	answers []answer // that wait to be judged
	packets [][]byte // of the attacks that are sent together
	from    []decode.Direction
	index   []int // of packets among the attacks
}

const attacksPerBatch = 128

// given yields the packets of Only.
func (a *Audit) given(yield func(attack) bool) {
	for _, p := range a.Only {
		one := Mutation{Data: p.Data, Class: ClassHavoc, Node: plan.NoNode, Done: "as given"}
		if !yield(attack{Mutation: one, from: p.From}) {
			return
		}
	}
}

// enumeration is what an audit sends.
func (a *Audit) enumeration() *enumeration {
	e := newEnumeration(NewMutator(a.Decoder), a.Seed, a.Bases, a.MaxPerRule, a.SelfTest)
	e.scope = a.Scope
	return e
}

// Run runs the audit. On an error the result has what was found before it. The end of ctx and a target's ErrOver are
// errors, too.
func (a *Audit) Run(ctx context.Context) (*AuditResult, error) {
	r := &AuditResult{MaxSteps: a.Decoder.Plan().Bound.MaxSteps}
	all := a.enumeration()
	attacks := all.attacks(ctx)
	switch {
	case len(a.Only) > 0:
		attacks = a.given
	case a.Rounds:
		attacks = all.rounds(ctx)
	}
	workers := max(a.Workers, 1)
	if len(a.Only) > 0 {
		workers = 1
	}
	lanes, err := a.lanes(ctx, workers)
	defer func() {
		for _, l := range lanes {
			_ = l.target.Close() // there is nothing more to hear from it
		}
	}()
	if err != nil {
		return r, err
	}
	judges, cover := make([]*Judge, workers), coverage.New(a.Decoder.Plan())
	for i := range judges {
		judges[i] = newJudge(a.Decoder, a.SelfTest, cover.Empty())
	}
	var gives *givingUp
	if len(a.Only) == 0 {
		gives = newGivingUp(a.Decoder)
		for _, l := range lanes {
			l.gives = gives
		}
	}
	sum := &auditSum{told: a.Found, held: map[plan.NodeID]notSent{}, result: r, rules: map[ruleKey]*RuleResult{}, turns: map[turnOf]*RuleResult{}, findings: map[string]*Finding{}, tried: map[plan.NodeID]int{}}
	var size *auditSize
	if a.Progress != nil && len(a.Only) == 0 {
		size = a.count(ctx)
		defer size.end()
	}
	batches := 0
	send := func(attacks iter.Seq[attack]) error {
		next, stop := iter.Pull(attacks)
		defer stop()
		return batch.Run(workers, batch.Stages[auditBatch]{
			Fill: func(b *auditBatch) error {
				b.attacks, b.data, b.tallies = b.attacks[:0], b.data[:0], b.tallies[:0]
				b.number = batches
				batches++
				if err := ctx.Err(); err != nil {
					return err
				}
				for len(b.attacks) < attacksPerBatch && ctx.Err() == nil {
					at, ok := next()
					if !ok {
						return cmp.Or(ctx.Err(), io.EOF)
					}
					b.add(at)
				}
				return nil
			},
			Work: func(worker int, b *auditBatch) {
				lanes[worker%len(lanes)].work(ctx, b, judges[worker])
			},
			Drain: func(b *auditBatch) error {
				for i := range b.attacks {
					if err := b.tallies[i].failed; err != nil {
						return err
					}
					if b.tallies[i].held > 0 {
						sum.hold(&b.attacks[i], b.tallies[i].held)
						continue
					}
					sum.add(&b.attacks[i], &b.tallies[i])
				}
				if a.Progress != nil {
					s := AuditState{Packets: r.Packets, Of: size.packets(), Counted: size.whole(), Findings: len(sum.found)}
					if s.Findings > 0 {
						s.Newest = sum.found[s.Findings-1]
					}
					a.Progress(s)
				}
				return nil
			},
		})
	}
	cover = judges[0].cover
	if err = send(attacks); err == nil && gives != nil && len(gives.off) > 0 {
		clear(sum.held)
		again := *all
		err = send(gives.again(again.attacks(ctx)))
	}
	r.Bases, r.Missed, r.Untested, r.Nothing = all.count, all.missed, all.untested, all.nothing
	if err == nil && len(a.Only) == 0 && r.Nothing == nil {
		for _, j := range judges[1:] {
			cover.Merge(j.cover)
		}
		err = send(within(a.Scope, all.newHunter(cover).attacks(ctx)))
	}
	for i := 0; i < len(lanes) && err == nil && !a.SelfTest; i++ {
		var found []Finding
		if found, err = newDeferredCrash(a.Decoder, judges[0]).found(lanes[i].target); err == nil {
			sum.note(found)
		}
	}
	sum.finish(all.over)
	if err == nil {
		// All was sent. That the time was over while it was looked for what the findings take, they say themselves.
		if r.Hurried, err = a.triage(ctx, r.Findings); errors.Is(err, context.DeadlineExceeded) {
			err = nil
		}
		sum.regroup()
	} else {
		for i := range r.Findings {
			r.Findings[i].untried()
		}
	}
	if late := errors.Is(err, oracle.ErrOver) || errors.Is(err, context.DeadlineExceeded); late && a.Rounds && len(a.Only) == 0 {
		r.Unfinished = all.unfinished(ctx, sum.tried)
	}
	for _, j := range judges[1:] {
		cover.Merge(j.cover)
	}
	parts := r.Untested
	r.Untested = nil
	for _, rule := range cover.Rules() {
		switch {
		case len(a.Only) > 0:
		case rule.Unreachable != "":
			r.Proved = append(r.Proved, rule.RejectPoint)
		case rule.Kind == reject.DatagramSize && !all.tooLarge:
			rule.Unreachable = "UDP carries no larger datagram"
			r.Proved = append(r.Proved, rule.RejectPoint)
		case !rule.Reached && a.Scope != nil && !a.Scope.Holds(rule.Node):
		case !rule.Reached:
			r.Unreached = append(r.Unreached, rule.RejectPoint)
			r.Untested = append(r.Untested, Untested{Rule: rule.Rule, Kind: rule.Kind, NotReached: err != nil})
		}
	}
	r.Untested = append(r.Untested, parts...)
	if gives != nil {
		r.Untested = append(r.Untested, gives.untested(a.Decoder.Plan(), sum.held)...)
	}
	if r.Nothing != nil {
		r.Untested = []Untested{{Rule: "packet", Why: r.Nothing.Error()}}
	}
	return r, err
}

// lanes makes the targets: one for all workers, unless it keeps nothing.
func (a *Audit) lanes(ctx context.Context, workers int) ([]*lane, error) {
	first, err := newLane(ctx, a.NewTarget, a.Decoder, a.SelfTest)
	if err != nil {
		return nil, err
	}
	lanes := []*lane{first}
	if !forgets(first.target) {
		first.turn = newTurn()
		return lanes, nil
	}
	for range workers - 1 {
		l, err := newLane(ctx, a.NewTarget, a.Decoder, a.SelfTest)
		if err != nil {
			return lanes, err
		}
		lanes = append(lanes, l)
	}
	return lanes, nil
}

// add copies an attack, whose data is valid until the next one.
func (a *auditBatch) add(at attack) {
	start := len(a.data)
	old := cap(a.data)
	a.data = append(a.data, at.Data...)
	if cap(a.data) != old { // those before it moved
		offset := 0
		for i := range a.attacks {
			n := len(a.attacks[i].Data)
			a.attacks[i].Data = a.data[offset : offset+n : offset+n]
			offset += n
		}
	}
	at.Data = a.data[start:len(a.data):len(a.data)]
	a.attacks = append(a.attacks, at)
}

// saturated adds up to what there is no more than.
func saturated(a, b uint64) uint64 {
	if a+b < a {
		return math.MaxUint64
	}
	return a + b
}

type ruleKey struct {
	rule string
	kind reject.Kind
}

// auditSum adds up verdicts in the order of the attacks.
type auditSum struct {
	tried    map[plan.NodeID]int
	held     map[plan.NodeID]notSent
	result   *AuditResult
	rules    map[ruleKey]*RuleResult
	turns    map[turnOf]*RuleResult // where a packet of them was counted last
	order    []*RuleResult
	findings map[string]*Finding
	found    []*Finding
	told     func(f *Finding) // of each when it is met first; nil where nobody asks
}

// hold counts a packet that was not sent.
func (as *auditSum) hold(a *attack, losses int) {
	n := as.held[a.Node]
	as.held[a.Node] = notSent{n.packets + 1, max(n.losses, losses)}
}

func (as *auditSum) add(a *attack, v *tally) {
	r := as.result
	r.Packets++
	as.tried[a.Node]++
	r.Steps = max(r.Steps, v.steps)
	if v.known {
		r.Known++
	}
	key := ruleKey{v.rule, v.kind}
	rule := as.rules[key]
	if rule == nil {
		rule = &RuleResult{Rule: v.rule, Kind: v.kind}
		as.rules[key] = rule
		as.order = append(as.order, rule)
	}
	rule.Tried++
	if v.kicked {
		rule.Kicked++
	}
	rule.Sampled = rule.Sampled || a.Sampled
	rule.LeftOut = saturated(rule.LeftOut, a.LeftOut)
	as.turns[a.turn()] = rule
	if !slices.Contains(rule.Classes, a.Class) {
		rule.Classes = append(rule.Classes, a.Class)
	}
	right := !slices.ContainsFunc(v.found, func(f Finding) bool { return f.verdict() })
	all, good, survived := &r.Hostile, &r.Refused, &r.SurvivedHostile
	if v.kind == reject.None {
		all, good, survived = &r.Valid, &r.Accepted, &r.SurvivedValid
	}
	*all++
	if right {
		rule.Right++
		if len(v.found) > 0 {
			rule.Misread++
			r.Misread++
		}
		if v.unsaid {
			rule.Survived++
			good = survived
		}
		*good++
	} else if slices.ContainsFunc(v.found, func(f Finding) bool { return f.Kind == oracle.FoundRefusedElsewhere }) {
		rule.Elsewhere++
		r.Elsewhere++
	}
	as.note(v.found)
}

// note takes findings in, one for each mistake.
func (as *auditSum) note(found []Finding) {
	for i := range found {
		f := &found[i]
		if known := as.findings[f.Key()]; known != nil {
			known.Count++
			f.Places = placesWith(known.Places, f.Places...)
			known.Places = f.Places
			if f.better(known) {
				f.Count = known.Count
				*known = *f
			}
			continue
		}
		if len(as.found) == MaxFindings {
			as.result.Lost++
			continue
		}
		as.findings[f.Key()] = f
		if as.found = append(as.found, f); as.told != nil {
			as.told(f)
		}
	}
}

// regroup takes the findings in once more: what is one mistake is known when their causes are.
func (as *auditSum) regroup() {
	at := map[string]int{}
	var list []Finding
	for _, f := range as.result.Findings {
		n, ok := at[f.Key()]
		if !ok {
			at[f.Key()] = len(list)
			list = append(list, f)
			continue
		}
		count, places := list[n].Count+f.Count, placesWith(list[n].Places, f.Places...)
		if f.better(&list[n]) {
			list[n] = f
		}
		list[n].Count, list[n].Places = count, places
	}
	as.result.Findings = list
}

// finish sets the result. over are packets that were not made because there were enough like them.
func (as *auditSum) finish(over map[turnOf]uint64) {
	for turn, n := range over {
		if rule := as.turns[turn]; rule != nil {
			rule.Sampled, rule.LeftOut = true, saturated(rule.LeftOut, n)
		}
	}
	for _, rule := range as.order {
		slices.Sort(rule.Classes)
		as.result.Rules = append(as.result.Rules, *rule)
	}
	slices.SortStableFunc(as.result.Rules, func(a, b RuleResult) int {
		if a.Rule != b.Rule {
			return strings.Compare(a.Rule, b.Rule)
		}
		return int(a.Kind) - int(b.Kind)
	})
	for _, f := range as.found {
		as.result.Findings = append(as.result.Findings, *f)
	}
}
