package slow

import (
	"fmt"
	"math"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// Floats. Quantized arithmetic is in float32 throughout, each operation rounded on its own: the explicit conversions
// keep the compiler from fusing two.

// float reads float32 and float64: every pattern is legal unless a rule says otherwise.
func (w *walk) float(f frame, v *schema.Value, t *schema.FloatType) bool {
	n, ok := w.code(f, t.Width, v.Swap)
	if !ok {
		return false
	}
	value := math.Float64frombits(n.raw)
	if t.Width == 32 {
		value = float64(math.Float32frombits(uint32(n.raw)))
	}
	if kind := brokenFloatRule(v.Rule, value); kind != reject.None {
		return w.refuse(f, kind, n.bit, n.width)
	}
	w.read(f, n.bit, n.width, n.raw)
	return true
}

// brokenFloatRule says how v breaks the rule, reject.None if it does not.
func brokenFloatRule(rule *schema.Rule, v float64) reject.Kind {
	if rule == nil {
		return reject.None
	}
	finite := !math.IsNaN(v) && !math.IsInf(v, 0)
	switch rule.Kind {
	case schema.RuleFinite:
		if !finite {
			return reject.NotFinite
		}
	case schema.RuleIn:
		if !finite {
			return reject.NotFinite
		}
		for _, r := range rule.Floats {
			if r.Lo <= v && v <= r.Hi {
				return reject.None
			}
		}
		return reject.OutOfRange
	case schema.RuleEq:
		if v != *rule.WantFloat {
			return reject.ConstMismatch
		}
	case schema.RuleNe:
		if v == *rule.WantFloat {
			return reject.ConstMismatch
		}
	default:
		panic(fmt.Sprintf("pktscope: internal error: slow: rule %d on a float", rule.Kind))
	}
	return reject.None
}

// quantized reads float(a..b, step): a step above the last one is refused, never clamped.
func (w *walk) quantized(f frame, t *schema.QuantizedType) bool {
	n, ok := w.code(f, t.Width, false)
	if !ok {
		return false
	}
	if n.raw > uint64(t.Steps) {
		return w.refuse(f, reject.OutOfRange, n.bit, n.width)
	}
	w.read(f, n.bit, n.width, n.raw)
	return true
}

// Dequantize is the value of a step of float(a..b, step), 0 ≤ step ≤ t.Steps.
func Dequantize(t *schema.QuantizedType, step uint64) float32 {
	part := float32(float32(step) / float32(t.Steps))
	return float32(float32(part*t.Delta) + t.Min)
}

// vector reads the parts of vec2..vec4 and quat.
func (w *walk) vector(f frame, t *schema.VectorType) bool {
	for _, part := range []string{"x", "y", "z", "w"}[:t.N] {
		if _, ok := w.value(f.named(part), t.Elem); !ok {
			return false
		}
	}
	return true
}

// smallest reads `quat smallest3(n)`: which component was dropped, and the other three.
func (w *walk) smallest(f frame, t *schema.SmallestType) bool {
	start := w.bit
	largest := w.bit
	index, ok := w.take(f.named("largest"), 2)
	if !ok {
		return false
	}
	w.read(f.named("largest"), largest, 2, index)
	left := float32(1) // of the sum of the squares
	var parts []float32
	for _, name := range []string{"a", "b", "c"} {
		n, ok := w.code(f.named(name), t.Bits, false)
		if !ok {
			return false
		}
		w.read(f.named(name), n.bit, n.width, n.raw)
		v := smallestPart(n.raw, t.Bits)
		parts = append(parts, v)
		left = float32(left - float32(v*v))
	}
	if left < 0 {
		return w.refuse(f, reject.NonUnit, start, w.bit-start)
	}
	dropped := math.Sqrt(float64(left))
	for _, v := range parts {
		if math.Abs(float64(v)) > dropped {
			w.note(f, reject.NonCanonicalRaw, start, w.bit-start)
			break
		}
	}
	return true
}

// smallestPart is the value of one of the three components.
func smallestPart(code uint64, bits int) float32 {
	most := float32(1) / float32(1.414214)
	least := -most
	steps := float32(uint64(1)<<bits - 1)
	part := float32(float32(code) / steps)
	return float32(float32(part*float32(most-least)) + least)
}
