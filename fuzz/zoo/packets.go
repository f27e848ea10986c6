package zoo

import "github.com/pktscope/pktscope/decode/reject"

// The readers of "Reading and Writing Packets", after a checksum: a tool that does not repair it sees nothing.

var packetsHome = &habitat{schema: builtin("packets"), order: lsb, read: readPackets, seeds: corpusSeeds("packets")}

var packetsAnimals = []species{{
	name:    "count-too-wide",
	about:   "6 bits for a count of 0..32 and no range check: 33..63 elements (Reading and Writing Packets, PacketB)",
	home:    packetsHome,
	mistake: countTooWide,
	rule:    reject.OutOfRange, field: "body.num_elements", oracle: Verdict,
	// 33 elements, all there.
	witness: one(pack(lsb).put(32, 0).put(2, 1).put(6, 33).put(32, middleOfB).each(32, make([]uint64, 33)...).text("").put(32, endOfPacket).sum(packetsID)),
}, {
	name:    "enum-unchecked",
	about:   "the packet type is cast from the wire: a type that nobody declared has no body and passes",
	home:    packetsHome,
	mistake: enumUnchecked,
	rule:    reject.UnknownCase, field: "type", oracle: Verdict,
	witness: one(pack(lsb).put(32, 0).put(2, 3).text("").put(32, endOfPacket).sum(packetsID)),
}, {
	name:    "crc-without-id",
	about:   "the checksum leaves the protocol id out: packets of other programs pass, and its own do not",
	home:    packetsHome,
	mistake: crcWithoutID,
	rule:    reject.CRCMismatch, field: "crc", oracle: Verdict, onValid: true,
	witness: one(pack(lsb).put(32, 0).put(2, 0).each(32, 1, 2, 3).text("").put(32, endOfPacket).sum()),
}, {
	name:    "crc-not-compared",
	about:   "the checksum is read and then nobody looks at it",
	home:    packetsHome,
	mistake: crcNotCompared,
	rule:    reject.CRCMismatch, field: "crc", oracle: Verdict,
	witness: one(pack(lsb).put(32, 0xdeadbeef).put(2, 0).each(32, 1, 2, 3).text("").put(32, endOfPacket)),
}, {
	name:    "end-check-skipped",
	about:   "the check at the end of the packet is skipped over instead of compared (Serialization Strategies)",
	home:    packetsHome,
	mistake: endCheckSkipped,
	rule:    reject.CheckMismatch, field: "", oracle: Verdict,
	witness: one(pack(lsb).put(32, 0).put(2, 0).each(32, 1, 2, 3).text("").put(32, endOfPacket^1).sum(packetsID)),
}}

const (
	packetsID   = 0x12345678
	middleOfB   = 0x12345678 // the check after its count, which happens to be the same
	endOfPacket = 0x9908ace2 // the hash of "end of packet"
)

func readPackets(w *wire) bool {
	if len(w.data) > 256 {
		return false
	}
	stored := w.bits(32)
	if w.failed {
		return false
	}
	id := []uint32{packetsID}
	if w.makes(crcWithoutID) {
		id = nil
	}
	if uint32(stored) != checksum(w.data, id...) && !w.makes(crcNotCompared) {
		return false
	}
	kind := w.number("type", 2)
	if kind > 2 && !w.makes(enumUnchecked) {
		return false
	}
	switch kind {
	case 0:
		w.put("body.x", signed(w.bits(32), 32))
		w.put("body.y", signed(w.bits(32), 32))
		w.put("body.z", signed(w.bits(32), 32))
	case 1:
		if !readPacketB(w) {
			return false
		}
	case 2:
		w.number("body.x", 1)
		w.number("body.y", 16)
		w.number("body.z", 32)
	}
	if !w.align() {
		return false
	}
	if end := w.bits(32); end != endOfPacket && !w.makes(endCheckSkipped) {
		return false
	}
	return w.finish()
}

func readPacketB(w *wire) bool {
	n := w.number("body.num_elements", 6)
	if n > 32 && !w.makes(countTooWide) {
		return false
	}
	if w.bits(32) != middleOfB {
		return false
	}
	for i := range int(n) {
		v := w.bits(32)
		if w.failed {
			return false
		}
		w.put(element("body.elements", i), signed(v, 32))
	}
	return true
}
