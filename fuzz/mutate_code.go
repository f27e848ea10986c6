package fuzz

import (
	"math/big"
	"math/rand/v2"
	"sync"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Codes of fields that have one width.

// setTo is the packet with one field set.
func (r *mutating) setTo(ev *decode.Event, code uint64) []byte {
	return r.withCode(r.copyPacket(), ev, code)
}

// withCode sets a field of a packet, and returns the packet.
func (m *Mutator) withCode(data []byte, ev *decode.Event, code uint64) []byte {
	return withCode(m.plan, data, ev, code)
}

func withCode(p *plan.Plan, data []byte, ev *decode.Event, code uint64) []byte {
	if p.Info[ev.Leaf].Swap {
		code = wire.SwapBytes(code, ev.Width)
	}
	p.Reader(ev.Leaf).At().Order.Store(data, ev.Bit, ev.Width, code)
	return data
}

// try sets a field to a code and says what that deserves.
func (r *mutating) try(class Class, ev *decode.Event, path string, c candidate) bool {
	want := oracle.Expectation{}
	if c.kind != reject.None {
		want = refused(c.kind, path, ev.Bit, ev.Width)
	} else if !r.steers[ev.Leaf] {
		want = accepted
	}
	r.width, r.sampled = ev.Width, class == ClassCode && r.seen != nil && (r.bare || r.sampling(ev.Leaf))
	defer func() { r.width, r.sampled = 0, false }()
	return r.give(class, r.setTo(ev, c.code), path, c.done, ev.Bit, c.code, want)
}

// values sets a number to everything that is worth trying by name.
func (r *mutating) values(ev *decode.Event, path string) bool {
	if r.mute {
		return true
	}
	for _, c := range r.codes[ev.Leaf] {
		if c.code == ev.Raw || r.seen != nil && c.kind != reject.None && !r.sampling(ev.Leaf) {
			continue // the enumeration of codes has it
		}
		class := classEdge
		if c.kind != reject.None {
			class = ClassCode
		}
		if !r.try(class, ev, path, c) {
			return false
		}
	}
	return true
}

// refusedCodes is what an enumeration has to know of the codes that a leaf may not hold.
type refusedCodes struct {
	once  sync.Once
	codes []uint64 // a sample
	count uint64   // of all; math.MaxUint64 for as many and more
	tried uint64   // of a field that is sampled: how many codes are, by name or by the sample
	rough sync.Once
	bare  uint64 // of a tag: codes that its type allows and no arm is for
}

const (
	allBits     = 16   // fields of so many bits at most are tried with every code
	allCodes    = 1024 // and with no more codes than so many, unless an audit says otherwise
	pairCodes   = 64   // so many, where the field was tried with all elsewhere
	sampleCodes = 64   // so many codes of other fields, beside those at the ends of ranges, of cases and of bits
)

// samples reports whether not every code of a leaf is tried.
func (m *Mutator) samples(leaf int) bool {
	f := m.fields[leaf]
	return f != nil && (f.width > allBits || m.refusedOf(leaf).count > m.most)
}

// refusedOf is about the codes that a leaf may not hold, the same in every run.
func (m *Mutator) refusedOf(leaf int) *refusedCodes {
	c := &m.refused[leaf]
	c.once.Do(func() {
		f := m.fields[leaf]
		if f == nil || f.width == 0 {
			return
		}
		c.count = f.refusedCount()
		room, has := new(big.Int), map[uint64]bool{}
		for _, named := range m.codes[leaf] {
			has[named.code] = true
			if named.kind != reject.None {
				c.tried++
			}
		}
		add := func(code uint64) {
			if !has[code] && f.refusesIn(room, code) != reject.None {
				has[code] = true
				c.codes = append(c.codes, code)
			}
		}
		for bit := range f.width {
			add(1 << bit)
			add(wire.Mask(f.width) >> bit)
		}
		random := rand.New(rand.NewPCG(uint64(leaf), uint64(f.width)))
		for tries, most := 0, len(c.codes)+sampleCodes; tries < 16*sampleCodes && len(c.codes) < most; tries++ {
			width := f.width
			if tries%2 == 0 { // as many leading zeros as not: codes near the ends of ranges are as likely as any
				width = 1 + random.IntN(width)
			}
			add(random.Uint64() & wire.Mask(width))
		}
		c.tried += uint64(len(c.codes))
	})
	return c
}

// unused sets a number to each code that it may not hold, or to a sample: of a field that may not hold many, and where
// its codes were tried elsewhere. Nothing is kept of them: a schema can have thousands of fields with as many codes.
func (r *mutating) unused(ev *decode.Event, path string) bool {
	f := r.fields[ev.Leaf]
	if r.mute || r.seen == nil || f == nil || f.width == 0 {
		return true
	}
	refused := r.refusedOf(ev.Leaf)
	room := new(big.Int)
	try := func(code uint64) bool {
		kind := f.refusesIn(room, code)
		return kind == reject.None || code == ev.Raw || r.try(ClassCode, ev, path, candidate{code, "an unused code", kind})
	}
	if r.sampling(ev.Leaf) {
		r.left = refused.count - min(refused.tried, refused.count)
		for _, code := range refused.codes {
			if !try(code) {
				return false
			}
		}
		return true
	}
	for code := range uint64(1) << f.width {
		if !try(code) {
			return false
		}
	}
	return true
}

// sampling reports whether the field at hand is tried with a sample of its codes.
func (r *mutating) sampling(leaf int) bool {
	return r.samples(leaf) || r.again && r.refusedOf(leaf).count > pairCodes
}

// unit makes a smallest-three quaternion longer than one, at whose largest component it is called: an unchecked reader
// takes the root of a negative number.
func (r *mutating) unit(ev *decode.Event, path string) bool {
	part, ok := r.units[ev.Leaf]
	if !ok || r.mute {
		return true
	}
	order := r.plan.Reader(ev.Leaf).At().Order
	owner := string(oracle.OwnerPath([]byte(path)))
	for _, code := range []uint64{wire.Mask(part), 0} {
		data := r.copyPacket()
		for i := range 3 {
			order.Store(data, ev.Bit+2+i*part, part, code)
		}
		want := refused(reject.NonUnit, owner, ev.Bit, 2+3*part)
		if !r.give(classUnit, data, owner, "all parts at an end", ev.Bit, code, want) {
			return false
		}
	}
	return true
}
