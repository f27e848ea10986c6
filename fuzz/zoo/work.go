package zoo

import "github.com/pktscope/pktscope/decode/reject"

// Work and memory that a packet does not pay for. The verdicts are right, or never come.

// roster says how many entities there are and lists them.
var roster = &habitat{order: lsb, read: readRoster, schema: `protocol roster
order lsb
max datagram 1200

packet {
    count    uint32
    entities [count]uint16
}
`, seeds: many(
	pack(lsb).put(32, 0),
	pack(lsb).put(32, 3).each(16, 1, 2, 65535),
)}

// entityBytes is what the reader keeps for an entity.
const entityBytes = 64

func readRoster(w *wire) bool {
	if len(w.data) > 1200 {
		return false
	}
	count := int(w.number("count", 32))
	if w.failed {
		return false
	}
	room := min(count, (w.end-w.pos)/16)
	if w.makes(allocationFromCount) {
		room = count
	}
	w.reserve(entityBytes * room)
	entities := make([][entityBytes]byte, 0, room)
	for i := range count {
		id := w.bits(16)
		if w.failed {
			return false
		}
		entities = append(entities, [entityBytes]byte{byte(id), byte(id >> 8)})
		w.put(element("entities", i), uint64(entities[i][0])|uint64(entities[i][1])<<8)
	}
	return w.finish()
}

// teams has counts inside a count.
var teams = &habitat{order: lsb, read: readTeams, schema: `protocol teams
order lsb
max datagram 1200

struct Team {
    member_count uint8 in 0..15
    members      [member_count]uint8
}

packet {
    team_count uint8 in 0..64
    teams      [team_count]Team
}
`, seeds: many(
	pack(lsb).put(8, 0),
	pack(lsb).put(8, 2).each(8, 1, 9).each(8, 3, 1, 2, 3),
)}

func readTeams(w *wire) bool {
	if len(w.data) > 1200 {
		return false
	}
	count, ok := w.below("team_count", 8, 64)
	if !ok {
		return false
	}
	for i := range int(count) {
		path := element("teams", i)
		members, ok := w.below(path+".member_count", 8, 15)
		if !ok {
			return false
		}
		for k := range int(members) {
			if w.makes(quadraticWork) {
				w.pos = findMember(w, i, k)
			}
			if w.number(element(path+".members", k), 8); w.failed {
				return false
			}
		}
	}
	return w.finish()
}

// findMember walks from the first team to the k-th member of team i, one member at a time.
func findMember(w *wire, i, k int) int {
	at := 1 // the first team's count
	for range i {
		members := int(w.data[at])
		w.work(1 + members)
		at += 1 + members
	}
	w.work(1 + k)
	return 8 * (at + 1 + k)
}

// properties ends with a property of key 15.
var properties = &habitat{order: lsb, read: readProperties, schema: `protocol properties
order lsb
max datagram 80

struct Property {
    key   bits(4)
    value bits(12)
}

packet {
    properties [until key == 15, max 41]Property // one more than fit
}
`, seeds: many(
	pack(lsb).put(4, 15).put(12, 0),
	pack(lsb).put(4, 1).put(12, 100).put(4, 0).put(12, 0).put(4, 15).put(12, 4095),
)}

func readProperties(w *wire) bool {
	if len(w.data) > 80 {
		return false
	}
	for i := 0; ; i++ {
		key, value := w.bits(4), w.bits(12)
		if w.failed && !w.makes(sentinelPastEnd) {
			return false
		}
		if !w.failed {
			path := element("properties", i)
			w.put(path+".key", key)
			w.put(path+".value", value)
		}
		if key == 15 {
			return w.finish()
		}
	}
}

// crowd is a packet of twelve teams of 15.
func crowd() *packer {
	p := pack(lsb).put(8, 12)
	for range 12 {
		p.put(8, 15).each(8, make([]uint64, 15)...)
	}
	return p
}

var workAnimals = []species{{
	name:    "allocation-from-count",
	about:   "a list is allocated for as many elements as a packet of four bytes declares; then the first one is missing",
	home:    roster,
	mistake: allocationFromCount,
	field:   "count", oracle: Allocation,
	witness: one(pack(lsb).put(32, 1<<32-1)),
}, {
	name:    "quadratic-work",
	about:   "each element of nested lists is found by walking from the first: right answers, at the square of the price",
	home:    teams,
	mistake: quadraticWork,
	field:   "teams[].members", oracle: Cost, onValid: true,
	witness: one(crowd()),
}, {
	name:    "sentinel-past-end",
	about:   "a loop until the last element reads zeros past the end, and asks behind the loop whether it was past it",
	home:    properties,
	mistake: sentinelPastEnd,
	rule:    reject.PastEnd, field: "properties[]", oracle: Hang,
	witness: one(pack(lsb).put(4, 1).put(12, 100)),
}}
