package fuzz

import "github.com/pktscope/pktscope/decode"

// History is the packets that a target has had since it was started, the latest last. What a reader keeps of one may
// show many packets later, so they are kept; how many is bounded in number and in bytes, and the oldest go first. The
// zero History is ready.
//
// Add copies a packet, and nothing of a history is written over: what Packets gives stays as it is.
type History struct {
	sent  []decode.Packet
	size  int    // bytes of sent
	lost  int    // packets that it has had no room for
	chunk []byte // the copies
	short bool
}

// Bounds of a History: for what a target died of, and where one is kept for each of many findings.
const (
	historyPackets, historyBytes = MaxBefore, 4 << 20
	shortPackets, shortBytes     = 512, 256 << 10
	historyChunk                 = 64 << 10
)

// newShortHistory makes a History of which there may be many.
func newShortHistory() *History { return &History{short: true} }

// Add adds a packet, which it copies.
func (h *History) Add(packet []byte, from decode.Direction) {
	if len(h.chunk)+len(packet) > cap(h.chunk) {
		h.chunk = make([]byte, 0, max(historyChunk, len(packet)))
	}
	start := len(h.chunk)
	h.chunk = append(h.chunk, packet...)
	h.sent = append(h.sent, decode.Packet{Data: h.chunk[start:len(h.chunk):len(h.chunk)], From: from})
	h.size += len(packet)
	packets, bytes := historyPackets, historyBytes
	if h.short {
		packets, bytes = shortPackets, shortBytes
	}
	for len(h.sent) > packets || h.size > bytes && len(h.sent) > 1 {
		h.size -= len(h.sent[0].Data)
		h.sent = h.sent[1:]
		h.lost++
	}
}

// Len is the number of packets.
func (h *History) Len() int { return len(h.sent) }

// Lost is how many packets it has had before those that are left.
func (h *History) Lost() int { return h.lost }

// Sent is the packets with who sent them.
func (h *History) Sent() []decode.Packet { return h.sent[:len(h.sent):len(h.sent)] }

// Packets is the packets alone, in a slice of their own.
func (h *History) Packets() [][]byte {
	packets := make([][]byte, len(h.sent))
	for i := range h.sent {
		packets[i] = h.sent[i].Data
	}
	return packets
}

// Reset forgets all: the target is started anew.
func (h *History) Reset() { h.sent, h.size, h.lost = nil, 0, 0 }
