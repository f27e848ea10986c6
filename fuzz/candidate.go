package fuzz

import (
	"math"
	"math/big"
	"sort"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// candidate is a code worth trying in a field, and what it deserves there.
type candidate struct {
	code uint64
	done string      // "max+1"
	kind reject.Kind // None when the field may hold it
}

// candidates lists the codes to try in a leaf. They follow from the schema alone, and so does what each deserves: the
// plan's own idea of it is what is being tested.
func candidates(p *plan.Plan, leaf int, known *known) []candidate {
	f := fieldOf(p, leaf, known)
	if f == nil {
		return nil // a check or reserved bits: every bit is tried instead
	}
	f.addAll()
	f.has = nil
	return f.out
}

// fieldOf is a leaf as the schema has it, nil where it is not a field but belongs to one, or has no width of its own.
func fieldOf(p *plan.Plan, leaf int, known *known) *field {
	info := &p.Info[leaf]
	value := p.Nodes[info.Node].Value
	if _, found := p.Reader(leaf).(*plan.Number); found || value == nil {
		return nil
	}
	f := &field{value: value, typ: value.Type, width: int(p.Leaves[leaf].Width), most: known.most}
	if ref, ok := f.typ.(*schema.EnumRef); ok {
		f.enum, f.typ = ref.Enum, ref.Enum.Base.Type
		f.cases = known.casesOf(ref.Enum)
	}
	f.top = f.typ.Top()
	return f
}

// refuses is judge for any code, also where a rule makes something of quantized steps: None then, since it is not
// known.
func (f *field) refuses(code uint64) reject.Kind { return f.refusesIn(new(big.Int), code) }

// refusesIn is refuses for many codes: all have room in one value.
func (f *field) refusesIn(room *big.Int, code uint64) reject.Kind {
	if t, ok := f.typ.(*schema.QuantizedType); ok && code <= uint64(t.Steps) {
		return reject.None
	}
	return f.judge(room, code)
}

// field is a leaf as the schema has it.
type field struct {
	value *schema.Value
	typ   schema.Type      // of an enum its base type
	enum  *schema.Enum     // or flags; else nil
	cases map[caseKey]bool // of enum
	width int
	top   uint64 // the greatest code that the type has
	most  int    // candidates
	out   []candidate
	has   map[uint64]bool
}

func (f *field) addAll() {
	if f.width == 0 {
		return
	}
	of := "" // what is declared last is what "min" and "max" mean
	if r := f.value.Rule; r != nil && r.Bounds == nil {
		for _, s := range r.Set {
			if f.addRange(s, of); len(f.out) >= f.most {
				break
			}
		}
		if r.Want != nil {
			f.addRange(schema.Range{Lo: r.Want, Hi: r.Want}, "the constant's ")
		}
		of = "the type's "
	}
	switch f.typ.Row().Rules {
	case schema.RulesFloat:
		f.addFloats()
	case schema.RulesQuantized:
		f.add(0, of+"min")
		f.add(f.typ.Top(), of+"max")
		f.add(f.typ.Top()+1, of+"max+1")
	case schema.RulesBool:
		f.addRange(schema.Range{Lo: new(big.Int), Hi: big.NewInt(1)}, of)
	case schema.RulesInt:
		in, _ := f.typ.Interval()
		f.addRange(in, of)
	default:
		return
	}
	if f.enum != nil && f.enum.Flags {
		f.addFlags()
	} else if f.enum != nil {
		for i := range f.enum.Cases {
			v := f.enum.Cases[i].Value
			if f.addRange(schema.Range{Lo: v, Hi: v}, "a case's "); len(f.out) >= f.most {
				break
			}
		}
	}
	f.add(0, "zero")
	f.add(wire.Mask(f.width), "all ones")
}

// addRange adds both ends of a range and what lies next to them.
func (f *field) addRange(r schema.Range, of string) {
	one := big.NewInt(1)
	f.addValue(new(big.Int).Sub(r.Lo, one), of+"min-1")
	f.addValue(r.Lo, of+"min")
	f.addValue(r.Hi, of+"max")
	f.addValue(new(big.Int).Add(r.Hi, one), of+"max+1")
}

// addFlags adds each undefined bit alone, and all defined ones.
func (f *field) addFlags() {
	f.add(f.enum.Mask, "every flag")
	for bit := range f.width {
		if code := uint64(1) << bit; f.enum.Mask&code == 0 {
			f.add(code, "an undefined flag")
		}
	}
}

func (f *field) addFloats() {
	values := []struct {
		v    float64
		done string
	}{
		{math.NaN(), "NaN"}, {math.Inf(1), "+Inf"}, {math.Inf(-1), "-Inf"}, {math.Copysign(0, -1), "-0"}, {1, "one"},
		{-1, "minus one"},
	}
	if r := f.value.Rule; r != nil {
		for _, span := range r.Floats {
			values = append(values, struct {
				v    float64
				done string
			}{span.Lo, "min"}, struct {
				v    float64
				done string
			}{span.Hi, "max"})
		}
	}
	for _, x := range values {
		if f.width == 32 {
			f.add(uint64(math.Float32bits(float32(x.v))), x.done)
		} else {
			f.add(math.Float64bits(x.v), x.done)
		}
	}
	f.add(1, "a denormal")
}

// addValue adds a value if some code of the field's width stands for it.
func (f *field) addValue(v *big.Int, done string) {
	if code := f.typ.CodeOf(v); code.Sign() >= 0 && code.BitLen() <= f.width {
		f.add(code.Uint64(), done)
	}
}

func (f *field) add(code uint64, done string) {
	if code&^wire.Mask(f.width) != 0 {
		return
	}
	if t, ok := f.typ.(*schema.QuantizedType); ok && f.value.Rule != nil && code <= uint64(t.Steps) {
		return // what a rule makes of a step follows from float32 arithmetic, and that is what is being tested
	}
	if f.has[code] {
		return
	}
	if f.has == nil {
		f.has = map[uint64]bool{}
	}
	f.has[code] = true
	f.out = append(f.out, candidate{code, done, f.judge(new(big.Int), code)})
}

// judge says, in room for a value, why a code is refused: what the type says first, then the rule after it (wire.md,
// "What a reject says").
func (f *field) judge(v *big.Int, code uint64) reject.Kind {
	if f.typ.Row().Rules != schema.RulesFloat && code > f.top && f.enum == nil {
		return reject.OutOfRange
	}
	r := f.value.Rule
	ruled := r != nil && r.Bounds == nil // else what is before it in the packet bounds it
	if f.enum == nil && !ruled {
		return reject.None
	}
	f.typ.Integer(v, code)
	if f.enum != nil && !f.enum.Open {
		if f.enum.Flags && code&^f.enum.Mask != 0 {
			return reject.ReservedNonzero
		}
		if !f.enum.Flags && !f.isCase(v) {
			return reject.UnknownCase
		}
	}
	switch form := f.typ.Row().Rules; {
	case form == schema.RulesFloat:
		return f.judgeFloat(code)
	case code > f.top:
		return reject.OutOfRange
	case form == schema.RulesQuantized || !ruled:
		return reject.None
	}
	switch r.Kind {
	case schema.RuleEq:
		if v.Cmp(r.Want) != 0 {
			return reject.ConstMismatch
		}
	case schema.RuleNe:
		if v.Cmp(r.Want) == 0 {
			return reject.ConstMismatch
		}
	case schema.RuleIn:
		// Its ranges are sorted and apart: a set of n values is asked for 4n codes.
		if i := sort.Search(len(r.Set), func(i int) bool { return r.Set[i].Hi.Cmp(v) >= 0 }); i == len(r.Set) || r.Set[i].Lo.Cmp(v) > 0 {
			return reject.OutOfRange
		}
	}
	return reject.None
}

func (f *field) isCase(v *big.Int) bool { return f.cases[keyOf(v)] }

func (f *field) judgeFloat(code uint64) reject.Kind {
	v := math.Float64frombits(code)
	if f.width == 32 {
		v = float64(math.Float32frombits(uint32(code)))
	}
	r := f.value.Rule
	if r == nil {
		return reject.None
	}
	finite := !math.IsNaN(v) && !math.IsInf(v, 0)
	switch r.Kind {
	case schema.RuleFinite:
		if !finite {
			return reject.NotFinite
		}
	case schema.RuleEq:
		if v != *r.WantFloat {
			return reject.ConstMismatch
		}
	case schema.RuleNe:
		if v == *r.WantFloat {
			return reject.ConstMismatch
		}
	case schema.RuleIn:
		if !finite {
			return reject.NotFinite
		}
		for _, s := range r.Floats {
			if s.Lo <= v && v <= s.Hi {
				return reject.None
			}
		}
		return reject.OutOfRange
	}
	return reject.None
}
