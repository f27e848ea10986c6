package fuzz

import (
	"bytes"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Mutator knows, for one protocol, what to try in each field and what each attempt deserves. It is immutable and safe
// for concurrent use.
type Mutator struct {
	decoder   *decode.Decoder
	plan      *plan.Plan
	loose     *decode.Decoder // tells how much a packet announces, whatever limits it
	decided   [][]plan.StepID // of each leaf
	raised    *plan.Plan      // with one more of everything that has a most: to write what shall be refused for that
	seals     plan.Seals      // of all packets
	codes     [][]candidate   // of each leaf
	fields    []*field        // of each leaf as the schema has it, nil for what belongs to a type
	refused   []refusedCodes
	most      uint64                       // codes of a field that are tried, all of them
	steers    []bool                       // of each leaf: something else depends on its value
	sizes     []bool                       // of each leaf: it is the size of something
	narrows   []bool                       // of each leaf: it is the size of a window
	sizings   [][]plan.Sizing              // of each leaf
	units     map[int]int                  // the first leaf of a smallest-three quaternion: bits of a part
	tags      map[int][]*plan.Switch       // of each leaf that is a tag: the switches on it
	taggings  map[int][]tagging            // of each leaf that decides a tag: the switches without a default
	sees      bool                         // something looks at bits that have not been read
	names     bool                         // there are domain names, which may have pointers
	open      bool                         // the packet's end decides something (`rest`), so what another length does is not known
	bounds    map[int]*plan.Require        // of each leaf whose range other fields give
	equations map[plan.Point]plan.Equation // of each requirement that says what a leaf is
	encoder   sync.Pool                    // of *decode.Encoder
	traces    sync.Pool                    // of *traces
}

// NewMutator makes the Mutator of a protocol.
func NewMutator(d *decode.Decoder) *Mutator {
	p := d.Plan()
	n := len(p.Leaves)
	m := &Mutator{
		decoder: d, plan: p, equations: p.Equations(), bounds: bounding(p), raised: p.Raised(1, anyStep), seals: p.Seals(), codes: make([][]candidate, n), fields: make([]*field, n),
		refused: make([]refusedCodes, n), most: allCodes, steers: make([]bool, n), sizes: make([]bool, n), narrows: make([]bool, n), units: map[int]int{}, tags: tagged(p), taggings: taggings(p),
	}
	known := newKnown(p)
	m.encoder.New = func() any { return decode.NewEncoder(d) }
	m.traces.New = func() any { return new(traces) }
	for leaf := range p.Leaves {
		if p.Info[leaf].Writes() != plan.Sealed {
			m.fields[leaf] = fieldOf(p, leaf, known)
			m.codes[leaf] = candidates(p, leaf, known)
		}
	}
	for _, leaves := range p.RegisterLeaves {
		for _, leaf := range leaves {
			m.steers[leaf] = true
		}
	}
	for leaf := range m.tags {
		m.steers[leaf] = true
	}
	m.sizings, m.decided, m.loose = p.Sizings(), p.Decided(), decode.New(p.Loose(loosest))
	for leaf, s := range m.sizings {
		m.sizes[leaf] = len(s) > 0
		for _, z := range s {
			m.narrows[leaf] = m.narrows[leaf] || isWindow(p.StepAt(z.Point))
		}
		m.steers[leaf] = m.steers[leaf] || m.sizes[leaf]
	}
	m.open, m.sees, m.names = p.ReadsAhead(), p.SeesBits(), slices.ContainsFunc(p.Steps, isName)
	for _, s := range p.Steps {
		if test, ok := s.(*plan.If); ok {
			if o := &p.Operands[test.Cond]; o.Kind == plan.OperandLeaf {
				m.steers[p.LeafOf(o, test.ID)] = true
			}
		} else if unit, ok := s.(*plan.Unit); ok {
			m.units[int(unit.First)] = int(unit.Bits)
			for i := range uint32(4) {
				m.steers[unit.First+i] = true
			}
		} else if b, ok := s.(*plan.Blob); ok {
			m.open = m.open || b.Rest
		} else if list, ok := s.(*plan.List); ok {
			m.open = m.open || list.Kind == plan.ListRest
		}
	}
	return m
}

// Mutations yields, of a packet that the protocol accepts, in the order of its fields:
//
//   - the packet cut at every byte;
//   - each field at min-1, min, max and max+1 of what it may hold, at the edges of every part of a set, next to every
//     enum case, with each undefined flag, at zero and at all ones: the codes that exist in its width;
//   - every bit of every check, of reserved bits and of padding flipped; text after a NUL;
//   - every bit of the checksum flipped;
//   - one to eight bytes too many.
//
// A packet that is refused has none. The sequence depends on nothing but the protocol, the packet and its sender, and
// needs memory for one packet.
func (m *Mutator) Mutations(packet []byte, from decode.Direction) iter.Seq[*Mutation] {
	return m.enumerate(packet, from, nil, nil)
}

// Enumerate is Mutations with every code that a field may not hold, and of a tag every one that has no arm: all of them
// where they are at most 1,024, else those at the edges of ranges, of cases and of bits, and a sample. What seen has is
// left out, and what is yielded is added to it: each field is enumerated where it stands alone, and in arrays at the
// first, a middle and the last element, once for all packets together; with all its codes once, at other places with a
// sample of more than 64. What samples leave out is counted (Mutation.LeftOut).
func (m *Mutator) Enumerate(packet []byte, from decode.Direction, seen Dedup) iter.Seq[*Mutation] {
	return m.enumerate(packet, from, seen, nil)
}

func (m *Mutator) enumerate(packet []byte, from decode.Direction, seen Dedup, random *rand.Rand) iter.Seq[*Mutation] {
	return func(yield func(*Mutation) bool) {
		traces := m.traces.Get().(*traces)
		defer m.traces.Put(traces)
		r := &mutating{Mutator: m, traces: traces, packet: packet, from: from, yield: yield, seen: seen, random: random}
		if m.sees {
			r.trace.RecordPath()
		}
		if m.decoder.Decode(packet, from, &r.trace) != nil {
			return
		}
		r.seals = sealsOf(&r.trace, m.seals)
		r.points()
		r.buf = make([]byte, 0, len(packet)+8)
		r.broken = r.encoder.Get().(*decode.Encoder)
		defer r.encoder.Put(r.broken)
		_, err := r.broken.Append(r.buf, decode.Replay(&r.trace), from)
		r.blind = err != nil
		r.gaps = append(r.gaps, r.broken.Gaps()...)
		r.lastList = lastList(&r.trace)
		for ev := range r.trace.Walk() {
			switch ev.Kind {
			case decode.Open:
				r.counts = append(r.counts, ev.Count)
			case decode.Close:
				r.counts = r.counts[:len(r.counts)-1]
			default:
				if !r.passed(ev) && !r.event(ev) {
					return
				}
			}
		}
		r.mute = r.seen != nil && !r.anew
		r.muteCuts = r.mute
		r.node = plan.NoNode
		_ = r.padding(r.trace.Bits) && r.tail() && r.covered() && r.sights()
	}
}

// traces are what one run of Mutations decodes into. They are used again: 22 KB for each packet are more than all else
// of it.
type traces struct {
	trace    decode.Trace
	short    decode.Trace // of a packet with a window cut short
	related  decode.Trace
	repaired decode.Trace
	asked    decode.Trace // of the loose plan
}

// mutating is one run of Mutations. Its methods report whether to go on.
type mutating struct {
	*Mutator
	*traces
	seals    plan.Seals // of this packet
	packet   []byte
	from     decode.Direction
	yield    func(*Mutation) bool
	seen     Dedup      // nil: everything, but no code by code enumeration
	random   *rand.Rand // of a sample, else nil
	mute     bool       // the place at hand has been enumerated
	muteCuts bool       // its cuts have been, too
	anew     bool       // some place was new
	again    bool       // the field at hand was tried with its codes at another place
	bare     bool       // the field at hand is tried with a sample of the tags without an arm
	left     uint64     // packets that a sample leaves out, until one is given that says so
	buf      []byte
	moved    []byte
	path     []byte
	node     plan.NodeID
	counts   []int // elements of each struct or array that is open
	lastList int32 // record of the list that the packet's last bits are in; -1 of none
	out      Mutation
	width    int // of the field that is set
	sampled  bool
	cut      int          // bytes: next place to cut at
	gaps     []decode.Gap // of this packet
	gap      int          // the next one
	blind    bool         // the gaps are not known, so nothing is claimed
	scratch  []byte
	length   int    // bit of the length before a text
	pointed  []span // the own bytes of names that end with a pointer
	text     []byte
	broken   *decode.Encoder
	over     []decode.Override
	env      plan.Env // of what follows from a leaf
}

// copyPacket is a copy of the packet to break.
func (r *mutating) copyPacket() []byte {
	r.buf = append(r.buf[:0], r.packet...)
	return r.buf
}

// repair makes the checksums right. What was changed can move some of them, or where a window ends that they cover:
// these are where a reader finds them wrong.
func (r *mutating) repair(data []byte) {
	r.seals.Repair(data, -1)
	if len(r.Mutator.seals) == len(r.plan.Checksums) {
		return
	}
	for range schema.MaxSums {
		if r.decoder.Decode(data, r.from, &r.repaired) == nil || r.repaired.Reject().Kind != reject.CRCMismatch {
			return
		}
		t := &r.repaired
		t.Seals[len(t.Seals)-1:].Repair(data, -1)
	}
}

// give repairs the checksums and hands a mutation on.
func (r *mutating) give(class Class, data []byte, path, done string, bit int, code uint64, want oracle.Expectation) bool {
	r.repair(data)
	return r.giveAsIs(class, data, path, done, bit, code, want)
}

func (r *mutating) giveAsIs(class Class, data []byte, path, done string, bit int, code uint64, want oracle.Expectation) bool {
	if r.mute || bytes.Equal(data, r.packet) {
		return true
	}
	if r.blind || r.open && len(data) != len(r.packet) || r.sees && r.looked(data) || r.misled(data) {
		want = oracle.Expectation{}
	}
	r.out = Mutation{Data: data, Class: class, Node: r.node, Path: path, Done: done, Bit: bit, Width: r.width, Code: code, Sampled: r.sampled, LeftOut: r.left, Expect: want}
	r.left = 0
	if !r.yield(&r.out) {
		return false
	}
	if len(data) == len(r.packet) || !r.relate(data) {
		return true
	}
	r.out.Done += ", and a field that says so"
	r.out.LeftOut = 0
	return r.yield(&r.out)
}

// looked reports whether a look saw bits that are others in data: what it decides about is not known then.
func (r *mutating) looked(data []byte) bool {
	for i := range r.trace.Sights {
		s := &r.trace.Sights[i]
		from, to := s.Bits()
		for at := from; at < to; at++ {
			if s.Order.Load(data, at, 1) != s.Order.Load(r.packet, at, 1) {
				return true
			}
		}
	}
	return false
}

// refused is the expectation of a reject.
func refused(kind reject.Kind, path string, bit, width int) oracle.Expectation {
	return oracle.Expectation{Verdict: oracle.MustReject, Kind: kind, Path: path, Bit: bit, Width: width}
}

var accepted = oracle.Expectation{Verdict: oracle.MustAccept}

// event takes one field of the packet.
func (r *mutating) event(ev *decode.Event) bool {
	r.path = r.eventPath(r.path[:0], ev)
	path := string(r.path)
	r.node = ev.Node
	if ev.Cut() { // not all its bits are there to be set
		return r.padding(ev.Bit) && r.pieces(ev, path)
	}
	r.visit(ev)
	if !r.padding(ev.Bit) || !r.pieces(ev, path) {
		return false
	}
	switch {
	case ev.Kind == decode.Blob:
		return r.blob(ev, path)
	case ev.Leaf < 0:
		return r.reserved(ev, path)
	}
	info := &r.plan.Info[ev.Leaf]
	reader := r.plan.Reader(ev.Leaf)
	switch order := reader.At().Order; {
	case info.Writes() == plan.Given:
	case info.Check != nil:
		return r.flips(classCheck, path, ev.Bit, ev.Width, order, refused(reject.CheckMismatch, path, ev.Bit, ev.Width))
	case info.Writes() == plan.Sealed:
		return r.checksum(ev, path, order)
	default:
		return r.reserved(ev, path)
	}
	r.length = ev.Bit
	if !r.bounded(ev, path) {
		return false
	}
	if n, ok := reader.(*plan.Number); ok {
		return r.number(ev, path, n)
	}
	return r.unit(ev, path) && r.values(ev, path) && r.counted(ev, path) && r.announced(ev, path) && r.bodied(ev, path) && r.relabelled(ev, path) && r.unlabelled(ev, path) && r.unused(ev, path)
}
