package main

import (
	"io"
	"math"

	"github.com/pktscope/pktscope/corpus"
)

// The seed files: every message, with its counts at none, one and most, its numbers at their ends, and its texts empty
// and full.

// seed is a line of a seed file.
type seed struct {
	corpus.Seed
	comment string
}

const made = "# Made by `go run ./corpus/gen`; not to be edited.\n\n"

const (
	rtypeHead   = "# R-Type: valid packets, as name, sender, hex.\n" + made
	packetsHead = "# packets (PacketA, PacketB, PacketC): valid packets, as name, sender, hex.\n" + made
	gafferHead  = "# gaffer (the scenes): valid packets, as name, sender, hex.\n" + made
	courseHead  = "# course (the chapter's test packet): valid packets, as name, sender, hex.\n" + made
)

func writeSeeds(w io.Writer, head string, seeds []seed) error {
	b := []byte(head)
	for _, s := range seeds {
		b = corpus.AppendSeed(b, s.Seed, s.comment)
	}
	_, err := w.Write(b)
	return err
}

// seedTime is what the seeds carry for a time: the sessions' first millisecond.
const seedTime = epoch * 1000

func rtypeSeeds() []seed {
	var out []seed
	seq := uint16(0)
	add := func(name, from string, kind uint16, body []byte, comment string) {
		seq++
		out = append(out, seed{corpus.Seed{Name: name, From: from, Data: append(header(nil, kind, seq, seedTime), body...)}, comment})
	}
	client, server := corpus.Client, corpus.Server
	add("heartbeat_client", client, heartBeat, nil, "nothing but a header")
	add("heartbeat_server", server, heartBeat, nil, "either side may send it")
	add("heartbeat_ack", server, heartBeatAck, nil, "")
	out = append(out,
		seed{corpus.Seed{Name: "heartbeat_zero", From: client, Data: header(nil, heartBeat, 0, 0)}, "number and time 0"},
		seed{corpus.Seed{Name: "heartbeat_most", From: client, Data: header(nil, heartBeat, math.MaxUint16, math.MaxUint64)}, "number and time at their most"})
	add("join", client, joinGame, appendJoin(nil, &someToken, 1, "R7KQ2A"), "room code without room for a NUL")
	add("join_empty_room", client, joinGame, appendJoin(nil, new([32]byte), 6, ""), "")
	add("join_short_room", client, joinGame, appendJoin(nil, &someToken, 3, "NOVA"), "")
	add("join_ack", server, joinGameAck, []byte{3}, "")
	add("join_nack", server, joinGameNack, appendNack(nil, "the room is full"), "")
	add("join_nack_empty", server, joinGameNack, appendNack(nil, ""), "")
	add("join_nack_full", server, joinGameNack, appendNack(nil, full(64)), "64 characters")
	add("join_nack_escape", server, joinGameNack, appendNack(nil, reasons[0]), "control sequences, and valid")
	add("snapshot_empty", server, snapshotType, new(state).append(nil), "all counts 0")
	add("snapshot_one", server, snapshotType, oneOfEach.append(nil), "one of each")
	add("snapshot_most", server, snapshotType, mostState().append(nil), "all counts at their most: 632 bytes")
	add("snapshot_players", server, snapshotType, (&state{players: mostState().players}).append(nil), "players only")
	add("snapshot_enemy_missiles", server, snapshotType, (&state{enemyMissiles: mostState().enemyMissiles}).append(nil), "the last list only")
	add("input_none", client, playerInput, appendInput(nil, 0, 0), "no key")
	add("input_all", client, playerInput, appendInput(nil, keyUp|keyDown|keyLeft|keyRight|keyShoot, math.MaxUint16), "every key")
	add("input_shoot", client, playerInput, appendInput(nil, keyRight|keyShoot, 41), "")
	add("player_join", server, playerJoin, []byte{0}, "")
	add("player_leave", server, playerLeave, []byte{0xFF}, "")
	add("shoot_missile", client, shootMissile, nil, "")
	add("missile_spawned", server, missileSpawned, someMissile.append(nil), "")
	add("missile_spawned_most", server, missileSpawned, (&missileState{math.MaxUint16, noOwner, math.MaxUint16, math.MaxUint16}).append(nil), "an enemy's")
	add("missile_destroyed", server, missileDestroyed, []byte{0x12, 0x34}, "")
	add("enemy_destroyed", server, enemyDestroyed, []byte{0xFF, 0xFF}, "")
	add("player_damaged", server, playerDamaged, appendDamage(nil, 2, 20, 80), "")
	add("player_damaged_least", server, playerDamaged, appendDamage(nil, 0, 0, 0), "")
	add("player_damaged_most", server, playerDamaged, appendDamage(nil, 0xFF, 0xFF, 100), "")
	add("player_died", server, playerDied, []byte{2}, "")
	return out
}

// full is n printable characters.
func full(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = 'a' + byte(i%26)
	}
	return string(b)
}

// mostState is the largest snapshot, with the ends of every range in it.
func mostState() *state {
	s := new(state)
	for i := range maxPlayers {
		p := playerState{uint8(i), 0, math.MaxUint16, 100, 1, math.MaxUint16, uint8(1 + i)}
		if i == maxPlayers-1 {
			p = playerState{0xFF, math.MaxUint16, 0, 0, 0, 0, 6}
		}
		s.players = append(s.players, p)
	}
	for i := range maxMissiles {
		at := uint16(i * 0x0841)
		s.missiles = append(s.missiles, missileState{at, uint8(i % maxPlayers), at, ^at})
		s.enemyMissiles = append(s.enemyMissiles, missileState{^at, noOwner, ^at, at})
	}
	for i := range maxEnemies {
		at := uint16(i * 0x1111)
		s.enemies = append(s.enemies, enemyState{at, at, ^at, uint8(i * 17), uint8(255 - i*17)})
	}
	return s
}

func packetsSeeds() []seed {
	var out []seed
	add := func(name string, data []byte, comment string) {
		out = append(out, seed{corpus.Seed{Name: name, From: corpus.Unknown, Data: data}, comment})
	}
	add("a_zero", packetA(nil, 0, 0, 0), "")
	add("a_ends", packetA(nil, math.MinInt32, math.MaxInt32, -1), "least, most, and all bits set")
	add("a_some", packetA(nil, 1, -2, 300), "")
	add("b_none", packetB(nil, 0, middleCheck, nil), "no element")
	add("b_one", packetB(nil, 1, middleCheck, ramp(1, -1, 0)), "")
	add("b_some", packetB(nil, 5, middleCheck, ramp(5, -2, 1)), "")
	add("b_most", packetB(nil, maxElements, middleCheck, ramp(maxElements, math.MinInt32, 0x08421084)), "as many as fit the range")
	add("c_zero", packetC(nil, false, 0, 0), "")
	add("c_most", packetC(nil, true, math.MaxUint16, math.MaxUint32), "all bits set")
	add("c_some", packetC(nil, true, 0x1234, 0xDEADBEEF), "")
	return out
}

func gafferSeeds() []seed {
	var out []seed
	add := func(name string, kind uint64, bodies []slotBody, comment string) {
		out = append(out, seed{corpus.Seed{Name: name, From: corpus.Server, Data: scene(nil, kind, bodies)}, comment})
	}
	ends := []slotBody{
		{0, bodyCodes{largest: 0, parts: [3]uint64{512, 512, 512}}},
		{maxObjects - 1, bodyCodes{
			[3]uint64{mostPosition, mostPosition, mostPosition}, 2, [3]uint64{1, 511, 512}, false,
			[3]uint64{mostLinear, mostLinear, mostLinear}, [3]uint64{mostAngular, mostAngular, mostAngular},
		}},
	}
	for kind, name := range [...]string{"bitmap", "index", "sentinel", "relative"} {
		kind := uint64(kind)
		add(name+"_none", kind, nil, "no body")
		add(name+"_one", kind, at(restingBody, 17), "one at rest")
		add(name+"_ends", kind, ends, "the first and the last body, with the ends of every range")
		add(name+"_some", kind, append(at(restingBody, 3, 4), at(movingBody, 12, 63)...), "two at rest, two that move")
	}
	add("index_rest", sceneIndex, everyBody(restingBody), "all bodies at rest")
	add("relative_rungs", sceneRelative, at(restingBody, 0, 2, 8, 22, 52), "every rung of the ladder but the last, each with its least step")
	add("relative_far", sceneRelative, at(restingBody, 61), "the longest rung that has room")
	return out
}

func everyBody(c bodyCodes) []slotBody {
	var out []slotBody
	for i := range uint64(maxObjects) {
		out = append(out, slotBody{i, c})
	}
	return out
}

func courseSeeds() []seed {
	var out []seed
	add := func(name string, p coursePacket, comment string) {
		out = append(out, seed{corpus.Seed{Name: name, From: corpus.Unknown, Data: p.append(nil)}, comment})
	}
	add("chapter", chapterPacket, "the chapter's own values: 5, 3, 18, true, false, 3578, 123")
	add("least", coursePacket{}, "every value at its least")
	most := coursePacket{255, mostSecond, mostThird, true, true, mostSixth, mostSeventh}
	add("most", most, "every value at its most")
	add("first", coursePacket{first: most.first}, "one value at its most, the others at their least")
	add("second", coursePacket{second: most.second}, "")
	add("third", coursePacket{third: most.third}, "")
	add("fourth", coursePacket{fourth: true}, "")
	add("fifth", coursePacket{fifth: true}, "")
	add("sixth", coursePacket{sixth: most.sixth}, "")
	add("seventh", coursePacket{seventh: most.seventh}, "")
	add("zero", coursePacket{second: -leastSecond, sixth: -leastSixth}, "0 where 0 is not the least")
	return out
}
