package oracle_test

import (
	"math"
	"math/rand/v2"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// climber makes packets that get far under a schema that nobody wrote a packet for: what was accepted of a packet is
// kept, what is after it is drawn again, and where the reject says what was wanted that is put there.
type climber struct {
	*rand.Rand
	d     *decode.Decoder
	trace decode.Trace
	from  decode.Direction
	seen  func(data []byte, t *decode.Trace) // of every packet tried
}

const accepted = 1 << 30

// score is how far a packet gets, with the checksum put right.
func (c *climber) score(data []byte) int {
	for range 2 {
		c.d.Decode(data, c.from, &c.trace)
		if c.seen != nil {
			c.seen(data, &c.trace)
		}
		r := c.trace.Reject()
		if r == nil {
			return accepted
		}
		if r.Kind != reject.CRCMismatch {
			return r.Bit
		}
		c.order(r).Store(data, r.Bit, r.Width, r.Limit)
	}
	return 0
}

func (c *climber) order(r *reject.Reject) wire.Order {
	if r.At.Point < 0 {
		return c.d.Plan().Order
	}
	return c.d.Plan().StepAt(r.At.Point).At().Order
}

// climb tries so many packets and gives the best.
func (c *climber) climb(tries int) ([]byte, bool) {
	p := c.d.Plan()
	best := make([]byte, min(int(p.Bound.MinBits+7)/8+c.IntN(8), p.Schema.MaxDatagram))
	if c.IntN(3) > 0 {
		c.roll(best, 0, 8*len(best))
	}
	top := c.score(best)
	for range tries {
		if top == accepted {
			return best, true
		}
		c.score(best)
		next := c.change(append([]byte(nil), best...))
		if got := c.score(next); got >= top {
			best, top = next, got
		}
	}
	return best, top == accepted
}

// roll draws bits lo … hi-1 again, as stream bits of the plan's order.
func (c *climber) roll(data []byte, lo, hi int) {
	order := c.d.Plan().Order
	style := c.IntN(3)
	for bit := lo; bit < min(hi, 8*len(data)); {
		n := min(8, min(hi, 8*len(data))-bit)
		v := c.Uint64() & wire.Mask(n)
		switch style {
		case 1:
			v &= c.Uint64() & c.Uint64() // small numbers
		case 2:
			v = 0
		}
		order.Store(data, bit, n, v)
		bit += n
	}
}

// change is one step: what the reject of the last decode asks for.
func (c *climber) change(data []byte) []byte {
	r := c.trace.Reject()
	if r == nil {
		return data
	}
	most := c.d.Plan().Schema.MaxDatagram
	back := r.Bit - c.IntN(min(r.Bit, 64)+1)
	if c.IntN(4) == 0 {
		c.roll(data, back, 8*len(data))
		return data
	}
	switch r.Kind {
	case reject.PastEnd:
		if more := (int(r.Limit)-int(r.Code)+7)/8 + c.IntN(3); more > 0 && len(data)+more <= most {
			for range more {
				data = append(data, byte(c.Uint32()))
			}
			return data
		}
		c.roll(data, back, 8*len(data))
	case reject.TrailingBytes:
		if r.At.Point < 0 {
			return data[:(r.Bit+7)/8]
		}
		c.roll(data, back, 8*len(data))
	case reject.DatagramSize:
		return data[:most]
	case reject.NonzeroPadding, reject.ReservedNonzero:
		for bit := r.Bit; bit < min(r.Bit+max(r.Width, 8), 8*len(data)); bit++ {
			if bit < r.Bit+r.Width {
				c.order(r).Store(data, bit, 1, 0)
			}
		}
	case reject.RuleBroken:
		c.roll(data, back, r.Bit)
	default:
		if c.IntN(2) == 0 && c.want(data, r) {
			return data
		}
		c.roll(data, r.Bit, r.Bit+max(r.Width, 8))
	}
	return data
}

// want puts a value there that the rule or the type has.
func (c *climber) want(data []byte, r *reject.Reject) bool {
	p := c.d.Plan()
	if blob, ok := p.StepAt(r.At.Point).(*plan.Blob); ok {
		rule := blob.Rule
		if rule == nil || len(rule.Bytes)*8 > r.Width || r.Bit+r.Width > 8*len(data) {
			return false
		}
		at := r.Bit + r.Width%8 // after a length, or after the padding
		for _, b := range rule.Bytes {
			if at+8 <= 8*len(data) {
				c.order(r).Store(data, at, 8, uint64(b))
			}
			at += 8
		}
		return true
	}
	if r.At.Leaf < 0 || r.Width == 0 || r.Width > 64 || r.Bit+r.Width > 8*len(data) {
		return false
	}
	l := &p.Info[r.At.Leaf]
	code := l.Want
	pick := func(lo, hi uint64) {
		v := lo
		if span := hi - lo; span > 0 {
			v += c.Uint64() % span
		}
		if l.IsSigned() {
			v ^= 1 << 63
		}
		code = (v - l.Base) & wire.Mask(r.Width)
	}
	switch {
	case l.Kind == plan.LeafCheck:
	case l.Rule != nil && l.Rule.WantFloat != nil:
		code = floatBits(*l.Rule.WantFloat, r.Width)
	case l.Rule != nil && l.Kind == plan.LeafFloat:
		code = floatBits(1, r.Width)
	default:
		n := 0
		take := func(lo, hi uint64) bool {
			if n++; c.IntN(n) == 0 {
				pick(lo, hi)
			}
			return true
		}
		if l.RuleSet()(take); n == 0 {
			l.CaseSet()(take)
		}
		if n == 0 {
			return false
		}
	}
	if l.Swap && r.Width%8 == 0 {
		code = wire.SwapBytes(code, r.Width)
	}
	c.order(r).Store(data, r.Bit, r.Width, code&wire.Mask(r.Width)) // of a field that its window cuts off some bits
	return true
}

func sides() []schema.Direction {
	return []schema.Direction{schema.FromUnknown, schema.Client, schema.Server}
}

func floatBits(v float64, width int) uint64 {
	if width == 32 {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}
