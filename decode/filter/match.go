package filter

import (
	"bytes"
	"math"
	"net/netip"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/wire"
)

// ternary is the outcome of a condition. The order makes && the smaller and || the larger of two.
type ternary uint8

const (
	no ternary = iota
	unknown
	yes
)

func truthOf(b bool) ternary {
	if b {
		return yes
	}
	return no
}

// slot is one value of the packet at hand. v is a key, a float's bits, the number of a span, or an envID.
type slot struct {
	v  uint64
	ok bool
}

// memo is the result of a closure that is computed once a packet.
type memo struct {
	known  bool
	truth  ternary
	number number
}

// Matcher runs a Program over one packet after the other. It is not for two goroutines at once.
type Matcher struct {
	prog  *Program
	trace *decode.Trace
	pkt   *decode.Envelope

	slots   []slot
	filled  bool // the packet's own slots
	memos   []memo
	noteAt  int
	texts   [envNoteBit + 1][]byte
	built   [envNoteBit + 1]bool
	bytes   [2][]byte        // bytes that do not begin on a byte
	brought []decode.Message // by the packet
	inner   [][]*Matcher     // of Program.messages
	message decode.Envelope  // of a message
	steps   int              // nodes and actions of the last Match: never above Program.Work, which a test holds it to
}

// NewMatcher makes a matcher.
func (p *Program) NewMatcher() *Matcher {
	return &Matcher{prog: p, slots: make([]slot, p.slots), memos: make([]memo, p.memos)}
}

// Match reports whether the filter is true for a packet: false and unknown are both no match. t is a trace of the plan
// that the filter was compiled for, accepted or refused; pkt is what the capture says about it. Match allocates nothing
// but, where the filter asks for reject.want or reject.got, those texts.
func (m *Matcher) Match(t *decode.Trace, pkt *decode.Envelope) bool {
	if t.Plan != m.prog.plan {
		panic("pktscope: internal error: a filter got a packet of another plan")
	}
	m.trace, m.pkt, m.steps = t, pkt, 0
	m.filled = !m.prog.frames[0].any
	if len(m.memos) > 0 {
		clear(m.memos)
	}
	m.built = [len(m.built)]bool{}
	if len(m.prog.env) > 0 {
		m.fillEnvelope()
	}
	matched := m.eval(m.prog.root) == yes
	m.trace, m.pkt, m.brought = nil, nil, nil
	return matched
}

// at is a slot; the pass over the trace is made when the first field is asked for, which many packets are spared.
func (m *Matcher) at(i int32) *slot {
	if !m.filled && i >= m.prog.envSlots {
		m.fill()
	}
	return &m.slots[i]
}

// fill puts the packet's own fields into their slots, in one pass over the trace.
func (m *Matcher) fill() {
	m.filled = true
	f := &m.prog.frames[0]
	clear(m.slots[f.slots:f.end])
	spans := m.trace.Records
	for i := range spans {
		if at := uint32(spans[i].Point - f.first); at < uint32(len(f.table)) && f.table[at] != 0 {
			m.act(f.table[at]-1, i, -1)
		}
	}
}

// act does what one span asks for. base is the span of the frame's list, -1 for the packet.
func (m *Matcher) act(at int32, span int, base int32) {
	spans := m.trace.Records
	s := &spans[span]
	for {
		a := &m.prog.acts[at]
		m.steps++
		if a.direct && s.Parent == base || !a.direct && m.leads(a.chain, s, base) {
			m.store(a, s, span)
		}
		if a.last {
			return
		}
		at++
	}
}

// leads reports whether the indexes lead from the frame to the span.
func (m *Matcher) leads(chain []uint32, s *decode.Record, base int32) bool {
	for _, index := range chain {
		if s.Parent < 0 || s.Parent == base || s.Index != index {
			return false
		}
		s = &m.trace.Records[s.Parent]
	}
	return s.Parent == base
}

func (m *Matcher) store(a *action, s *decode.Record, span int) {
	to := &m.slots[a.slot]
	if a.conv <= convPresent {
		to.v, to.ok = uint64(span), true
		return
	}
	if !a.kind.holds(m.trace, s, a.off) {
		return
	}
	code := m.trace.Raw[s.Raw+a.off]
	switch a.conv {
	case convUint:
		code += a.base
	case convInt:
		code = uint64(wire.SignExtend(code, int(a.width))) ^ signBit
	case convNegative:
		code = (code + a.base) ^ signBit
	case convFloat32:
		code = math.Float64bits(float64(math.Float32frombits(uint32(code))))
	case convQuant:
		code = math.Float64bits(m.prog.plan.Info[a.leaf].Float(code, int(a.width)))
	case convNumber:
		info := &m.prog.plan.Info[a.leaf]
		if code = info.Value(code, int(s.N)); info.IsSigned() {
			code ^= signBit
		}
	}
	to.v, to.ok = code, true
}

// eval computes a condition.
func (m *Matcher) eval(i int32) ternary {
	n := &m.prog.nodes[i]
	m.steps++
	switch n.op {
	case opRange:
		if s := m.at(n.a); s.ok {
			return truthOf((s.v >= n.lo && s.v <= n.hi) != n.not)
		}
		return unknown
	case opAnd:
		a := m.eval(n.a)
		if a == no {
			return no
		}
		return min(a, m.eval(n.b))
	case opOr:
		a := m.eval(n.a)
		if a == yes {
			return yes
		}
		return max(a, m.eval(n.b))
	case opNot:
		return yes - m.eval(n.a)
	case opConst:
		return ternary(n.lo)
	case opEither:
		if a := m.eval(n.a); a != unknown {
			return a
		}
		return m.eval(n.b)
	case opPresent:
		return truthOf(m.at(n.a).ok != n.not)
	case opMessage:
		return m.someMessage(n.a)
	case opQuantified:
		return m.quantified(&m.prog.quants[n.a]).truth
	case opCompare:
		a, b := m.number(n.a), m.number(n.b)
		if a.kind == unknownNumber || b.kind == unknownNumber {
			return unknown
		}
		return truthOf(order(n.lo)&a.order(b) != 0)
	case opSame:
		a, b := m.eval(n.a), m.eval(n.b)
		if a == unknown || b == unknown {
			return unknown
		}
		return truthOf((a == b) != n.not)
	}
	return m.leafTest(n)
}

// leafTest is the tests of one value that are not a range of keys.
func (m *Matcher) leafTest(n *node) ternary {
	s := m.at(n.a)
	if !s.ok {
		return unknown
	}
	held := false
	switch n.op {
	case opFloat:
		f := math.Float64frombits(s.v)
		held = f >= math.Float64frombits(n.lo) && f <= math.Float64frombits(n.hi)
	case opNaN:
		held = math.IsNaN(math.Float64frombits(s.v))
	case opMask:
		held = (s.v^n.hi)&n.lo == n.lo
	case opText:
		held = m.prog.texts[n.b].holds(m.textAt(s, n.lo, 0))
	case opSameText:
		other := m.at(n.b)
		if !other.ok {
			return unknown
		}
		held = bytes.Equal(m.textAt(s, n.lo, 0), m.textAt(other, n.hi, 1))
	case opPrefix:
		held = m.prog.addrs[n.b].Contains(m.address(s.v).Addr().Unmap().WithZone(""))
	case opPort:
		a := m.address(s.v)
		held = netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port()) == m.prog.ports[n.b]
	default:
		panic("pktscope: internal error: unknown node of a filter")
	}
	return truthOf(held != n.not)
}

func (t *textConst) holds(b []byte) bool {
	switch t.mode {
	case textEqual:
		return bytes.Equal(b, t.want)
	case textContains:
		return bytes.Contains(b, t.want)
	case textStarts:
		return bytes.HasPrefix(b, t.want)
	case textEnds:
		return bytes.HasSuffix(b, t.want)
	}
	return t.re.Match(b)
}

// textAt is the bytes that a slot stands for; room is which buffer to use where they do not begin on a byte.
func (m *Matcher) textAt(s *slot, flags uint64, room int) []byte {
	if flags&flagComputed != 0 {
		return m.computed(s.v)
	}
	b := m.trace.Bytes(int(s.v), &m.bytes[room])
	if flags&flagPadded != 0 {
		if i := bytes.IndexByte(b, 0); i >= 0 {
			b = b[:i]
		}
	}
	return b
}

// number computes a number.
func (m *Matcher) number(i int32) number {
	n := &m.prog.nodes[i]
	m.steps++
	switch n.op {
	case opSlotNumber:
		if s := m.at(n.a); s.ok {
			return keyNumber(s.v, n.lo != 0)
		}
		return number{}
	case opSlotFloat:
		if s := m.at(n.a); s.ok {
			return number{kind: float, f: math.Float64frombits(s.v)}
		}
		return number{}
	case opNumber:
		if n.b != 0 {
			return number{kind: float, f: math.Float64frombits(n.lo)}
		}
		return integerOf(n.not, n.lo)
	case opEitherNumber:
		if a := m.number(n.a); a.kind != unknownNumber {
			return a
		}
		return m.number(n.b)
	case opCount:
		return m.quantified(&m.prog.quants[n.a]).number
	case opNotes:
		return integerOf(false, uint64(m.notes()))
	case opLength:
		if s := m.at(n.a); s.ok {
			return integerOf(false, uint64(m.length(int(s.v))))
		}
		return number{}
	case opBytes:
		if s := m.at(n.a); s.ok {
			return integerOf(false, uint64(len(m.textAt(s, n.lo, 0))))
		}
		return number{}
	}
	a, b := m.number(n.a), m.number(n.b)
	if a.kind != integer || b.kind != integer {
		return number{}
	}
	switch n.op {
	case opAdd:
		return a.plus(b)
	case opSubtract:
		return a.plus(integerOf(!b.neg, b.mag))
	case opMultiply:
		return a.times(b)
	case opRemainder:
		return a.mod(b)
	}
	panic("pktscope: internal error: unknown number of a filter")
}
