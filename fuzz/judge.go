package fuzz

import (
	"fmt"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// Judge says whether a target answered rightly. What is right comes from the mutation, which knows what it broke; where it
// does not, from this project's decoder. It is for one goroutine.
type Judge struct {
	decoder *decode.Decoder
	trace   decode.Trace
	cover   *Coverage // of the packets that it has judged
	own     *Oracle   // where the target is this project's own decoder: it is held to all its promises
	// every: the own Oracle, which costs fifty times as much as a packet, looks at packets that reach something new and at one
	// in so many. So does a campaign; 0 is an audit, which lets it look at all.
	every int
	fresh int // what the packet at hand reached first
	count int
	path  []byte
}

// sparingly is a campaign's every, unless it says otherwise.
const sparingly = 128

// held reports whether the own decoder is held to its promises with the packet at hand.
func (j *Judge) held() bool {
	if j.own == nil {
		return false
	}
	j.count++
	return j.every == 0 || j.fresh > 0 || j.count%j.every == 0
}

// right reports whether there is nothing to find in an answer. It allocates nothing, and nearly all answers are right.
func (j *Judge) right(m *Mutation, r Reply) bool {
	rejected := j.trace.Reject()
	if rejected == nil {
		return m.Expect.Verdict != MustReject && r.Outcome.is(Accepted) && (r.Bits < 0 || r.Bits == j.trace.Bits)
	}
	if m.Expect.Verdict == MustAccept || !r.Outcome.is(Refused) {
		return false
	}
	j.path = rejected.AppendPath(j.path[:0])
	same := func(kind reject.Kind, path string, bit, width int) bool {
		return kind == rejected.Kind && bit == rejected.Bit && width == rejected.Width && path == string(j.path)
	}
	if e := &m.Expect; e.Verdict == MustReject && e.Kind != reject.None && !same(e.Kind, e.Path, e.Bit, e.Width) {
		return false
	}
	if r.Why == nil {
		return true
	}
	answer := Answer{rejected.Kind, "", rejected.Bit, rejected.Width}
	if !r.Why.NoPath {
		if string(j.path) != r.Why.Path {
			return false
		}
		answer.Path = r.Why.Path // without an allocation
	}
	return r.Why.Is(answer)
}

// NewJudge makes a Judge. own says that the target is this project's own decoder, which is then compared with the reference
// and held to what its plan has proved.
func NewJudge(d *decode.Decoder, own bool) *Judge {
	j := &Judge{decoder: d, cover: NewCoverage(d.Plan())}
	j.trace.Record()
	if own {
		j.own = NewOracle(d)
	}
	return j
}

// Truth decodes a packet, for what a correct reader answers. The trace is valid until the next call.
func (j *Judge) Truth(packet []byte, from decode.Direction) (*decode.Trace, Answer) {
	_ = j.decoder.Decode(packet, from, &j.trace)
	return &j.trace, answerOf(&j.trace)
}

// Judge compares a target's reply with what the packet deserves; nil when all is right. The findings share nothing with m
// or the target but m's Data.
func (j *Judge) Judge(m *Mutation, from decode.Direction, t Target, r Reply) []Finding {
	if len(r.Culprit) > 0 {
		m = sequenceOf(r)
	}
	j.read(m, from)
	var wrong []Wrong
	if r.Outcome.is(Accepted) && r.Fields != nil && !j.trace.Rejected() {
		wrong = CompareFields(&j.trace, r.Fields)
	}
	if c, ok := t.(Checker); ok && r.Outcome.answered() {
		wrong = append(wrong, c.Check(&j.trace)...)
	}
	return j.settle(m, from, wrong, r)
}

// judgeOwn is Judge for the decoder that the Judge has itself: to decode twice would say nothing.
func (j *Judge) judgeOwn(m *Mutation, from decode.Direction) (Reply, []Finding) {
	j.read(m, from)
	r := Reply{Outcome: deserved(j.trace.Rejected()), Bits: -1}
	return r, j.settle(m, from, nil, r)
}

// read finds what a packet deserves.
func (j *Judge) read(m *Mutation, from decode.Direction) {
	_ = j.decoder.Decode(m.Data, from, &j.trace) // the verdict is in the trace
	j.fresh = j.cover.Add(&j.trace)
}

// settle compares a reply with what the packet at hand deserves.
func (j *Judge) settle(m *Mutation, from decode.Direction, wrong []Wrong, r Reply) []Finding {
	trace := &j.trace
	held := j.held()
	if !held && len(wrong) == 0 && j.right(m, r) {
		return nil
	}
	truth := answerOf(trace)
	shown, expect, why := truth, m.Expect, r.Why.shown(trace) // as far as findings may say it
	if rejected := trace.Reject(); rejected != nil && rejected.HidesWidth() {
		shown.Width, expect.Width = 0, 0
	}
	if rejected := trace.Reject(); rejected != nil && rejected.HidesBit() {
		shown.Bit, expect.Bit = decode.Hidden, decode.Hidden
	}
	if rejected := trace.Reject(); rejected != nil && rejected.ShownPath() != shown.Path {
		shown.Path, expect.Path = rejected.ShownPath(), rejected.ShownPath()
	}
	f := Finding{Rule: RuleName(trace.Plan, m.Node), Path: m.Path, Bit: m.Bit, Width: m.Width, Changed: m.Path, Done: m.Done, Packet: m.Data, From: from, Count: 1, node: m.Node}
	if trace.Plan.HasSecret() {
		at := shownAt(trace, m.Path)
		f.Path, f.Bit, f.Width, f.Changed = at.path, at.bit, at.width, at.path
	}
	f.Undone, f.Earlier = r.Undone, r.Earlier
	for _, p := range r.Culprit[:max(len(r.Culprit)-1, 0)] {
		f.Before = append(f.Before, Base{p, from})
	}
	if rejected := trace.Reject(); rejected != nil {
		f.Rule, f.Reject = j.rule(), rejected.Kind
		f.Path, f.Bit, f.Width = shown.Path, shown.Bit, shown.Width
	}
	if r.Unlocated { // no claim of the last packet
		f.Rule, f.Reject, f.Path, f.Bit, f.Width, f.node = RuleName(trace.Plan, plan.NoNode), reject.None, "", 0, 0, plan.NoNode
	}
	var found []Finding
	add := func(kind FindingKind, want, got string) {
		f.Kind, f.Want, f.Got = kind, want, got
		found = append(found, f)
	}
	if err := m.Expect.Check(truth); err != nil {
		add(FoundDisagreement, expect.String(), shown.String())
	}
	if held {
		if _, err := j.own.Decode(m.Data, from); err != nil {
			what := err.Error()
			if trace.HoldsSecret() {
				what = "another thing, which may be a secret"
			}
			add(FoundDisagreement, "the decoder's promises", what)
		}
	}
	want := "accept"
	if rejected := trace.Reject(); rejected != nil {
		want = fmt.Sprintf("%v (%s)", rejected.Kind, rejected.Message())
	}
	if r.Unlocated {
		want = fmt.Sprintf("an answer after each of %d packets", len(r.Culprit))
	}
	f.reported(r)
	switch r.Outcome {
	case Crashed:
		add(FoundCrash, want, "a crash")
		return found
	case Hung:
		add(FoundHang, want, "no answer in time")
		return found
	case Exhausted:
		add(FoundLeak, want, "memory without measure")
		return found
	}
	switch {
	case truth.Kind != reject.None && r.Outcome == Accepted:
		f.Cause = unchecked(trace.Plan, j.broken(), truth.Kind)
		add(FoundAcceptedMalformed, want, "accept")
		f.Cause = ""
	case truth.Kind == reject.None && r.Outcome == Refused:
		got := "reject"
		if r.Why != nil {
			got = why.String()
		}
		add(FoundRejectedValid, want, got)
	case truth.Kind != reject.None && r.Why != nil && !r.Why.Is(truth):
		f.Cause = fmt.Sprintf("the reader refuses %v at %s for another reason", truth.Kind, declarationOf(trace.Plan, j.broken()))
		add(FoundRefusedElsewhere, shown.String(), why.String())
		f.Cause = ""
	case truth.Kind == reject.None && r.Bits >= 0 && r.Bits != trace.Bits:
		// What was read last is where the count of bits went wrong, if nothing before did.
		at := lastShown(trace)
		f.Rule, f.Path, f.Bit, f.Width = at.rule(), at.path, at.bit, at.width
		want, got := fmt.Sprintf("%d bits", trace.Bits), fmt.Sprintf("%d bits", r.Bits)
		if p := trace.Plan; p.PlaceSecret(p.End()) {
			want, got = "as many bits as the schema says, which is a secret", "another number"
		}
		add(FoundWrongBits, want, got)
	}
	for _, w := range wrong {
		if w.Path == "" && (w.Kind == FoundSlow || w.Kind == FoundLeak) {
			w.Path = longestList(trace)
		}
		g := f
		g.Kind, g.Got, g.Want = w.Kind, w.What, "what the schema says"
		if w.Kind == FoundDifference {
			g.Want = "one answer of both"
		}
		at := shownAt(trace, w.Path)
		if at.path != "" || w.Kind != FoundDifference { // a difference of verdicts is about what the packet breaks
			if g.Path = at.path; g.Path != f.Path || f.Reject == reject.None {
				g.Bit, g.Width = at.bit, at.width
			}
		}
		if w.Path != "" && f.Reject == reject.None {
			g.Rule = at.rule()
		}
		switch name := declarationOf(trace.Plan, at.node); {
		case at.node == plan.NoNode:
		case w.Kind == FoundWrongValue:
			g.Cause = "the reader reads another value for " + name
		case w.Kind == FoundSlow:
			g.Cause = "the reader takes long for " + name
		case w.Kind == FoundLeak:
			g.Cause = "the reader takes memory without measure for " + name
		}
		found = append(found, g)
	}
	if trace.Plan.HasSecret() {
		found = withoutTwins(found)
	}
	return found
}

// rule is the stable name of what the packet at hand is refused for, as far as that tells no secret.
func (j *Judge) rule() string {
	if node, folded := j.folded(); folded {
		return RuleName(j.trace.Plan, node)
	}
	if i := j.cover.RefusalOf(&j.trace); i >= 0 {
		return j.cover.points.refusals.list[i].Rule
	}
	return ruleOf(j.trace.Plan, j.trace.Reject().At)
}

// broken is the node whose rule the packet at hand breaks, as far as that tells no secret; NoNode for the packet as a whole.
func (j *Judge) broken() plan.NodeID {
	if node, folded := j.folded(); folded {
		return node
	}
	if i := j.cover.RefusalOf(&j.trace); i >= 0 && j.cover.points.refusals.list[i].Step != plan.NoStep {
		return j.cover.points.refusals.list[i].Node
	}
	return plan.NoNode
}

// folded is the node in whose name the refusal of the packet at hand goes, where its own would tell a secret.
func (j *Judge) folded() (plan.NodeID, bool) {
	r := j.trace.Reject()
	return j.trace.Plan.FoldedRule(r.At.Point, r.Kind == reject.PastEnd)
}

// PathRule is a path without the numbers of elements: body.players[].health.
func PathRule(path string) string {
	b := make([]byte, 0, len(path))
	inside := false
	for i := range len(path) {
		if path[i] == ']' {
			inside = false
		}
		if !inside {
			b = append(b, path[i])
		}
		if path[i] == '[' {
			inside = true
		}
	}
	return string(b)
}

// longestList is the list that has the most elements in a packet, all its occurrences together: the work that a packet
// costs goes with it.
func longestList(t *decode.Trace) string {
	counts := map[string]int{}
	best := ""
	var b []byte
	for ev := range t.Walk() {
		if ev.Kind == decode.Open && t.Plan.Nodes[ev.Node].Kind == plan.NodeArray {
			b = t.AppendEventPath(b[:0], ev)
			rule := PathRule(string(b))
			counts[rule] += ev.Count
			if best == "" || counts[rule] > counts[best] {
				best = rule
			}
		}
	}
	return best
}
