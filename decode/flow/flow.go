package flow

import (
	"encoding/binary"
	"net/netip"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/chain"
)

// Key is whose packets belong together.
type Key struct {
	a, b netip.AddrPort // the two ends, the lesser first
	by   uint64         // what else the schema's `flow by` names
}

// ends gives the key of what two ends send each other, and which of its two directions a packet from src to dst has.
func ends(src, dst netip.AddrPort) (k Key, half uint8) {
	if src.Compare(dst) > 0 {
		return Key{a: dst, b: src}, 1
	}
	return Key{a: src, b: dst}, 0
}

// ShardOf is which of the Shards a packet between two ends belongs to, in either direction.
func ShardOf(src, dst netip.AddrPort) int { return int(mix(hash(src)+hash(dst)) % Shards) }

func hash(a netip.AddrPort) uint64 {
	b := a.Addr().As16()
	return mix(mix(uint64(a.Port())^binary.BigEndian.Uint64(b[:8])) ^ binary.BigEndian.Uint64(b[8:]))
}

// mix spreads a word over all its bits, as splitmix64 does.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// flow is what is kept of two ends.
type flow struct {
	chain.Links[flow] // among the young, or among the grown

	key       Key
	accepted  uint8  // packets, up to grownPackets
	grown     uint64 // how many of its shard had grown when it did, with it; 0 is young
	ranked    int    // 1 + where it is among the holders, 0 if it is not
	seen      int64  // when its last packet came
	held      int    // by its slots
	registers decode.Held
	kept      int   // by its registers
	first     uint8 // the direction of its first packet
	halves    [2]half
}

// half is one direction of a flow.
type half struct {
	open     []opened   // in the order of opening
	finished []finished // in the order of delivery, but for ids that came round
}

// opened is an open message with its key, by which it is found.
type opened struct {
	key slotKey
	*slot
}

// finished is a message that was delivered.
type finished struct {
	key  slotKey
	time int64
}

// find is the open message of a key, nil without.
func (h *half) find(k slotKey) *slot {
	for i := len(h.open) - 1; i >= 0; i-- { // the newest is the most likely
		if h.open[i].key == k {
			return h.open[i].slot
		}
	}
	return nil
}

func (h *half) remove(s *slot) {
	i := slices.IndexFunc(h.open, func(o opened) bool { return o.slot == s })
	h.open = slices.Delete(h.open, i, i+1)
}

// knows reports whether a message was delivered within the timeout.
func (h *half) knows(k slotKey, now, timeout int64) bool {
	for i := range h.finished {
		if h.finished[i].key == k {
			return !away(h.finished[i].time, now, timeout)
		}
	}
	return false
}

// finish remembers a message that was delivered, of its section so many.
func (h *half) finish(k slotKey, now int64, remember int) {
	oldest, n := -1, 0
	for i := range h.finished {
		switch one := &h.finished[i]; {
		case one.key == k: // long ago
			one.time = now
			return
		case one.key.section == k.section:
			n++
			if oldest < 0 {
				oldest = i
			}
		}
	}
	switch {
	case remember <= 0:
		return
	case n >= remember:
		h.finished = slices.Delete(h.finished, oldest, oldest+1)
	case len(h.finished) == maxFinished:
		h.finished = slices.Delete(h.finished, 0, 1)
	}
	h.finished = append(h.finished, finished{k, now})
}

// limits are how much a flow may hold, and how many open messages a direction may have.
func (f *flow) limits() (memory, open int) {
	if f.grown > 0 {
		return grownMemory, grownOpen
	}
	return youngMemory, youngOpen
}

// away reports whether two times are further apart than a timeout. Times are a capture's: they can go backwards.
func away(then, now, timeout int64) bool {
	d := now - then
	return d > timeout || d < -timeout
}
