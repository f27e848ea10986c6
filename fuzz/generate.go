package fuzz

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz/coverage"
)

// Generator makes valid packets of a protocol: random ones, and ones at the boundaries of every field. The same seed
// gives the same packets. It reuses its memory, so it is not for two goroutines at once; each can have its own, and
// packet n of a seed is the same in all of them.
type Generator struct {
	decoder *decode.Decoder
	plan    *plan.Plan
	encoder *decode.Encoder
	leaves  []choices
	known   *known
	ways    map[plan.StepID]way // to the first steps of some blocks
	kept    int                 // codes in ways
	must    constraint          // tags: only codes that some arm takes
	pool    []uint64            // numbers that expressions hold
	goals   []goal
	sizings [][]plan.Sizing // of each leaf
	groups  map[int]*group  // of leaves that requirements tie together
	usual   map[int]*group  // the same in elements of a list before number from
	from    uint32
	terms   *coverage.Terms
	lines   *lines
	rooms   *coverage.Rooms
	stretch map[plan.StepID]plan.StepID // of each window: what in it can be made longer
	fills   map[int]bool                // leaves in windows that are filled with zeros: of each the first one
	parts   map[int]bool                // leaves that are a part of a smallest-three quaternion
	closers map[int]bool                // leaves that close what a look ended
	found   decode.Trace
	source  generating
	tried   int   // packets begun
	last    error // of the last that could not be made
}

// Packet is a packet that was made.
type Packet struct {
	Data []byte // valid until the next one
	From decode.Direction
	Node plan.NodeID // whose boundary it holds; NoNode of a random one
	Why  string      // the boundary that it holds: "body<Snapshot>.players[].health: max"; "" for a random one
}

// NewGenerator makes the Generator of a protocol.
func NewGenerator(d *decode.Decoder) *Generator {
	p := d.Plan()
	g := &Generator{decoder: d, plan: p, encoder: decode.NewEncoder(d), pool: p.Constants(), must: constraint{}, parts: map[int]bool{}, known: newKnown(p), ways: map[plan.StepID]way{}, terms: coverage.NewTerms(p)}
	g.found.RecordPath()
	g.stretch, g.fills, g.closers = g.stretchable(), g.filled(), g.closing()
	g.lines = newLines(g.terms)
	g.rooms = coverage.NewRooms(g.terms)
	g.pool = g.pool[:min(len(g.pool), g.known.most)]
	g.leaves = make([]choices, len(p.Leaves))
	g.sizings = p.Sizings()
	tags := tagged(p)
	for leaf := range p.Leaves {
		g.leaves[leaf] = g.choicesOf(leaf, g.sizings[leaf], tags[leaf])
	}
	for _, s := range p.Steps {
		if unit, ok := s.(*plan.Unit); ok {
			for i := range 3 {
				g.parts[int(unit.First)+1+i] = true
			}
		} else if sw, ok := s.(*plan.Switch); ok {
			g.must.add(g, sw.ID, sw.Tag, nil, func(v uint64) bool { return sw.Find(p.Operands[sw.Tag].Key(v)) >= 0 })
		}
	}
	g.goals = g.allGoals()
	g.groups = g.groupsWith(nil, nil, nil)
	g.source.g, g.source.fixed = g, map[int]uint64{}
	return g
}

// Codes are the codes of a leaf that are worth a try. Each is allowed by itself; the caller does not change them.
func (g *Generator) Codes(leaf int) []uint64 { return g.leaves[leaf].all }

// Allowed is the code nearest to start, in the direction of step and else in the other, that the rule of the asked leaf
// allows.
func (g *Generator) Allowed(a *decode.Query, start uint64, step int) uint64 {
	return g.source.allowed(a, start, step)
}

// tries bounds how often a packet is begun anew because what was chosen broke a relation between fields.
const tries = 400

// Random is random packet number n of a seed. The error says what kept breaking it: a relation that random values do
// not meet.
func (g *Generator) Random(seed, n uint64) (Packet, error) {
	return g.random(context.Background(), seed, n)
}

// random is Random until ctx ends: what breaks a packet can take long to be met.
func (g *Generator) random(ctx context.Context, seed, n uint64) (Packet, error) {
	var last error
	for try := range uint64(tries) {
		if err := ctx.Err(); err != nil {
			return Packet{}, err
		}
		r := rand.New(rand.NewPCG(seed, n<<16|try))
		var to *goal
		if len(g.goals) > 0 {
			to = &g.goals[r.IntN(len(g.goals))] // somewhere: so that every branch has its share
		}
		p, err := g.make(r, to, false)
		if err == nil {
			return p, nil
		}
		last = err
	}
	return Packet{}, fmt.Errorf("no valid packet in %d tries, at last: %w", tries, last)
}

// Missed is a boundary that no packet was found for.
type Missed struct {
	Why string // as in Packet
	Err error  // of the last try
}

// Boundaries makes a packet for every boundary of every field: the least and the greatest value, the ends of every
// range of a rule, every case of an enum, empty and full lists and texts. It calls miss, which may be nil, for those
// that no valid packet was found for, such as a list that is longer than a datagram.
func (g *Generator) Boundaries(seed uint64, miss func(Missed)) iter.Seq[Packet] {
	return g.boundaries(context.Background(), seed, miss)
}

// boundaries is Boundaries until ctx ends: a schema can have a million goals that no packet meets.
func (g *Generator) boundaries(ctx context.Context, seed uint64, miss func(Missed)) iter.Seq[Packet] {
	return func(yield func(Packet) bool) {
		for i := range g.goals {
			p, err := g.boundary(ctx, seed, i)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				if miss != nil {
					miss(Missed{g.goals[i].why, err})
				}
				continue
			}
			if !yield(p) {
				return
			}
		}
	}
}

var errNotMet = errors.New("the packets that were found do not have the field, or not with this value")

func (g *Generator) boundary(ctx context.Context, seed uint64, i int) (Packet, error) {
	to := &g.goals[i]
	last, long := error(errNotMet), error(nil)
	other, tooLong := false, 0 // other: one was not too long
	for try := range uint64(tries) {
		if err := ctx.Err(); err != nil {
			return Packet{}, err
		}
		r := rand.New(rand.NewPCG(^seed, uint64(i)<<16|try))
		p, err := g.make(r, to, true)
		var e *decode.EncodeError
		switch {
		case errors.As(err, &e) && e.Kind == reject.DatagramSize:
			// It does not become shorter.
			if long, tooLong = err, tooLong+1; tooLong > 20 && !other || tooLong > 80 {
				return Packet{}, long
			}
			continue
		case err != nil:
			last = err
		case g.source.met:
			p.Why, p.Node = to.why, to.node
			return p, nil
		}
		other = true
	}
	if !other {
		last = long
	}
	return Packet{}, last
}

// make makes one packet on the way to a goal; hold says that the goal's field shall have the goal's value.
func (g *Generator) make(r *rand.Rand, to *goal, hold bool) (Packet, error) {
	return g.finish(g.begin(r, to, hold))
}

// finish makes the packet that has been begun.
func (g *Generator) finish(from decode.Direction) (Packet, error) {
	packet, err := g.encoder.Append(g.source.buf[:0], &g.source, from)
	if err != nil {
		g.last = err
		return Packet{}, err
	}
	g.source.buf = packet
	// Who may send it shows in the notes.
	for _, by := range []decode.Direction{from, decode.Client + decode.Server - from, decode.FromUnknown} {
		if g.decoder.Decode(packet, by, &g.found) == nil && !wrongDirection(&g.found) {
			if err := g.found.JudgePieces(); err != nil {
				g.last = g.found.Reject().Clone()
				return Packet{}, g.last
			}
			return Packet{Data: packet, From: by, Node: plan.NoNode}, nil
		}
	}
	g.last = errors.New("no side may send all of the packet: one part is the client's, another the server's")
	return Packet{}, g.last
}

// begin begins a packet, and says who shall send it.
func (g *Generator) begin(r *rand.Rand, to *goal, hold bool) decode.Direction {
	g.tried++
	s := &g.source
	s.random, s.goal, s.hold, s.met, s.way = r, to, hold, false, way{nil, g.groups}
	clear(s.fixed)
	clear(s.grown)
	if to != nil && to.to != plan.NoStep {
		s.way = g.wayTo(to.to)
	}
	// The same choices again in every pass of the encoder.
	s.seed = [2]uint64{r.Uint64(), r.Uint64()}
	return decode.Direction(1 + r.IntN(2))
}

func wrongDirection(t *decode.Trace) bool {
	for i := range t.Notes {
		if t.Notes[i].Kind == reject.WrongDirection {
			return true
		}
	}
	return false
}
