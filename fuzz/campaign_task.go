package fuzz

import (
	"bytes"
	"cmp"
	"context"
	"math/rand/v2"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz/coverage"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// task is a piece of a campaign's work, with what came of it.
type task struct {
	random       *rand.Rand
	entry, other *entry
	given        []decode.Packet // packets to send as they are, instead
	enumerated   *auditBatch     // packets of the enumeration, instead
	cover        *coverage.Set   // the campaign's as it was when the round began, and what the task has reached
	lane         *lane
	ctx          context.Context
	hazards      *taskHazards // nil as long as the target has died of nothing, or is not started again

	done         bool
	execs, valid int
	kept         []candidatePacket
	found        []Finding
	seen         map[string]int // of found, by Key
	answers      map[answered]bool
	failed       error
}

// candidatePacket did something that nothing had done when its round began.
type candidatePacket struct {
	data    []byte
	from    decode.Direction
	outcome oracle.Outcome
	deadly  bool // the target was started again after it: others that are made of it would be as deadly
}

func (t *task) reset(cover *coverage.Set) {
	t.cover.Reset()
	t.cover.Merge(cover)
	if t.hazards != nil {
		t.hazards.reset()
	}
	*t = task{cover: t.cover, lane: t.lane, hazards: t.hazards, kept: t.kept[:0], seen: map[string]int{}, answers: map[answered]bool{}}
}

// worker has what a goroutine needs.
type worker struct {
	scope      Scope
	judge      *Judge
	havoc      *havoc
	checkpoint Checkpoint
	send       Mutation
	batch      auditBatch // on its way to the target
}

func newWorker(c *Campaign, m *Mutator, cover *coverage.Set) *worker {
	j := newJudge(c.Decoder, c.SelfTest, cover)
	j.every = cmp.Or(c.Every, sparingly)
	return &worker{scope: c.Scope, judge: j, havoc: newHavoc(m, NewGenerator(c.Decoder)), checkpoint: CheckpointOf(c.Decoder.Plan())}
}

// do does a task, against its lane's target.
func (w *worker) do(ctx context.Context, t *task) {
	t.ctx = ctx
	w.judge.cover, w.judge.count = t.cover, 0
	w.batch.attacks, w.batch.data = w.batch.attacks[:0], w.batch.data[:0]
	w.packetsOf(t)
	w.flush(t)
}

// packetsOf makes the packets of a task.
func (w *worker) packetsOf(t *task) {
	for _, b := range t.given {
		if !w.try(t, &Mutation{Data: b.Data, Node: plan.NoNode, Done: "as it is", Class: classEdge}, b.From) {
			return
		}
	}
	if t.enumerated != nil {
		for i := range t.enumerated.attacks {
			if at := &t.enumerated.attacks[i]; !w.try(t, &at.Mutation, at.from) {
				return
			}
		}
	}
	if t.entry == nil {
		return
	}
	e, single := t.entry, shareOfSingle
	w.havoc.random = t.random
	for m := range w.havoc.Sample(e.data, e.from, t.random) {
		if !w.try(t, m, e.from) {
			return
		}
		if single--; single == 0 {
			break
		}
	}
	if !w.havoc.take(e.data, t.other.data, e.from) {
		return
	}
	m := &w.send
	for range shareOfHavoc {
		*m = Mutation{Data: w.havoc.mutate(e.from), Class: ClassHavoc, Node: plan.NoNode, Done: "havoc"}
		if !w.try(t, m, e.from) {
			return
		}
	}
	for range shareOfSplice {
		*m = Mutation{Data: w.havoc.splice(e.from), Class: ClassSplice, Node: plan.NoNode, Done: "splice"}
		if !w.try(t, m, e.from) {
			return
		}
	}
}

// How a task's packets are shared among the classes.
var (
	shareOfHavoc  = packetsPerTask * classTable[ClassHavoc].weight / weights
	shareOfSplice = packetsPerTask * classTable[ClassSplice].weight / weights
	shareOfSingle = packetsPerTask - shareOfHavoc - shareOfSplice
)

var weights = func() int {
	sum := 0
	for i := range classTable {
		sum += classTable[i].weight
	}
	return sum
}()

// try sends a packet and judges the answer, now or with others: what a task sends next does not depend on it. It
// reports whether to go on.
func (w *worker) try(t *task, m *Mutation, from decode.Direction) bool {
	if t.lane.own {
		reply, found := w.judge.judgeSelf(m, from)
		w.judged(t, m, from, reply, found, nil)
		return true
	}
	if len(m.Data) > schema.MaxUDPPayload {
		return true // no reader outside ever sees it
	}
	if w.scope != nil && !w.scope.Attacks(m.Data, from) {
		return true
	}
	if t.hazards != nil && t.given == nil && t.hazards.holds(w.judge.decoder, m, from, t.cover) {
		return true
	}
	w.batch.add(attack{Mutation: *m, from: from})
	full := attacksPerBatch
	if t.hazards != nil {
		full = t.hazards.batch()
	}
	return len(w.batch.attacks) < full || w.flush(t)
}

// flush sends the batch and judges the answers. It reports whether to go on.
func (w *worker) flush(t *task) bool {
	if len(w.batch.attacks) == 0 || t.failed != nil {
		return t.failed == nil
	}
	t.failed = t.lane.send(t.ctx, &w.batch, func(i int, reply oracle.Reply, before []decode.Packet) {
		a := &w.batch.attacks[i]
		w.judged(t, &a.Mutation, a.from, reply, w.judge.Judge(&a.Mutation, a.from, t.lane.target, reply), before)
	})
	w.batch.attacks, w.batch.data = w.batch.attacks[:0], w.batch.data[:0]
	return t.failed == nil
}

// judged notes what came of a packet. before is what the target had before it.
func (w *worker) judged(t *task, m *Mutation, from decode.Direction, reply oracle.Reply, found []Finding, before []decode.Packet) {
	trace := &w.judge.trace
	t.execs++
	if w.checkpoint.Reached(trace) {
		t.valid++
	}
	died := t.lane.batcher != nil && !reply.Outcome.Answered() // else it costs nothing
	// With the first death of a target that is started again the task begins to look.
	if died && t.hazards == nil {
		t.hazards = newTaskHazards(newHazards(t.cover.Size()), t.cover)
	}
	if t.hazards != nil {
		t.hazards.answered(trace, reply)
	}
	fresh := w.judge.newCoverage > 0
	if !reply.Outcome.Is(oracle.Deserved(trace.Rejected())) {
		// An answer that is wrong: each way of it is something new.
		at := answered{t.cover.RejectPointOf(trace), reply.Outcome}
		fresh = fresh || !t.answers[at]
		t.answers[at] = true
	}
	if fresh {
		t.kept = append(t.kept, candidatePacket{bytes.Clone(m.Data), from, reply.Outcome, died})
	}
	if len(reply.Culprit) > 0 {
		before = nil // it is known what of that has a part in it
	}
	for i := range found {
		t.note(&found[i], before)
	}
}

// note notes a finding, once for a task, with what was sent before.
func (t *task) note(f *Finding, before []decode.Packet) {
	key := f.Key()
	if i, ok := t.seen[key]; ok {
		t.found[i].Count++
		return
	}
	f.Packet, f.sent = bytes.Clone(f.Packet), before
	t.seen[key] = len(t.found)
	t.found = append(t.found, *f)
}
