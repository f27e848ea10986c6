package zoo

import (
	"encoding/binary"

	"github.com/pktscope/pktscope/decode/reject"
)

// Counts that are believed. Where C would write after an array, Go panics: the oracle is the crash.

// update is the packed struct of "Reading and Writing Packets", sent with memcpy.
var update = &habitat{order: lsb, read: readUpdate, schema: `protocol update
order lsb
max datagram 1200

packet {
    kind     uint8 == 2
    count    uint32 in 0..32
    elements [count]int32
}
`, seeds: many(
	pack(lsb).put(8, 2).put(32, 0),
	pack(lsb).put(8, 2).put(32, 2).each(32, 7, 1<<32-7),
	pack(lsb).put(8, 2).put(32, 32).each(32, make([]uint64, 32)...),
)}

func readUpdate(w *wire) bool {
	if len(w.data) > 1200 || w.number("kind", 8) != 2 {
		return false
	}
	count := w.number("count", 32)
	if count > 32 && !w.makes(countUnchecked) {
		return false
	}
	var elements [32]int32
	for i := range int(count) {
		v := w.bits(32)
		if w.failed {
			return false
		}
		elements[i] = int32(v)
		w.put(element("elements", i), uint64(int64(elements[i])))
	}
	return w.finish()
}

// frame counts its inputs in a byte.
var frame = &habitat{order: lsb, read: readFrame, schema: `protocol frame
order lsb
max datagram 256

packet {
    number uint16
    count  uint8 in 0..32
    inputs [count]uint8
}
`, seeds: many(
	pack(lsb).put(16, 1).put(8, 0),
	pack(lsb).put(16, 2).put(8, 3).each(8, 1, 2, 255),
	pack(lsb).put(16, 3).put(8, 32).each(8, make([]uint64, 32)...),
)}

func readFrame(w *wire) bool {
	if len(w.data) > 256 {
		return false
	}
	w.number("number", 16)
	count := w.number("count", 8)
	if w.makes(countSigned) {
		if int8(count) > 32 {
			return false
		}
	} else if count > 32 {
		return false
	}
	for i := int8(0); i < int8(count); i++ {
		if w.number(element("inputs", int(i)), 8); w.failed {
			return false
		}
	}
	return w.finish()
}

// points is a list, whose room is checked once for all of them.
var points = &habitat{order: lsb, read: readPoints, schema: `protocol points
order lsb
max datagram 1200

struct Point {
    x    uint32
    y    uint32
    z    uint32
    time uint32
}

packet {
    count  uint16
    points [count]Point
}
`, seeds: many(
	pack(lsb).put(16, 0),
	pack(lsb).put(16, 1).each(32, 1, 2, 3, 4),
	pack(lsb).put(16, 3).each(32, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1<<32-1),
)}

func readPoints(w *wire) bool {
	if len(w.data) > 1200 {
		return false
	}
	count := int(w.number("count", 16))
	need := 16 * count
	if w.makes(countTimesSize) {
		need = int(uint16(need)) // the product has the count's type
	}
	if w.failed || need > (w.end-w.pos)/8 {
		return false
	}
	for i := range count {
		for _, name := range [...]string{".x", ".y", ".z", ".time"} {
			w.work(1)
			v := binary.LittleEndian.Uint32(w.data[w.pos/8:])
			w.put(element("points", i)+name, uint64(v))
			w.pos += 32
		}
	}
	return w.finish()
}

// inputs keeps what it reads in a list that it uses again.
var inputs = &habitat{order: msb, read: readInputs, schema: `protocol inputs
order msb
max datagram 64

packet {
    tick  uint16
    count int(0..8)
    keys  [count]bits(4) in 1..12
}
`, seeds: many(
	pack(msb).put(16, 1).put(4, 0),
	pack(msb).put(16, 2).put(4, 3).each(4, 1, 6, 12),
	pack(msb).put(16, 3).put(4, 8).each(4, 1, 2, 3, 4, 5, 6, 7, 8),
)}

func readInputs(w *wire) bool {
	if len(w.data) > 64 {
		return false
	}
	if !w.makes(stateKept) {
		w.kept = w.kept[:0]
	}
	w.number("tick", 16)
	count, ok := w.below("count", 4, 8)
	if !ok {
		return false
	}
	for range count {
		key := w.bits(4)
		if w.failed || key < 1 || key > 12 {
			return false
		}
		w.kept = append(w.kept, key)
	}
	if !w.finish() {
		return false
	}
	for i, key := range w.kept {
		w.put(element("keys", i), key)
	}
	w.kept = w.kept[:0] // ready for the next packet, if all packets get here
	return true
}

// samples is a list with nothing after it.
var samples = &habitat{order: lsb, read: readSamples, schema: `protocol samples
order lsb
max datagram 256

packet {
    sample_count bits(6)
    samples      [sample_count]bits(12)
}
`, seeds: many(
	pack(lsb).put(6, 0),
	pack(lsb).put(6, 5).each(12, 1, 2, 4095, 0, 77),
)}

func readSamples(w *wire) bool {
	if len(w.data) > 256 {
		return false
	}
	count := w.number("sample_count", 6)
	if w.failed {
		return false
	}
	for i := range int(count) {
		w.number(element("samples", i), 12)
		if w.failed && !w.makes(overflowForgotten) {
			return false
		}
	}
	return w.end-w.pos < 8 // whoever reads past the end has read it all
}

var countAnimals = []species{{
	name:    "count-unchecked",
	about:   "the count of a packed struct is copied from the wire and fills an array of 32 (Reading and Writing Packets)",
	home:    update,
	mistake: countUnchecked,
	rule:    reject.OutOfRange, field: "count", oracle: Crash,
	witness: one(pack(lsb).put(8, 2).put(32, 33).each(32, make([]uint64, 33)...)),
}, {
	name:    "count-signed",
	about:   "the count is an int8 on the way to its check: 128..255 are below the maximum, and no elements at all",
	home:    frame,
	mistake: countSigned,
	rule:    reject.OutOfRange, field: "count", oracle: Verdict,
	witness: one(pack(lsb).put(16, 1).put(8, 0x80)),
}, {
	name:    "count-times-size",
	about:   "count times 16 bytes is computed in 16 bits: 4096 elements need no room",
	home:    points,
	mistake: countTimesSize,
	rule:    reject.PastEnd, field: "points[]", oracle: Crash,
	witness: one(pack(lsb).put(16, 4096)),
}, {
	name:    "overflow-forgotten",
	about:   "the loop over a list does not ask whether it read past the end: missing elements are zeros (Reading and Writing Packets)",
	home:    samples,
	mistake: overflowForgotten,
	rule:    reject.PastEnd, field: "samples[]", oracle: Verdict,
	witness: one(pack(lsb).put(6, 40)),
}, {
	name:    "state-kept",
	about:   "a list is emptied when a packet was accepted, not when one begins: a refused one leaves its elements behind",
	home:    inputs,
	mistake: stateKept,
	field:   "keys", oracle: Sequence,
	// Three keys, the last of which is none; then one.
	witness: many(pack(msb).put(16, 1).put(4, 3).each(4, 1, 2, 15), pack(msb).put(16, 2).put(4, 1).put(4, 7)),
}}
