package zoo

import (
	"math"

	"github.com/pktscope/pktscope/decode/reject"
)

// Numbers of rigid bodies: quantised, compressed and plain floats.

// world is a list of bodies, as "Serialization Strategies" sends them.
var world = &habitat{order: lsb, read: readWorld, schema: `protocol world
order lsb
max datagram 1200

struct RigidBody {
    position    vec3(float(-1000..1000, 0.001))
    orientation quat smallest3(10)
    at_rest     bool
    if !at_rest {
        linear_velocity vec3(float(-10..10, 0.01))
    }
}

packet {
    bodies [..16]RigidBody
}
`, seeds: many(
	pack(lsb).put(5, 0),
	body(pack(lsb).put(5, 1), 2000000, 512, 1),
	body(body(pack(lsb).put(5, 2), 1000000, 400, 0).each(11, 0, 1000, 2000), 0, 512, 1),
)}

// body appends a body: z of its position, the first of the three parts of its orientation, and whether it is at rest.
func body(p *packer, z, part, atRest uint64) *packer {
	return p.each(21, 0, 1000000, z).put(2, 3).each(10, part, 512, 512).put(1, atRest)
}

func readWorld(w *wire) bool {
	if len(w.data) > 1200 {
		return false
	}
	count := int(w.bits(5))
	ok := count <= 16 && !w.failed
	for i := 0; ok && i < count; i++ {
		path := element("bodies", i)
		ok = readQuantised(w, path+".position", 21, 2000000, w.makes(quantisedUnchecked)) && readSmallestThree(w, path+".orientation")
		if ok && w.number(path+".at_rest", 1) == 0 {
			ok = readQuantised(w, path+".linear_velocity", 11, 2000, false)
		}
		ok = ok && !w.failed
	}
	return ok && w.finish()
}

func readQuantised(w *wire, path string, bits int, steps uint64, unchecked bool) bool {
	for _, part := range [...]string{".x", ".y", ".z"} {
		if step := w.number(path+part, bits); step > steps && !unchecked {
			return false
		}
	}
	return !w.failed
}

func readSmallestThree(w *wire, path string) bool {
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

// place is a position in plain floats.
var place = &habitat{order: msb, read: readPlace, schema: `protocol place
order msb
max datagram 64

packet {
    id       uint16
    position vec3(float32 in -1000..1000)
}
`, seeds: many(
	at(1, 0, 0, 0),
	at(2, 1000, -1000, 0.5),
)}

// at is a packet of place.
func at(id uint64, x, y, z float32) *packer {
	p := pack(msb).put(16, id)
	for _, v := range [...]float32{x, y, z} {
		p.put(32, uint64(math.Float32bits(v)))
	}
	return p
}

func readPlace(w *wire) bool {
	if len(w.data) > 64 {
		return false
	}
	w.number("id", 16)
	for _, part := range [...]string{".x", ".y", ".z"} {
		v := math.Float32frombits(uint32(w.number("position"+part, 32)))
		if v < -1000 || v > 1000 { // no NaN is either
			return false
		}
		if v != v && !w.makes(nanAccepted) {
			return false
		}
	}
	return w.finish()
}

var bodyAnimals = []species{{
	name:    "quantised-unchecked",
	about:   "a compressed float above its last step is taken: a position outside the world (serialize_compressed_float without its check)",
	home:    world,
	mistake: quantisedUnchecked,
	rule:    reject.OutOfRange, field: "bodies[].position", oracle: Verdict,
	witness: one(body(pack(lsb).put(5, 1), 2000001, 512, 1)),
}, {
	name:    "radicand-unchecked",
	about:   "the smallest three sum past one: the fourth part is the square root of a negative number, and NaN spreads",
	home:    world,
	mistake: radicandUnchecked,
	rule:    reject.NonUnit, field: "bodies[].orientation", oracle: Verdict,
	witness: one(pack(lsb).put(5, 1).each(21, 0, 0, 0).put(2, 0).each(10, 1023, 1023, 1023).put(1, 1)),
}, {
	name:    "nan-accepted",
	about:   "a range check by what is smaller and what is larger: NaN is neither",
	home:    place,
	mistake: nanAccepted,
	rule:    reject.NotFinite, field: "position", oracle: Verdict,
	witness: one(at(1, 0, float32(math.NaN()), 0)),
}}
