package main

import "math"

// The scenes of "Serialization Strategies": some of a world's bodies in a packet, chosen in four ways, after a
// checksum that starts from a protocol id.

const (
	gafferID   = 0x44551177
	maxObjects = 64

	sceneBitmap   = 0
	sceneIndex    = 1
	sceneSentinel = 2
	sceneRelative = 3
	sceneKinds    = 4

	indexBits    = 6 // int(0..63)
	countBits    = 7 // int(0..64)
	partBits     = 10
	mostPosition = 2_000_000
	positionBits = 21
	mostLinear   = 2_000
	linearBits   = 11
	mostAngular  = 4_000
	angularBits  = 12
	restingBits  = 3*positionBits + 2 + 3*partBits + 1
	movingBits   = restingBits + 3*linearBits + 3*angularBits
)

// bodyCodes is a body as it is on the wire.
type bodyCodes struct {
	position [3]uint64
	largest  uint64
	parts    [3]uint64
	atRest   bool
	linear   [3]uint64 // of a moving body
	angular  [3]uint64
}

// slotBody is a body that is sent, with its place in the world.
type slotBody struct {
	index uint64
	bodyCodes
}

func (b *bodyCodes) put(w *bitWriter) {
	for _, v := range b.position {
		w.put(v, positionBits)
	}
	w.put(b.largest, 2)
	for _, v := range b.parts {
		w.put(v, partBits)
	}
	w.put(bitOf(b.atRest), 1)
	if b.atRest {
		return
	}
	for _, v := range b.linear {
		w.put(v, linearBits)
	}
	for _, v := range b.angular {
		w.put(v, angularBits)
	}
}

// quantized is the code of a value between -most and most, in steps of about step. The text computes in float32.
func quantized(v float64, most, step float32) uint64 {
	span := most + most
	steps := float32(math.Ceil(float64(span / step)))
	t := min(max(float32(float32(v)+most)/span, 0), 1)
	return uint64(math.Floor(float64(float32(t*steps) + 0.5)))
}

// smallest3 gives the codes of a rotation: the largest part is left out, and made positive first, so that a reader can
// compute it from the others.
func smallest3(q [4]float64) (largest uint64, parts [3]uint64) {
	for i, v := range q {
		if math.Abs(v) > math.Abs(q[largest]) {
			largest = uint64(i)
		}
	}
	sign := float32(1)
	if q[largest] < 0 {
		sign = -1
	}
	k := 0
	for i, v := range q {
		if uint64(i) != largest {
			t := float32(sign*float32(v)+partMost) / (2 * partMost)
			parts[k] = uint64(math.Floor(float64(float32(min(max(t, 0), 1)*(1<<partBits-1)) + 0.5)))
			k++
		}
	}
	return largest, parts
}

// partMost is the most that a part can be that is not the largest.
const partMost = float32(1) / float32(1.414214)

// tie reports whether a reader finds another part larger than the one left out. Where two are nearly the same, rounding
// decides; such a packet is right, and a careful reader notes it.
func tie(parts [3]uint64) bool {
	left, most := float32(1), float32(0)
	for _, code := range parts {
		t := float32(float32(code) / (1<<partBits - 1))
		v := float32(t*(2*partMost)) - partMost
		left -= float32(v * v)
		most = max(most, v, -v)
	}
	return float64(most) > math.Sqrt(float64(left))
}

// rungs are the steps of a relative index, with their least and their bits; a flag for each stands in front.
var rungs = []struct {
	least uint64
	bits  int
}{{1, 0}, {2, 2}, {6, 3}, {14, 4}, {30, 5}, {62, 6}}

// putStep writes how far an index is from the one before, on the lowest rung that has room.
func putStep(w *bitWriter, step uint64) {
	for _, r := range rungs {
		if step < r.least+1<<r.bits {
			w.put(1, 1)
			w.put(step-r.least, r.bits)
			return
		}
		w.put(0, 1)
	}
}

// scene appends to b a packet of one kind with bodies in it, in the order of their indexes.
func scene(b []byte, kind uint64, bodies []slotBody) []byte {
	w := begin(b, kind)
	switch kind {
	case sceneBitmap:
		for slot := range uint64(maxObjects) {
			if len(bodies) == 0 || bodies[0].index != slot {
				w.put(0, 1)
				continue
			}
			w.put(1, 1)
			bodies[0].put(w)
			bodies = bodies[1:]
		}
	case sceneIndex:
		w.put(uint64(len(bodies)), countBits)
		for i := range bodies {
			w.put(bodies[i].index, indexBits)
			bodies[i].put(w)
		}
	case sceneSentinel:
		for i := range bodies {
			w.put(bodies[i].index, countBits)
			bodies[i].put(w)
		}
		w.put(maxObjects, countBits)
	case sceneRelative:
		next := uint64(0) // one after the last
		for i := range bodies {
			putStep(w, bodies[i].index+1-next)
			bodies[i].put(w)
			next = bodies[i].index + 1
		}
		putStep(w, maxObjects+1-next)
	}
	return w.seal(endCheck, gafferID)
}
