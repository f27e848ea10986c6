package stats

import "github.com/pktscope/pktscope/report/saved"

// The time from a value that was sent (an input's counter) to the first packet that acknowledges it: @ack(Case.field).
//
// A packet may acknowledge several senders: R-Type's snapshot has a list of players. Which of them the receiver is, no
// schema says. So each value of the list is followed by itself, and that counts whose values are the receiver's: what
// it sent and nothing that it did not; of several those with the shorter time, since who acknowledges ahead of the rest
// is answering what was sent last.

const (
	maxAnswers = 8   // values of one packet that are followed
	maxSent    = 256 // values that are remembered: the last of each remainder
	maxAckEdge = 64
	maxLatency = 256 // buckets of one Sketch: there are many of them
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

func (s *sent) code(c *coder) {
	n := 0
	for _, one := range s.slots {
		if one.at != 0 {
			n++
		}
	}
	n = c.length(n, maxSent, 2)
	if c.writing {
		for _, one := range s.slots {
			if one.at != 0 {
				c.uint(&one.value, ^uint64(0))
				c.int(&one.at)
			}
		}
		return
	}
	for range n {
		var one sentValue
		c.uint(&one.value, ^uint64(0))
		c.int(&one.at)
		c.check(one.at != 0, "a value of the saved part was sent at no time")
		if c.err == nil {
			s.add(one.value, one.at)
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
	crowded  uint64 // latencies unlike maxLatency others, which are not counted
	edge     []answer
}

// answer is one value acknowledged for the first time. sent is when it was sent, 0 when that is not known.
type answer struct {
	value    uint64
	at, sent int64
}

func (a *answers) add(v uint64, at int64, s *sent) {
	if a.begun && v == a.last {
		return
	}
	one := answer{value: v, at: at}
	other := false
	one.sent, other = s.find(v)
	first := !a.begun
	a.begun, a.last = true, v
	if (first || one.sent == 0 && !other) && len(a.edge) < maxAckEdge {
		a.edge = append(a.edge, one)
		return
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
		d := uint64(one.at) - uint64(one.sent)
		if len(a.latency.buckets) >= maxLatency && !a.latency.has(d) {
			a.crowded++
			return
		}
		a.latency.Add(d)
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
		first := !a.begun
		a.begun, a.last = true, one.value
		other := false
		if one.sent == 0 {
			one.sent, other = s.find(one.value)
		}
		if (first || one.sent == 0 && !other) && len(a.edge) < maxAckEdge {
			a.edge = append(a.edge, one)
			continue
		}
		a.settle(one)
	}
	a.last = o.last
	a.latency.Merge(&o.latency)
	a.unsent += o.unsent
	a.backward += o.backward
	a.crowded += o.crowded
}

// settled is what holds when nothing came before.
func (a *answers) settled() answers {
	all := answers{unsent: a.unsent, backward: a.backward, crowded: a.crowded}
	all.latency.Merge(&a.latency)
	for _, one := range a.edge {
		all.settle(one)
	}
	return all
}

func (a *answers) code(c *coder) {
	c.bool(&a.begun)
	if !a.begun {
		return
	}
	c.uint(&a.last, ^uint64(0))
	a.latency.code(c)
	c.uint(&a.unsent, saved.MaxCount)
	c.uint(&a.backward, saved.MaxCount)
	c.uint(&a.crowded, saved.MaxCount)
	n := c.length(len(a.edge), maxAckEdge, 3)
	if !c.writing {
		a.edge = make([]answer, n)
	}
	for i := range a.edge {
		c.uint(&a.edge[i].value, ^uint64(0))
		c.int(&a.edge[i].at)
		c.int(&a.edge[i].sent)
	}
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
