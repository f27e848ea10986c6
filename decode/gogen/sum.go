package gogen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// Checksums: the reader computes one where it stands, the writer where all is there that it covers.

func (f *function) readSum(s *plan.Checksum) {
	g := f.g
	path := g.pathOf(g.p.Info[s.Leaf].Node)
	width := strconv.Itoa(s.Algorithm.Width)
	f.p("if end-bit < %s { %s }", width, f.refuse("RejectPastEnd", "bit", width, path))
	stored := fmt.Sprintf("load%s(data, bit, %s)", loads[s.Order], width)
	if s.Swap {
		stored = fmt.Sprintf("swapBytes(%s, %s)", stored, width)
	}
	if s.Xor != 0 {
		stored += fmt.Sprintf("^%#x", s.Xor)
	}
	from, to := f.sumEnds(s, "len(data)")
	sum := g.sum(s, "data", from, to, "bit/8", func(part int) string { return f.sumPart(s, part) })
	f.p("if %s != %s { %s }", sum, stored, f.refuse("RejectCRCMismatch", "bit", width, path))
	f.p("bit += %s", width)
}

// sumPart is the value of a prefix, or after those of a suffix.
func (f *function) sumPart(s *plan.Checksum, part int) string {
	v := s.Part(part)
	if v.Register >= 0 {
		return f.slot(int(v.Register))
	}
	return fmt.Sprintf("%#x", v.Value)
}

// summer is the variable that has the tables of a checksum.
func (g *gen) summer(s *plan.Checksum) string {
	made := s.Algorithm.Summer().Source()
	return g.once("crc", "var %s = "+strings.ToLower(made[:1])+made[1:])
}

// sum is the expression of a checksum, but for its xor, over data[from:to] with its own bytes at `at`.
func (g *gen) sum(s *plan.Checksum, data, from, to, at string, value func(part int) string) string {
	sums := g.summer(s)
	text := sums + ".Begin()"
	add := func(first int, parts []plan.SumPart) {
		for i, v := range parts {
			text = fmt.Sprintf("sumValue(%s, %s, %s, %d, %t)", sums, text, value(first+i), v.Size, v.BigEndian)
		}
	}
	add(0, s.Prefix)
	text = fmt.Sprintf("sumCovered(%s, %s, %s, %s, %s, %s, %d)", sums, text, data, from, to, at, s.Algorithm.Width/8)
	add(len(s.Prefix), s.Suffix)
	return fmt.Sprintf("%s.End(%s)", sums, text)
}

// sumEnds are the bytes that a checksum covers, which stands at bit. Without a window around it ends at all.
func (f *function) sumEnds(s *plan.Checksum, all string) (from, to string) {
	from, to = "0", "bit/8"
	switch {
	case s.From.Register >= 0:
		from = fmt.Sprintf("int(%s)/8", f.slot(int(s.From.Register)))
	case s.From.Kind == schema.SumOwn:
		from = "bit/8+" + strconv.Itoa(s.Algorithm.Width/8)
	}
	switch {
	case s.To.Register >= 0:
		to = fmt.Sprintf("int(%s)/8", f.slot(int(s.To.Register)))
		if s.From.Register >= 0 {
			from = fmt.Sprintf("min(%s, %s)", from, to)
		}
	case s.To.Kind == schema.SumAround && s.Windowed:
		to = "end/8"
	case s.To.Kind == schema.SumAround:
		to = all
	}
	return from, to
}

// writeSum writes a checksum over what is there. It leaves room for one that covers what comes after it, too.
func (f *function) writeSum(s *plan.Checksum) {
	g, size := f.g, s.Algorithm.Width/8
	from, to := f.sumEnds(s, "")
	if s.To.Kind != schema.SumAround {
		f.p("{")
		f.p("at, from, to := bit/8, %s, %s", from, to)
		f.p("b, bit = put(lsb, b, bit, 0, %d)", s.Algorithm.Width)
		f.p("%s", g.storeSum(s, "b", g.sum(s, "b", "from", "to", "at", func(part int) string { return f.sumPart(s, part) }), "at"))
		f.p("}")
		return
	}
	var values strings.Builder
	for i := range len(s.Prefix) + len(s.Suffix) {
		if s.Part(i).Register >= 0 {
			fmt.Fprintf(&values, "%d: %s, ", i, f.sumPart(s, i))
		}
	}
	f.p("w.sums[%d] = openSum{is: true, at: bit / 8, from: %s, values: [8]uint64{%s}}", g.openSums[s.ID], from, values.String())
	f.p("b, bit = put(lsb, b, bit, 0, %d)", 8*size)
}

// storeSum is the statement that puts a checksum at a byte.
func (g *gen) storeSum(s *plan.Checksum, out, sum, at string) string {
	if s.Xor != 0 {
		sum += fmt.Sprintf("^%#x", s.Xor)
	}
	return fmt.Sprintf("storeBytes(%s[%s:], %s, %d, %t)", out, at, sum, s.Algorithm.Width/8, s.BigEndian())
}

// openIn lists the checksums that cover what is in a window up to its end, and of these that one is the innermost:
// those that others cover come first (plan.Seals.Sort). Without a window they are those of the packet.
func (g *gen) openIn(window plan.StepID) []*plan.Checksum {
	var all []*plan.Checksum
	for _, s := range slices.Backward(g.p.Checksums) {
		if s.To.Kind != schema.SumAround {
			continue
		}
		up := s.Up
		for ; up != plan.NoStep; up = g.p.Steps[up].At().Up {
			if _, ok := g.p.Steps[up].(*plan.Window); ok {
				break
			}
		}
		if up == window {
			all = append(all, s)
		}
	}
	return all
}

// noSums are the statements that say that none of a window's checksums is there.
func (g *gen) noSums(window plan.StepID) string {
	var b strings.Builder
	for _, s := range g.openIn(window) {
		fmt.Fprintf(&b, "w.sums[%d].is = false\n", g.openSums[s.ID])
	}
	return b.String()
}

// sealSums are the statements that put a window's checksums into what is written, up to the byte n; "" without one.
func (g *gen) sealSums(window plan.StepID, out, n string) string {
	var b strings.Builder
	for _, s := range g.openIn(window) {
		open := fmt.Sprintf("w.sums[%d]", g.openSums[s.ID])
		sum := g.sum(s, out, open+".from", n, open+".at", func(part int) string {
			if v := s.Part(part); v.Register < 0 {
				return fmt.Sprintf("%#x", v.Value)
			}
			return fmt.Sprintf("%s.values[%d]", open, part)
		})
		fmt.Fprintf(&b, "if %s.is {\n%s\n}\n", open, g.storeSum(s, out, sum, open+".at"))
	}
	return b.String()
}
