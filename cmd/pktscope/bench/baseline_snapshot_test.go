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

func (r *msbReader) bits(v *uint32, n uint) bool {
	if int(n) > r.left {
		return false
	}
	r.left -= int(n)
	if r.scratchBits < n {
		r.scratch = r.scratch<<32 | uint64(binary.BigEndian.Uint32(r.data[r.word:]))
		r.scratchBits += 32
		r.word += 4
	}
	r.scratchBits -= n
	*v = uint32(r.scratch>>r.scratchBits) & (1<<n - 1)
	return true
}

func (r *msbReader) uint8(v *uint8) bool {
	var u uint32
	ok := r.bits(&u, 8)
	*v = uint8(u)
	return ok
}

func (r *msbReader) uint16(v *uint16) bool {
	var u uint32
	ok := r.bits(&u, 16)
	*v = uint16(u)
	return ok
}

func (r *msbReader) ranged(v *uint8, lo, hi uint8) bool { return r.uint8(v) && *v >= lo && *v <= hi }

// elements makes room for n elements that are counted already, out of a slice that is kept.
func elements[T any](kept []T, n uint8) []T {
	if int(n) > cap(kept) {
		return make([]T, n)
	}
	return kept[:n]
}

func (r *msbReader) missiles(count *uint8, list *[]rtype.MissileState) bool {
	if !r.ranged(count, 0, 32) {
		return false
	}
	*list = elements(*list, *count)
	for i := range *list {
		m := &(*list)[i]
		if !r.uint16(&m.Id) || !r.uint8(&m.OwnerId) || !r.uint16(&m.X) || !r.uint16(&m.Y) {
			return false
		}
	}
	return true
}

func (r *msbReader) player(p *rtype.PlayerState) bool {
	var alive uint8
	if !r.uint8(&p.Id) || !r.uint16(&p.X) || !r.uint16(&p.Y) || !r.ranged(&p.Health, 0, 100) || !r.ranged(&alive, 0, 1) {
		return false
	}
	p.Alive = alive != 0
	return r.uint16(&p.LastAckedInputSeq) && r.ranged(&p.ShipSkin, 1, 6)
}

// snapshot reads a packet that must be one.
func (r *msbReader) snapshot(v *rtype.Packet) bool {
	var kind uint16
	if !r.uint16(&kind) || kind != uint16(rtype.MessageTypeSnapshot) {
		return false
	}
	v.Type = rtype.MessageType(kind)
	var high, low uint32
	if !r.uint16(&v.SequenceNum) || !r.bits(&high, 32) || !r.bits(&low, 32) {
		return false
	}
	v.Timestamp = uint64(high)<<32 | uint64(low)
	s := &v.Body.Snapshot
	if !r.ranged(&s.PlayerCount, 0, 4) {
		return false
	}
	s.Players = elements(s.Players, s.PlayerCount)
	for i := range s.Players {
		if !r.player(&s.Players[i]) {
			return false
		}
	}
	if !r.missiles(&s.MissileCount, &s.Missiles) || !r.ranged(&s.EnemyCount, 0, 16) {
		return false
	}
	s.Enemies = elements(s.Enemies, s.EnemyCount)
	for i := range s.Enemies {
		e := &s.Enemies[i]
		if !r.uint16(&e.Id) || !r.uint16(&e.X) || !r.uint16(&e.Y) || !r.uint8(&e.Health) || !r.uint8(&e.EnemyType) {
			return false
		}
	}
	return r.missiles(&s.EnemyMissileCount, &s.EnemyMissiles) && r.left < 8
}

// msbWriter writes into a buffer that is large enough.
type msbWriter struct {
	data        []byte
	scratch     uint64 // the low scratchBits count
	scratchBits uint
	word        int
}

func (w *msbWriter) put(v uint32, n uint) {
	w.scratch = w.scratch<<n | uint64(v)
	w.scratchBits += n
	if w.scratchBits >= 32 {
		w.scratchBits -= 32
		binary.BigEndian.PutUint32(w.data[w.word:], uint32(w.scratch>>w.scratchBits))
		w.word += 4
	}
}

func (w *msbWriter) ranged(v, lo, hi uint8) bool {
	w.put(uint32(v), 8)
	return v >= lo && v <= hi
}

func (w *msbWriter) missiles(count uint8, list []rtype.MissileState) bool {
	if int(count) != len(list) || !w.ranged(count, 0, 32) {
		return false
	}
	for i := range list {
		m := &list[i]
		w.put(uint32(m.Id), 16)
		w.put(uint32(m.OwnerId), 8)
		w.put(uint32(m.X), 16)
		w.put(uint32(m.Y), 16)
	}
	return true
}

func (w *msbWriter) player(p *rtype.PlayerState) bool {
	w.put(uint32(p.Id), 8)
	w.put(uint32(p.X), 16)
	w.put(uint32(p.Y), 16)
	if !w.ranged(p.Health, 0, 100) {
		return false
	}
	if p.Alive {
		w.put(1, 8)
	} else {
		w.put(0, 8)
	}
	w.put(uint32(p.LastAckedInputSeq), 16)
	return w.ranged(p.ShipSkin, 1, 6)
}

// snapshot writes a packet that must be one; false when a value does not fit.
func (w *msbWriter) snapshot(v *rtype.Packet) bool {
	if v.Type != rtype.MessageTypeSnapshot {
		return false
	}
	w.put(uint32(v.Type), 16)
	w.put(uint32(v.SequenceNum), 16)
	w.put(uint32(v.Timestamp>>32), 32)
	w.put(uint32(v.Timestamp), 32)
	s := &v.Body.Snapshot
	if int(s.PlayerCount) != len(s.Players) || !w.ranged(s.PlayerCount, 0, 4) {
		return false
	}
	for i := range s.Players {
		if !w.player(&s.Players[i]) {
			return false
		}
	}
	if !w.missiles(s.MissileCount, s.Missiles) || int(s.EnemyCount) != len(s.Enemies) || !w.ranged(s.EnemyCount, 0, 16) {
		return false
	}
	for i := range s.Enemies {
		e := &s.Enemies[i]
		w.put(uint32(e.Id), 16)
		w.put(uint32(e.X), 16)
		w.put(uint32(e.Y), 16)
		w.put(uint32(e.Health), 8)
		w.put(uint32(e.EnemyType), 8)
	}
	return w.missiles(s.EnemyMissileCount, s.EnemyMissiles)
}

// finish writes the last word and gives the packet.
func (w *msbWriter) finish() []byte {
	binary.BigEndian.PutUint32(w.data[w.word:], uint32(w.scratch<<(32-w.scratchBits)))
	return w.data[:w.word+int(w.scratchBits+7)/8]
}
