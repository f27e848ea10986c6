package fuzz

import (
	"math/rand/v2"

	"github.com/pktscope/pktscope/decode"
)

// The bounds of a queue.
const (
	maxQueue      = 4096
	maxQueueBytes = 16 << 20
)

// queue holds the packets that others are made of. Each has energy: the more it reached first, the more often it is
// taken, and the more often it was taken, the less.
type queue struct {
	entries []*entry
	bytes   int
}

// entry is a packet of the queue. Tasks read its data at the same time; the rest belongs to the queue.
type entry struct {
	data  []byte
	from  decode.Direction
	fresh int // what it reached first
	taken int
}

// energy is how likely an entry is taken, compared with others.
func (e *entry) energy() int {
	size := 1 + len(e.data)/1024 // a large packet takes its time
	return 1 + 1024*min(1+e.fresh, 32)/(1+e.taken)/size
}

// add puts a packet, which it copies, into the queue. A full queue loses what has the least energy, perhaps the packet
// itself.
func (q *queue) add(data []byte, from decode.Direction, fresh int) {
	q.entries = append(q.entries, &entry{data: append([]byte(nil), data...), from: from, fresh: fresh})
	q.bytes += len(data)
	for len(q.entries) > maxQueue || q.bytes > maxQueueBytes {
		least := 0
		for i, e := range q.entries {
			if e.energy() < q.entries[least].energy() {
				least = i
			}
		}
		q.bytes -= len(q.entries[least].data)
		q.entries = append(q.entries[:least], q.entries[least+1:]...)
	}
}

// take chooses an entry by its energy; nil when there is none.
func (q *queue) take(random *rand.Rand) *entry {
	all := 0
	for _, e := range q.entries {
		all += e.energy()
	}
	if all == 0 {
		return nil
	}
	at := random.IntN(all)
	for _, e := range q.entries {
		if at -= e.energy(); at < 0 {
			e.taken++
			return e
		}
	}
	return nil
}

// any chooses an entry; nil when there is none.
func (q *queue) any(random *rand.Rand) *entry {
	if len(q.entries) == 0 {
		return nil
	}
	return q.entries[random.IntN(len(q.entries))]
}
