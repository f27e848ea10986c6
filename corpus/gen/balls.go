package main

import (
	"math"
	"math/rand/v2"
	"slices"
)

// A world of balls for the scenes: some fall, bounce, roll and come to rest, and every few seconds something kicks
// those that lie near. Positions are in m with y upwards, velocities in m/s and rad/s.
//
// Every product is rounded by itself, float64(a*b): a compiler may fuse it with a sum on one machine and not on
// another, and the captures are the same bytes everywhere.

const (
	radius     = 0.5
	yard       = 24.0 // half the side of the walled square that the balls stay in
	gravity    = -9.81
	stepTime   = 1.0 / 60
	stepsAScan = 3  // steps between two packets: 20 packets a second
	kickEvery  = 50 // packets
	mostSpeed  = 9.5
)

type vector [3]float64

type ball struct {
	position        vector
	rotation        [4]float64 // x y z w
	linear, angular vector
	slow            int  // steps that it has been nearly still for
	atRest          bool // and so it has no velocities
	told            bool // since it came to rest
}

type balls struct {
	list [maxObjects]ball
	rng  *rand.Rand
	turn int // which of those at rest are sent again next
}

// newBalls lays the balls out on a grid, at rest, and lifts the first of each row.
func newBalls(rng *rand.Rand) *balls {
	w := &balls{rng: rng}
	for i := range w.list {
		b := &w.list[i]
		row, column := float64(i/8), float64(i%8)
		b.position = vector{float64(column*5) - 17.5, radius, float64(row*5) - 17.5}
		b.rotation = w.anyRotation()
		b.atRest = true
		if i%8 == 0 {
			b.position[1] = 2 + row
			b.wake(vector{w.between(-1, 3), w.between(0, 2), w.between(-1, 1)}, vector{w.between(-4, 4), w.between(-4, 4), w.between(-4, 4)})
		}
	}
	return w
}

func (w *balls) between(lo, hi float64) float64 { return lo + float64((hi-lo)*w.rng.Float64()) }

// anyRotation is one of a rotation's every direction: a point in a ball of four dimensions, put on its surface.
func (w *balls) anyRotation() [4]float64 {
	for {
		q := [4]float64{w.between(-1, 1), w.between(-1, 1), w.between(-1, 1), w.between(-1, 1)}
		if s := squares(q[:]); s > 0.01 && s <= 1 {
			return unit(q)
		}
	}
}

func squares(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += float64(x * x)
	}
	return s
}

func unit(q [4]float64) [4]float64 {
	length := math.Sqrt(squares(q[:]))
	for i := range q {
		q[i] /= length
	}
	return q
}

func (b *ball) wake(linear, angular vector) {
	b.linear, b.angular = linear, angular
	b.atRest, b.told, b.slow = false, false, 0
}

// kick wakes the balls around a place and throws them away from it.
func (w *balls) kick() {
	at := vector{w.between(-yard, yard), 0, w.between(-yard, yard)}
	for i := range w.list {
		b := &w.list[i]
		dx, dz := b.position[0]-at[0], b.position[2]-at[2]
		far := math.Sqrt(float64(dx*dx) + float64(dz*dz))
		if far > 9 || far < 0.1 {
			continue
		}
		push := float64((9 - far) * 0.7)
		b.wake(vector{float64(push*dx) / far, float64(push * 0.8), float64(push*dz) / far},
			vector{w.between(-6, 6), w.between(-6, 6), w.between(-6, 6)})
	}
}

// step moves everything by stepTime.
func (w *balls) step() {
	for i := range w.list {
		if b := &w.list[i]; !b.atRest {
			b.move()
		}
	}
}

func (b *ball) move() {
	b.linear[1] += gravity * stepTime
	for i := range b.position {
		b.linear[i] = min(max(b.linear[i], -mostSpeed), mostSpeed)
		b.position[i] += float64(b.linear[i] * stepTime)
	}
	for _, i := range [...]int{0, 2} {
		if side := yard - radius; math.Abs(b.position[i]) > side {
			b.position[i] = math.Copysign(side, b.position[i])
			b.linear[i] *= -0.6
		}
	}
	if b.position[1] <= radius {
		b.position[1] = radius
		b.land()
	}
	b.turn()
	if b.position[1] > radius || squares(b.linear[:]) > 0.01 {
		b.slow = 0
	} else if b.slow++; b.slow == 12 {
		b.linear, b.angular, b.atRest = vector{}, vector{}, true
	}
}

// land bounces a ball off the floor and makes it roll.
func (b *ball) land() {
	b.linear[1] *= -0.5
	if b.linear[1] < 0.4 {
		b.linear[1] = 0
	}
	b.linear[0] *= 0.97
	b.linear[2] *= 0.97
	b.angular = vector{b.linear[2] / radius, float64(b.angular[1] * 0.9), -b.linear[0] / radius}
}

// turn turns a ball by its angular velocity.
func (b *ball) turn() {
	const half = stepTime / 2
	q, x, y, z := b.rotation, float64(b.angular[0]*half), float64(b.angular[1]*half), float64(b.angular[2]*half)
	b.rotation = unit([4]float64{
		q[0] + float64(x*q[3]) + float64(y*q[2]) - float64(z*q[1]),
		q[1] + float64(y*q[3]) + float64(z*q[0]) - float64(x*q[2]),
		q[2] + float64(z*q[3]) + float64(x*q[1]) - float64(y*q[0]),
		q[3] - float64(x*q[0]) - float64(y*q[1]) - float64(z*q[2]),
	})
}

func (b *ball) codes() bodyCodes {
	c := bodyCodes{atRest: b.atRest}
	c.largest, c.parts = smallest3(b.rotation)
	for i := range 3 {
		c.position[i] = quantized(b.position[i], 1000, 0.001)
		c.linear[i] = quantized(b.linear[i], 10, 0.01)
		c.angular[i] = quantized(b.angular[i], 20, 0.01)
	}
	return c
}

// due are the balls to send: all that move, those that came to rest since the last time, and two of the others in turn,
// in case a packet was lost.
func (w *balls) due() []slotBody {
	var out []slotBody
	again := []int{w.turn % maxObjects, (w.turn + 37) % maxObjects}
	w.turn++
	for i := range w.list {
		b := &w.list[i]
		if b.atRest && b.told && !slices.Contains(again, i) {
			continue
		}
		b.told = b.atRest
		out = append(out, slotBody{uint64(i), b.codes()})
	}
	return out
}

// playGaffer is a server that tells a client about its world, 20 times a second, each time in another of the four ways,
// and a stranger in between.
func playGaffer(seed uint64, out *sink) {
	rng := rand.New(rand.NewPCG(seed, 0x4741))
	server := endpoint{[6]byte{2, 0, 0, 0, 9, 1}, []byte{10, 9, 0, 1}, 4001}
	client := endpoint{[6]byte{2, 0, 0, 0, 9, 10}, []byte{10, 9, 0, 10}, 52000}
	stranger := endpoint{[6]byte{2, 0, 0, 0, 9, 66}, []byte{10, 9, 0, 66}, 6666}
	world := newBalls(rng)
	var buf []byte
	for n := 0; !out.done(); n++ {
		for range stepsAScan {
			world.step()
		}
		if n%kickEvery == kickEvery-1 {
			world.kick()
		}
		bodies := world.due()
		buf = scene(buf, uint64(n%sceneKinds), bodies)
		p := packet{at: int64(n)*50_000 + rng.Int64N(4_000), from: &server, to: &client, payload: buf}
		for i := range bodies {
			if tie(bodies[i].parts) {
				p.want.note += "non-canonical"
			}
		}
		out.send(&p)
		if n%8 == 7 {
			f := sceneForgeries[n/8%len(sceneForgeries)]
			buf = f.make(buf)
			out.send(&packet{at: p.at + 20_000, from: &stranger, to: &server, payload: buf, want: verdict{f.want, f.path, f.bit, f.note}})
		}
	}
}
