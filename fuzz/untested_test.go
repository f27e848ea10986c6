package fuzz_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// No square is 2 modulo 4, and no sum of two squares 3, which the checker does not know: what asks for it is in no
// packet.
var untestedRows = []struct {
	name, packet string
	want         string // of an audit: rule: kind or part
	campaign     string
}{
	{"all is tested", "a uint8 in 0..3, n bits(3), all [n]bits(3)", "", ""},
	{"a relation with what is left", "n uint8, require n == rest, data bytes(rest, max 20)", "", ""},
	{"a length that is what is left", "n uint8, require n == rest, data bytes(n, max 20)", "", ""},
	{"a length that fits into what is left", "n uint16, m uint8, require n + m <= rest, data bytes(n, max 20), more bytes(m), tail bytes(rest, max 9)", "", ""},
	{"a length that is more than what is left, or less", "n uint8, require n > rest || n == 3, data bytes(n, max 20), tail bytes(rest, max 9)", "", ""},
	{"what is left counts what a field has in front", "let six = 6, open uint16, require rest == open, f [5]relative(six), within(rest - 5) { within(4) { n float32 }, w bytes(rest, max 26) }, t bytes(5)", "", ""},
	{"a relation that always holds", "count uint8 in 0..3, other uint8, require count < 3 || count | 1 == 3, require other * other % 4 != 2", "", ""},
	{"constant texts", "a cstring(8) == \"ok\", b char(4) == \"abc\", c char(2) != \"no\"", "", ""},
	{"words", "n uint8, within(n) { require rest % 4 == 0, data bytes(rest, max 32) }", "", ""},
	{"words, padded, and an argument that is a number", "n uint8, reserved(24) any, require n % 4 == 0, within(n) { all [rest, max 9]{ kind uint8 in 1..2, size uint8, within(size) { v switch kind { 1: Bits(1), 2: Bits(2) } }, align(32) any } } }\nstruct Bits(n in 0..8) { require n > 0, x bits(n * 8)", "", ""},
	{"a varint in a window", "n uint8, within(n) { list [..3]{ size varint(14), within(size) { more bytes(rest, max 200) } } }", "", ""},
	{"a window's end in each arm", "list [..3]{ kind uint8 in 1..3, n uint8, within(n) { body switch kind { 1: { x uint16, y uint16 }, 2: { z uint32 }, 3: { v uint8, w uint16, u uint8 } } } }", "", ""},
	{"tags of a rule's set", "a uint8 in {1, 5..7, 9}, b int8 in {-3, 2}, x switch a { 1: empty, 5..6: uint8, 7: empty, 9: empty }, y switch b { -3: empty, 2: uint8 }", "", ""},
	{"a tag that is not one value", "a uint8 != 5, x switch a { 0..4: uint8, 6..200: uint8 }", "", ""},
	{"pairs of words that are left", "require rest % 8 == 0, els [rest, max 16]{a uint32, b uint32}", "", ""},
	{"a multiple that is no power of two", "require rest % 12 == 0 && rest > 0, els [rest, max 16]{a uint32, b uint32, c uint32}", "", ""},
	{"an even number of bytes", "require rest >= 2 && rest % 2 == 0, d [rest, max 900]uint16", "", ""},
	{"elements in front of a trailer", "els [rest - 3, max 10]uint8, z bits(24)", "", ""},
	{"bytes that leave as many as a field says", "len uint8, d bytes(rest - len, max 300), e bytes(len)", "", ""},
	{"half of what is left", "d bytes((rest-2)/2, max 100), e bytes(rest, max 102)", "", ""},
	{"ways by what was left", "let n = rest, if n > 10 { a uint8, b bytes(rest, max 30) } else if n == 3 { s bits(24) }", "", ""},
	{"a part of a field twice", "p uint8, d bytes(rest - (p & 15), max 40), e bytes(p & 15), require p >> 4 < 16", "", ""},
	{"a value that no edge names, and bytes behind it", "a uint8, data bytes(rest - (a*4), max 30), if a == 1 { mac uint32 }", "", ""},
	{"an element too many, and a window in words for it", "pre bits(24), words uint8 in 0..40, within(words*4) { els [rest, max 8]{ t uint8, l uint8, v bytes(l-2, max 40), align(32) } }", "", ""},
	{"numbers below a limit", "n uint8 in 1..9, a below(10), b below(n * 3) in 0..20, c [2]below(n), d below(300) in 2..270", "", ""},
	{"an arm", "kind uint8, body switch kind { 1: empty, 2: { x uint8, require x * x % 4 == 2 } }", "body: case 2", "body: case 2"},
	{"a way of an if", "a uint8, if a * a % 4 == 2 { c uint8 in 0..3 }", "c: past-end; c: out-of-range; packet: if taken at line 4", "packet: if taken at line 4"},
	{"an element", "n uint8 in 0..4, all [n]{ x uint8, require x * x % 4 == 2 }", "all: an element", "all: an element"},
	{"a way to be refused", "a uint16, b uint16, require (a * a + b * b) % 4 != 3", "require@4: rule-broken", ""},
}

// rows are rules with what is untested of them.
func rowsOf(list []fuzz.Untested) string {
	var rows []string
	for i := range list {
		what, _, _ := strings.Cut(list[i].What(), ": no ")
		rows = append(rows, list[i].Rule+": "+what)
	}
	return strings.Join(rows, "; ")
}

// What no valid packet has, and a way to be refused that is neither met nor proved out of reach, is told.
func TestUntested(t *testing.T) {
	for i, row := range untestedRows {
		t.Run(row.name, func(t *testing.T) {
			if i%need.Rounds(1, 6) > 0 {
				t.Skip("-short audits each sixth schema")
			}
			d := (&boundless{packet: row.packet}).compile(t)
			target := func(context.Context) (oracle.Target, error) { return oracle.NewBuiltin(d), nil }
			for seed := range need.RoundsIn[uint64](t, need.Long, 3, 1, 1) {
				a := fuzz.Audit{Decoder: d, Seed: seed, SelfTest: true, NewTarget: target}
				r, err := a.Run(t.Context())
				if err != nil || r.Nothing != nil {
					t.Fatal(err, r.Nothing)
				}
				for i := range r.Findings { // the reader is right
					t.Errorf("audit, seed %d: %+v", seed, r.Findings[i])
				}
				if got := rowsOf(r.Untested); got != row.want {
					t.Errorf("audit, seed %d: want %q, got %q", seed, row.want, got)
				}
				c := fuzz.Campaign{Decoder: d, Seed: seed, SelfTest: true, Execs: 500, NewTarget: target}
				s, err := c.Run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if got := rowsOf(s.Untested); got != row.campaign {
					t.Errorf("campaign, seed %d: want %q, got %q", seed, row.campaign, got)
				}
			}
		})
	}
}

// Without a valid packet nothing was tested, whatever was sent.
func TestNothingTested(t *testing.T) {
	d := (&boundless{packet: "x uint8, require x * x % 4 == 2"}).compile(t)
	target := func(context.Context) (oracle.Target, error) { return oracle.NewBuiltin(d), nil }
	r, err := (&fuzz.Audit{Decoder: d, SelfTest: true, NewTarget: target}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Nothing == nil || len(r.Untested) != 1 || r.Bases != 0 {
		t.Fatalf("an audit of no packet: %v, %v", r.Nothing, r.Untested)
	}
	const want = "nothing was tested: no valid packet in "
	if got := r.Nothing.Error(); !strings.HasPrefix(got, want) || !strings.Contains(got, "tries, at last: ") || !strings.Contains(got, "rule-broken") || r.Untested[0].What() != got {
		t.Errorf("want %q and why, got %q and %q", want, got, r.Untested[0].What())
	}
	var nothing *fuzz.NothingTested
	if _, err := (&fuzz.Campaign{Decoder: d, SelfTest: true, Execs: 500, NewTarget: target}).Run(t.Context()); !errors.As(err, &nothing) || nothing.Tries == 0 {
		t.Errorf("a campaign of no packet: %v", err)
	}
	if testing.Short() {
		t.Skip("what is left searches 400 times a base for a packet that it does not find")
	}
	// A packet that somebody else has is as good as one that was made.
	only := (&boundless{packet: "x uint32, y uint32, require x * 1000003 == y * 7919 + 13"}).compile(t)
	own := func(context.Context) (oracle.Target, error) { return oracle.NewBuiltin(only), nil }
	given := []decode.Packet{{Data: []byte{0x87, 0x0d, 0, 0, 0x38, 0xac, 0x06, 0}}}
	r, err = (&fuzz.Audit{Decoder: only, SelfTest: true, Bases: given, NewTarget: own}).Run(t.Context())
	if err != nil || r.Nothing != nil {
		t.Errorf("with a packet of a capture: %v, %v", err, r.Nothing)
	}
}

// Nothing of the built-in protocols is untested, whatever the seed.
func TestBuiltinsAreTested(t *testing.T) {
	step := need.RoundsIn(t, need.Long, 1, 4, 4)
	for i, name := range protocols.Names() {
		if testing.Short() && !slices.Contains([]string{"course", "ntp", "reliable"}, name) || !testing.Short() && i%step != 0 {
			continue // TestAuditBuiltins has most of them with another seed
		}
		d := builtin(t, name)
		seeds := uint64(1)
		if need.Required(t, need.Long) && name != "dns" && name != "mavlink" && name != "stun" { // each takes 16 s of CPU and more
			seeds = 2
		}
		for seed := range seeds {
			a := fuzz.Audit{Decoder: d, Seed: 2 + seed, NewTarget: func(context.Context) (oracle.Target, error) { return oracle.NewBuiltin(d), nil }}
			for _, s := range corpus.Seeds(name)[:min(int(seed%2), len(corpus.Seeds(name)))] {
				a.Bases = append(a.Bases, decode.Packet{Data: s.Data, From: fuzz.Sender(s.From)})
			}
			r, err := a.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for i := range r.Untested {
				t.Errorf("%s, seed %d: %s: %s", name, a.Seed, r.Untested[i].Rule, r.Untested[i].What())
			}
		}
	}
}
