package gogen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
)

// Checksums: the reader computes one where it stands, the writer at the end.

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
	from := "0"
	if s.OverRest {
		from = "bit/8+" + strconv.Itoa(s.Algorithm.Width/8)
	}
	sum := g.sum(s, "data", from, "len(data)", "bit/8", func(part int) string { return f.sumPart(s, part) })
	f.p("if %s != %s { %s }", sum, stored, f.refuse("RejectCRCMismatch", "bit", width, path))
	f.p("bit += %s", width)
}

// sumPart is the value of a prefix, or behind those of a suffix.
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

// writeSum leaves room for a checksum.
func (f *function) writeSum(s *plan.Checksum) {
	var values strings.Builder
	for i := range len(s.Prefix) + len(s.Suffix) {
		if s.Part(i).Register >= 0 {
			fmt.Fprintf(&values, "%d: %s, ", i, f.sumPart(s, i))
		}
	}
	from := "0"
	if s.OverRest {
		from = "bit/8+" + strconv.Itoa(s.Algorithm.Width/8)
	}
	f.p("w.sum = openSum{at: bit / 8, from: %s, values: [8]uint64{%s}}", from, values.String())
	f.p("b, bit = put(lsb, b, bit, 0, %d)", s.Algorithm.Width)
}

// sealSum is the statement that puts the checksum into a datagram of n bytes; "" without one.
func (g *gen) sealSum(n string) string {
	s := g.p.Checksum()
	if s == nil {
		return ""
	}
	sum := g.sum(s, "out", "w.sum.from", n, "w.sum.at", func(part int) string {
		if v := s.Part(part); v.Register < 0 {
			return fmt.Sprintf("%#x", v.Value)
		}
		return fmt.Sprintf("w.sum.values[%d]", part)
	})
	if s.Xor != 0 {
		sum += fmt.Sprintf("^%#x", s.Xor)
	}
	return fmt.Sprintf("storeBytes(out[w.sum.at:], %s, %d, %t)\n", sum, s.Algorithm.Width/8, s.BigEndian())
}
