package main

// stranger is somebody who has no business with the server: one hostile packet after the other, every kind of mistake
// that an R-Type packet can be refused for, and a few packets that are fine but that only the server may send.
type stranger struct {
	end, server endpoint
	next        int64
	turn        int
	seq         uint16
}

func newStranger(server endpoint) stranger {
	return stranger{
		end:    endpoint{[6]byte{2, 0, 0, 0, 7, 66}, []byte{10, 7, 0, 66}, 6666},
		server: server,
		next:   700_000,
	}
}

func (s *stranger) act(g *game) {
	if g.now < s.next {
		return
	}
	s.next = g.now + strangeEvery + int64(g.rng.IntN(40_000))
	a := attacks[s.turn%len(attacks)]
	s.turn++
	b := g.message(a.kind, s.seq)
	s.seq++
	g.put(g.now+int64(g.rng.IntN(900)), &s.end, &s.server, a.make(b), verdict{a.want, a.path, a.bit, a.note})
}

// attack makes a hostile packet from its header and says what it deserves.
type attack struct {
	kind uint16
	make func(b []byte) []byte
	want string
	path string
	bit  int
	note string
}

var (
	someToken   = [32]byte{0: 0xAA, 15: 0x1B, 31: 0x55}
	somePlayer  = playerState{1, 400, 300, 80, 1, 77, 2}
	someMissile = missileState{9, 1, 700, 300}
	someEnemy   = enemyState{12, 1500, 310, 60, 2}
)

// oneOfEach is a snapshot with one of everything.
var oneOfEach = state{[]playerState{somePlayer}, []missileState{someMissile}, []enemyState{someEnemy}, []missileState{someMissile}}

// Bits of that snapshot's parts.
const (
	atPlayer       = headerBits + 8
	atHealth       = atPlayer + 8 + 16 + 16
	atAlive        = atHealth + 8
	atSkin         = atAlive + 8 + 16
	atMissileCount = atSkin + 8
	atMissile      = atMissileCount + 8
	atEnemyCount   = atMissile + 56
	atEnemy        = atEnemyCount + 8
	atMoreCount    = atEnemy + 64
	atMore         = atMoreCount + 8
)

// edited is that snapshot with one byte, at a bit position, replaced.
func edited(bit int, with byte) func([]byte) []byte {
	return func(b []byte) []byte {
		b = oneOfEach.append(b)
		b[bit/8] = with
		return b
	}
}

// cut is that snapshot up to a bit position.
func cut(bit int) func([]byte) []byte {
	return func(b []byte) []byte { return oneOfEach.append(b)[:bit/8] }
}

func body(bytes ...byte) func([]byte) []byte {
	return func(b []byte) []byte { return append(b, bytes...) }
}

var attacks = []attack{
	{heartBeat, func(b []byte) []byte { return b[:0] }, "past-end", "type", 0, ""},
	{heartBeat, func(b []byte) []byte { return b[:1] }, "past-end", "type", 0, ""},
	{heartBeat, func(b []byte) []byte { return b[:10] }, "past-end", "timestamp", 32, ""},
	{0x0003, body(), "unknown-case", "type", 0, ""},
	{0xFFFF, body(1, 2, 3), "unknown-case", "type", 0, ""},
	{playerInput, body(0x00, 0x20, 0, 1), "reserved-nonzero", "body.keys", headerBits, ""},
	{playerInput, body(0x80, 0x01, 0, 1), "reserved-nonzero", "body.keys", headerBits, ""},
	{playerInput, body(0, 1, 0), "past-end", "body.sequence_num", headerBits + 16, ""},
	{snapshotType, edited(headerBits, maxPlayers+1), "out-of-range", "body.player_count", headerBits, ""},
	{snapshotType, edited(headerBits, 0xFF), "out-of-range", "body.player_count", headerBits, ""},
	{snapshotType, edited(atHealth, 101), "out-of-range", "body.players[0].health", atHealth, ""},
	{snapshotType, edited(atAlive, 2), "out-of-range", "body.players[0].alive", atAlive, ""},
	{snapshotType, edited(atSkin, 0), "out-of-range", "body.players[0].ship_skin", atSkin, ""},
	{snapshotType, edited(atSkin, 7), "out-of-range", "body.players[0].ship_skin", atSkin, ""},
	{snapshotType, edited(atMissileCount, maxMissiles+1), "out-of-range", "body.missile_count", atMissileCount, ""},
	{snapshotType, edited(atEnemyCount, maxEnemies+1), "out-of-range", "body.enemy_count", atEnemyCount, ""},
	{snapshotType, edited(atMoreCount, 0xFF), "out-of-range", "body.enemy_missile_count", atMoreCount, ""},
	{snapshotType, edited(atMoreCount, 2), "past-end", "body.enemy_missiles[1].id", atMore + 56, ""},
	{snapshotType, cut(atPlayer + 8 + 16 + 8), "past-end", "body.players[0].y", atPlayer + 8 + 16, ""},
	{snapshotType, cut(atEnemy + 16 + 8), "past-end", "body.enemies[0].x", atEnemy + 16, ""},
	{joinGame, func(b []byte) []byte { return appendJoin(b, &someToken, 1, "NOVA")[:12+20] }, "past-end", "body.token", headerBits, ""},
	{joinGame, func(b []byte) []byte { return appendJoin(b, &someToken, 0, "NOVA") }, "out-of-range", "body.ship_skin", headerBits + 256, ""},
	{joinGame, func(b []byte) []byte { return appendJoin(b, &someToken, 1, "NO\x00VA") }, "bad-string", "body.room_code", headerBits + 256 + 8, ""},
	{joinGameNack, func(b []byte) []byte { return appendNack(b, "no\x00\x1b[31mhidden") }, "bad-string", "body.reason", headerBits, ""},
	{playerDamaged, func(b []byte) []byte { return appendDamage(b, 1, 5, 200) }, "out-of-range", "body.new_health", headerBits + 16, ""},
	{heartBeat, body(0), "trailing-bytes", "", headerBits, ""},
	{shootMissile, body(make([]byte, 300)...), "trailing-bytes", "", headerBits, ""},
	{heartBeat, body(make([]byte, 1200)...), "datagram-size", "", 0, ""},
	{snapshotType, oneOfEach.append, "", "", 0, "wrong-direction"},
	{playerDied, body(2), "", "", 0, "wrong-direction"},
}
