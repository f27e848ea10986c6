package ops

import (
	"math"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// JudgedAs is how a leaf's code is judged before its type's span and its rule are.
type JudgedAs uint8

// The ways. AsCases and AsFlags are of closed types: open ones are AsAny.
const (
	AsAny      JudgedAs = iota // every code passes
	AsCases                    // it is one of Cases
	AsFlags                    // it has no bit outside Want
	AsCheck                    // it is Want
	AsReserved                 // it is 0, unless Any
	AsSum                      // never: the checksum's own op judges it
)

var judgedAs = [plan.LeafKinds]JudgedAs{
	plan.LeafEnum: AsCases, plan.LeafFlags: AsFlags, plan.LeafChecksum: AsSum, plan.LeafCheck: AsCheck, plan.LeafReserved: AsReserved,
}

// JudgedBy is the rule that a code has to keep after its type's span.
type JudgedBy uint8

// The rules.
const (
	ByNothing JudgedBy = iota
	ByIn               // it is in Set, else out-of-range
	ByEq               // it is in Set, else const-mismatch
	ByNe               // it is not in Set, else const-mismatch
	ByFinite           // not all bits of Exponent are set, else not-finite
	ByFloatIn          // ByFinite, then ByIn
)

var judgedBy = map[schema.RuleKind]JudgedBy{schema.RuleIn: ByIn, schema.RuleEq: ByEq, schema.RuleNe: ByNe, schema.RuleFinite: ByFinite}

// RuleOf is the rule in JudgedBy's numbers, ByNothing for one that is not about a value.
func RuleOf(r *schema.Rule) JudgedBy { return judgedBy[r.Kind] }

// Range is a closed interval.
type Range struct{ Lo, Hi uint64 }

// Judged is LeafInfo.Judge as data, for programs that are written in another language. A set's numbers are codes where
// Codes says so, else values as an Operand's Key orders them.
type Judged struct {
	As       JudgedAs
	By       JudgedBy
	Codes    bool
	Want     uint64
	Exponent uint64 // the exponent's bits of a float, 0 of all else
	Cases    []Range
	Set      []Range
}

// Judge is how the codes of a leaf are judged.
func Judge(p *plan.Plan, leaf int) Judged {
	l, info := &p.Leaves[leaf], &p.Info[leaf]
	j := Judged{As: judgedAs[info.Kind], Want: info.Want, Codes: info.Kind == plan.LeafFloat || info.Kind == plan.LeafQuantized}
	if info.Enum != nil && info.Enum.Open {
		j.As = AsAny
	}
	if info.Enum != nil && info.Enum.Flags {
		j.Want = info.Enum.Mask
	} else if info.Cases != nil {
		for _, c := range info.Cases.List {
			j.Cases = append(j.Cases, Range{c.Code, c.Code})
		}
	}
	if r := info.Rule; r != nil && r.Bounds == nil {
		j.By = RuleOf(r)
		if j.Codes {
			if r.Kind == schema.RuleIn {
				j.By = ByFloatIn
			}
			j.floats(info, int(l.Width))
		} else {
			for lo, hi := range info.RuleSet() {
				j.Set = append(j.Set, Range{lo, hi})
			}
		}
	}
	if info.Kind == plan.LeafFloat {
		j.Exponent = math.Float64bits(math.Inf(1))
		if l.Width == 32 {
			j.Exponent = uint64(math.Float32bits(float32(math.Inf(1))))
		}
	}
	return j
}

// floats adds the codes of the floats that a rule names, in ascending order: of each sign they are one interval a
// range.
func (j *Judged) floats(info *plan.LeafInfo, width int) {
	r := info.Rule
	ranges := r.Floats
	if r.WantFloat != nil {
		ranges = []schema.FloatRange{{Lo: *r.WantFloat, Hi: *r.WantFloat}}
	}
	most, signed := uint64(0), info.Kind == plan.LeafFloat
	switch {
	case !signed:
		most = info.TypeSpan
	case width == 32:
		most = uint64(math.Float32bits(math.MaxFloat32))
	default:
		most = math.Float64bits(math.MaxFloat64)
	}
	add := func(lo, hi float64, sign uint64) {
		first := least(most, func(code uint64) bool { return info.Float(code, width) >= lo })
		behind := least(most, func(code uint64) bool { return info.Float(code, width) > hi })
		if first < behind {
			j.Set = append(j.Set, Range{first | sign, (behind - 1) | sign})
		}
	}
	for _, r := range ranges {
		add(r.Lo, r.Hi, 0)
	}
	for i := len(ranges) - 1; signed && i >= 0; i-- {
		add(-ranges[i].Hi, -ranges[i].Lo, 1<<(width-1))
	}
}

// least is the first number up to most for which something holds that holds for all above it, too; most+1 where there
// is none.
func least(most uint64, holds func(uint64) bool) uint64 {
	lo, hi := uint64(0), most+1
	for lo < hi {
		mid := lo + (hi-lo)/2
		if holds(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// Arm is an interval of a tag's keys, and the op that its arm begins with.
type Arm struct {
	Range
	Op uint32
}

// Arms are the tags of a switch in ascending order. The default's are those between the others.
func (o *Program) Arms(s *plan.Switch) (arms []Arm) {
	starts := o.Starts[s.Index]
	next, all := uint64(0), false // the first key that is not in arms; all: there is none
	for _, e := range s.Entries {
		if s.Default >= 0 && next < e.Lo {
			arms = append(arms, Arm{Range{next, e.Lo - 1}, starts[s.Default]})
		}
		arms = append(arms, Arm{Range{e.Lo, e.Hi}, starts[e.Arm]})
		next, all = e.Hi+1, e.Hi == math.MaxUint64
	}
	if s.Default >= 0 && !all {
		arms = append(arms, Arm{Range{next, math.MaxUint64}, starts[s.Default]})
	}
	return arms
}

// Adding is how a checksum that is no CRC adds up.
type Adding struct {
	Kind    string // BYTES, XOR, FLETCHER (Modulus, First), FLETCHER32 or INTERNET; CRC of all others
	Modulus uint64
	First   uint64
	Negate  bool
}

var addings = map[string]Adding{
	"sum8": {Kind: "BYTES"}, "sum16": {Kind: "BYTES"}, "sum32": {Kind: "BYTES"}, "lrc8": {Kind: "BYTES", Negate: true}, "xor8": {Kind: "XOR"},
	"fletcher16": {Kind: "FLETCHER", Modulus: 255}, "adler32": {Kind: "FLETCHER", Modulus: 65521, First: 1}, "fletcher32": {Kind: "FLETCHER32"}, "inet16": {Kind: "INTERNET"},
}

// Adds is how a checksum adds up, by its name; false of a CRC.
func Adds(algorithm string) (Adding, bool) {
	a, ok := addings[algorithm]
	return a, ok
}
