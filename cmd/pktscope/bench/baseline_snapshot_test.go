package main

import (
	"encoding/binary"

	"github.com/pktscope/pktscope/decode/gogen/testdata/rtype"
)

// The baseline for R-Type's snapshots: the articles' bitpacker the other way round, for order msb, and the reader and
// writer that somebody would write with it by hand. They fill the structs that generated code fills, so that the test
// can compare them.

type msbReader struct {
	data        []byte
	scratch     uint64 // the low scratchBits count
	scratchBits uint
	word        int
	left        int // bits
}

func (mr *msbReader) bits(v *uint32, n uint) bool {
	if int(n) > mr.left {
		return false
	}
	mr.left -= int(n)
	if mr.scratchBits < n {
		mr.scratch = mr.scratch<<32 | uint64(binary.BigEndian.Uint32(mr.data[mr.word:]))
		mr.scratchBits += 32
		mr.word += 4
	}
	mr.scratchBits -= n
	*v = uint32(mr.scratch>>mr.scratchBits) & (1<<n - 1)
	return true
}

func (mr *msbReader) uint8(v *uint8) bool {
	var u uint32
	ok := mr.bits(&u, 8)
	*v = uint8(u)
	return ok
}

func (mr *msbReader) uint16(v *uint16) bool {
	var u uint32
	ok := mr.bits(&u, 16)
	*v = uint16(u)
	return ok
}

func (mr *msbReader) ranged(v *uint8, lo, hi uint8) bool { return mr.uint8(v) && *v >= lo && *v <= hi }

// elements makes room for n elements that are counted already, out of a slice that is kept.
func elements[T any](kept []T, n uint8) []T {
	if int(n) > cap(kept) {
		return make([]T, n)
	}
	return kept[:n]
}

func (mr *msbReader) missiles(count *uint8, list *[]rtype.MissileState) bool {
	if !mr.ranged(count, 0, 32) {
		return false
	}
	*list = elements(*list, *count)
	for i := range *list {
		m := &(*list)[i]
		if !mr.uint16(&m.Id) || !mr.uint8(&m.OwnerId) || !mr.uint16(&m.X) || !mr.uint16(&m.Y) {
			return false
		}
	}
	return true
}

func (mr *msbReader) player(p *rtype.PlayerState) bool {
	var alive uint8
	if !mr.uint8(&p.Id) || !mr.uint16(&p.X) || !mr.uint16(&p.Y) || !mr.ranged(&p.Health, 0, 100) || !mr.ranged(&alive, 0, 1) {
		return false
	}
	p.Alive = alive != 0
	return mr.uint16(&p.LastAckedInputSeq) && mr.ranged(&p.ShipSkin, 1, 6)
}

// snapshot reads a packet that must be one.
func (mr *msbReader) snapshot(v *rtype.Packet) bool {
	var kind uint16
	if !mr.uint16(&kind) || kind != uint16(rtype.MessageTypeSnapshot) {
		return false
	}
	v.Type = rtype.MessageType(kind)
	var high, low uint32
	if !mr.uint16(&v.SequenceNum) || !mr.bits(&high, 32) || !mr.bits(&low, 32) {
		return false
	}
	v.Timestamp = uint64(high)<<32 | uint64(low)
	s := &v.Body.Snapshot
	if !mr.ranged(&s.PlayerCount, 0, 4) {
		return false
	}
	s.Players = elements(s.Players, s.PlayerCount)
	for i := range s.Players {
		if !mr.player(&s.Players[i]) {
			return false
		}
	}
	if !mr.missiles(&s.MissileCount, &s.Missiles) || !mr.ranged(&s.EnemyCount, 0, 16) {
		return false
	}
	s.Enemies = elements(s.Enemies, s.EnemyCount)
	for i := range s.Enemies {
		e := &s.Enemies[i]
		if !mr.uint16(&e.Id) || !mr.uint16(&e.X) || !mr.uint16(&e.Y) || !mr.uint8(&e.Health) || !mr.uint8(&e.EnemyType) {
			return false
		}
	}
	return mr.missiles(&s.EnemyMissileCount, &s.EnemyMissiles) && mr.left < 8
}

// msbWriter writes into a buffer that is large enough.
type msbWriter struct {
	data        []byte
	scratch     uint64 // the low scratchBits count
	scratchBits uint
	word        int
}

func (mw *msbWriter) put(v uint32, n uint) {
	mw.scratch = mw.scratch<<n | uint64(v)
	mw.scratchBits += n
	if mw.scratchBits >= 32 {
		mw.scratchBits -= 32
		binary.BigEndian.PutUint32(mw.data[mw.word:], uint32(mw.scratch>>mw.scratchBits))
		mw.word += 4
	}
}

func (mw *msbWriter) ranged(v, lo, hi uint8) bool {
	mw.put(uint32(v), 8)
	return v >= lo && v <= hi
}

func (mw *msbWriter) missiles(count uint8, list []rtype.MissileState) bool {
	if int(count) != len(list) || !mw.ranged(count, 0, 32) {
		return false
	}
	for i := range list {
		m := &list[i]
		mw.put(uint32(m.Id), 16)
		mw.put(uint32(m.OwnerId), 8)
		mw.put(uint32(m.X), 16)
		mw.put(uint32(m.Y), 16)
	}
	return true
}

func (mw *msbWriter) player(p *rtype.PlayerState) bool {
	mw.put(uint32(p.Id), 8)
	mw.put(uint32(p.X), 16)
	mw.put(uint32(p.Y), 16)
	if !mw.ranged(p.Health, 0, 100) {
		return false
	}
	if p.Alive {
		mw.put(1, 8)
	} else {
		mw.put(0, 8)
	}
	mw.put(uint32(p.LastAckedInputSeq), 16)
	return mw.ranged(p.ShipSkin, 1, 6)
}

// snapshot writes a packet that must be one; false when a value does not fit.
func (mw *msbWriter) snapshot(v *rtype.Packet) bool {
	if v.Type != rtype.MessageTypeSnapshot {
		return false
	}
	mw.put(uint32(v.Type), 16)
	mw.put(uint32(v.SequenceNum), 16)
	mw.put(uint32(v.Timestamp>>32), 32)
	mw.put(uint32(v.Timestamp), 32)
	s := &v.Body.Snapshot
	if int(s.PlayerCount) != len(s.Players) || !mw.ranged(s.PlayerCount, 0, 4) {
		return false
	}
	for i := range s.Players {
		if !mw.player(&s.Players[i]) {
			return false
		}
	}
	if !mw.missiles(s.MissileCount, s.Missiles) || int(s.EnemyCount) != len(s.Enemies) || !mw.ranged(s.EnemyCount, 0, 16) {
		return false
	}
	for i := range s.Enemies {
		e := &s.Enemies[i]
		mw.put(uint32(e.Id), 16)
		mw.put(uint32(e.X), 16)
		mw.put(uint32(e.Y), 16)
		mw.put(uint32(e.Health), 8)
		mw.put(uint32(e.EnemyType), 8)
	}
	return mw.missiles(s.EnemyMissileCount, s.EnemyMissiles)
}

// finish writes the last word and gives the packet.
func (mw *msbWriter) finish() []byte {
	binary.BigEndian.PutUint32(mw.data[mw.word:], uint32(mw.scratch<<(32-mw.scratchBits)))
	return mw.data[:mw.word+int(mw.scratchBits+7)/8]
}
