package fuzz

import (
	"context"
	"math/rand/v2"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz/coverage"
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

// Hunt hunts for what no packet was refused by, as an audit that met nothing would. It says how many packets were found
// and what that took.
func (a *Audit) Hunt(ctx context.Context) (found, work int) {
	h := a.enumeration().newHunter(coverage.New(a.Decoder.Plan()))
	for range h.attacks(ctx) {
		found++
	}
	return found, h.work
}

// MostHunted is what a hunt takes at most: the last packet counts whole.
const MostHunted = huntWork + workPerBase + 1 + (schema.MaxUDPPayload+1)/bytesPerWork

// Enumerated are the packets of an audit, in rounds that have so many bytes for packets that wait, or in their order.
func (a *Audit) Enumerated(ctx context.Context, rounds bool, room int) (packets []string) {
	e := a.enumeration()
	e.room = room
	order := e.attacks
	if rounds {
		order = e.rounds
	}
	for at := range order(ctx) {
		packets = append(packets, string(at.Data)+at.from.String()+at.What())
	}
	return packets
}
