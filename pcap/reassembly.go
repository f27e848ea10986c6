package pcap

import (
	"bytes"
	"net/netip"
)

// Reassembly of IPv4 and IPv6 fragments. Sources: RFC 791, RFC 8200 (section
// 4.5), RFC 5722, RFC 6946.
//
// Who sends fragments decides nothing about memory: all that waits, records
// and bookkeeping, is within the bounds below, and the datagram whose first
// fragment came first makes room. What is evicted depends on the packets alone,
// so the same capture always gives the same datagrams.
//
// Decisions, where the RFCs leave one:
//   - Overlap drops the datagram and what else comes of it (RFC 5722), for
//     IPv4 too. An exact copy of a fragment is none, and is passed over.
//   - A first fragment too short for the headers is kept (RFC 7112 would let
//     a receiver drop it).
//   - A fragment that the snap length cut still counts as received; the
//     payload ends at its first missing byte and is marked Cut.
//   - Addresses, the identification and the VLANs tell datagrams apart;
//     interfaces do not: what several links carry can come by each of them.

const (
	// fragmentTimeout is how long a datagram's fragments wait, from the first
	// one on, in ns of capture time. RFC 8200 says 60 s, Linux takes 30.
	fragmentTimeout = 30e9
	// maxFragmentBytes bounds the records that wait, and the buffers kept for
	// those to come.
	maxFragmentBytes = 4 << 20
	// maxFragments bounds the fragments that wait: three times what the
	// smallest MTU (68 bytes) makes of the largest datagram.
	maxFragments = 4096
	// maxPending bounds the datagrams that wait, those that were dropped for
	// overlap included.
	maxPending = 2048
	// maxIP is the most bytes of an IPv4 packet, or after an IPv6 header.
	maxIP = 65535
)

// A fragmentKey tells whose fragment it is.
type fragmentKey struct {
	src, dst netip.Addr
	id       uint32
	vlans    vlans
}

// A part is a fragment in its frame.
type part struct {
	key        fragmentKey
	begin, end int  // its bytes in the frame; end may lie after what was captured
	off        int  // its place in the datagram, a multiple of 8
	more       bool // others follow
	limit      int  // the most that its datagram may have
	next       byte // the protocol of the datagram, in the first fragment
}

// A fragment is one that was received. off < end ≤ maxIP.
type fragment struct {
	next     *fragment // the one after it in the datagram
	later    *fragment // the one that came after it
	off, end int
	payload  []byte // what was captured of it, in record.Data
	record   Record
	buf      []byte // what record lies in; nil while it is the packet read last
}

// A pending is a datagram that waits for fragments. Those it has do not
// overlap; they are sorted by offset from first to last. From arrived to latest
// are those that were copied, as they came.
type pending struct {
	key             fragmentKey
	time            int64 // of its first fragment to come, ns
	older, newer    *pending
	first, last     *fragment
	arrived, latest *fragment
	packets         uint64 // fragments received, copies included
	wire            int    // their length on the wire, copies excluded
	have            int    // bytes received
	total           int    // bytes in all; -1 before the last fragment came
	next            byte
	overlapped      bool // drop what comes; holds no fragment
}

// reassembly is the pending datagrams of a Datagrams, and the free memory.
type reassembly struct {
	byKey          map[fragmentKey]*pending
	oldest, newest *pending
	waiting        int // fragments
	buffers        buffers
	done           *pending // completed by the packet read last, not in byKey
	whole          []byte   // its bytes

	freePending  *pending  // linked by newer
	freeFragment *fragment // linked by next
}

// fragment takes a fragment of a datagram. It returns Fragment while others
// are missing, or decodes the whole.
func (d *DatagramReader) fragment(f frame, in part) Cause {
	size := in.end - in.begin
	if size <= 0 || in.more && size%8 != 0 || in.off+size > in.limit {
		return MalformedIP
	}
	if d.frags.byKey == nil {
		d.frags.byKey = make(map[fragmentKey]*pending)
	}
	// Room is made before the datagram is looked up: it may be the oldest.
	d.expireFragments()
	if d.file != nil {
		d.section = d.file.sections
	}
	rec := d.record()
	held := len(rec.Data) + len(rec.opts)
	for d.frags.waiting >= maxFragments || !d.frags.buffers.fits(held) {
		d.evict(d.frags.oldest, FragmentIncomplete)
	}
	p := d.frags.byKey[in.key]
	if p != nil && !p.since(d.datagram.Time) {
		d.evict(p, FragmentIncomplete)
		p = nil
	}
	if p == nil {
		if len(d.frags.byKey) >= maxPending {
			d.evict(d.frags.oldest, FragmentIncomplete)
		}
		p = d.frags.begin(in.key, d.datagram.Time)
	}
	if p.overlapped {
		return FragmentOverlap
	}
	payload := f.data[min(in.begin, len(f.data)):min(in.end, len(f.data))]
	before, verdict := p.place(in.off, in.off+size, in.more, payload)
	switch verdict {
	case overlaps:
		d.drop(p, FragmentOverlap)
		p.overlapped = true
		return FragmentOverlap
	case isCopy:
		p.packets++
		return Fragment
	}
	if !in.more {
		p.total = in.off + size
	}
	if in.off == 0 {
		p.next = in.next
	}
	frag := d.frags.newFragment()
	frag.off, frag.end, frag.payload = in.off, in.off+size, payload
	p.insert(frag, before)
	p.packets++
	p.have += size
	p.wire += f.wire
	if p.have != p.total {
		d.hold(p, frag, rec, in.begin)
		return Fragment
	}
	cause := d.complete(p)
	p.first, p.last = nil, nil
	d.frags.recycle(frag) // it was not copied, and is not among those that waited
	return cause
}

// since reports whether a fragment at time now still belongs to p. A clock
// that went back by as much is that of another capture.
func (p *pending) since(now int64) bool {
	// The difference of two int64 may need 64 bits.
	if now < p.time {
		return uint64(p.time)-uint64(now) <= fragmentTimeout
	}
	return uint64(now)-uint64(p.time) <= fragmentTimeout
}

// Verdicts of place.
const (
	fits = iota
	overlaps
	isCopy
)

// place finds where a fragment goes: after before, or first if that is nil.
func (p *pending) place(off, end int, more bool, payload []byte) (before *fragment, verdict int) {
	if p.total >= 0 && (end > p.total || !more && end != p.total) || !more && p.last != nil && p.last.end > end {
		return nil, overlaps
	}
	if p.last == nil || p.last.end <= off {
		return p.last, fits // in order, as they mostly come
	}
	at := p.first
	for at != nil && at.off < off {
		before, at = at, at.next
	}
	if at != nil && at.off == off && at.end == end && more == (end != p.total) && bytes.Equal(at.payload, payload) {
		return nil, isCopy
	}
	if before != nil && before.end > off || at != nil && at.off < end {
		return nil, overlaps
	}
	return before, fits
}

// insert puts f after before.
func (p *pending) insert(f, before *fragment) {
	if before == nil {
		f.next, p.first = p.first, f
	} else {
		f.next, before.next = before.next, f
	}
	if f.next == nil {
		p.last = f
	}
}

// hold copies rec, the packet in which f begins at byte begin: its memory is
// the source's.
func (d *DatagramReader) hold(p *pending, f *fragment, rec Record, begin int) {
	if p.latest == nil {
		p.arrived = f
	} else {
		p.latest.later = f
	}
	p.latest = f
	f.buf = d.frags.buffers.take(len(rec.Data) + len(rec.opts))
	d.frags.waiting++
	n := copy(f.buf, rec.Data)
	m := n + copy(f.buf[n:], rec.opts)
	if size := len(f.payload); size > 0 {
		f.payload = f.buf[begin : begin+size]
	}
	f.record = rec
	f.record.Data, f.record.opts = f.buf[:n:n], f.buf[n:m]
}

// complete puts p together and decodes it.
func (d *DatagramReader) complete(p *pending) Cause {
	d.frags.forget(p)
	d.frags.done = p
	if d.frags.whole == nil {
		d.frags.whole = make([]byte, maxIP)
	}
	n := 0
	for f := p.first; f != nil; f = f.next {
		n += copy(d.frags.whole[n:], f.payload)
		if n < f.end {
			break // cut by the snap length: what is after has no place
		}
	}
	joined := frame{data: d.frags.whole[:n:n], wire: p.total}
	d.datagram.WireLen = p.wire
	var cause Cause
	if p.key.src.Is4() {
		cause = d.decodeUDP(joined, 0, p.total, p.key.src, p.key.dst)
	} else {
		cause = d.extensions(joined, 0, p.total, p.next, p.key.src, p.key.dst, true)
	}
	if cause != causeNone {
		d.move(p.packets-1, cause)
		if cause == NotUDP || cause == Encapsulated {
			d.alike += p.packets - 1
		}
		d.frags.release()
	}
	return cause
}

// expireFragments evicts what has waited too long.
func (d *DatagramReader) expireFragments() {
	for p := d.frags.oldest; p != nil && p.time < d.datagram.Time && !p.since(d.datagram.Time); p = d.frags.oldest {
		d.evict(p, FragmentIncomplete)
	}
}

// abandonFragments evicts all: no other will come.
func (d *DatagramReader) abandonFragments() {
	for d.frags.oldest != nil {
		d.evict(d.frags.oldest, FragmentIncomplete)
	}
}

// evict forgets p, and counts its fragments as cause.
func (d *DatagramReader) evict(p *pending, cause Cause) {
	if p == nil {
		panic("pktscope: internal error: no fragment to evict")
	}
	d.drop(p, cause)
	d.frags.forget(p)
	d.frags.recyclePending(p)
}

// drop frees p's fragments, and counts them as cause.
func (d *DatagramReader) drop(p *pending, cause Cause) {
	d.move(p.packets, cause)
	d.frags.free(p)
}

// move counts n packets as cause that were counted as Fragment.
func (d *DatagramReader) move(n uint64, cause Cause) {
	d.counts.skipped[Fragment] -= n
	d.counts.skipped[cause] += n
}
