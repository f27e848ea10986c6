package fuzz_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// within4 is a list in a window, whose size is counted in words and has a range.
const within4 = "protocol within4\norder msb\npacket {\nn uint16 in 0..300\nwithin(n * 4) {\nitems [rest, max 64]{\na uint8\nb uint8\nc uint16\n}\n}\n}"

// manyMessages is a protocol of n messages, each with ranged integers, a bool and a list.
func manyMessages(n int) string {
	var b strings.Builder
	b.WriteString("protocol large\norder lsb\nmax datagram 1500\n")
	for m := range n {
		fmt.Fprintf(&b, "struct M%d {\n", m)
		for i := range 20 {
			fmt.Fprintf(&b, "f%d int(0..%d)\n", i, 101+6*i)
		}
		b.WriteString("ok bool\nn uint8 in 0..10\nels [n]uint16\n}\n")
	}
	b.WriteString("enum Kind : uint16 {\n" + repeat(n, func(m int) string { return fmt.Sprintf("T%d = %d", m, m) }) + "}\n")
	return b.String() + "packet {\nkind Kind\nbody switch kind {\n" + repeat(n, func(m int) string { return fmt.Sprintf("T%d: M%d", m, m) }) + "}\n}"
}

func audited(t *testing.T, source string, most int) *fuzz.AuditResult {
	t.Helper()
	d := compile(t, source)
	a := &fuzz.Audit{Decoder: d, Seed: 1, Workers: 2, MaxPerRule: most, NewTarget: func(context.Context) (oracle.Target, error) { return oracle.NewBuiltin(d), nil }}
	r, err := a.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		t.Errorf("%v: %s", f.Kind, f.What())
	}
	return r
}

// A sample is no product of all codes with all places, and leaves out no rule: what an audit of every code of 16 bits
// meets, one at the boundaries meets as well. What is left out is counted.
func TestSampledByBoundary(t *testing.T) {
	rtp, ok := protocols.Source("rtp")
	ranged := strings.Replace(string(rtp), "words   uint16\n", "words   uint16 in 0..300\n", 1)
	if !ok || ranged == string(rtp) {
		t.Fatal("no length in rtp.pks")
	}
	for i, row := range []struct {
		name, source, rule string
		packets            int
		left               int // at least: 65,235 codes are refused, of which some hundred are tried
	}{
		{"a list in a window", within4, "n", 5000, 65000},
		{"the length of RTP's extension", ranged, "words", 3000, 65000},
		{"a tag of 16 bits", "protocol t\norder lsb\npacket {\nk uint16\nx switch k { 7: uint8, 900..1000: uint16 }\n}", "x", 600, 65000},
	} {
		t.Run(row.name, func(t *testing.T) {
			if !need.OneIn(i, 2) {
				t.Skip("-short audits each second")
			}
			few, all := audited(t, row.source, 0), audited(t, row.source, 1<<16)
			if few.Packets > row.packets || all.Packets < 65000 {
				t.Errorf("%d packets, want %d at most; %d with every code", few.Packets, row.packets, all.Packets)
			}
			left := uint64(0)
			for _, r := range all.Rules {
				if !slices.ContainsFunc(few.Rules, func(o fuzz.RuleResult) bool { return o.Rule == r.Rule && o.Kind == r.Kind }) {
					t.Errorf("%s, %v: not tried any more", r.Rule, r.Kind)
				}
			}
			for _, r := range few.Rules {
				if left += r.LeftOut; r.LeftOut > 0 && (!r.Sampled || r.Rule != row.rule || r.Kind == reject.None) {
					t.Errorf("%+v", r)
				}
			}
			if left < uint64(row.left) || len(few.Untested) != len(all.Untested) {
				t.Errorf("%d left out; %d untested, with every code %d", left, len(few.Untested), len(all.Untested))
			}
		})
	}
}

// Of a rule there are no more packets than was said, whatever it is; each rule that has any has one, and the others are
// counted.
func TestMaxPerRule(t *testing.T) {
	d := builtin(t, "packets")
	whole := make(map[string]int)
	count := func(most int) *fuzz.AuditResult {
		a := &fuzz.Audit{Decoder: d, Seed: 1, MaxPerRule: most, NewTarget: func(context.Context) (oracle.Target, error) { return oracle.NewBuiltin(d), nil }}
		r, err := a.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, r := range count(1 << 16).Rules {
		whole[fmt.Sprint(r.Rule, r.Kind)] = r.Tried
	}
	for _, most := range []int{1, 3, 20} {
		r := count(most)
		tried, left := 0, uint64(0)
		for _, rule := range r.Rules {
			tried += rule.Tried
			left += rule.LeftOut
			// A line of the result can have several ways to break its rule.
			if ways := 6 * len(rule.Classes); rule.Tried > ways*most+8 {
				t.Errorf("%d of each: %+v", most, rule)
			}
			delete(whole, fmt.Sprint(rule.Rule, rule.Kind))
		}
		if len(whole) > 0 || left == 0 {
			t.Errorf("%d of each: %d tried, %d left out, nothing of %v", most, tried, left, whole)
		}
	}
}

// In rounds there are the same packets, each once, also where those that wait do not fit into memory.
func TestRoundsWithoutRoom(t *testing.T) {
	d := builtin(t, "packets")
	a := &fuzz.Audit{Decoder: d, Seed: 1}
	want := a.Enumerated(t.Context(), false, 0)
	slices.Sort(want)
	var order []string
	for _, room := range []int{1 << 30, 20000, 1} {
		got := a.Enumerated(t.Context(), true, room)
		if order == nil {
			order = slices.Clone(got)
		}
		if room == 1 && slices.Equal(got, want) {
			t.Error("no rounds")
		}
		slices.Sort(got)
		if len(want) < 500 || !slices.Equal(got, want) {
			t.Errorf("room for %d bytes: %d packets, want %d", room, len(got), len(want))
		}
	}
}

// Every message of a large protocol is audited, however many cases its switch has, with a bounded number of packets for
// each.
func TestManyMessages(t *testing.T) {
	n := need.RoundsIn(t, need.Long, 400, 200, 20)
	r := audited(t, manyMessages(n), 0)
	if len(r.Untested)+len(r.Missed) > 0 || r.Packets > 2500*n {
		t.Errorf("%d packets, %d boundaries missed, %d untested: %+v", r.Packets, len(r.Missed), len(r.Untested), r.Untested[:min(3, len(r.Untested))])
	}
	refused := map[string]int{}
	for _, rule := range r.Rules {
		if rule.Kind == reject.OutOfRange {
			refused[rule.Rule] = rule.Tried
		}
	}
	for m := range n {
		for i := range 20 {
			bits := 7
			if i > 4 {
				bits = 8
			}
			if got, want := refused[fmt.Sprintf("body<T%d>.f%d", m, i)], 1<<bits-(102+6*i); got != want {
				t.Fatalf("M%d.f%d: %d codes refused, want %d", m, i, got, want)
			}
		}
	}
}
