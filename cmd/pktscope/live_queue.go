package main

import "sync"

// parcelQueue is what the gatherer has read and nobody has begun to decode yet, in order. When stdout stands still it is
// here that packets wait: of slow traffic the kernel's buffer holds no more than a second, because it closes a block for each
// 10 ms with a packet, however large it is.
type parcelQueue struct {
	mu        sync.Mutex
	changed   sync.Cond
	list      []*parcel
	free      []*parcel
	closed    bool // nothing more comes
	abandoned bool // nobody takes any more
}

// mostParcels bounds the queue: 16,384 packets or a megabyte of payload, with what is kept beside it a few more.
const mostParcels = 64

func newParcelQueue() *parcelQueue {
	q := new(parcelQueue)
	q.changed.L = &q.mu
	return q
}

// put adds a parcel, when there is room; false says that nobody wants it.
func (q *parcelQueue) put(p *parcel) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.list) == mostParcels && !q.abandoned {
		q.changed.Wait()
	}
	if q.abandoned {
		return false
	}
	q.list = append(q.list, p)
	q.changed.Broadcast()
	return true
}

// next is the parcel to be filled: the last one of the queue if it has room and nobody was faster, else an empty one.
func (q *parcelQueue) next() *parcel {
	q.mu.Lock()
	defer q.mu.Unlock()
	if n := len(q.list); n > 0 && !q.list[n-1].full() {
		p := q.list[n-1]
		q.list = q.list[:n-1]
		return p
	}
	if n := len(q.free); n > 0 {
		p := q.free[n-1]
		q.free = q.free[:n-1]
		p.reset()
		return p
	}
	return &parcel{}
}

// take exchanges s, which is done with, for the first parcel, when there is one; false says that there will be none.
func (q *parcelQueue) take(s *parcel) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.list) == 0 {
		if q.closed {
			return false
		}
		q.changed.Wait()
	}
	first := q.list[0]
	q.list = append(q.list[:0], q.list[1:]...)
	*s, *first = *first, *s
	if len(q.free) < mostParcels {
		q.free = append(q.free, first)
	}
	q.changed.Broadcast()
	return true
}

// close says that nothing more comes.
func (q *parcelQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}

// abandon says that nobody takes any more.
func (q *parcelQueue) abandon() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.abandoned = true
	q.changed.Broadcast()
}
