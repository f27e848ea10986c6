package zoo

import (
	"math/big"
	"math/bits"

	"github.com/pktscope/pktscope/decode/reject"
)

// The scenes of "Serialization Strategies": some of a world's rigid bodies, chosen in four ways, after a checksum.

var (
	gaffer = &habitat{schema: builtin("gaffer"), order: lsb, seeds: corpusSeeds("gaffer"), read: func(w *wire) bool { return readGaffer(w, 64) }}
	// In a larger world the last tier of relative indexes is of use.
	gaffer200 = &habitat{schema: builtin("gaffer"), params: map[string]*big.Int{"MaxObjects": big.NewInt(200)}, order: lsb,
		read: func(w *wire) bool { return readGaffer(w, 200) },
		seeds: many(
			// Relative: nothing; 199; 0 and 5.
			lastTier(scene(3), 201).close(),
			atRest(lastTier(scene(3), 200), 1000, 512).put(1, 1).close(),
			lastTier(atRest(atRest(scene(3).put(1, 1), 5, 512).each(1, 0, 1).put(2, 3), 7, 512), 200-5).close(),
			// Of the others the last object, and one or none before it.
			atRest(scene(0).each(1, make([]uint64, 199)...).put(1, 1), 2000000, 512).close(),
			atRest(atRest(scene(1).put(8, 2).put(8, 0), 0, 300).put(8, 199), 1, 600).close(),
			atRest(atRest(scene(2).put(8, 9), 0, 300).put(8, 199), 1, 600).put(8, 200).close(),
		)}
)

const gafferID = 0x44551177

// scene begins a packet; kind is how it chooses its objects.
func scene(kind uint64) *packer { return pack(lsb).put(32, 0).put(2, kind) }

// lastTier appends a step of relative indexes on the last tier.
func lastTier(p *packer, step uint64) *packer {
	return p.each(1, 0, 0, 0, 0, 0, 0).put(7, step-126)
}

// atRest appends a body at rest: z of its position, and the first of the three parts of its orientation.
func atRest(p *packer, z, part uint64) *packer {
	return p.each(21, 0, 1000000, z).put(2, 3).each(10, part, 512, 512).put(1, 1)
}

// close ends a packet of gaffer.
func (p *packer) close() *packer { return p.text("").put(32, endOfPacket).sum(gafferID) }

var gafferAnimals = []species{{
	name:    "relative-last-tier-only",
	about:   "a relative index is checked in the last tier only: a short step from a high one leaves the array (the articles' own reader)",
	home:    gaffer200,
	mistake: relativeLastTierOnly,
	rule:    reject.OutOfRange, field: "body.objects[].index", oracle: Crash,
	// Index 199, then a step of 2.
	witness: one(atRest(atRest(lastTier(scene(3), 200), 0, 512).each(1, 0, 1).put(2, 0), 0, 512).close()),
}, {
	name:    "index-repeated",
	about:   "an index may be that of the element before: two values for one object, and the count is a lie",
	home:    gaffer,
	mistake: indexRepeated,
	rule:    reject.NotIncreasing, field: "body.objects[].index", oracle: Verdict,
	witness: one(atRest(atRest(scene(1).put(7, 2).put(6, 7), 1, 512).put(6, 7), 2, 512).close()),
}, {
	name:    "quantised-unchecked",
	about:   "a compressed float above its last step is taken: a position outside the world (serialize_compressed_float without its check)",
	home:    gaffer,
	mistake: quantisedUnchecked,
	rule:    reject.OutOfRange, field: "body.objects[].value.position", oracle: Verdict,
	witness: one(atRest(scene(1).put(7, 1).put(6, 7), 2000001, 512).close()),
}, {
	name:    "radicand-unchecked",
	about:   "the smallest three sum past one: the fourth part is the square root of a negative number, and NaN spreads",
	home:    gaffer,
	mistake: radicandUnchecked,
	rule:    reject.NonUnit, field: "body.objects[].value.orientation", oracle: Verdict,
	witness: one(scene(1).put(7, 1).put(6, 7).each(21, 0, 0, 0).put(2, 0).each(10, 1023, 1023, 1023).put(1, 1).close()),
}}

// readGaffer reads a scene of a world with so many objects.
func readGaffer(w *wire, most int) bool {
	stored := w.bits(32)
	if w.failed || uint32(stored) != checksum(w.data, gafferID) {
		return false
	}
	s := &gafferScene{wire: w, most: most, sent: make([]bool, most), previous: -1}
	ok := false
	switch w.number("type", 2) {
	case 0:
		ok = s.bitmap()
	case 1:
		ok = s.indexes()
	case 2:
		ok = s.sentinel()
	case 3:
		ok = s.relative()
	}
	return ok && w.align() && w.bits(32) == endOfPacket && w.finish()
}

// gafferScene is a scene being read.
type gafferScene struct {
	*wire
	most     int
	sent     []bool // of each object
	previous int    // index
	objects  int
}

func (g *gafferScene) bitmap() bool {
	for i := range g.most {
		sent := g.bits(1) != 0
		if g.failed || sent && !g.object(i) {
			return false
		}
	}
	return true
}

func (g *gafferScene) indexes() bool {
	count := int(g.bits(bits.Len(uint(g.most))))
	if g.failed || count > g.most {
		return false
	}
	for range count {
		index := int(g.bits(bits.Len(uint(g.most - 1))))
		if g.failed || index >= g.most || index < g.previous {
			return false
		}
		if index == g.previous && !g.makes(indexRepeated) {
			return false
		}
		if !g.object(index) {
			return false
		}
	}
	return true
}

func (g *gafferScene) sentinel() bool {
	for {
		index := int(g.bits(bits.Len(uint(g.most))))
		if g.failed || index > g.most || index <= g.previous {
			return false
		}
		if index == g.most {
			return true
		}
		if !g.object(index) {
			return false
		}
	}
}

// tiers are the steps of relative indexes but the longest: bits, and the least.
var tiers = [...]struct{ bits, from int }{{0, 1}, {2, 2}, {3, 6}, {4, 14}, {5, 30}, {6, 62}}

// lastTierFrom is the least step of the longest tier, whose most is the sentinel's.
const lastTierFrom = 126

func (g *gafferScene) relative() bool {
	for {
		index, ok := g.step()
		if !ok {
			return false
		}
		if index == g.most {
			return true
		}
		if !g.object(index) {
			return false
		}
	}
}

// step reads the next index.
func (g *gafferScene) step() (index int, ok bool) {
	for _, tier := range tiers {
		if g.bits(1) == 0 {
			continue
		}
		index := g.previous + tier.from + int(g.bits(tier.bits))
		if index > g.most && !g.makes(relativeLastTierOnly) {
			return 0, false
		}
		return index, !g.failed
	}
	longest := g.most + 1 - lastTierFrom
	if longest < 0 {
		return 0, false
	}
	index = g.previous + lastTierFrom + int(g.bits(bits.Len(uint(longest))))
	return index, index <= g.most && !g.failed
}

// object reads the body of one object.
func (g *gafferScene) object(index int) bool {
	g.sent[index] = true
	g.previous = index
	path := element("body.objects", g.objects)
	g.objects++
	g.put(path+".index", uint64(index))
	path += ".value"
	if !g.quantised(path+".position", 21, 2000000, g.makes(quantisedUnchecked)) || !g.smallestThree(path+".orientation") {
		return false
	}
	if g.number(path+".at_rest", 1) == 0 {
		return g.quantised(path+".linear_velocity", 11, 2000, false) && g.quantised(path+".angular_velocity", 12, 4000, false)
	}
	return !g.failed
}

// quantised reads a vector of compressed floats.
func (w *wire) quantised(path string, bits int, steps uint64, unchecked bool) bool {
	for _, part := range [...]string{".x", ".y", ".z"} {
		if step := w.number(path+part, bits); step > steps && !unchecked {
			return false
		}
	}
	return !w.failed
}

func (w *wire) smallestThree(path string) bool {
	const most = float32(1) / float32(1.414214)
	w.number(path+".largest", 2)
	radicand := float32(1)
	for _, part := range [...]string{".a", ".b", ".c"} {
		t := float32(float32(w.number(path+part, 10)) / 1023)
		v := float32(float32(t*float32(2*most)) - most)
		radicand = float32(radicand - float32(v*v))
	}
	// Its square root is the fourth part.
	return radicand >= 0 || w.makes(radicandUnchecked)
}
