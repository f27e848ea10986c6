package main

import (
	"encoding/binary"

	"github.com/pktscope/pktscope/decode/gogen/testdata/rtype"
)

// R-Type's fields are whole bytes, so somebody might as well read them without a bitpacker: plain loads, one length
// check for each part of fixed size. This is the harder baseline for its snapshots.

const (
	headerSize  = 12
	playerSize  = 10
	missileSize = 7
	enemySize   = 8
)

// countedBytes takes a count and that many elements of a size off b; false when they are too many or not there.
func countedBytes(b []byte, most uint8, size int) (n uint8, list, rest []byte, ok bool) {
	if len(b) < 1 || b[0] > most {
		return 0, nil, nil, false
	}
	n, b = b[0], b[1:]
	if end := int(n) * size; end <= len(b) {
		return n, b[:end], b[end:], true
	}
	return 0, nil, nil, false
}

func missileBytes(kept []rtype.MissileState, n uint8, b []byte) []rtype.MissileState {
	kept = elements(kept, n)
	for i := range kept {
		d := (*[missileSize]byte)(b)
		b = b[missileSize:]
		m := &kept[i]
		m.Id, m.OwnerId = binary.BigEndian.Uint16(d[:]), d[2]
		m.X, m.Y = binary.BigEndian.Uint16(d[3:]), binary.BigEndian.Uint16(d[5:])
	}
	return kept
}

// snapshotBytes reads a packet that must be a snapshot.
func snapshotBytes(b []byte, v *rtype.Packet) bool {
	if len(b) < headerSize || binary.BigEndian.Uint16(b) != uint16(rtype.MessageTypeSnapshot) {
		return false
	}
	v.Type, v.SequenceNum, v.Timestamp = rtype.MessageTypeSnapshot, binary.BigEndian.Uint16(b[2:]), binary.BigEndian.Uint64(b[4:])
	s := &v.Body.Snapshot
	var list []byte
	var ok bool
	if s.PlayerCount, list, b, ok = countedBytes(b[headerSize:], 4, playerSize); !ok {
		return false
	}
	s.Players = elements(s.Players, s.PlayerCount)
	for i := range s.Players {
		d := (*[playerSize]byte)(list)
		list = list[playerSize:]
		if d[5] > 100 || d[6] > 1 || d[9] < 1 || d[9] > 6 {
			return false
		}
		p := &s.Players[i]
		p.Id, p.X, p.Y = d[0], binary.BigEndian.Uint16(d[1:]), binary.BigEndian.Uint16(d[3:])
		p.Health, p.Alive, p.LastAckedInputSeq, p.ShipSkin = d[5], d[6] != 0, binary.BigEndian.Uint16(d[7:]), d[9]
	}
	if s.MissileCount, list, b, ok = countedBytes(b, 32, missileSize); !ok {
		return false
	}
	s.Missiles = missileBytes(s.Missiles, s.MissileCount, list)
	if s.EnemyCount, list, b, ok = countedBytes(b, 16, enemySize); !ok {
		return false
	}
	s.Enemies = elements(s.Enemies, s.EnemyCount)
	for i := range s.Enemies {
		d := (*[enemySize]byte)(list)
		list = list[enemySize:]
		e := &s.Enemies[i]
		e.Id, e.X, e.Y = binary.BigEndian.Uint16(d[:]), binary.BigEndian.Uint16(d[2:]), binary.BigEndian.Uint16(d[4:])
		e.Health, e.EnemyType = d[6], d[7]
	}
	if s.EnemyMissileCount, list, b, ok = countedBytes(b, 32, missileSize); !ok {
		return false
	}
	s.EnemyMissiles = missileBytes(s.EnemyMissiles, s.EnemyMissileCount, list)
	return len(b) == 0
}
