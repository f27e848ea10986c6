package fuzz_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// What is declared inside a struct's own body, in arms and lists, is one declaration wherever the struct is: in two arms of
// the packet and twice in one of these.
const innerSchema = `protocol inner
order msb
max datagram 64

struct Argument {
    tag uint8 in 0..3
    value switch tag {
        0: empty
        1: { level uint8 in 0..9 }
        2: { n uint8 in 0..3, items [n]{ kind uint8 in 0..5 } }
        3: uint8 in 0..7
    }
}

packet {
    kind uint8 in 1..2
    body switch kind {
        1: { first Argument, second Argument }
        2: { only Argument, limit uint8 in 0..9 }
    }
}
`

func TestCausesOfInnerDeclarations(t *testing.T) {
	load := func(text string) *decode.Decoder {
		s, diags := schema.Load("inner.pks", []byte(text), nil)
		if s == nil {
			t.Fatal(diags)
		}
		p, diags := plan.Compile(s)
		if p == nil {
			t.Fatal(diags)
		}
		return decode.New(p)
	}
	const unchecked = "the reader does not refuse out-of-range at "
	for _, row := range []struct{ name, rule, without, want string }{
		{"in an arm", "level uint8 in 0..9", "level uint8", unchecked + "Argument.value<1>.level"},
		{"in a list", "kind uint8 in 0..5", "kind uint8", unchecked + "Argument.value<2>.items[].kind"},
		{"no mistake", "kind uint8 in 0..5", "kind uint8 in 0..5", ""},
		{"an arm", "3: uint8 in 0..7", "3: uint8", unchecked + "Argument.value<3>"},
		{"of no struct", "limit uint8 in 0..9", "limit uint8", unchecked + "body<2>.limit"},
	} {
		t.Run(row.name, func(t *testing.T) {
			reader := load(strings.Replace(innerSchema, row.rule, row.without, 1))
			a := &fuzz.Audit{Decoder: load(innerSchema), Seed: 1, NewTarget: func(context.Context) (oracle.Target, error) { return oracle.NewBuiltin(reader), nil }}
			r, err := a.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			if row.want != "" {
				want = []string{"accepted-malformed: " + row.want}
			}
			if got := causes(r.Findings); !slices.Equal(got, want) {
				t.Errorf("want %q, got %q", want, got)
			}
		})
	}
}

// What chooses the rest of a packet is blamed last: not the tag for a value of what it chooses, whether the switch reads it
// as it is, as a struct's parameter or through a `let`.
func TestTagsAreBlamedLast(t *testing.T) {
	endsInNine := func(p []byte) bool { return len(p) > 1 && p[len(p)-1] == 9 }
	for _, row := range []struct{ name, packet string }{
		{"as it is", "body switch tag { 0: empty, 1: { pad uint8, level uint8 in 0..9 } }"},
		{"a parameter", "body Body(tag)"},
		{"a let", "let twice = tag * 2\nbody switch twice { 0: empty, 2: { pad uint8, level uint8 in 0..9 } }"},
	} {
		t.Run(row.name, func(t *testing.T) {
			text := "protocol p\norder msb\nstruct Body(tag in 0..1) { body switch tag { 0: empty, 1: { pad uint8, level uint8 in 0..9 } } }\n" +
				"packet {\ntag uint8 in 0..1\n" + row.packet + "\n}\n"
			d := compile(t, text)
			a := &fuzz.Audit{Decoder: d, Seed: 1, NewTarget: func(context.Context) (oracle.Target, error) { return refusing{oracle.NewBuiltin(d), endsInNine}, nil }}
			r, err := a.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := causes(r.Findings); len(got) != 1 || !strings.HasSuffix(got[0], ".level = 9") {
				t.Errorf("want one finding, for the level, got %q", got)
			}
		})
	}
}

// What is wrong in an element is blamed, and not the list that is without it; the list is where its length is what is wrong.
func TestElementsAreBlamedBeforeTheirList(t *testing.T) {
	d := compile(t, `protocol p
order msb
packet {
    n uint8 in 0..4
    items [n]{
        kind uint8 in 0..2
        body switch kind {
            0: empty
            1: { level uint8 in 0..9 }
            2: uint16
        }
    }
}
`)
	for _, row := range []struct {
		name, want string
		refuses    func(packet []byte) bool
	}{
		{"a kind", "items[].kind = 0", func(p []byte) bool { return len(p) > 1 && p[1] == 0 }},
		{"a value", "items[].body<1>.level = 9", func(p []byte) bool { return len(p) > 2 && p[1] == 1 && p[2] == 9 }},
		{"a length", "items of 3 elements", func(p []byte) bool { return len(p) > 0 && p[0] == 3 }},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := &fuzz.Audit{Decoder: d, Seed: 1, NewTarget: func(context.Context) (oracle.Target, error) { return refusing{oracle.NewBuiltin(d), row.refuses}, nil }}
			r, err := a.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := causes(r.Findings); len(got) != 1 || got[0] != "rejected-valid: the reader refuses "+row.want {
				t.Errorf("want one finding, %q, got %q", row.want, got)
			}
		})
	}
}

// refusing refuses some packets.
type refusing struct {
	oracle.Target
	these func(packet []byte) bool
}

func (r refusing) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	if r.these(packet) {
		return oracle.Reply{Outcome: oracle.Refused, Bits: -1}, nil
	}
	return r.Target.Send(packet, from)
}

// A finding that there is no time for goes with the cause of another where its packet has the value that the reader refuses.
func TestCauseWithoutTime(t *testing.T) {
	d := compile(t, "protocol p\norder msb\npacket {\na uint8\nlevel uint8 in 0..9\nb uint8\n}\n")
	m := &fuzz.Minimizer{Decoder: d, NewTarget: func(context.Context) (oracle.Target, error) {
		return refusing{oracle.NewBuiltin(d), func(p []byte) bool { return len(p) == 3 && p[1] == 9 }}, nil
	}}
	refused := func(rule string, packet ...byte) *fuzz.Finding {
		return &fuzz.Finding{Kind: oracle.FoundRejectedValid, Rule: rule, Path: rule, Packet: packet}
	}
	const cause = "the reader refuses level = 9"
	if f, err := m.Minimize(t.Context(), refused("a", 7, 9, 7)); err != nil || f.Cause != cause {
		t.Fatalf("want %q, got %q, %v", cause, f.Cause, err)
	}
	late, cancel := context.WithCancel(t.Context())
	cancel()
	for _, row := range []struct {
		level byte
		want  string
	}{{9, cause}, {8, ""}} {
		if f, _ := m.Minimize(late, refused("b", 1, row.level, 2)); f.Cause != row.want || f.Undone != oracle.NotTried {
			t.Errorf("level %d: want %q, not tried, got %q, %v", row.level, row.want, f.Cause, f.Undone)
		}
	}
}
