package fuzz

import (
	"math/rand/v2"
	"sync"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/bitio"
	"github.com/pktscope/pktscope/decode/reject"
)

// Codes of fields that have one width.

// setTo is the packet with one field set.
func (r *mutating) setTo(ev *decode.Event, code uint64) []byte {
	info := &r.plan.Info[ev.Leaf]
	if info.Swap {
		code = bitio.SwapBytes(code, ev.Width)
	}
	data := r.fresh()
	bitio.Order(r.plan.Ops[info.Op].Order).Store(data, ev.Bit, ev.Width, code)
	return data
}

// try sets a field to a code and says what that deserves.
func (r *mutating) try(class Class, ev *decode.Event, path string, c candidate) bool {
	want := Expectation{}
	if c.kind != reject.None {
		want = refused(c.kind, path, ev.Bit, ev.Width)
	} else if !r.steers[ev.Leaf] {
		want = accepted
	}
	r.width, r.sampled = ev.Width, class == ClassCode && r.seen != nil && r.refusedOf(ev.Leaf).sampled
	defer func() { r.width, r.sampled = 0, false }()
	return r.give(class, r.setTo(ev, c.code), path, c.done, ev.Bit, c.code, want)
}

// values sets a number to everything that is worth trying by name.
func (r *mutating) values(ev *decode.Event, path string) bool {
	if r.mute {
		return true
	}
	for _, c := range r.codes[ev.Leaf] {
		if c.code == ev.Code || r.seen != nil && c.kind != reject.None && !r.refusedOf(ev.Leaf).sampled {
			continue // the enumeration of codes has it
		}
		class := ClassEdge
		if c.kind != reject.None {
			class = ClassCode
		}
		if !r.try(class, ev, path, c) {
			return false
		}
	}
	return true
}

// refusedCodes are the codes that a leaf may not hold.
type refusedCodes struct {
	once    sync.Once
	codes   []candidate
	sampled bool
}

const (
	allCodes    = 1 << 16 // so many codes are tried one by one
	sampleCodes = 64      // so many of more
)

// refusedOf lists a leaf's refused codes: all of them where the field is not too wide, else a sample, the same in every run.
func (m *Mutator) refusedOf(leaf int) *refusedCodes {
	c := &m.refused[leaf]
	c.once.Do(func() {
		f := m.fields[leaf]
		if f == nil || f.width == 0 {
			return
		}
		add := func(code uint64) {
			if kind := f.refuses(code); kind != reject.None {
				c.codes = append(c.codes, candidate{code, "an unused code", kind})
			}
		}
		if f.width <= 16 {
			for code := range uint64(1) << f.width {
				add(code)
			}
			return
		}
		c.sampled = true
		random := rand.New(rand.NewPCG(uint64(leaf), uint64(f.width)))
		for range 16 * sampleCodes {
			if len(c.codes) < sampleCodes {
				// As many leading zeros as not: codes near the ends of ranges are as likely as any.
				add(random.Uint64() & bitio.Mask(1+random.IntN(f.width)))
			}
		}
	})
	return c
}

// unused sets a number to each code that it may not hold.
func (r *mutating) unused(ev *decode.Event, path string) bool {
	if r.mute || r.seen == nil {
		return true
	}
	c := r.refusedOf(ev.Leaf)
	for i := range c.codes {
		if c.codes[i].code == ev.Code {
			continue
		}
		if !r.try(ClassCode, ev, path, c.codes[i]) {
			return false
		}
	}
	return true
}

// unit makes a smallest-three quaternion longer than one, at whose largest component it is called: an unchecked reader takes
// the root of a negative number.
func (r *mutating) unit(ev *decode.Event, path string) bool {
	part, ok := r.units[ev.Leaf]
	if !ok || r.mute {
		return true
	}
	order := bitio.Order(r.plan.Ops[r.plan.Info[ev.Leaf].Op].Order)
	owner := string(ownerPath([]byte(path)))
	for _, code := range []uint64{bitio.Mask(part), 0} {
		data := r.fresh()
		for i := range 3 {
			order.Store(data, ev.Bit+2+i*part, part, code)
		}
		want := refused(reject.NonUnit, owner, ev.Bit, 2+3*part)
		if !r.give(ClassUnit, data, owner, "all parts at an end", ev.Bit, code, want) {
			return false
		}
	}
	return true
}
