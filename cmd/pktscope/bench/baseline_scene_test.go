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

func (r *scratchReader) vector(v *gaffer.Vec3Float32, lo, delta float32, steps uint32, n uint) bool {
	return r.quantized(&v.X, lo, delta, steps, n) && r.quantized(&v.Y, lo, delta, steps, n) && r.quantized(&v.Z, lo, delta, steps, n)
}

// orientation refuses components that leave no room for the fourth.
func (r *scratchReader) orientation(q *gaffer.Smallest10) bool {
	var largest uint32
	if !r.bits(&largest, 2) {
		return false
	}
	q.Largest = uint8(largest)
	left := float32(1)
	for _, code := range []*uint16{&q.A, &q.B, &q.C} {
		var u uint32
		if !r.bits(&u, 10) {
			return false
		}
		*code = uint16(u)
		const most = float32(1) / float32(1.414214)
		c := float32(float32(u)/1023*(2*most)) - most
		left -= float32(c * c)
	}
	return left >= 0
}

func (r *scratchReader) rigidBody(b *gaffer.RigidBody) bool {
	if !r.vector(&b.Position, -1000, 2000, 2_000_000, 21) || !r.orientation(&b.Orientation) || !r.boolean(&b.AtRest) {
		return false
	}
	if b.AtRest {
		b.LinearVelocity, b.AngularVelocity = gaffer.Vec3Float32{}, gaffer.Vec3Float32{}
		return true
	}
	return r.vector(&b.LinearVelocity, -10, 20, 2000, 11) && r.vector(&b.AngularVelocity, -20, 40, 4000, 12)
}

// align skips up to a byte boundary, over zeros.
func (r *scratchReader) align() bool {
	var padding uint32
	if n := uint(r.left) % 8; n != 0 {
		return r.bits(&padding, n) && padding == 0
	}
	return true
}

// scene reads a packet that must be a bitmap; packet is without the zeros behind it.
func (r *scratchReader) scene(packet []byte, v *gaffer.Packet) bool {
	if len(packet) < 4 || binary.LittleEndian.Uint32(packet) != sceneChecksum(packet) {
		return false
	}
	var sum, kind, check uint32
	if !r.bits(&sum, 32) || !r.bits(&kind, 2) || kind != uint32(gaffer.PacketTypeBitmap) {
		return false
	}
	v.Type = gaffer.PacketType(kind)
	objects := v.Body.Bitmap.Objects[:0]
	for i := range sceneBodies {
		var sent bool
		if !r.boolean(&sent) {
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
		if !r.rigidBody(&o.Value) {
			return false
		}
	}
	v.Body.Bitmap.Objects = objects
	return r.align() && r.bits(&check, 32) && check == sceneCheck && r.left < 8
}

func (w *scratchWriter) vector(v *gaffer.Vec3Float32, lo, delta float32, steps uint32, n uint) {
	w.quantized(v.X, lo, delta, steps, n)
	w.quantized(v.Y, lo, delta, steps, n)
	w.quantized(v.Z, lo, delta, steps, n)
}

func (w *scratchWriter) rigidBody(b *gaffer.RigidBody) bool {
	w.vector(&b.Position, -1000, 2000, 2_000_000, 21)
	q := &b.Orientation
	if q.Largest > 3 || q.A > 1023 || q.B > 1023 || q.C > 1023 {
		return false
	}
	w.put(uint32(q.Largest), 2)
	w.put(uint32(q.A), 10)
	w.put(uint32(q.B), 10)
	w.put(uint32(q.C), 10)
	w.boolean(b.AtRest)
	if !b.AtRest {
		w.vector(&b.LinearVelocity, -10, 20, 2000, 11)
		w.vector(&b.AngularVelocity, -20, 40, 4000, 12)
	}
	return true
}

// scene writes a bitmap and gives the packet, nil when a value does not fit.
func (w *scratchWriter) scene(v *gaffer.Packet) []byte {
	if v.Type != gaffer.PacketTypeBitmap {
		return nil
	}
	w.put(0, 32)
	w.put(uint32(v.Type), 2)
	objects := v.Body.Bitmap.Objects
	for i := range sceneBodies {
		if len(objects) == 0 || int(objects[0].Index) != i {
			w.boolean(false)
			continue
		}
		w.boolean(true)
		if !w.rigidBody(&objects[0].Value) {
			return nil
		}
		objects = objects[1:]
	}
	if len(objects) > 0 {
		return nil
	}
	if n := w.scratchBits % 8; n != 0 {
		w.put(0, 8-n)
	}
	w.put(sceneCheck, 32)
	packet := w.finish()
	binary.LittleEndian.PutUint32(packet, sceneChecksum(packet))
	return packet
}
