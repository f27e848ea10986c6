package main

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/pktscope/pktscope/decode/gogen/testdata/gaffer"
)

// The baseline for gaffer's scenes, of those that are a bitmap: what somebody would write by hand over the articles'
// bitpacker, into the structs that generated code fills, so that the test can compare them.

const (
	sceneBodies = 64
	sceneCheck  = 0x9908ACE2 // "end of packet"
)

// sceneChecksum is the checksum of a packet: that of the protocol's id, of zeros in place of the checksum, and of the
// rest.
func sceneChecksum(packet []byte) uint32 {
	return crc32.Update(sceneStart, crc32.IEEETable, packet[4:])
}

var sceneStart = crc32.ChecksumIEEE([]byte{0x77, 0x11, 0x55, 0x44, 0, 0, 0, 0})

func (s *scratchReader) vector(v *gaffer.Vec3Float32, lo, delta float32, steps uint32, n uint) bool {
	return s.quantized(&v.X, lo, delta, steps, n) && s.quantized(&v.Y, lo, delta, steps, n) && s.quantized(&v.Z, lo, delta, steps, n)
}

// orientation refuses components that leave no room for the fourth.
func (s *scratchReader) orientation(q *gaffer.Smallest10) bool {
	var largest uint32
	if !s.bits(&largest, 2) {
		return false
	}
	q.Largest = uint8(largest)
	left := float32(1)
	for _, code := range []*uint16{&q.A, &q.B, &q.C} {
		var u uint32
		if !s.bits(&u, 10) {
			return false
		}
		*code = uint16(u)
		const most = float32(1) / float32(1.414214)
		c := float32(float32(u)/1023*(2*most)) - most
		left -= float32(c * c)
	}
	return left >= 0
}

func (s *scratchReader) rigidBody(b *gaffer.RigidBody) bool {
	if !s.vector(&b.Position, -1000, 2000, 2_000_000, 21) || !s.orientation(&b.Orientation) || !s.boolean(&b.AtRest) {
		return false
	}
	if b.AtRest {
		b.LinearVelocity, b.AngularVelocity = gaffer.Vec3Float32{}, gaffer.Vec3Float32{}
		return true
	}
	return s.vector(&b.LinearVelocity, -10, 20, 2000, 11) && s.vector(&b.AngularVelocity, -20, 40, 4000, 12)
}

// align skips up to a byte boundary, over zeros.
func (s *scratchReader) align() bool {
	var padding uint32
	if n := uint(s.left) % 8; n != 0 {
		return s.bits(&padding, n) && padding == 0
	}
	return true
}

// scene reads a packet that must be a bitmap; packet is without the zeros after it.
func (s *scratchReader) scene(packet []byte, v *gaffer.Packet) bool {
	if len(packet) < 4 || binary.LittleEndian.Uint32(packet) != sceneChecksum(packet) {
		return false
	}
	var sum, kind, check uint32
	if !s.bits(&sum, 32) || !s.bits(&kind, 2) || kind != uint32(gaffer.PacketTypeBitmap) {
		return false
	}
	v.Type = gaffer.PacketType(kind)
	objects := v.Body.Bitmap.Objects[:0]
	for i := range sceneBodies {
		var sent bool
		if !s.boolean(&sent) {
			return false
		}
		if !sent {
			continue
		}
		if len(objects) < cap(objects) {
			objects = objects[:len(objects)+1]
		} else {
			objects = append(objects, gaffer.PacketBodyBitmapObjects{})
		}
		o := &objects[len(objects)-1]
		o.Index = uint8(i)
		if !s.rigidBody(&o.Value) {
			return false
		}
	}
	v.Body.Bitmap.Objects = objects
	return s.align() && s.bits(&check, 32) && check == sceneCheck && s.left < 8
}

func (s *scratchWriter) vector(v *gaffer.Vec3Float32, lo, delta float32, steps uint32, n uint) {
	s.quantized(v.X, lo, delta, steps, n)
	s.quantized(v.Y, lo, delta, steps, n)
	s.quantized(v.Z, lo, delta, steps, n)
}

func (s *scratchWriter) rigidBody(b *gaffer.RigidBody) bool {
	s.vector(&b.Position, -1000, 2000, 2_000_000, 21)
	q := &b.Orientation
	if q.Largest > 3 || q.A > 1023 || q.B > 1023 || q.C > 1023 {
		return false
	}
	s.put(uint32(q.Largest), 2)
	s.put(uint32(q.A), 10)
	s.put(uint32(q.B), 10)
	s.put(uint32(q.C), 10)
	s.boolean(b.AtRest)
	if !b.AtRest {
		s.vector(&b.LinearVelocity, -10, 20, 2000, 11)
		s.vector(&b.AngularVelocity, -20, 40, 4000, 12)
	}
	return true
}

// scene writes a bitmap and gives the packet, nil when a value does not fit.
func (s *scratchWriter) scene(v *gaffer.Packet) []byte {
	if v.Type != gaffer.PacketTypeBitmap {
		return nil
	}
	s.put(0, 32)
	s.put(uint32(v.Type), 2)
	objects := v.Body.Bitmap.Objects
	for i := range sceneBodies {
		if len(objects) == 0 || int(objects[0].Index) != i {
			s.boolean(false)
			continue
		}
		s.boolean(true)
		if !s.rigidBody(&objects[0].Value) {
			return nil
		}
		objects = objects[1:]
	}
	if len(objects) > 0 {
		return nil
	}
	if n := s.scratchBits % 8; n != 0 {
		s.put(0, 8-n)
	}
	s.put(sceneCheck, 32)
	packet := s.finish()
	binary.LittleEndian.PutUint32(packet, sceneChecksum(packet))
	return packet
}
