package stats

import (
	"cmp"
	"slices"

	"github.com/pktscope/pktscope/report/saved"
)

// The time from a value that was sent (an input's counter) to the first packet that acknowledges it: @ack(Case.field).
//
// A packet may acknowledge several senders: R-Type's snapshot has a list of players. Which of them the receiver is, no
// schema says. So each value of the list is followed by itself, and that counts whose values are the receiver's: what
// it sent and nothing that it did not; of several those with the shorter time, since who acknowledges ahead of the rest
// is answering what was sent last.

const (
	maxAnswers = 8       // values of one packet that are followed
	maxSent    = 256     // values that are remembered: the last of each remainder
	maxAckEdge = maxSent // as many as can be answered of what was remembered before
	maxLatency = 256     // buckets of one Sketch: there are many of them
)

// sent is what a sender sent last. Slot v % len has a value v; there are as many slots as keep all of the last ones
// apart, up to maxSent.
type sent struct {
	slots []sentValue
}

type sentValue struct {
	value uint64
	at    int64 // ns; 0 for an empty slot
}

func (s *sent) add(v uint64, at int64) {
	if s.slots == nil {
		s.slots = make([]sentValue, 8)
	}
	for {
		slot := &s.slots[v%uint64(len(s.slots))]
		if slot.at == 0 || slot.value == v || len(s.slots) == maxSent {
			*slot = sentValue{v, at}
			return
		}
		s.grow()
	}
}

func (s *sent) grow() {
	old := s.slots
	s.slots = make([]sentValue, 2*len(old))
	for _, one := range old {
		if one.at != 0 {
			s.slots[one.value%uint64(len(s.slots))] = one
		}
	}
}

// find gives when v was sent, 0 if it was not; other says that something else was sent since that took its place, so
// that it was not before this part either.
func (s *sent) find(v uint64) (at int64, other bool) {
	if len(s.slots) == 0 {
		return 0, false
	}
	slot := &s.slots[v%uint64(len(s.slots))]
	switch {
	case slot.at == 0:
		return 0, false
	case slot.value == v:
		return slot.at, false
	}
	return 0, len(s.slots) == maxSent || slot.value%maxSent == v%maxSent
}

// merge continues s with o.
func (s *sent) merge(o *sent) {
	for _, one := range o.slots {
		if one.at != 0 {
			s.add(one.value, one.at)
		}
	}
}

// code writes the values in the order of their remainders, which does not depend on how many slots there are.
func (s *sent) code(c *coder) {
	var list []sentValue
	for _, one := range s.slots {
		if one.at != 0 {
			list = append(list, one)
		}
	}
	slices.SortFunc(list, func(a, b sentValue) int { return cmp.Compare(a.value%maxSent, b.value%maxSent) })
	n := c.length(len(list), maxSent, 2)
	if !c.writing {
		list = make([]sentValue, n)
	}
	for i := range list {
		c.uint(&list[i].value, ^uint64(0))
		c.instant(&list[i].at)
		if c.writing {
			continue
		}
		c.check(list[i].at != 0, "a value of the saved part was sent at no time")
		if c.err == nil {
			s.add(list[i].value, list[i].at)
		}
	}
}

// answers follows one of the values by which packets to one receiver acknowledge what it sent.
//
// Its first answer, and those that only what was sent before this part can explain, are kept (edge) and counted when it
// is known what came before.
type answers struct {
	begun    bool
	last     uint64 // the value acknowledged last
	latency  Sketch
	unsent   uint64 // values that the receiver did not send
	backward uint64 // acknowledged at a time before they were sent
	beyond   uint64 // of unsent: what was sent before this part may explain them, and edge has no room for them
	// unsettled answers are not judged: nobody knows what was sent before them.
	unsettled uint64
	edge      []answer
	when      cells // of latency
}

// answer is one value acknowledged for the first time.
type answer struct {
	value    uint64
	at, sent int64 // sent is when it was sent, 0 when it was not, or before this part
	known    bool  // what was sent before does not matter: it was sent in this part, or a later value took its slot
}

// add takes a value.
func (a *answers) add(v uint64, at int64, s *sent) {
	if a.begun && v == a.last {
		return
	}
	one := answer{value: v, at: at}
	other := false
	one.sent, other = s.find(v)
	one.known = one.sent != 0 || other
	a.take(one)
}

// take counts an answer that is not a.last again.
func (a *answers) take(one answer) {
	first := !a.begun
	a.begun, a.last = true, one.value
	if first || !one.known {
		if len(a.edge) < maxAckEdge {
			a.edge = append(a.edge, one)
			return
		}
		a.beyond++
	}
	a.settle(one)
}

func (a *answers) settle(one answer) {
	switch {
	case one.sent == 0:
		a.unsent++
	case one.at < one.sent:
		a.backward++
	default:
		ns := uint64(one.at) - uint64(one.sent)
		a.latency.Add(ns)
		a.latency.coarsen(maxLatency)
		a.when.add(tickOf(one.at), ns)
	}
}

// merge continues a with o; s is what was sent before o.
func (a *answers) merge(o *answers, s *sent) {
	if !o.begun {
		return
	}
	for i, one := range o.edge {
		if i == 0 && a.begun && one.value == a.last {
			continue // o's first answer is always here, though it may say nothing new
		}
		if !one.known {
			other := false
			one.sent, other = s.find(one.value)
			one.known = one.sent != 0 || other
		}
		a.take(one)
	}
	a.last = o.last
	all := *o
	if len(s.slots) > 0 { // of which those that edge has no room for were not asked
		all.unjudge(o.beyond)
		all.beyond = 0
	}
	a.sum(&all)
	a.latency.coarsen(maxLatency)
}

// join continues a with o, of which nobody knows what was sent before it.
func (a *answers) join(o *answers) {
	if !o.begun {
		return
	}
	all := o.settled()
	for _, one := range o.edge {
		if !one.known {
			all.unjudge(1)
		}
	}
	all.unjudge(all.beyond)
	all.beyond = 0
	a.begun, a.last = true, o.last
	a.sum(&all)
	a.latency.coarsen(maxLatency)
}

// unjudge takes so many answers from those that were unsent.
func (a *answers) unjudge(n uint64) {
	a.unsent -= n
	a.unsettled += n
}

// sum adds what o has counted.
func (a *answers) sum(o *answers) {
	a.latency.Merge(&o.latency)
	a.when.merge(&o.when)
	a.unsent += o.unsent
	a.backward += o.backward
	a.beyond += o.beyond
	a.unsettled += o.unsettled
}

// settled is what holds when nothing came before.
func (a *answers) settled() answers {
	all := answers{when: a.when.like()}
	all.sum(a)
	for _, one := range a.edge {
		all.settle(one)
	}
	return all
}

// answered reports whether there is anything to tell.
func (a *answers) answered() bool { return a.latency.n+a.unsent+a.backward+a.unsettled > 0 }

func (a *answers) code(c *coder) {
	c.bool(&a.begun)
	if !a.begun {
		return
	}
	c.uint(&a.last, ^uint64(0))
	a.codeSums(c)
	n := c.length(len(a.edge), maxAckEdge, 3)
	if !c.writing {
		a.edge = make([]answer, n)
	}
	for i := range a.edge {
		one := &a.edge[i]
		c.uint(&one.value, ^uint64(0))
		c.instant(&one.at)
		one.codeSent(c)
	}
}

// How an answer's value was sent, in a saved part.
const (
	sentUnknown = iota
	sentNever   // or before a later value that took its slot
	sentAt
)

func (a *answer) codeSent(c *coder) {
	if c.version < partFiles {
		c.int(&a.sent)
		a.known = a.sent != 0
		if c.version >= 3 {
			c.bool(&a.known)
			c.check(a.known || a.sent == 0, "an answer of the saved part is to what was sent when nobody knows")
		}
		return
	}
	how := uint8(sentUnknown)
	if a.sent != 0 {
		how = sentAt
	} else if a.known {
		how = sentNever
	}
	c.byte(&how, sentAt)
	if a.known = how != sentUnknown; how == sentAt {
		c.instant(&a.sent)
		c.check(a.sent != 0, "an answer of the saved part is to what was sent at no time")
	}
}

// codeSums is what rest has of answers, too.
func (a *answers) codeSums(c *coder) {
	a.latency.code(c)
	if c.timed {
		a.when.code(c)
	}
	c.uint(&a.unsent, saved.MaxCount)
	c.uint(&a.backward, saved.MaxCount)
	if c.version >= 3 {
		c.uint(&a.beyond, saved.MaxCount)
		c.uint(&a.unsettled, saved.MaxCount)
		c.check(len(a.latency.buckets) <= maxLatency || !a.begun, "a sketch of the saved part is too fine")
		c.check(a.beyond <= a.unsent, "answers of the saved part do not add up")
		return
	}
	var crowded uint64
	c.uint(&crowded, saved.MaxCount)
	c.crowded = saved.Sum(c.crowded, crowded)
}

// best is the answers that are the receiver's, of those to it; nil without any.
func best(list []*answers) *answers {
	var found *answers
	var score, time int64
	for _, a := range list {
		if a == nil || !a.begun {
			continue
		}
		all := a.settled()
		s, t := int64(all.latency.n)-2*int64(all.unsent), int64(all.latency.Quantile(0.5))
		if found == nil || s > score+score/64 || s >= score-score/64 && t < time {
			found, score, time = &all, s, t
		}
	}
	return found
}
