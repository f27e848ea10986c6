package zoo

import "github.com/pktscope/pktscope/decode/reject"

// Lists of which only some elements are sent ("Serialization Strategies"), and a loop that does not look.

// scene sends objects with indexes relative to the one before.
var scene = &habitat{order: lsb, read: readScene, schema: `protocol scene
order lsb
max datagram 1200

packet {
    objects subset(relative) [200]bits(4)
}
`, seeds: many(
	pack(lsb).each(1, 0, 0, 0, 0, 0, 0).put(7, 201-126),                                              // nothing
	pack(lsb).put(1, 1).put(4, 9).put(1, 1).put(4, 8).each(1, 0, 0, 0, 0, 0, 0).put(7, 199-126),      // 0, 1, end
	pack(lsb).each(1, 0, 0, 0, 0, 0, 0).put(7, 200-126).put(4, 3).put(1, 1),                          // 199, end
	pack(lsb).each(1, 0, 0, 0, 0, 0, 1).put(6, 63).put(4, 3).each(1, 0, 0, 0, 0, 0, 1).put(6, 76-62), // 124, end
)}

// tiers are the ladder's steps: bits, and the smallest step.
var tiers = [...]struct{ bits, from int }{{0, 1}, {2, 2}, {3, 6}, {4, 14}, {5, 30}, {6, 62}, {7, 126}}

func readScene(w *wire) bool {
	if len(w.data) > 1200 {
		return false
	}
	var objects [200]uint8
	previous := -1
	for i := 0; ; i++ {
		tier := 0
		for tier < 6 && w.bits(1) == 0 {
			tier++
		}
		index := previous + tiers[tier].from + int(w.bits(tiers[tier].bits))
		if w.failed {
			return false
		}
		if index == len(objects) {
			return w.finish()
		}
		if tier == 6 || !w.makes(relativeLastTierOnly) {
			if index > len(objects) {
				return false
			}
		}
		objects[index] = uint8(w.bits(4))
		path := element("objects", i)
		w.put(path+".index", uint64(index))
		w.put(path+".value", uint64(objects[index]))
		if w.failed {
			return false
		}
		previous = index
	}
}

// inventory sends a count, then indexes and values.
var inventory = &habitat{order: lsb, read: readInventory, schema: `protocol inventory
order lsb
max datagram 256

packet {
    objects subset(index) [32]uint8
}
`, seeds: many(
	pack(lsb).put(6, 0),
	pack(lsb).put(6, 3).put(5, 0).put(8, 1).put(5, 7).put(8, 2).put(5, 31).put(8, 3),
)}

func readInventory(w *wire) bool {
	if len(w.data) > 256 {
		return false
	}
	count := int(w.bits(6))
	previous := -1
	ok := count <= 32 && !w.failed
	for i := 0; ok && i < count; i++ {
		path := element("objects", i)
		index := int(w.number(path+".index", 5))
		if index < previous || index == previous && !w.makes(indexRepeated) {
			return false
		}
		previous = index
		w.number(path+".value", 8)
		ok = !w.failed
	}
	return ok && w.finish()
}

// samples is a list with nothing behind it.
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

var listAnimals = []species{{
	name:    "relative-last-tier-only",
	about:   "a relative index is checked in the last tier only: a short step from a high one leaves the array (the articles' own reader)",
	home:    scene,
	mistake: relativeLastTierOnly,
	rule:    reject.OutOfRange, field: "objects[].index", oracle: Crash,
	// Index 199, then a step of 2.
	witness: one(pack(lsb).each(1, 0, 0, 0, 0, 0, 0).put(7, 200-126).put(4, 3).each(1, 0, 1).put(2, 0).put(4, 5)),
}, {
	name:    "index-repeated",
	about:   "an index may be that of the element before: two values for one object, and the count is a lie",
	home:    inventory,
	mistake: indexRepeated,
	rule:    reject.NotIncreasing, field: "objects[].index", oracle: Verdict,
	witness: one(pack(lsb).put(6, 2).put(5, 7).put(8, 1).put(5, 7).put(8, 2)),
}, {
	name:    "overflow-forgotten",
	about:   "the loop over a list does not ask whether it read past the end: missing elements are zeros (Reading and Writing Packets)",
	home:    samples,
	mistake: overflowForgotten,
	rule:    reject.PastEnd, field: "samples[]", oracle: Verdict,
	witness: one(pack(lsb).put(6, 40)),
}}
