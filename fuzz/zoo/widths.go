package zoo

import (
	"math/big"
	"math/bits"

	"github.com/pktscope/pktscope/decode/reject"
)

// Widths, bounds and places that the two ends compute differently. Most of these readers are wrong about valid packets
// and right about hostile ones: only values and bits show them.

// score is what the course's serializer writes: values between two bounds.
var score = &habitat{order: bousk, read: readScore, schema: `protocol score
order bousk
max datagram 64

packet {
    score int(-2_000_000_000..2_000_000_000)
    bonus int(-100..200)
}
`, seeds: many(
	pack(bousk).put(32, 0).put(9, 0),
	pack(bousk).put(32, 4000000000).put(9, 300),
	pack(bousk).put(32, 2000000007).put(9, 100),
)}

func readScore(w *wire) bool {
	if len(w.data) > 64 {
		return false
	}
	low := int32(-2000000000)
	code := w.bits(32)
	v := low + int32(uint32(code))
	w.put("score", uint64(int64(v)))
	if w.makes(signedSpan) {
		if v > 2000000000 { // what wrapped is below
			return false
		}
	} else if code > 4000000000 {
		return false
	}
	code = w.bits(9)
	if code > 300 {
		return false
	}
	bonus := int64(code) - 100
	if w.makes(minMaxSwapped) {
		bonus = 200 - int64(code)
	}
	w.put("bonus", uint64(bonus))
	return w.finish()
}

// bag had sixteen elements at most, and now has 32.
var bag = &habitat{order: lsb, read: readBag, params: map[string]*big.Int{"MaxElements": big.NewInt(32)}, schema: `protocol bag
order lsb
max datagram 64

param MaxElements = 16 in 1..64

packet {
    count    int(0..MaxElements)
    elements [count]uint8
}
`, seeds: many(
	pack(lsb).put(6, 0),
	pack(lsb).put(6, 3).each(8, 1, 2, 255),
	pack(lsb).put(6, 32).each(8, make([]uint64, 32)...),
)}

func readBag(w *wire) bool {
	if len(w.data) > 64 {
		return false
	}
	most := 32
	if w.makes(maxRaised) {
		most = 16 // of the other constant
	}
	count, ok := w.below("count", bits.Len(uint(most)), 32)
	for i := 0; ok && i < int(count); i++ {
		w.number(element("elements", i), 8)
		ok = !w.failed
	}
	return ok && w.finish()
}

// mixer ends with a number of 65 values.
var mixer = &habitat{order: lsb, read: readMixer, schema: `protocol mixer
order lsb
max datagram 64

packet {
    ping   uint8
    volume int(0..64)
}
`, seeds: many(
	pack(lsb).put(8, 20).put(7, 0),
	pack(lsb).put(8, 255).put(7, 63),
	pack(lsb).put(8, 1).put(7, 64),
)}

func readMixer(w *wire) bool {
	if len(w.data) > 64 {
		return false
	}
	w.number("ping", 8)
	width := bits.Len(64)
	if w.makes(widthOffByOne) {
		width = bits.Len(64 - 1) // values 0..n counted as 0..n-1
	}
	_, ok := w.below("volume", width, 64)
	return ok && w.finish()
}

// track is a list whose packets end anywhere in a word.
var track = &habitat{order: lsb, read: readTrack, schema: `protocol track
order lsb
max datagram 256

packet {
    count uint8 in 0..60
    notes [count]uint16
}
`, seeds: many(
	pack(lsb).put(8, 0),
	pack(lsb).put(8, 2).each(16, 0x0102, 0x0304),
	pack(lsb).put(8, 3).each(16, 0x0102, 0x0304, 0x0506),
)}

func readTrack(w *wire) bool {
	if len(w.data) > 256 {
		return false
	}
	count, ok := w.below("count", 8, 60)
	for i := 0; ok && i < int(count); i++ {
		w.number(element("notes", i), 16)
		ok = !w.failed
	}
	return ok && w.finish()
}

// mover has one thing or the other, and as many bytes for both.
var mover = &habitat{order: lsb, read: readMover, schema: `protocol mover
order lsb
max datagram 64

packet {
    id     bits(5)
    moving bool
    if moving {
        speed bits(10)
    } else {
        idle bits(6)
    }
}
`, seeds: many(
	pack(lsb).put(5, 3).put(1, 1).put(10, 700),
	pack(lsb).put(5, 31).put(1, 0).put(6, 50),
)}

func readMover(w *wire) bool {
	if len(w.data) > 64 {
		return false
	}
	w.number("id", 5)
	moving := w.number("moving", 1) != 0
	if moving != w.makes(branchCrossed) {
		w.number("speed", 10)
	} else {
		w.number("idle", 6)
	}
	return w.finish()
}

var widthAnimals = []species{{
	name:    "signed-span",
	about:   "the span of a signed range overflows: what is above it wraps below the minimum, which nobody checks (the course's 32-bit integers)",
	home:    score,
	mistake: signedSpan,
	rule:    reject.OutOfRange, field: "score", oracle: Verdict,
	witness: one(pack(bousk).put(32, 1<<32-1).put(9, 100)),
}, {
	name:    "min-max-swapped",
	about:   "minimum and maximum of one field are given in the wrong order: its values run backwards",
	home:    score,
	mistake: minMaxSwapped,
	field:   "bonus", oracle: ByValue, onValid: true,
	witness: one(pack(bousk).put(32, 2000000000).put(9, 100)),
}, {
	name:    "max-raised",
	about:   "the maximum was raised and the number of bits was not: all that follows is a bit off (Reading and Writing Packets)",
	home:    bag,
	mistake: maxRaised,
	field:   "count", oracle: ByValue, onValid: true,
	witness: one(pack(lsb).put(6, 3).each(8, 1, 2, 255)),
}, {
	name:    "width-off-by-one",
	about:   "the width of a range is that of one value fewer, and nothing follows that would be off",
	home:    mixer,
	mistake: widthOffByOne,
	field:   "volume", oracle: ByBits, onValid: true,
	witness: one(pack(lsb).put(8, 20).put(7, 33)),
}, {
	name:    "last-word-order",
	about:   "the last word is filled byte by byte from the wrong end when it is short (Reading and Writing Packets)",
	home:    track,
	mistake: lastWordOrder,
	field:   "notes", oracle: ByValue, onValid: true,
	witness: one(pack(lsb).put(8, 3).each(16, 0x0102, 0x0304, 0x0506)),
}, {
	name:    "branch-crossed",
	about:   "one branch reads what the other wrote: the condition was turned around on one side only",
	home:    mover,
	mistake: branchCrossed,
	field:   "moving", oracle: ByBits, onValid: true,
	witness: one(pack(lsb).put(5, 3).put(1, 1).put(10, 700)),
}}
