package generated_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/decode/plan"
)

// What a writer derives: the fields that say how large something is are set to zero, and what is written must be what
// package message makes of the same tree without them, wherever that finds them.

// sizingRules are the paths, with [] for the indexes, of the fields that only say how large something is.
func sizingRules(p *plan.Plan) []string {
	sizes := p.Sizings()
	rules := map[string]bool{}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.Kind != plan.NodeLeaf {
			continue
		}
		path := rulePath(p, plan.NodeID(i))
		was, met := rules[path]
		_, constant := p.Info[n.Leaf].Constant(int(p.Leaves[n.Leaf].Width))
		rules[path] = (was || !met) && len(sizes[n.Leaf]) > 0 && !constant && !shifted(p, n.Leaf, sizes)
	}
	var all []string
	for path, sizing := range rules {
		if sizing {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return all
}

// shifted reports whether a leaf is the length of a window and its code zero is not its value zero: where the window is
// not written, the Encoder leaves the one there and generated code the other.
func shifted(p *plan.Plan, leaf int32, sizes [][]plan.Sizing) bool {
	return p.Info[leaf].Base != 0 && slices.ContainsFunc(sizes[leaf], func(s plan.Sizing) bool {
		return func() bool { _, window := p.StepAt(s.Point).(*plan.Window); return window }()
	})
}

func rulePath(p *plan.Plan, id plan.NodeID) string {
	return string(p.AppendPath(nil, id, func() (uint64, bool) { return 0, false }))
}

// deriver makes a packet of a trace without what derives.
type deriver struct {
	m     *message.Message
	e     *decode.Encoder
	rules map[string]bool
	held  int // packets without what derives, written as the message writes them

	written, refused int // of packets that were changed
}

func newDeriver(p *plan.Plan) *deriver {
	d := &deriver{m: message.New(p), e: decode.NewEncoder(decode.New(p)), rules: map[string]bool{}}
	for _, path := range sizingRules(p) {
		d.rules[path] = true
	}
	return d
}

// hold compares what the generated writer has derived, as hexadecimal, with what the message does. One that is the
// packet as it was is right: the message has no bits that an `align … any` skips.
func (d *deriver) hold(t *decode.Trace, whole, got string) error {
	if len(d.rules) == 0 {
		return nil
	}
	if got == whole {
		d.held++
		return nil
	}
	d.m.FromTrace(t)
	strip(&d.m.Root, "", d.rules)
	want, err := d.m.Encode(d.e, nil)
	if err != nil {
		return nil // it is a field of which nothing is there, or which several things contradict
	}
	d.held++
	if got != fmt.Sprintf("%x", want) {
		return fmt.Errorf("without %v: want %x, got %s", d.rules, want, got)
	}
	return nil
}

func strip(v *message.Value, path string, rules map[string]bool) {
	kept := v.Items[:0]
	for i := range v.Items {
		at := path + "[]"
		if v.Kind == message.Object {
			at = strings.TrimPrefix(path+"."+v.Items[i].Name, ".")
		}
		if rules[at] {
			continue
		}
		strip(&v.Items[i], at, rules)
		kept = append(kept, v.Items[i])
	}
	v.Items = kept
}

// countsThatLead are counts that decide themselves whether what they count is there.
var countsThatLead = []struct{ name, packet string }{
	{"a tag", "n uint8 in 1..9\nx switch n { 3: [n]uint8, 5: { b [n]uint16 }, default: empty }\ny uint8"},
	{"the least that is one", "n int(48..53)\nx switch n { 48: [n]{ a bits(1) }, 49..53: uint8 }"},
	{"a condition", "n bits(4)\nif n > 2 { l [n]uint8 }\ny bits(4)"},
	{"bytes in words", "n uint8 in 0..9\nx switch n { 4: { b bytes(n * 4, max 36) }, default: uint8 }"},
}

// Such a count is found where nobody gives it, too: a writer that guessed another way would never come to what it
// counts.
func TestCountsThatLead(t *testing.T) {
	if testing.Short() {
		t.Skip("TestAnySchemaAgrees has counts, too")
	}
	g := &program{dir: t.TempDir()}
	for _, row := range countsThatLead {
		src := "protocol lead\norder msb\npacket {\n" + row.packet + "\n}\n"
		if err := g.add(t, row.name, compile(t, "lead.pks", []byte(src))); err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
	}
	g.build(t)
	b := &batch{g: g}
	for n, name := range g.names {
		if made := b.makes(t, n, 1, 40, need.Rounds(20, 4)); made == 0 {
			t.Errorf("%s: no packet was made", name)
		}
	}
	b.hold(t)
	for n, d := range b.derivers {
		if d.held < 20 {
			t.Errorf("%s: only %d packets without the count", g.names[n], d.held)
		}
	}
}

// spoiltForms are packets of which values that were changed are refused in one way or written. What is in place of
// a constant that is zero is a constant of the generated code, which must not overflow where it is made a code.
var spoiltForms = []struct{ name, packet string }{
	{"a zigzag below zero", "a zigzag(60) == -16777125\ny uint8"},
	{"the least zigzag", "a zigzag(63) == -4611686018427387904\ny uint8"},
	{"a zigzag above zero", "a zigzag(60) == 16777125\ny uint8"},
	{"a signed constant narrower than its Go type", "a sbits(11) == -995\ny uint8"},
	{"a constant narrower than its Go type", "a bits(11) == 995\ny uint8"},
	{"a table whose rows no number of its kind has", "a uint8\nb bits(Only(a))\n}\nconst Only = switch { -2: 4, default: 3 }\nstruct Unused {"},
	{"a switch of integers that counts, sizes, is a tag and joins a let", "k bits(2)\nl bits(6)\nn switch k { 0: uint8, 1: uint16 in 0..300, default: bits(8) }\nlist [n, max 20]uint8\nif l & 1 == 1 { m switch k { 0: int(3..9), default: uint8 } } else { let m = n & 15 }\nalign\nbody switch m { 3: uint8, 4..9: uint16, default: empty }"},
	{"what the last element of a list had", "n bits(4) in 0..9\nm bits(4)\nlist [n]{ a uint8, k bool, b bits(7), let c in 0..900 = prev(c, 3) + a }\nrequire prev(list.c, 0) < 400\nx [prev(list.b, 1), max 90]uint8\nif prev(list.k, true) { y uint8 }"},
	{"a count that is computed of a length", "n uint8\nif rest > 1 { a uint8 }\nb switch n { 0..2, 4, 7: [n & 15]{ c bytes(n), d uint8 }, default: uint8 }\ne uint8"},
	{"a list of another arm than the one that a field counts", "f uint8 in 0..3\nn uint8 in 12..16\nx switch n { 14: [f]uint8, 12, 13: [until x == 0, max 4]uint8, default: empty }\ny uint8"},
	{"a join that only an argument reads, which nothing reads", "a bool\nif a { b uint16 } else { let b = 3 }\nc Unused(b != 4)\ny uint8\n}\nstruct Unused(d bool) {"},
	{"a look that chooses an array", "if peek(7) <= 2 { a uint32 in 4294967293..4294967295, b [5][..2]uint8 }\nc bytes(rest, max 20)"},
	{"a varint", "a varint(60) == 16777125\ny uint8"},
}

func TestSpoiltFormsAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("-short builds the forms of TestOpenFormsAgree")
	}
	g := &program{dir: t.TempDir()}
	for _, row := range spoiltForms {
		src := "protocol one\norder msb\npacket {\n" + row.packet + "\n}\n"
		if err := g.add(t, row.name, compile(t, "one.pks", []byte(src))); err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
	}
	g.build(t)
	b := &batch{g: g}
	for n, name := range g.names {
		if made := b.makes(t, n, 1, 40, need.Rounds(20, 4)); made == 0 {
			t.Errorf("%s: no packet was made", name)
		}
	}
	b.hold(t)
	for n, d := range b.derivers {
		if d.written < 20 {
			t.Errorf("%s: only %d packets that were changed were written", g.names[n], d.written)
		}
	}
}
