package stats

import "github.com/pktscope/pktscope/report/saved"

// SequenceCounts is what became of the values of a counter (@seq) that accepted packets carried, each sender to each
// receiver by itself.
type SequenceCounts struct {
	Received uint64 `json:"received"`
	// Lost values were skipped and did not come later either.
	Lost       uint64 `json:"lost"`
	Duplicated uint64 `json:"duplicated"`
	// Reordered values came behind a larger one, up to 63 behind; they are not lost.
	Reordered uint64 `json:"reordered"`
	// Strays are far from where the counter was: more than 1,024 ahead or 63 behind. They are no loss.
	Strays uint64 `json:"strays"`
	// Restarts are two such values that follow each other: from there the counter goes on.
	Restarts uint64 `json:"restarts"`
	// Unsettled borders between two parts could not be followed exactly: a part began with a flood of one value or with
	// packets in an order beyond what its edge keeps.
	Unsettled uint64 `json:"unsettled,omitempty"`
}

func (s *SequenceCounts) merge(o *SequenceCounts) {
	s.Received += o.Received
	s.Lost += o.Lost
	s.Duplicated += o.Duplicated
	s.Reordered += o.Reordered
	s.Strays += o.Strays
	s.Restarts += o.Restarts
	s.Unsettled += o.Unsettled
}

// since is what was counted after o. Lost can be "negative": a value that was missing then has come.
func (s SequenceCounts) since(o SequenceCounts) SequenceCounts {
	return SequenceCounts{
		Received: s.Received - o.Received, Lost: s.Lost - o.Lost, Duplicated: s.Duplicated - o.Duplicated,
		Reordered: s.Reordered - o.Reordered, Strays: s.Strays - o.Strays, Restarts: s.Restarts - o.Restarts,
		Unsettled: s.Unsettled - o.Unsettled,
	}
}

func (s *SequenceCounts) code(c *coder) {
	c.uint(&s.Received, saved.MaxCount)
	c.uint(&s.Lost, 1024*saved.MaxCount)
	c.uint(&s.Duplicated, saved.MaxCount)
	c.uint(&s.Reordered, saved.MaxCount)
	c.uint(&s.Strays, saved.MaxCount)
	c.uint(&s.Restarts, saved.MaxCount)
	c.uint(&s.Unsettled, saved.MaxCount)
}

const (
	maxJump     = 1024 // ahead that is loss and not another counter
	maxBehind   = 63
	settled     = 128 // values that a counter advances until nothing before matters any more
	maxSeqEdge  = 256 // values that an edge keeps
	windowWidth = 64
)

// sequence follows one counter of one sender to one receiver.
//
// It can be continued by a part that was counted elsewhere. What a counter's first values mean depends on what came
// before them, so they are kept (edge) until the counter has advanced so far that nothing of before is left in its
// state; merging counts them again behind what was before, and then adds what was counted after them.
type sequence struct {
	counts SequenceCounts
	state  seqState
	edge   []uint64
	// What holds behind the edge; valid iff closed.
	closed     bool
	edgeState  seqState
	edgeCounts SequenceCounts
	advanced   uint64 // since the counter was begun or restarted; while not closed
}

// seqState is all that decides what the next value means.
//
// Invariants: begun, else all is zero; bit 0 of seen is set; no bit is in both.
type seqState struct {
	begun    bool
	astray   bool
	high     uint64 // the largest value
	seen     uint64 // bit i: high-i came
	missing  uint64 // bit i: high-i is counted as lost
	expected uint64 // valid iff astray: what follows the stray value
}

// add counts a value; modulus is how many values the counter has, 0 for 2^64.
func (s *sequence) add(v, modulus uint64) {
	s.count(v, modulus)
	if s.closed {
		return
	}
	s.edge = append(s.edge, v)
	if s.advanced >= settled || len(s.edge) == maxSeqEdge {
		s.close()
	}
}

func (s *sequence) close() {
	s.closed, s.edgeState, s.edgeCounts = true, s.state, s.counts
}

func (s *sequence) count(v, modulus uint64) {
	st, n := &s.state, &s.counts
	n.Received++
	if !st.begun {
		*st = seqState{begun: true, high: v, seen: 1}
		s.advanced = 0
		return
	}
	// A step of half the values is one ahead.
	ahead, behind := v-st.high, st.high-v
	half := uint64(1 << 63)
	if modulus != 0 {
		half = modulus / 2
		if v < st.high {
			ahead = modulus - behind
		} else if ahead > 0 {
			behind = modulus - ahead
		}
	}
	switch {
	case ahead == 0:
		n.Duplicated++
	case ahead <= min(half, maxJump):
		n.Lost += ahead - 1
		st.high, st.astray, st.expected = v, false, 0
		if ahead < windowWidth {
			st.seen = st.seen<<ahead | 1
			st.missing = st.missing<<ahead | (1<<(ahead-1)-1)<<1
		} else {
			st.seen, st.missing = 1, ^uint64(1)
		}
		s.advanced += ahead
	case ahead > half && behind <= maxBehind:
		bit := uint64(1) << behind
		switch {
		case st.seen&bit != 0:
			n.Duplicated++
		case st.missing&bit != 0:
			n.Lost = max(n.Lost, 1) - 1
			n.Reordered++
		default: // from before the first
			n.Reordered++
		}
		st.seen |= bit
		st.missing &^= bit
	case st.astray && v == st.expected:
		n.Strays = max(n.Strays, 1) - 1
		n.Restarts++
		*st = seqState{begun: true, high: v, seen: 3}
		s.advanced = 0
	default:
		n.Strays++
		st.astray, st.expected = true, v+1
		if modulus != 0 && st.expected == modulus {
			st.expected = 0
		}
	}
}

// merge continues s with what another part counted behind it.
func (s *sequence) merge(o *sequence, modulus uint64) {
	if !o.state.begun {
		return
	}
	for _, v := range o.edge {
		s.add(v, modulus)
	}
	if !o.closed {
		return
	}
	if !s.closed {
		s.close()
	}
	after := o.counts.since(o.edgeCounts)
	if s.state != o.edgeState {
		after.Unsettled++
	}
	s.counts.merge(&after)
	if int64(s.counts.Lost) < 0 { // not settled, or a part that tells lies
		s.counts.Lost = 0
	}
	s.state = o.state
}

func (s *sequence) code(c *coder, modulus uint64) {
	s.counts.code(c)
	s.state.code(c, modulus)
	c.bool(&s.closed)
	if s.closed {
		s.edgeCounts.code(c)
		s.edgeState.code(c, modulus)
	} else {
		c.uint(&s.advanced, settled)
	}
	n := c.length(len(s.edge), maxSeqEdge, 1)
	if !c.writing {
		s.edge = make([]uint64, n)
	}
	last := uint64(0)
	for i := range s.edge {
		step := int64(s.edge[i] - last)
		c.int(&step)
		s.edge[i] = last + uint64(step)
		last = s.edge[i]
		c.check(modulus == 0 || last < modulus, "a counter has a value that it cannot have")
	}
}

func (s *seqState) code(c *coder, modulus uint64) {
	c.bool(&s.begun)
	if !s.begun {
		return
	}
	most := modulus - 1 // all ones for 0
	c.bool(&s.astray)
	c.uint(&s.high, most)
	c.uint(&s.seen, ^uint64(0))
	c.uint(&s.missing, ^uint64(0))
	c.check(s.seen&1 == 1 && s.seen&s.missing == 0, "a counter's state cannot be")
	if s.astray {
		c.uint(&s.expected, most)
	}
}
