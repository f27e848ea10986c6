package stats

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// DistinctError is the standard error of the number of peers that is estimated where they are too many to keep.
const DistinctError = 1.04 / 32

// distinct estimates how many different peers there were (HyperLogLog: Flajolet, Fusy, Gandouet, Meunier 2007), in 1
// KiB however many.
type distinct struct {
	rank [1024]uint8
}

const maxRank = 64 - 10 + 1

func (d *distinct) add(hash uint64) {
	at := hash >> 54
	rank := uint8(bits.LeadingZeros64(hash<<10|1<<9) + 1)
	d.rank[at] = max(d.rank[at], rank)
}

func (d *distinct) merge(o *distinct) {
	for i, r := range o.rank {
		d.rank[i] = max(d.rank[i], r)
	}
}

// estimate is about how many.
func (d *distinct) estimate() uint64 {
	const m = float64(len(d.rank))
	sum, empty := 0.0, 0
	for _, r := range d.rank {
		sum += math.Ldexp(1, -int(r))
		if r == 0 {
			empty++
		}
	}
	e := 0.7213 / (1 + 1.079/m) * m * m / sum
	if e <= 2.5*m && empty > 0 {
		e = m * math.Log(m/float64(empty))
	}
	return uint64(e + 0.5)
}

func (d *distinct) code(c *coder) {
	// Runs of equal ranks: there are few peers as a rule.
	for i := 0; i < len(d.rank); {
		n := uint64(1)
		for i+int(n) < len(d.rank) && d.rank[i+int(n)] == d.rank[i] {
			n++
		}
		c.uint(&n, uint64(len(d.rank)-i))
		r := d.rank[i]
		c.byte(&r, maxRank)
		c.check(n > 0, "the peers of the saved part cannot be counted")
		if c.err != nil {
			return
		}
		for range n {
			d.rank[i] = r
			i++
		}
	}
}

// hashOf mixes two addresses with their ports, and what else tells their flow. It has to be the same in every process, because estimates are merged;
// what an attacker gains by making collisions is a wrong estimate and a slower cache.
func hashOf(k peerKey) uint64 {
	a, b := k.peer, k.other
	x, y := a.Addr().As16(), b.Addr().As16()
	h := mix(binary.LittleEndian.Uint64(x[:8]) ^ uint64(a.Port())<<48)
	h = mix(h ^ binary.LittleEndian.Uint64(x[8:]))
	h = mix(h ^ binary.LittleEndian.Uint64(y[:8]) ^ uint64(b.Port())<<48)
	h = mix(h ^ binary.LittleEndian.Uint64(y[8:]))
	if k.by != 0 {
		h = mix(h ^ k.by)
	}
	return h
}

// mix is the finaliser of splitmix64.
func mix(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
