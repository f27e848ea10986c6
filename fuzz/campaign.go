package fuzz

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/coverage"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Campaign attacks a reader until it is told to stop. It is guided by coverage of the plan: a packet that does in this
// project's decoder what none has done before, or that the target answers in a new way, is kept, and others are made of
// it. After a finding it goes on.
//
// It begins with what an audit sends, of which most tasks have a portion until there is no more. It works in rounds of
// some tasks. A task takes a packet from the queue and makes others of it: single rules broken,
// havoc and splices, each class as often as its weight in classTable says. What a task does follows from the seed, its
// number and the queue at the beginning of its round, and what tasks found is taken in by their numbers; each task of a
// round has a target of its own. So packets, answers and findings are the same with any number of workers, also of a
// target that keeps something between packets. Where the time ends a campaign, how many packets there are depends on
// the machine; with Execs not even that.
//
// Memory is bounded: the queue in packets and in bytes (maxQueue, maxQueueBytes), the findings in number (MaxFindings).
type Campaign struct {
	Decoder  *decode.Decoder
	Seed     uint64
	Bases    []decode.Packet // packets to begin with; refused ones are sent and not changed. Without any some are generated
	Workers  int
	SelfTest bool  // the target is this project's own code: the decoder, or what gen go makes
	Every    int   // with SelfTest: the reference reads one packet in Every, and those that reach something new; 0 is 128
	Execs    int64 // about how many packets to send; 0: until the context ends
	// NewTarget makes a target: for a task, and for the Minimizer. What it waits for ends with ctx.
	NewTarget func(context.Context) (oracle.Target, error)
	// Sole says that there is one target, such as a server, which has all packets, one after the other.
	Sole bool
	// NotRestartable says that the target cannot be started again: findings are reported as they are met.
	NotRestartable bool
	// Scope is the part of the protocol that packets are sent of; nil is all.
	Scope Scope
	// Keep, when it is not nil, is given every packet that is kept, as soon as it is, and in a few words what it reached
	// first. The packet is valid during the call. An error of it ends the campaign.
	Keep func(p decode.Packet, reached string) error
	// Others, when it is not nil, is called before each round, and before the end that Execs gives: it returns packets that
	// other campaigns have kept since, nil for none. They are sent, and kept where they reach something new. What a
	// campaign sends then depends on the others.
	Others func() []decode.Packet
	// Found, when it is not nil, is given each finding, minimized, after the round in which that was done; later packets
	// may make it simpler still. An error of it ends the campaign.
	Found func(f *Finding) error
	// Progress, when it is not nil, is called after each round.
	Progress func(s *CampaignState)
}

// CampaignState is how far a campaign has come. What it points to is valid until the next round.
type CampaignState struct {
	Execs    int64 // packets sent
	Valid    int64 // of these, past the Checkpoint
	Held     int64 // packets that were made and not sent, because the target was likely to die of them: see hazards
	Queue    int   // packets that others are made of
	Kept     int   // packets kept, the given ones included
	Synced   Synced
	Coverage *coverage.Set
	Findings []*Finding // in the order in which they were met; minimized, or as far as the time for it reached
	Pending  int        // findings that wait to be minimized, which may be several of one mistake
	Lost     int        // findings beyond MaxFindings
	Untested []Untested // what no valid packet has; of ways to be refused Coverage tells
	// Of a server that a dialogue is spoken with: what its sessions have passed through (states with cases, two cases in
	// a row), and the sequences that are kept for it.
	Passed, Sequences int
}

// Synced are packets of other campaigns.
type Synced struct {
	Read  int `json:"read"`
	Added int `json:"added"` // of these, reached something new
}

const (
	tasksPerRound  = 8
	packetsPerTask = 256
	generatedBases = 64
)

// Run runs the campaign until it has sent what it should, ctx ends, or a target's part is over (ErrOver), none of which
// is an error. Without any valid packet it is a *NothingTested; where the target answered nothing before the end it is
// an error, too. What was found comes with an error.
func (c *Campaign) Run(ctx context.Context) (*CampaignState, error) {
	h, err := c.start(ctx)
	defer h.close()
	if err == nil {
		err = h.begin(ctx)
	}
	for err == nil && ctx.Err() == nil {
		if err = h.sync(ctx); err != nil || c.Execs > 0 && h.state.Execs >= c.Execs {
			break
		}
		err = h.round(ctx)
	}
	if failed := h.backlog.finish(&h.state); err == nil {
		err = failed
	}
	h.state.Untested = untested(h.gaps, h.valid)
	switch {
	case errors.Is(err, oracle.ErrOver):
		err = nil
	case err != nil && ctx.Err() != nil && (errors.Is(err, context.Cause(ctx)) || errors.Is(err, ctx.Err())):
		err = nil // the target's, which ends with it
	}
	if err == nil && h.state.Execs == 0 && len(h.state.Findings) == 0 {
		err = errNothingAnswered
	}
	return &h.state, err
}

// errNothingAnswered is the error of a campaign that ended before its target answered a packet: it is no pass.
var errNothingAnswered = errors.New("nothing was tested: the time was over before the target answered a packet")

// campaign is a Campaign that runs.
type campaign struct {
	*Campaign
	state     CampaignState
	queue     queue
	cover     *coverage.Set
	valid     *coverage.Set // of the valid packets that were kept
	gaps      []gap
	answers   map[answered]bool
	lanes     []*lane
	workers   []*worker
	tasks     [tasksPerRound]task
	hazards   *hazards // nil as long as the target has died of nothing
	rounds    uint64
	trace     decode.Trace
	backlog   *backlog
	tried     func() // ends what findings are tried on
	mutator   *Mutator
	generator *Generator
	supply    *supply // nil once the enumeration has been sent
	weaver    *weaver // nil of a target without states
}

// answered is how a target answered to what the decoder says: a combination that is new is worth keeping.
type answered struct {
	refusal int
	outcome oracle.Outcome
}

func (c *Campaign) start(ctx context.Context) (*campaign, error) {
	h := &campaign{Campaign: c, cover: coverage.New(c.Decoder.Plan()), answers: map[answered]bool{}}
	h.state.Coverage = h.cover
	h.trace.RecordPath()
	m := NewMutator(c.Decoder)
	h.valid, h.mutator = h.cover.Empty(), m
	begun := time.Now()
	trying, tried := outlast(ctx, func() time.Duration {
		return min(max(lastMinimizing, time.Since(begun)/minimizingShare), mostLastMinimizing)
	})
	h.tried = tried
	h.backlog = newBacklog(trying, c, &Minimizer{Decoder: c.Decoder, NewTarget: c.NewTarget, SelfTest: c.SelfTest, Seed: c.Seed, mutator: m})
	if ctx.Err() != nil { // a large schema takes seconds
		return h, context.Cause(ctx)
	}
	h.generator = NewGenerator(c.Decoder)
	for i := range h.tasks {
		h.tasks[i].cover = h.cover.Empty()
	}
	lanes := tasksPerRound
	if c.Sole || c.NotRestartable {
		lanes = 1
	}
	for i := range h.tasks {
		if i < lanes {
			l, err := newLane(ctx, c.NewTarget, c.Decoder, c.SelfTest)
			if err != nil {
				return h, err
			}
			h.lanes = append(h.lanes, l)
		}
		h.tasks[i].lane = h.lanes[i%lanes]
	}
	if c.Sole {
		h.weaver = newWeaver(c, h.lanes[0].target, m)
	}
	for range max(min(c.Workers, lanes), 1) {
		if ctx.Err() != nil {
			return h, context.Cause(ctx)
		}
		h.workers = append(h.workers, newWorker(c, m, h.cover.Empty()))
	}
	return h, nil
}

func (c *campaign) close() {
	c.tried()
	if c.supply != nil {
		c.supply.end()
	}
	for _, l := range c.lanes {
		_ = l.target.Close() // there is nothing more to hear from it
	}
}

// begin sends the packets that the campaign begins with.
func (c *campaign) begin(ctx context.Context) error {
	first, g, some := c.Bases[:len(c.Bases):len(c.Bases)], c.generator, false
	for _, b := range first {
		if c.Decoder.Decode(b.Data, b.From, &c.trace) == nil {
			c.valid.Add(&c.trace)
			some = true
		}
	}
	made := func(p Packet) bool {
		first = append(first, decode.Packet{Data: bytes.Clone(p.Data), From: p.From})
		return true
	}
	for n := uint64(0); n < generatedBases && !some && ctx.Err() == nil; n++ {
		if p, err := g.random(ctx, c.Seed, n); err == nil {
			c.valid.Add(&g.found)
			made(p)
		}
	}
	c.gaps = fillGaps(ctx, g, c.Seed, c.valid, made)
	if !some && len(first) == len(c.Bases) && ctx.Err() == nil {
		return &NothingTested{g.tried, g.last}
	}
	c.supply = newSupply(ctx, newEnumeration(c.mutator, c.Seed, c.Bases, 0, c.SelfTest))
	return c.give(ctx, first)
}

// sync sends what other campaigns have kept.
func (c *campaign) sync(ctx context.Context) error {
	if c.Others == nil {
		return nil
	}
	others, kept := c.Others(), c.state.Kept
	err := c.give(ctx, others)
	c.state.Synced.Read += len(others)
	c.state.Synced.Added += c.state.Kept - kept
	return err
}

// give sends packets as they are.
func (c *campaign) give(ctx context.Context, list []decode.Packet) error {
	for len(list) > 0 && ctx.Err() == nil {
		n := 0
		for ; n < tasksPerRound && len(list) > 0; n++ {
			some := list[:min(len(list), packetsPerTask)]
			list = list[len(some):]
			c.tasks[n].reset(c.cover)
			c.tasks[n].given = some
		}
		if err := c.run(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// round takes packets from the queue and lets others be made of them, beside what is left of the enumeration.
func (c *campaign) round(ctx context.Context) error {
	c.rounds++
	for i := range c.tasks {
		t := &c.tasks[i]
		t.reset(c.cover)
		t.random = rand.New(rand.NewPCG(c.Seed, c.rounds*tasksPerRound+uint64(i)))
		if i < suppliedTasks && c.supply != nil {
			if t.enumerated = c.supply.next(ctx); t.enumerated != nil {
				continue
			}
			c.supply.end()
			c.supply = nil
		}
		t.entry, t.other = c.queue.take(t.random), c.queue.any(t.random)
	}
	if err := c.weave(ctx); err != nil { // first: a slow server takes long for a round
		return err
	}
	return c.run(ctx, tasksPerRound)
}

// run does the first n tasks on all workers, and takes in what they found in their order.
func (c *campaign) run(ctx context.Context, n int) error {
	var next atomic.Int64
	work := func(w *worker) {
		for {
			i := int(next.Add(1)) - 1
			if i >= n || ctx.Err() != nil {
				return
			}
			c.tasks[i].done = true
			if w.do(ctx, &c.tasks[i]); c.tasks[i].failed != nil {
				return // so would the next
			}
		}
	}
	var wg sync.WaitGroup
	for _, w := range c.workers[1:] {
		wg.Go(func() { work(w) })
	}
	work(c.workers[0])
	wg.Wait()
	for i := range n {
		if !c.tasks[i].done {
			continue
		}
		if err := c.take(&c.tasks[i]); err != nil {
			return err
		}
	}
	if c.hazards != nil {
		c.hazards.adjust()
		for i := range c.tasks {
			if c.tasks[i].hazards == nil {
				c.tasks[i].hazards = newTaskHazards(c.hazards, c.cover)
			}
			c.tasks[i].hazards.hazards = c.hazards
		}
	}
	c.state.Queue = len(c.queue.entries)
	if err := c.backlog.take(&c.state); err != nil {
		return err
	}
	if c.Progress != nil {
		c.Progress(&c.state)
	}
	return nil
}

// take takes in what a task found.
func (c *campaign) take(t *task) error {
	c.state.Execs += int64(t.execs)
	c.state.Valid += int64(t.valid)
	for i := range t.kept {
		if err := c.keep(&t.kept[i]); err != nil {
			return err
		}
	}
	for i := range t.found {
		c.backlog.add(&t.found[i])
	}
	c.learn(t)
	return t.failed // what was done before is whole
}

// learn takes in what a task met of hazards.
func (c *campaign) learn(t *task) {
	if t.hazards == nil {
		return
	}
	if c.hazards == nil {
		c.hazards = newHazards(c.cover.Size())
	}
	c.state.Held += int64(t.hazards.held)
	c.hazards.learn(t.hazards)
}

// keep keeps a packet if what it did is still new.
func (c *campaign) keep(k *candidatePacket) error {
	_ = c.Decoder.Decode(k.data, k.from, &c.trace) // the verdict is in the trace
	refusal := c.cover.RejectPointOf(&c.trace)
	fresh := c.cover.Add(&c.trace)
	at := answered{refusal, k.outcome}
	if fresh == 0 && c.answers[at] {
		return nil
	}
	c.answers[at] = true
	c.state.Kept++
	if !c.trace.Rejected() {
		c.valid.Add(&c.trace)
		if !k.deadly || len(c.queue.entries) == 0 {
			c.queue.add(k.data, k.from, fresh)
		}
	}
	if c.Keep == nil {
		return nil
	}
	why := "reaches something new"
	if refusal >= 0 {
		why = c.cover.RejectPoint(refusal).String()
	}
	return c.Keep(decode.Packet{Data: k.data, From: k.from}, why)
}
