package fuzz

import (
	"context"
	"math/rand/v2"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// Tries is how many tries random packet number n takes.
func (g *Generator) Tries(seed, n uint64) (int, error) {
	var err error
	for try := range tries {
		r := rand.New(rand.NewPCG(seed, n<<16|uint64(try)))
		if _, err = g.make(r, &g.goals[r.IntN(len(g.goals))], false); err == nil {
			return try + 1, nil
		}
	}
	return tries, err
}

// Fits reports whether the path of a trace leads where it says: every choice in it, and what refuses the packet, is in the block
// that the choice around it went into.
func (c *Coverage) Fits(t *decode.Trace) bool {
	p := c.points.p
	last := map[plan.StepID]int32{}
	led := func(id plan.StepID) bool {
		for _, turn := range p.Around(id) {
			if way, ok := last[turn.At.At().ID]; turn.At.Flow() == plan.Choose && (!ok || int(way) != turn.Block) {
				return false
			}
		}
		return true
	}
	for _, w := range t.Path {
		if last[w.Step] = w.Way; !led(w.Step) {
			return false
		}
	}
	o := c.RefusalOf(t)
	return o < 0 && !t.Rejected() || o >= 0 && (c.points.refusals.list[o].Step == plan.NoStep || led(c.points.refusals.list[o].Step))
}

// Disproved names what was reached although it is said to be out of reach.
func (c *Coverage) Disproved() []string {
	var names []string
	for at := range c.points.pairs {
		if c.points.possible[at/64]>>(at%64)&1 == 0 && c.has(at) {
			names = append(names, c.points.name(at))
		}
	}
	return names
}

// Kept is how many codes are held for all leaves together before the first packet.
func (m *Mutator) Kept() (n int) {
	for leaf := range m.codes {
		n += len(m.codes[leaf]) + len(m.refused[leaf].codes)
	}
	return n
}

// Kept is how many codes, boundaries and ways are held.
func (g *Generator) Kept() (n int) {
	for leaf := range g.leaves {
		n += len(g.leaves[leaf].all) + len(g.leaves[leaf].edges)
	}
	return n + len(g.goals) + g.kept
}

// AllKept is about what they may hold.
const AllKept = allKept

// Hunt hunts for what no packet was refused by, as an audit that met nothing would. It says how many packets were found and what
// that took.
func (a *Audit) Hunt(ctx context.Context) (found, work int) {
	h := a.newHunter(NewCoverage(a.Decoder.Plan()))
	for range h.attacks(ctx) {
		found++
	}
	return found, h.work
}

// MostHunted is what a hunt takes at most: the last packet counts whole.
const MostHunted = huntWork + workPerBase + 1 + (maxUDP+1)/bytesPerWork
