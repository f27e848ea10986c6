package pcap

import "math/bits"

// The memory of reassembly: lists of free structs, and buffers of powers of
// two. In the steady state nothing is allocated, and nothing is ever held
// beyond the bounds in reassembly.go.

// begin makes a new pending, the newest.
func (r *reassembly) begin(key fragmentKey, time int64) *pending {
	p := r.freePending
	if p == nil {
		p = new(pending)
	} else {
		r.freePending = p.newer
	}
	*p = pending{key: key, time: time, total: -1, older: r.newest}
	if r.newest == nil {
		r.oldest = p
	} else {
		r.newest.newer = p
	}
	r.newest = p
	r.byKey[key] = p
	return p
}

// forget takes p out of the table and the order; its fragments stay.
func (r *reassembly) forget(p *pending) {
	delete(r.byKey, p.key)
	if p.older == nil {
		r.oldest = p.newer
	} else {
		p.older.newer = p.newer
	}
	if p.newer == nil {
		r.newest = p.older
	} else {
		p.newer.older = p.older
	}
	p.older, p.newer = nil, nil
}

// free recycles p's fragments.
func (r *reassembly) free(p *pending) {
	for f := p.arrived; f != nil; {
		later := f.later
		r.recycle(f)
		f = later
	}
	*p = pending{key: p.key, time: p.time, older: p.older, newer: p.newer, total: -1}
}

// release recycles the datagram that was completed.
func (r *reassembly) release() {
	if r.done != nil {
		r.free(r.done)
		r.recyclePending(r.done)
		r.done = nil
	}
}

// reset forgets all that waits, and keeps the memory.
func (r *reassembly) reset() {
	r.release()
	for p := r.oldest; p != nil; p = r.oldest {
		r.free(p)
		r.forget(p)
		r.recyclePending(p)
	}
}

func (r *reassembly) recyclePending(p *pending) {
	*p = pending{newer: r.freePending}
	r.freePending = p
}

func (r *reassembly) newFragment() *fragment {
	f := r.freeFragment
	if f == nil {
		return new(fragment)
	}
	r.freeFragment = f.next
	f.next = nil
	return f
}

func (r *reassembly) recycle(f *fragment) {
	if f.buf != nil {
		r.buffers.put(f.buf)
		r.waiting--
	}
	*f = fragment{next: r.freeFragment}
	r.freeFragment = f
}

// Buffers have 2^leastClass..2^(leastClass+numClasses-1) bytes: the smallest
// packets, and the largest with their options.
const (
	leastClass = 7
	numClasses = 13
)

const _ = uint(1<<(leastClass+numClasses-1) - MaxPacket - maxOptions) // does not compile if a record cannot fit

// buffers is a pool. Invariant: held ≤ maxFragmentBytes is the size of all
// buffers taken and free.
type buffers struct {
	free [numClasses][][]byte
	held int
}

func bufferClass(n int) int { return max(bits.Len(uint(max(n, 1)-1)), leastClass) - leastClass }

// fits reports whether take(n) has room, or can have it of free buffers.
func (b *buffers) fits(n int) bool {
	class := bufferClass(n)
	if len(b.free[class]) > 0 {
		return true
	}
	size := 1 << (class + leastClass)
	for other := numClasses - 1; other >= 0 && b.held+size > maxFragmentBytes; other-- {
		b.held -= len(b.free[other]) << (other + leastClass)
		clear(b.free[other])
		b.free[other] = b.free[other][:0]
	}
	return b.held+size <= maxFragmentBytes
}

// take returns a buffer of at least n bytes. The caller asked fits(n) before,
// and took nothing since.
func (b *buffers) take(n int) []byte {
	class := bufferClass(n)
	if list := b.free[class]; len(list) > 0 {
		buf := list[len(list)-1]
		list[len(list)-1] = nil
		b.free[class] = list[:len(list)-1]
		return buf
	}
	size := 1 << (class + leastClass)
	b.held += size
	return make([]byte, size)
}

func (b *buffers) put(buf []byte) {
	class := bufferClass(len(buf))
	b.free[class] = append(b.free[class], buf)
}
