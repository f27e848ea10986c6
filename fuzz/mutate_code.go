package fuzz

import (
	"math/big"
	"math/rand/v2"
	"sync"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Codes of fields that have one width.

// setTo is the packet with one field set.
func (r *mutating) setTo(ev *decode.Event, code uint64) []byte {
	info := &r.plan.Info[ev.Leaf]
	if info.Swap {
		code = wire.SwapBytes(code, ev.Width)
	}
	data := r.copyPacket()
	r.plan.Reader(ev.Leaf).At().Order.Store(data, ev.Bit, ev.Width, code)
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
	r.width, r.sampled = ev.Width, class == ClassCode && r.seen != nil && r.samples(ev.Leaf)
	defer func() { r.width, r.sampled = 0, false }()
	return r.give(class, r.setTo(ev, c.code), path, c.done, ev.Bit, c.code, want)
}

// values sets a number to everything that is worth trying by name.
func (r *mutating) values(ev *decode.Event, path string) bool {
	if r.mute {
		return true
	}
	for _, c := range r.codes[ev.Leaf] {
		if c.code == ev.Raw || r.seen != nil && c.kind != reject.None && !r.samples(ev.Leaf) {
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

// refusedCodes is a sample of the codes that a leaf may not hold.
type refusedCodes struct {
	once  sync.Once
	codes []uint64
}

const (
	allBits     = 16 // fields of so many bits are tried with every code
	sampleCodes = 64 // so many codes of wider ones
)

// samples reports whether not every code of a leaf is tried.
func (m *Mutator) samples(leaf int) bool {
	f := m.fields[leaf]
	return f != nil && f.width > allBits
}

// sampleOf is a sample of the codes that a leaf may not hold, the same in every run.
func (m *Mutator) sampleOf(leaf int) []uint64 {
	c := &m.refused[leaf]
	c.once.Do(func() {
		f := m.fields[leaf]
		if f == nil || f.width == 0 {
			return
		}
		random, room := rand.New(rand.NewPCG(uint64(leaf), uint64(f.width))), new(big.Int)
		for range 16 * sampleCodes {
			if len(c.codes) == sampleCodes {
				return
			}
			// As many leading zeros as not: codes near the ends of ranges are as likely as any.
			code := random.Uint64() & wire.Mask(1+random.IntN(f.width))
			if f.refusesIn(room, code) != reject.None {
				c.codes = append(c.codes, code)
			}
		}
	})
	return c.codes
}

// unused sets a number to each code that it may not hold. Nothing is kept of them: a schema can have thousands of
// fields with 2^16 such codes each.
func (r *mutating) unused(ev *decode.Event, path string) bool {
	f := r.fields[ev.Leaf]
	if r.mute || r.seen == nil || f == nil || f.width == 0 {
		return true
	}
	room := new(big.Int)
	try := func(code uint64) bool {
		kind := f.refusesIn(room, code)
		return kind == reject.None || code == ev.Raw || r.try(ClassCode, ev, path, candidate{code, "an unused code", kind})
	}
	if r.samples(ev.Leaf) {
		for _, code := range r.sampleOf(ev.Leaf) {
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
