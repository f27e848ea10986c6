package zoo

import (
	"math"

	"github.com/pktscope/pktscope/decode/reject"
)

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

var floatAnimals = []species{{
	name:    "nan-accepted",
	about:   "a range check by what is smaller and what is larger: NaN is neither",
	home:    place,
	mistake: nanAccepted,
	rule:    reject.NotFinite, field: "position", oracle: Verdict,
	witness: one(at(1, 0, float32(math.NaN()), 0)),
}}
