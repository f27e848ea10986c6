package main

// The messages of R-Type, written from its description: header and payload, all big-endian.

const (
	heartBeat        = 0x0001
	heartBeatAck     = 0x0002
	joinGame         = 0x0010
	joinGameAck      = 0x0011
	joinGameNack     = 0x0012
	snapshotType     = 0x0040
	playerInput      = 0x0061
	playerJoin       = 0x0070
	playerLeave      = 0x0071
	shootMissile     = 0x0080
	missileSpawned   = 0x0081
	missileDestroyed = 0x0082
	enemyDestroyed   = 0x0091
	playerDamaged    = 0x00A0
	playerDied       = 0x00A1
)

const (
	keyUp    = 0x0001
	keyDown  = 0x0002
	keyLeft  = 0x0004
	keyRight = 0x0008
	keyShoot = 0x0010
)

const (
	maxPlayers  = 4
	maxMissiles = 32
	maxEnemies  = 16
	noOwner     = 0xFF // a missile of an enemy
	headerBits  = 8 * 12
)

// header appends the 12 bytes that every message begins with. ms counts from the Unix epoch.
func header(b []byte, kind, seq uint16, ms uint64) []byte {
	b = be.AppendUint16(b, kind)
	b = be.AppendUint16(b, seq)
	return be.AppendUint64(b, ms)
}

func appendJoin(b []byte, token *[32]byte, skin uint8, room string) []byte {
	b = append(b, token[:]...)
	b = append(b, skin)
	return appendChars(b, room, 6)
}

func appendNack(b []byte, reason string) []byte { return appendChars(b, reason, 64) }

func appendInput(b []byte, keys, seq uint16) []byte {
	return be.AppendUint16(be.AppendUint16(b, keys), seq)
}

func appendDamage(b []byte, id, damage, health uint8) []byte { return append(b, id, damage, health) }

// appendChars appends text in n bytes, NULs after it. Text that is too long is cut.
func appendChars(b []byte, text string, n int) []byte {
	room := make([]byte, n)
	copy(room, text)
	return append(b, room...)
}

type playerState struct {
	id     uint8
	x, y   uint16
	health uint8
	alive  uint8
	acked  uint16
	skin   uint8
}

type missileState struct {
	id    uint16
	owner uint8
	x, y  uint16
}

type enemyState struct {
	id     uint16
	x, y   uint16
	health uint8
	kind   uint8
}

func (p *playerState) append(b []byte) []byte {
	b = append(b, p.id)
	b = be.AppendUint16(b, p.x)
	b = be.AppendUint16(b, p.y)
	b = append(b, p.health, p.alive)
	b = be.AppendUint16(b, p.acked)
	return append(b, p.skin)
}

func (m *missileState) append(b []byte) []byte {
	b = be.AppendUint16(b, m.id)
	b = append(b, m.owner)
	b = be.AppendUint16(b, m.x)
	return be.AppendUint16(b, m.y)
}

func (e *enemyState) append(b []byte) []byte {
	b = be.AppendUint16(b, e.id)
	b = be.AppendUint16(b, e.x)
	b = be.AppendUint16(b, e.y)
	return append(b, e.health, e.kind)
}

// state is what a snapshot holds.
type state struct {
	players       []playerState
	missiles      []missileState
	enemies       []enemyState
	enemyMissiles []missileState
}

func (s *state) append(b []byte) []byte {
	b = append(b, uint8(len(s.players)))
	for i := range s.players {
		b = s.players[i].append(b)
	}
	b = append(b, uint8(len(s.missiles)))
	for i := range s.missiles {
		b = s.missiles[i].append(b)
	}
	b = append(b, uint8(len(s.enemies)))
	for i := range s.enemies {
		b = s.enemies[i].append(b)
	}
	b = append(b, uint8(len(s.enemyMissiles)))
	for i := range s.enemyMissiles {
		b = s.enemyMissiles[i].append(b)
	}
	return b
}
