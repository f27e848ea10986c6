package fuzz

import (
	"fmt"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz/coverage"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Judge says whether a target answered rightly. What is right comes from the mutation, which knows what it broke; where
// it does not, from this project's decoder. It is for one goroutine.
type Judge struct {
	decoder  *decode.Decoder
	trace    decode.Trace
	cover    *coverage.Set  // of the packets that it has judged
	selfTest *oracle.Oracle // where the target is this project's own decoder: it is held to all its promises
	// every: the own Oracle, which costs fifty times as much as a packet, looks at packets that reach something new and
	// at one in so many. So does a campaign; 0 is an audit, which lets it look at all.
	every       int
	newCoverage int // what the packet at hand reached first
	count       int
	path        []byte
	fewer       decode.Trace    // of a packet with fewer elements than the one at hand
	sizings     [][]plan.Sizing // of each leaf; nil as long as nothing asked
}

// sparingly is a campaign's every, unless it says otherwise.
const sparingly = 128

// held reports whether the own decoder is held to its promises with the packet at hand.
func (j *Judge) held() bool {
	if j.selfTest == nil {
		return false
	}
	j.count++
	return j.every == 0 || j.newCoverage > 0 || j.count%j.every == 0
}

// right reports whether there is nothing to find in an answer. It allocates nothing, and nearly all answers are right.
func (j *Judge) right(m *Mutation, r oracle.Reply) bool {
	rejected := j.trace.Reject()
	if rejected == nil {
		return m.Expect.Verdict != oracle.MustReject && r.Outcome.Is(oracle.Accepted) && (r.Bits < 0 || r.Bits == j.trace.Bits)
	}
	if m.Expect.Verdict == oracle.MustAccept || !r.Outcome.Is(oracle.Refused) {
		return false
	}
	j.path = rejected.AppendPath(j.path[:0])
	same := func(kind reject.Kind, path string, bit, width int) bool {
		return kind == rejected.Kind && bit == rejected.Bit && width == rejected.Width && path == string(j.path)
	}
	if e := &m.Expect; e.Verdict == oracle.MustReject && e.Kind != reject.None && !same(e.Kind, e.Path, e.Bit, e.Width) {
		return false
	}
	if r.Why == nil {
		return true
	}
	answer := oracle.Answer{Kind: rejected.Kind, Bit: rejected.Bit, Width: rejected.Width}
	if !r.Why.NoPath {
		if string(j.path) != r.Why.Path {
			return false
		}
		answer.Path = r.Why.Path // without an allocation
	}
	return r.Why.Is(answer)
}

// NewJudge makes a Judge. own says that the target is this project's own decoder, which is then compared with the
// reference and held to what its plan has proved.
func NewJudge(d *decode.Decoder, own bool) *Judge { return newJudge(d, own, coverage.New(d.Plan())) }

func newJudge(d *decode.Decoder, own bool, cover *coverage.Set) *Judge {
	j := &Judge{decoder: d, cover: cover}
	j.trace.RecordPath()
	if own {
		j.selfTest = oracle.NewOracle(d)
	}
	return j
}

// Truth decodes a packet, for what a correct reader answers. The trace is valid until the next call.
func (j *Judge) Truth(packet []byte, from decode.Direction) (*decode.Trace, oracle.Answer) {
	_ = j.decoder.Decode(packet, from, &j.trace)
	return &j.trace, oracle.AnswerOf(&j.trace)
}

// Judge compares a target's reply with what the packet deserves; nil when all is right. The findings share nothing with
// m or the target but m's Data.
func (j *Judge) Judge(m *Mutation, from decode.Direction, t oracle.Target, r oracle.Reply) []Finding {
	if len(r.Culprit) > 0 {
		m = sequenceOf(r)
	}
	j.read(m, from)
	var wrong []oracle.Mismatch
	if r.Outcome.Is(oracle.Accepted) && r.Fields != nil && !j.trace.Rejected() {
		wrong = oracle.CompareFields(&j.trace, r.Fields)
	}
	if c, ok := t.(oracle.Checker); ok && r.Outcome.Answered() {
		wrong = append(wrong, c.Check(&j.trace)...)
	}
	return j.settle(m, from, wrong, r)
}

// judgeOwn is Judge for the decoder that the Judge has itself: to decode twice would say nothing.
func (j *Judge) judgeSelf(m *Mutation, from decode.Direction) (oracle.Reply, []Finding) {
	j.read(m, from)
	r := oracle.Reply{Outcome: oracle.Deserved(j.trace.Rejected()), Bits: -1}
	return r, j.settle(m, from, nil, r)
}

// read finds what a packet deserves.
func (j *Judge) read(m *Mutation, from decode.Direction) {
	_ = j.decoder.Decode(m.Data, from, &j.trace) // the verdict is in the trace
	j.newCoverage = j.cover.Add(&j.trace)
}

// settle compares a reply with what the packet at hand deserves.
func (j *Judge) settle(m *Mutation, from decode.Direction, wrong []oracle.Mismatch, r oracle.Reply) []Finding {
	trace := &j.trace
	held := j.held()
	if !held && len(wrong) == 0 && j.right(m, r) {
		return nil
	}
	truth := oracle.AnswerOf(trace)
	if truth.Kind == reject.DatagramSize && m.Expect.Verdict == oracle.Unknown && r.Outcome.Answered() && !held {
		return nil // how large a datagram may be is not why it was sent, and a bound of the schema's own
	}
	shown, expect, why := truth, m.Expect, r.Why.Shown(trace) // as far as findings may say it
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
	f.Undone, f.Earlier, f.Spoken = r.Undone, r.Earlier, r.Spoken
	for _, p := range r.Culprit[:max(len(r.Culprit)-1, 0)] {
		f.Before = append(f.Before, decode.Packet{Data: p, From: from})
	}
	if rejected := trace.Reject(); rejected != nil {
		f.Rule, f.Reject = j.rule(), rejected.Kind
		f.Path, f.Bit, f.Width = shown.Path, shown.Bit, shown.Width
	}
	if r.Unlocated { // no claim of the last packet
		f.Rule, f.Reject, f.Path, f.Bit, f.Width, f.node = RuleName(trace.Plan, plan.NoNode), reject.None, "", 0, 0, plan.NoNode
	}
	var found []Finding
	add := func(kind oracle.FindingKind, want, got string) {
		f.Kind, f.Want, f.Got = kind, want, got
		found = append(found, f)
	}
	if err := m.Expect.Check(truth); err != nil {
		add(oracle.FoundDisagreement, expect.String(), shown.String())
	}
	if held {
		if _, err := j.selfTest.Decode(m.Data, from); err != nil {
			what := err.Error()
			if trace.HoldsSecret() {
				what = "another thing, which may be a secret"
			}
			add(oracle.FoundDisagreement, "the decoder's promises", what)
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
	case oracle.Crashed:
		add(oracle.FoundCrash, want, "a crash")
		return found
	case oracle.Hung:
		add(oracle.FoundHang, want, "no answer in time")
		return found
	case oracle.Exhausted:
		add(oracle.FoundLeak, want, "memory without measure")
		return found
	case oracle.LockedOut:
		add(oracle.FoundLockedOut, want, "a server that lets in others, and who sent this not any more")
		return found
	}
	switch {
	case truth.Kind != reject.None && r.Outcome == oracle.Accepted:
		f.Cause, f.Places = j.unchecked()
		f.judged = f.Cause
		add(oracle.FoundAcceptedMalformed, want, "accept")
		f.Cause, f.Places, f.judged = "", nil, ""
	case truth.Kind == reject.None && r.Outcome == oracle.Refused:
		got := "reject"
		if r.Why != nil {
			got = why.String()
		}
		add(oracle.FoundRejectedValid, want, got)
	case truth.Kind != reject.None && r.Why != nil && !r.Why.Is(truth):
		f.Cause = fmt.Sprintf("the reader refuses %v at %s for another reason", truth.Kind, declarationOf(trace.Plan, j.broken()))
		add(oracle.FoundRefusedElsewhere, shown.String(), why.String())
		f.Cause = ""
	case truth.Kind == reject.None && r.Bits >= 0 && r.Bits != trace.Bits:
		// What was read last is where the count of bits went wrong, if nothing before did.
		at := lastShown(trace)
		f.Rule, f.Path, f.Bit, f.Width = at.rule(), at.path, at.bit, at.width
		want, got := fmt.Sprintf("%d bits", trace.Bits), fmt.Sprintf("%d bits", r.Bits)
		if p := trace.Plan; p.PlaceSecret(p.End()) {
			want, got = "as many bits as the schema says, which is a secret", "another number"
		}
		add(oracle.FoundWrongBits, want, got)
	}
	for _, w := range wrong {
		if w.Path == "" && (w.Kind == oracle.FoundSlow || w.Kind == oracle.FoundLeak) {
			w.Path = longestList(trace)
		}
		g := f
		g.Kind, g.Got, g.Want = w.Kind, w.What, "what the schema says"
		if w.Kind == oracle.FoundDifference {
			g.Want = "one answer of both"
		}
		at := shownAt(trace, w.Path)
		if at.path != "" || w.Kind != oracle.FoundDifference { // a difference of verdicts is about what the packet breaks
			if g.Path = at.path; g.Path != f.Path || f.Reject == reject.None {
				g.Bit, g.Width = at.bit, at.width
			}
		}
		if w.Path != "" && f.Reject == reject.None {
			g.Rule = at.rule()
		}
		switch name := declarationOf(trace.Plan, at.node); {
		case at.node == plan.NoNode:
		case w.Kind == oracle.FoundWrongValue:
			g.Cause = "the reader reads another value for " + name
		case w.Kind == oracle.FoundSlow:
			g.Cause = "the reader takes long for " + name
		case w.Kind == oracle.FoundLeak:
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
	if i := j.cover.RejectPointOf(&j.trace); i >= 0 {
		return j.cover.RejectPoint(i).Rule
	}
	return ruleOf(j.trace.Plan, j.trace.Reject().At)
}

// unchecked is the cause of the packet at hand where it is accepted. What is wrong with a domain name is a mistake of the
// function that reads names, which no reader has twice, and whether it shows at a field hangs on what is around that: so
// the fields are its places.
func (j *Judge) unchecked() (cause string, places []string) {
	t := j.withMost(&j.trace)
	node, r := j.unmet(t), t.Reject()
	if r.Kind == reject.BadString && isName(t.Plan.StepAt(r.At.Point)) && !t.Plan.HasSecret() {
		return fmt.Sprintf("the reader does not refuse %v in a domain name (want %s)", r.Kind, r.Want()), []string{declarationOf(t.Plan, node)}
	}
	return unchecked(t.Plan, node, r.Kind), nil
}

// unmet is the node whose rule a refused packet breaks, as far as that tells no secret: an element that is missing, or what
// is there; NoNode for the packet as a whole.
func (j *Judge) unmet(t *decode.Trace) plan.NodeID {
	if element := missingElement(t); element != plan.NoNode {
		return element
	}
	return j.brokenIn(t)
}

// broken is the node whose rule the packet at hand breaks, as far as that tells no secret; NoNode for the packet as a
// whole.
func (j *Judge) broken() plan.NodeID { return j.brokenIn(&j.trace) }

func (j *Judge) brokenIn(t *decode.Trace) plan.NodeID {
	if node, folded := foldedIn(t); folded {
		return node
	}
	if i := j.cover.RejectPointOf(t); i >= 0 && j.cover.RejectPoint(i).At != plan.NoPoint {
		return j.cover.RejectPoint(i).Node
	}
	return plan.NoNode
}

// folded is the node in whose name the refusal of the packet at hand goes, where its own would tell a secret.
func (j *Judge) folded() (plan.NodeID, bool) { return foldedIn(&j.trace) }

func foldedIn(t *decode.Trace) (plan.NodeID, bool) {
	r := t.Reject()
	return t.Plan.FoldedRule(r.At.Point, r.Kind == reject.PastEnd)
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
			rule := oracle.PathRule(string(b))
			counts[rule] += ev.Count
			if best == "" || counts[rule] > counts[best] {
				best = rule
			}
		}
	}
	return best
}
