package report

import (
	"fmt"
	"math/bits"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
)

// allowed is what a leaf may hold, in the schema's words, and how many of its codes nothing valid is sent as. Each
// unused code is an attack to try; a field with many of them is wider than it has to be.
type allowed struct {
	text   string // "0..100", "15 cases", "" where there is nothing to say
	unused uint64 // codes; at most 2^64-1, because one at least is used
	known  bool   // unused is
	wide   bool   // everything that fits 64 bits
}

// allowedOf judges a leaf's codes in so many bits, which only numbers with a width of their own need to be told.
func allowedOf(p *plan.Plan, leaf, width int) allowed {
	info := &p.Info[leaf]
	n := &p.Nodes[info.Node]
	if info.Let != nil {
		text := "= " + syntax.EscapeText(info.Let.Value.Text)
		if info.Let.Range != nil {
			text += ", " + info.Let.Range.Text
		}
		return allowed{text: text}
	}
	if number, ok := p.Reader(leaf).(*plan.Number); ok {
		return allowedNumber(n, info, number, width)
	}
	if width == 0 { // it is not on the wire
		return allowed{text: intervalText(info, 0)}
	}
	switch info.Kind {
	case plan.LeafChecksum:
		return allowed{text: "computed"}
	case plan.LeafCheck:
		return allowed{text: fmt.Sprintf("always 0x%08x", info.Want)}
	case plan.LeafReserved:
		if info.Any {
			return allowed{text: "anything, which is ignored"}
		}
		return allowed{text: "0", unused: ^uint64(0) >> (64 - width), known: true}
	case plan.LeafEnum, plan.LeafFlags:
		return allowedEnum(n, info, width)
	case plan.LeafFloat, plan.LeafQuantized:
		return allowedFloat(n, info, width)
	case plan.LeafBool:
		if info.Rule == nil && width == 1 {
			return allowed{}
		}
	case plan.LeafUint, plan.LeafInt, plan.LeafRanged:
	}
	a := allowed{text: intervalText(info, width), known: true, unused: unusedCodes(1<<width, info.TypeSpan+1)}
	a.wide = width == 64 && a.unused == 0
	if info.Rule != nil {
		a.unused, a.wide = ruleUnused(info, width), false
		a.text = n.Value.RuleText()
	} else if n.Value != nil && n.Value.Rule != nil { // its ends are computed
		a = allowed{text: n.Value.RuleText()}
	}
	return a
}

// unusedCodes is total-used; a total of 0 is 2^64, which no word holds, and so is a used of 0.
func unusedCodes(total, used uint64) uint64 { return total - used }

// intervalText is the values of a leaf without a rule.
func intervalText(info *plan.LeafInfo, width int) string {
	lo, hi := uint64(0), info.TypeSpan
	if info.Signed && width > 0 {
		lo, hi = 1<<(width-1), 1<<(width-1)-1 // as codes
	}
	b := info.AppendInt(nil, lo, width)
	return string(info.AppendInt(append(b, ".."...), hi, width))
}

// ruleUnused counts the codes that an integer's type or rule refuses.
func ruleUnused(info *plan.LeafInfo, width int) uint64 {
	key := func(code uint64) uint64 {
		v := info.Value(code, width)
		if info.IsSigned() {
			v ^= 1 << 63
		}
		return v
	}
	first, last := key(0), key(info.TypeSpan)
	if info.Signed && width > 0 {
		first, last = key(1<<(width-1)), key(1<<(width-1)-1)
	}
	used := uint64(0)
	for lo, hi := range info.RuleSet() {
		if lo, hi = max(lo, first), min(hi, last); lo <= hi {
			used += hi - lo + 1
		}
	}
	if info.Rule.Kind == schema.RuleNe {
		used = last - first + 1 - used
	}
	return unusedCodes(1<<width, used)
}

func allowedEnum(n *plan.Node, info *plan.LeafInfo, width int) allowed {
	a := allowed{known: true}
	if info.Rule != nil {
		a.text = n.Value.RuleText()
	}
	switch {
	case info.Enum.Open:
		a.known = false
	case info.Enum.Flags:
		a.known = info.Rule == nil && info.Enum.Mask <= info.TypeSpan // all flags at once may be above the type's range
		if a.text == "" {
			a.text = fmt.Sprintf("flags 0x%0*x", (width+3)/4, info.Enum.Mask)
		}
		a.unused = unusedCodes(1<<width, 1<<bits.OnesCount64(info.Enum.Mask&^(^uint64(0)<<width)))
	default:
		used := uint64(0)
		for key := range info.CaseSet() {
			if info.IsSigned() {
				key ^= 1 << 63
			}
			if kind, _ := info.Judge(info.CodeOf(key, width), width); kind == 0 {
				used++
			}
		}
		a.unused = unusedCodes(1<<width, used)
		if a.text == "" {
			a.text = syntax.Count(used, "case")
		}
	}
	return a
}

func allowedFloat(n *plan.Node, info *plan.LeafInfo, width int) allowed {
	a := allowed{text: "any float"}
	if info.Quant != nil {
		a = allowed{text: (&schema.Value{Type: info.Quant}).RangeText(), known: true, unused: unusedCodes(1<<width, info.TypeSpan+1)}
	}
	if info.Rule != nil {
		a.text, a.known = n.Value.RuleText(), false
	}
	return a
}

// allowedNumber is of a number whose width is found on the way: of the same field another packet can have another.
func allowedNumber(n *plan.Node, info *plan.LeafInfo, num *plan.Number, width int) allowed {
	switch {
	case num.EndLeaf >= 0 && n.Kind == plan.NodeItem && !n.Named:
		return allowed{text: "the end"}
	case num.Any:
		return allowed{text: fmt.Sprintf("0..%d", info.TypeSpan), known: true, unused: unusedCodes(1<<width, num.Most+1)}
	case num.Kind == plan.NumberIndex:
		return allowed{text: fmt.Sprintf("rising, 0..%d", info.TypeSpan), known: true, unused: unusedCodes(1<<width, num.Most+1)}
	case num.Kind == plan.NumberStep:
		return allowed{text: fmt.Sprintf("rising, 0..%d", info.TypeSpan)}
	case info.Rule != nil || n.Value != nil && n.Value.Rule != nil || n.Value != nil && (num.Kind == plan.NumberRanged || num.Kind == plan.NumberBelow || num.Kind == plan.NumberLadder):
		return allowed{text: n.Value.RangeText()}
	case num.Kind == plan.NumberSized:
		if width == 0 {
			return allowed{text: "0"}
		}
		return allowed{text: schema.WidthText(width, info.Signed), known: true}
	case num.Kind == plan.NumberVarint:
		return allowed{text: schema.WidthText(num.Bits, info.ZigZag)}
	}
	return allowed{}
}

// append appends it as a line has it: "0..100, 155 unused".
func (a *allowed) append(b []byte) []byte {
	if a.wide {
		return append(b, "any"...)
	}
	b = append(b, a.text...)
	if a.known && a.unused > 0 {
		if a.text != "" {
			b = append(b, ", "...)
		}
		b = fmt.Appendf(b, "%d unused", a.unused)
	}
	return b
}

// codeBits says which bit of a leaf's code each of its bits on the wire is, where they are not as a number is
// written: in order bousk and of numbers whose bytes run the other way. runs are inclusive, in the order of the wire.
func codeBits(order wire.Order, swap bool, bit, width int) (runs [][2]int) {
	straight := order != wire.Bytewise && !swap
	if straight || width < 2 || width > 64 {
		return nil
	}
	var word [9]byte
	at := bit % 8
	for i := range width {
		word = [9]byte{}
		if pos := at + i; order == wire.LSB {
			word[pos/8] = 1 << (pos % 8)
		} else {
			word[pos/8] = 0x80 >> (pos % 8)
		}
		code := order.Load(word[:], at, width)
		if swap {
			code = wire.SwapBytes(code, width)
		}
		n := bits.TrailingZeros64(code)
		step := -1 // from one bit on the wire to the next
		if order == wire.LSB {
			step = 1
		}
		if last := len(runs) - 1; last >= 0 && runs[last][1]+step == n {
			runs[last][1] = n
			continue
		}
		runs = append(runs, [2]int{n, n})
	}
	if len(runs) == 1 {
		return nil
	}
	return runs
}
