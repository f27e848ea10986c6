package report_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/report"
)

// A crash is known where its line has moved, and each known crash stands for one: a second one in its function is new.
func TestKnownMoves(t *testing.T) {
	const in = "the reader dies in "
	for _, row := range []struct {
		name  string
		known []string // "rule cause"
		found []string
		fresh []int // of found
		gone  int
	}{
		{"the same", []string{"a parse, r.c:10"}, []string{"a parse, r.c:10"}, nil, 0},
		{"moved", []string{"a parse, r.c:10"}, []string{"a parse, r.c:12"}, nil, 0},
		{"moved, by another rule", []string{"a parse, r.c:10"}, []string{"b parse, r.c:12"}, nil, 0},
		{"moved, with its caller", []string{"a put, r.c:10, called by blob"}, []string{"a put, r.c:12, called by blob"}, nil, 0},
		{"another caller", []string{"a put, r.c:10, called by blob"}, []string{"a put, r.c:10, called by name"}, []int{0}, 1},
		{"another function", []string{"a parse, r.c:10"}, []string{"a head, r.c:10"}, []int{0}, 1},
		{"another file", []string{"a parse, r.c:10"}, []string{"a parse, s.c:10"}, []int{0}, 1},
		{"a second line, after the known one", []string{"a parse, r.c:10"}, []string{"a parse, r.c:10", "a parse, r.c:20"}, []int{1}, 0},
		{"a second line, before the known one", []string{"a parse, r.c:10"}, []string{"a parse, r.c:5", "a parse, r.c:10"}, []int{0}, 0},
		{"two that moved", []string{"a parse, r.c:10", "b parse, r.c:20"}, []string{"b parse, r.c:23", "a parse, r.c:13"}, nil, 0},
		{"one of two moved", []string{"a parse, r.c:10", "b parse, r.c:20"}, []string{"b parse, r.c:23"}, nil, 1},
		{"the one of the same rule is it", []string{"a parse, r.c:10"}, []string{"b parse, r.c:12", "a parse, r.c:13"}, []int{1}, 0},
		{"three, two are known", []string{"a parse, r.c:10", "b parse, r.c:20"}, []string{"c parse, r.c:11", "c parse, r.c:21", "c parse, r.c:31"}, []int{2}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			known := &report.Known{}
			for _, text := range row.known {
				known.Add(&report.SavedFinding{Kind: "crash", Rule: text[:1], Reject: "out-of-range", Cause: in + text[2:]})
			}
			var found []*fuzz.Finding
			for _, text := range row.found {
				found = append(found, &fuzz.Finding{Kind: oracle.FoundCrash, Rule: text[:1], Reject: reject.OutOfRange, Cause: in + text[2:]})
			}
			// One after the other, as a campaign finds them; what is said in the end counts.
			for _, f := range found {
				known.Has(f)
			}
			fresh, old := known.Split(found)
			var want []*fuzz.Finding
			for _, i := range row.fresh {
				want = append(want, found[i])
			}
			if !slices.Equal(fresh, want) || len(old) != len(found)-len(fresh) || len(known.Gone()) != row.gone {
				t.Errorf("%d new, %d known, gone %q", len(fresh), len(old), known.Gone())
			}
		})
	}
	// What has no line is not taken apart.
	for _, cause := range []string{"the reader does not refuse out-of-range at a:12", in + "parse", in + "walk, a recursion", ""} {
		if rest, line := fuzz.CutLine(cause); rest != cause || line != 0 {
			t.Errorf("%q: got %q and %d", cause, rest, line)
		}
	}
	if rest, line := fuzz.CutLine("the reader does not free what it allocates in " + fmt.Sprint(fuzz.Frame{Function: "ns::f(int)", File: "/x/r.c", Line: 7})); rest != "the reader does not free what it allocates in ns::f(int), r.c" || line != 7 {
		t.Errorf("got %q, %d", rest, line)
	}
}

// A finding without a cause stands for its own packets: another mistake of the same kind and rule is new. Where the
// rule says what is wrong, any packet shows it.
func TestKnownWithoutCause(t *testing.T) {
	refused := fuzz.Finding{Kind: oracle.FoundRejectedValid, Rule: "packet", Packet: []byte{1, 2}, Undone: oracle.NotTried}
	with := func(change func(f *fuzz.Finding)) fuzz.Finding {
		f := refused
		change(&f)
		return f
	}
	bits := fuzz.Finding{Kind: oracle.FoundWrongBits, Rule: "tail", Packet: []byte{1}}
	for _, row := range []struct {
		name  string
		known report.SavedFinding
		found fuzz.Finding
		want  bool
	}{
		{"the same packet", report.SavedFinding{Kind: "rejected-valid", Rule: "packet", From: "unknown", Packet: "0102"}, refused, true},
		{"another packet", report.SavedFinding{Kind: "rejected-valid", Rule: "packet", From: "unknown", Packet: "0103"}, refused, false},
		{"another packet, of a known cause now", report.SavedFinding{Kind: "rejected-valid", Rule: "packet", From: "unknown", Packet: "0103"},
			with(func(f *fuzz.Finding) { f.Cause = "the reader refuses k = 3" }), false},
		{"from another side", report.SavedFinding{Kind: "rejected-valid", Rule: "packet", From: "client", Packet: "0102"}, refused, false},
		{"after another packet", report.SavedFinding{Kind: "rejected-valid", Rule: "packet", From: "unknown", Packet: "0102"},
			with(func(f *fuzz.Finding) { f.Before = []decode.Packet{{Data: []byte{9}}} }), false},
		{"after the same packet", report.SavedFinding{Kind: "rejected-valid", Rule: "packet", From: "unknown", Packet: "0102", Before: []report.SavedPacket{{From: "unknown", Packet: "09"}}},
			with(func(f *fuzz.Finding) { f.Before = []decode.Packet{{Data: []byte{9}}} }), true},
		{"a packet that is left out", report.SavedFinding{Kind: "rejected-valid", Rule: "packet", From: "unknown", Secret: true},
			with(func(f *fuzz.Finding) { f.Packet = nil }), false},
		{"a crash by another packet", report.SavedFinding{Kind: "crash", Rule: "packet", From: "unknown", Packet: "0103"},
			with(func(f *fuzz.Finding) { f.Kind = oracle.FoundCrash }), false},
		{"bits by another packet", report.SavedFinding{Kind: "wrong-bits", Rule: "tail", From: "unknown", Packet: "05"}, bits, true},
		{"bits by another packet, not tried", report.SavedFinding{Kind: "wrong-bits", Rule: "tail", From: "unknown", Packet: "05", Undone: "not-tried"}, bits, false},
	} {
		known := &report.Known{}
		known.Add(&report.SavedFinding{Kind: row.known.Kind, Rule: row.known.Rule, From: "server", Packet: "ff", Undone: "not-tried"}) // takes no room
		known.Add(&row.known)
		if fresh, _ := known.Split([]*fuzz.Finding{&row.found}); (len(fresh) == 0) != row.want {
			t.Errorf("%s: known %v, want %v", row.name, len(fresh) == 0, row.want)
		}
	}
}
