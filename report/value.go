package report

import (
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// named is an enum's case or a flag under its code.
type named struct {
	code uint64
	name string
}

// leafView is what a renderer knows of a leaf before the first packet.
type leafView struct {
	kind  plan.LeafKind
	width int // bits
	// wide: the type admits a value outside ±(2^53-1), which a JSON reader that has only doubles would round.
	wide  bool
	names []named // an enum's cases by code; flags in source order, those without a bit left out
}

// leafViews makes the views of a plan's leaves.
func leafViews(p *plan.Plan) []leafView {
	views := make([]leafView, len(p.Leaves))
	byEnum := map[*schema.Enum][]named{}
	for i := range views {
		info, width := &p.Info[i], int(p.Leaves[i].Width)
		v := leafView{kind: info.Kind, width: width, wide: wide(info, width)}
		if info.Enum != nil {
			// An enum has one base type, so one code per case.
			names, ok := byEnum[info.Enum]
			if !ok {
				names = enumNames(info, width)
				byEnum[info.Enum] = names
			}
			v.names = names
		}
		views[i] = v
	}
	return views
}

func enumNames(info *plan.LeafInfo, width int) []named {
	var names []named
	mask := ^uint64(0)
	if width < 64 {
		mask = 1<<width - 1
	}
	for i := range info.Enum.Cases {
		c := &info.Enum.Cases[i]
		code := (low64(c.Value) - info.Base) & mask
		if !info.Enum.Flags || code != 0 {
			names = append(names, named{code, c.Name})
		}
	}
	if !info.Enum.Flags {
		slices.SortFunc(names, func(a, b named) int {
			if a.code < b.code {
				return -1
			}
			return 1
		})
	}
	return names
}

// low64 is the low 64 bits of a number in two's complement; it fits int64 or uint64.
func low64(v *big.Int) uint64 {
	if v.Sign() < 0 {
		return uint64(v.Int64())
	}
	return v.Uint64()
}

const maxSafe = 1<<53 - 1

func wide(info *plan.LeafInfo, width int) bool {
	switch {
	case info.Signed:
		return width >= 54 // reaches -2^53
	case info.Negative:
		lo := int64(info.Base)
		hi := int64(info.Base + info.TypeSpan)
		return lo < -maxSafe || hi > maxSafe
	}
	return info.Base+info.TypeSpan > maxSafe
}

// caseName is the enum case of a code, "" when it is unlisted.
func (v *leafView) caseName(code uint64) string {
	lo, hi := 0, len(v.names)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if v.names[mid].code < code {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(v.names) && v.names[lo].code == code {
		return v.names[lo].name
	}
	return ""
}

// appendInt appends a leaf's value as a decimal number.
func appendInt(b []byte, info *plan.LeafInfo, code uint64, width int) []byte {
	if value := info.Value(code, width); info.IsSigned() {
		return strconv.AppendInt(b, int64(value), 10)
	} else {
		return appendUint(b, value)
	}
}

// appendUint is strconv's for the numbers that packets are full of, and strconv's for all others.
func appendUint(b []byte, v uint64) []byte {
	switch {
	case v < 10:
		return append(b, byte('0'+v))
	case v < 100:
		return append(b, byte('0'+v/10), byte('0'+v%10))
	case v < 1000:
		return append(b, byte('0'+v/100), byte('0'+v/10%10), byte('0'+v%10))
	case v < 10000:
		return append(b, byte('0'+v/1000), byte('0'+v/100%10), byte('0'+v/10%10), byte('0'+v%10))
	}
	return strconv.AppendUint(b, v, 10)
}

// appendFloat appends the shortest number that reads back as f in its width; NaN and the infinities as words.
func appendFloat(b []byte, f float64, width int) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "NaN"...)
	case math.IsInf(f, 1):
		return append(b, "Infinity"...)
	case math.IsInf(f, -1):
		return append(b, "-Infinity"...)
	}
	form := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		form = 'e'
	}
	return strconv.AppendFloat(b, f, form, -1, width)
}

// exact reports whether a float leaf's value leads back to its code.
func exact(info *plan.LeafInfo, code uint64, width int) bool {
	if info.Kind == plan.LeafQuant {
		return uint64(info.Quant.Code(info.Quant.Value(uint32(code)))) == code
	}
	if !math.IsNaN(info.Float(code, width)) {
		return true
	}
	// One NaN is the one that everybody makes of the word; all others carry a payload or a sign.
	return width == 32 && code == 0x7fc00000 || width == 64 && code == 0x7ff8000000000000
}

// caseView knows how a packet's case is called.
type caseView struct {
	enum   *schema.Enum // of the tag, nil when it has none
	names  leafView     // the cases by value
	signed bool
	secret bool // the tag is a secret, or computed from one
}

func newCaseView(p *plan.Plan) caseView {
	pc := packetCase(p)
	if pc < 0 {
		return caseView{}
	}
	op := &p.Ops[pc]
	item := p.Switches[op.B].Item
	v := caseView{signed: p.Operands[op.A].Signed, secret: p.Operands[op.A].Secret}
	if item.Enum != nil && !item.Enum.Flags {
		v.enum = item.Enum
		v.names.names = enumNames(&plan.LeafInfo{Enum: item.Enum}, 64)
	}
	return v
}

// appendCase appends the case whose switch had this tag.
func (v *caseView) append(b []byte, tag uint64) []byte {
	if v.secret {
		return append(b, masked...)
	}
	if name := v.names.caseName(tag); name != "" {
		return append(b, name...)
	}
	if v.signed {
		return strconv.AppendInt(b, int64(tag), 10)
	}
	return strconv.AppendUint(b, tag, 10)
}
