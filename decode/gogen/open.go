package gogen

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// What the end of the packet decides (plan.Opens). As the Encoder does it: in the dark, which is before the packet has
// been written once, what is given says how large an open thing is, and what is not zero which way a branch goes; then
// the packet is written with the length that it had, and everything is held against that.

// appendOpen writes the passes of Append.
func (g *gen) appendOpen(b *bytes.Buffer) {
	unsettled := "false"
	if len(g.lengthSlots) > 0 {
		unsettled = "w.unsettled()"
	}
	sees, passes, length, lost := g.p.SeesBits(), 16, "", ""
	dark, same, seen, settle, missed := "!given", "total == end", "", "end, w.found.dark = total, false", "if end = total; given {\npass = 16\n}"
	if sees { // the bits of a datagram of a given length are not given
		passes++ // one judges
		dark, settle = "true", "if w.found.dark = false; !given {\nend = total\n}"
		same = `!same || total != end {
			if w.found.judged = false; !given || same { // bits of a datagram of another length do not lead to the one that is given
				end, given, wrong = total, false, wrong || given
			}
		} else if w.found.judged && wrong && total != length {
			return out, w.refuse(RejectRuleBroken, bit, 0, "")
		} else if w.found.judged`
		length = "length, wrong := end, false // given, and not what the packet has\n"
		lost = "if wrong {\nreturn out, w.refuse(RejectRuleBroken, 0, 0, \"\")\n}\n"
		missed = "{\nw.found.judged = true // it is what it looks at: once more, and everything is judged\n}"
		seen = fmt.Sprintf(`		if total > 8*MaxDatagram {
			return out, w.refuse(RejectDatagramSize, 0, total, "")
		}
%s		same := bytes.Equal(w.found.seen[:w.found.size], out[:total/8])
		w.found.size = copy(w.found.seen[:], out[:total/8])
`, g.sealSums(plan.NoStep, "out", "total/8"))
	}
	picked := ""
	if g.branches() {
		picked = "w.found.picked = 0\n"
	}
	fmt.Fprintf(&g.code, `
// passes writes the packet until what it looks at is what it has written.
func (w *writer) passes(v *Packet, out []byte) ([]byte, int) {
	bit := 0
	// What is left of the datagram decides about fields. Where its length is not given, what is given says at first how large
	// things are; that makes a length, which everything is held against.
	end, given := 8*MaxDatagram, v.DatagramSize != 0 && v.DatagramSize <= MaxDatagram
	if given {
		end = 8 * max(0, int(v.DatagramSize))
	}
	%sw.found.dark = %s
	for pass := 0; ; pass++ {
%s		if out, bit = w.packet(v, out, 0, end); bit < 0 {
%s			return out, bit
		}
		total := (bit + 7) &^ 7
%s		if %s {
			w.found.dark = !given // a length that is another moves the end
		} else if w.found.dark {
			%s
		} else if %s {
			return out, bit
		} else %s
		if pass >= %d {
			return out, w.refuse(RejectRuleBroken, max(bit, 0), 0, "")
		}
	}
}
`, length, dark, picked, lost, seen, unsettled, settle, same, missed, passes)
	if !g.branches() {
		b.WriteString("	if out, bit = w.passes(v, out); bit < 0 { return b, w.failed() }\n")
		return
	}
	give := ""
	if len(g.lengthSlots) > 0 {
		give = "w.found.give()\n"
	}
	fmt.Fprintf(b, `	// Where what is given does not say which way the packet goes, the ways are tried in order.
	var first PacketReject
	for try := 1; ; try++ {
		if out, bit = w.passes(v, out); bit >= 0 {
			break
		}
		if try == 1 {
			first = w.reject
		}
		%sif try == maxTries || !w.another() {
			w.reject = first
			return b, w.failed()
		}
	}
`, give)
}

// branches reports whether the way at some branch follows from where the packet ends, or from its bits.
func (g *gen) branches() bool {
	return slices.ContainsFunc(g.p.Steps, func(s plan.Step) bool {
		expr, ok := s.Expr()
		return ok && s.Flow() == plan.Choose && g.isOpen(expr)
	})
}

// look is the call that looks at bits that have not been read; a writer sees those of the pass before.
func (f *function) look(in *plan.Inst) string {
	name := map[string]string{"peek": "Peek", "tail": "Tail"}[in.Code.String()]
	data, end := "data", "end"
	if f.write { // a pass that was shorter has its last bits where it ended
		data, end = "w.found.seen[:w.found.size]", "max(bit, min(end, 8*w.found.size))"
	}
	return fmt.Sprintf("%s.%s(%s, bit, %s, %d)", wire.Order(in.Imm), name, data, end, in.A)
}

// isOpen reports whether an operand follows from where the packet ends.
func (g *gen) isOpen(operand uint32) bool { return g.open != nil && g.open[operand] }

// lit is a condition that is not asked in the dark, where it hangs on an operand.
func (g *gen) lit(operand uint32, cond string) string {
	if g.isOpen(operand) {
		return g.judged() + " && " + cond
	}
	return cond
}

// judged is the condition under which what is open is held against what a reader would compute: where it looks at bits,
// these have to be those of the pass at hand.
func (g *gen) judged() string {
	if g.p.SeesBits() {
		return "w.found.judged && !w.found.dark"
	}
	return "!w.found.dark"
}

// known is a condition that is not asked where it hangs on an operand that follows from a length which is a guess: of
// what does not, what is first in the packet is refused first.
func (g *gen) known(operand uint32, cond string) string {
	if len(g.lengthSlots) > 0 && g.guessed[operand] {
		cond += " && w.sure()"
	}
	return cond
}

// ends is a condition under which a list is refused for where it ends, which a length that is a guess can say.
func (g *gen) ends(operand uint32, cond string) string {
	return g.known(operand, g.lit(operand, cond))
}

// dark makes the statements that replace what an operand says as long as the end is not known.
func (f *function) dark(operand uint32, format string, args ...any) {
	if f.g.isOpen(operand) {
		f.p("if w.found.dark { %s }", fmt.Sprintf(format, args...))
	}
}

// mostGiven bounds the fields that are looked at to see whether something is given.
const mostGiven = 100

// anyGiven is the condition under which one of the fields is not zero. What has too many counts as given.
func (f *function) anyGiven(nodes []plan.NodeID) string {
	var terms []string
	term := func(given string) {
		if !slices.Contains(terms, given) { // the cases of a switch share their fields
			terms = append(terms, given)
		}
	}
	var add func(place string, t *goType)
	add = func(place string, t *goType) {
		if len(terms) > mostGiven {
			return
		}
		switch t.shape {
		case shapeNumber:
			term(place + " != 0")
		case shapeBool:
			term(place)
		case shapeStruct:
			if t.text == "PacketRelative" {
				place += ".Value"
				term(place + " != 0")
				return
			}
			for i := range t.fields {
				if t.fields[i].pks != ownBytes { // a name's own bytes are nothing without its text
					add(place+"."+t.fields[i].name, t.fields[i].typ)
				}
			}
		case shapeArray:
			if !t.pages {
				term(fmt.Sprintf("%s != (%s{})", place, t.text))
				return
			}
			for i := uint64(0); i < t.n && len(terms) <= mostGiven; i++ { // lists cannot be compared
				add(fmt.Sprintf("%s[%d]", place, i), t.elem)
			}
		case shapeBytes, shapeList:
			term(count(place, t) + " > 0")
		}
	}
	for _, id := range nodes {
		if t := f.g.fieldType[id]; t != nil && f.has(id) {
			add(f.place(id), t)
		}
	}
	switch {
	case len(terms) > mostGiven:
		return "true"
	case len(terms) == 0:
		return "false"
	}
	return strings.Join(terms, " || ")
}

// darkTag is what chooses the arm of an open switch in the dark: that of which something is given, or at first one that
// has nothing.
func (f *function) darkTag(sw *plan.Switch, name string) {
	g := f.g
	bias := uint64(0)
	if g.p.Operands[sw.Tag].Signed {
		bias = 1 << 63
	}
	var given, tags strings.Builder
	otherwise := -1
	for i, arm := range sw.Arms {
		tag, ok := uint64(0), false
		for _, e := range sw.Entries {
			if !ok && e.Arm == arm.Arm {
				tag, ok = e.Lo, true
			}
		}
		for !ok && sw.Find(tag) != sw.Default { // the default's is one that no entry has
			tag++
		}
		cond := f.anyGiven(g.p.ArmNodes(sw, arm))
		fmt.Fprintf(&given, "%s, ", cond)
		fmt.Fprintf(&tags, "case %d: %s = %s\n", i, name, literal(tag^bias))
		if cond == "false" || otherwise < 0 {
			otherwise = i
		}
	}
	f.p("if w.found.dark {\ngiven := [...]bool{%s}\nswitch w.arm(given[:], %d) {\n%s}\n}", given.String(), otherwise, tags.String())
}

// darkWay is whether an if is taken in the dark: where something is given that is in it, or nothing in its other way;
// where both ways are as good, they are tried.
func (f *function) darkWay(s *plan.If) string {
	then, other := f.anyGiven(f.g.given(s.Then, s.Node)), f.anyGiven(f.g.given(s.Else, s.Node))
	guess := then
	if len(s.Else) > 0 {
		guess = fmt.Sprintf("%s || !(%s)", then, other)
	}
	return fmt.Sprintf("w.way(%s, %s, %s)", then, other, guess)
}

// given are the nodes of a way of which a value can say that it is taken: what is computed says nothing.
func (g *gen) given(b []plan.Step, under plan.NodeID) []plan.NodeID {
	return slices.DeleteFunc(g.nodesIn(b, under), func(id plan.NodeID) bool {
		n := &g.p.Nodes[id]
		return n.Leaf >= 0 && g.p.Info[n.Leaf].Let != nil
	})
}

// relate finds the value that a requirement gives a leaf whose field is zero.
func (f *function) relate(id plan.StepID, e *plan.Equation, path string) {
	slot, ok := f.g.lengthSlots[id]
	if !ok {
		return
	}
	length := f.slot(slot)
	f.p("if %s != 0 && !w.found.dark && !w.learn(%s, %s, %d, %d) { %s }", length, length, f.expression(e.Other).word(), e.K, e.C, f.refuse("RejectRuleBroken", "bit", "0", path))
}
