package line

import (
	"container/heap"
	"sync"
	"time"
)

// DefaultLimit is how many bytes are on the way at most.
const DefaultLimit = 64 << 20

// Network holds what is on the way over its lines. Its methods and those of its lines are for one goroutine at a time,
// but for Run.
type Network struct {
	Limit      int   // bytes on the way; DefaultLimit of NewNetwork
	Reordered  int64 // packets that Reorder held
	Duplicated int64 // packets that left, or will, twice

	seed  uint64
	queue queue
	held  int // bytes
	count uint64

	mu   sync.Mutex // of Run and Do
	wake chan struct{}
}

// packet is one on the way.
type packet struct {
	data  []byte
	leave func([]byte)
	at    time.Time
	order uint64 // among those of one time
	index int    // in the queue; -1 after it
}

// NewNetwork makes a network without lines. The same seed gives the same fates.
func NewNetwork(seed uint64) *Network {
	return &Network{Limit: DefaultLimit, seed: seed, wake: make(chan struct{}, 1)}
}

// Line makes a line. number, below 2^48, decides with the seed what becomes of its packets. It panics where the profile
// is out of its bounds: ask Check first.
func (n *Network) Line(p Profile, number uint64) *Line {
	if err := p.Check(); err != nil {
		panic("line: " + err.Error())
	}
	return &Line{
		profile: p, network: n,
		dropping: dice(n.seed, number, 0), doubling: dice(n.seed, number, 1),
		reordering: dice(n.seed, number, 2), jittering: dice(n.seed, number, 3),
	}
}

// push puts a packet on the way until at.
func (n *Network) push(p *packet, at time.Time) {
	n.count++
	p.at, p.order = at, n.count
	n.held += len(p.data)
	heap.Push(&n.queue, p)
}

// move has a packet leave at a time, after all that leave then, if it has not left yet.
func (n *Network) move(p *packet, at time.Time) {
	if p.index < 0 {
		return
	}
	n.count++
	p.at, p.order = at, n.count
	heap.Fix(&n.queue, p.index)
}

// Waiting is how many packets are on the way.
func (n *Network) Waiting() int { return len(n.queue) }

// Next is when the next packet leaves; ok is false when none is on the way.
func (n *Network) Next() (at time.Time, ok bool) {
	if len(n.queue) == 0 {
		return at, false
	}
	return n.queue[0].at, true
}

// Pop lets the next packet leave if that is due at now.
func (n *Network) Pop(now time.Time) bool {
	if len(n.queue) == 0 || n.queue[0].at.After(now) {
		return false
	}
	p := heap.Pop(&n.queue).(*packet)
	n.held -= len(p.data)
	p.leave(p.data)
	return true
}

// Do calls f, which may send and look, while no packet leaves.
func (n *Network) Do(f func()) {
	n.mu.Lock()
	before, waited := n.Next()
	f()
	next, waits := n.Next()
	n.mu.Unlock()
	if !waits || waited && !next.Before(before) {
		return // Run wakes early enough
	}
	select {
	case n.wake <- struct{}{}:
	default: // it is told
	}
}

// Run lets packets leave when they are due, by the clock of the machine, until done is closed. Everything else that is
// done with the network meanwhile goes through Do.
func (n *Network) Run(done <-chan struct{}) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		n.mu.Lock()
		for n.Pop(time.Now()) {
		}
		wait := time.Hour
		if at, ok := n.Next(); ok {
			wait = time.Until(at)
		}
		n.mu.Unlock()
		timer.Reset(wait)
		select {
		case <-done:
			return
		case <-n.wake:
		case <-timer.C:
		}
	}
}

// queue is a heap of packets by the time at which they leave.
type queue []*packet

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	if !q[i].at.Equal(q[j].at) {
		return q[i].at.Before(q[j].at)
	}
	return q[i].order < q[j].order
}

func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *queue) Push(x any) {
	p := x.(*packet)
	p.index = len(*q)
	*q = append(*q, p)
}

func (q *queue) Pop() any {
	last := len(*q) - 1
	p := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	p.index = -1
	return p
}
