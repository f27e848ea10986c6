package fuzz_test

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
)

const fieldsSchema = `protocol fields
order lsb
enum Kind : uint8 { Join = 1, Leave = 2 }
flags Keys : bits(3) { Up = 1, Down = 2, Fire = 4 }
struct Player {
    x      float(-512..512, 0.01)
    health int8
}
packet {
    kind    Kind
    keys    Keys
    big     uint64
    f       float32
    count   bits(2)
    players [count]Player
    names   [2]char(4)
    token   bytes(2) @secret
}
`

func compileFields(t testing.TB) *decode.Decoder {
	t.Helper()
	s, diags := schema.Load("fields.pks", []byte(fieldsSchema), nil)
	if s == nil {
		t.Fatalf("%v", diags)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		t.Fatalf("%v", diags)
	}
	return decode.New(p)
}

// What a reader gives is compared with what the schema says, and nothing else is.
func TestCompareFields(t *testing.T) {
	d := compileFields(t)
	e := &bitWriter{}
	e.put(8, 2).put(3, 5).put(64, 1<<63+1).put(32, 0x3dcccccd).put(2, 2) // Leave, Up|Fire, …, 0.1
	e.put(17, 51200).put(8, 0xfb).put(17, 0).put(8, 100)                 // x 0, health -5; x -512, health 100
	e.align().bytes("bob\x00").bytes("ann\x00").bytes("\xab\xcd")
	var trace decode.Trace
	if err := d.Decode(e.data, decode.Unknown, &trace); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ line, path, what string }{
		{`[]`, "", "no JSON object"},
		{`{"kind":`, "", "no JSON object"},
		{`{} {}`, "", "more than one"},
		{`{"kind":1}`, "kind", "1 where the schema says 2"},
		{`{"kind":"Join"}`, "kind", `"Join" where the schema says Leave`},
		{`{"kind":null,"kinds":2}`, "kinds", "no such field"},
		{`{"keys":["Up"]}`, "keys", "[Fire Up]"},
		{`{"keys":4}`, "keys", "5"},
		{`{"big":9223372036854775808}`, "big", "9223372036854775809"},
		{`{"big":"9223372036854775807"}`, "big", "9223372036854775809"},
		{`{"big":true}`, "big", "9223372036854775809"},
		{`{"f":0.1001}`, "f", "0.1"},
		{`{"f":"NaN"}`, "f", "0.1"},
		{`{"f":"x"}`, "f", "0.1"},
		{`{"players[0].health":251}`, "players[0].health", "-5"},
		{`{"players":[{"x":0.011}]}`, "players[0].x", "0"},
		{`{"players":[{},{"x":-9999}]}`, "players[1].x", "-512"},
		{`{"players":[{},{},{"x":1}]}`, "players[2].x", "no such field"},
		{`{"players[1]":7}`, "players[1]", "no such field"},
		{`{"names":["bob","anna"]}`, "names[1]", "ann"},
		{`{"names":["bob","ann",""]}`, "names", "3 elements where the schema says 2"},
		{`{"token":"abce"}`, "token", "a secret"},
		{strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100), "", "deeper"},

		{`{}`, "", ""},
		{`{"@bits":12}`, "", ""},
		{`{"kind":"Leave","keys":["Fire","Up"],"big":"9223372036854775809","f":0.1}`, "", ""},
		{`{"kind":2,"keys":5,"big":9223372036854775809,"f":0.100000001,"count":2}`, "", ""},
		{`{"kind":2.0,"players":[{"x":0.004,"health":-5},{"x":-512.00}]}`, "", ""},
		{`{"players[1].health":100,"names":["bob","ann"],"token":"ABCD"}`, "", ""},
		{`{"f":{"value":0.1,"raw":"1036831949"}}`, "", ""},
	} {
		wrong := fuzz.CompareFields(&trace, []byte(row.line))
		switch {
		case row.what == "":
			if len(wrong) > 0 {
				t.Errorf("%s: %+v", row.line, wrong)
			}
		case len(wrong) == 0:
			t.Errorf("%s: nothing found, want %s at %q", row.line, row.what, row.path)
		case wrong[0].Path != row.path || !strings.Contains(wrong[0].What, row.what) || wrong[0].Kind != fuzz.FoundWrongValue:
			t.Errorf("%s: %+v, want %s at %q", row.line, wrong[0], row.what, row.path)
		case strings.Contains(wrong[0].What, "abcd"):
			t.Errorf("%s: the secret shows: %+v", row.line, wrong[0])
		}
	}
	for _, row := range []struct {
		line string
		want int
		bad  bool
	}{
		{`{"@bits":"x"}`, -1, true}, {`{"@bits":1.5}`, -1, true}, {`{"@bits":`, -1, true},
		{`{"x":1}`, -1, false}, {`{"@bits":17}`, 17, false}, {`{"x":"@bits"}`, -1, false},
	} {
		if n, err := fuzz.FieldBits([]byte(row.line)); n != row.want || (err != nil) != row.bad {
			t.Errorf("%s: %d, %v", row.line, n, err)
		}
	}
}

func FuzzCompareFields(f *testing.F) {
	d := compileFields(f)
	e := &bitWriter{}
	e.put(8, 2).put(3, 5).put(64, 1).put(32, 0).put(2, 0).align().bytes("bob\x00ann\x00\xab\xcd")
	for _, line := range []string{`{"kind":2}`, `{"names":["a"]}`, `{"f":{"value":1,"raw":"2"}}`, `{"players[0]":[]}`, `{"a.b":{"c":[1,"x"]}}`, `{"kind":"past-end","path":"a","bit":7,"width":8}`} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var trace decode.Trace
		if err := d.Decode(e.data, decode.Unknown, &trace); err != nil {
			t.Fatal(err)
		}
		for _, w := range fuzz.CompareFields(&trace, line) {
			if w.What == "" {
				t.Error("a finding without words")
			}
		}
		_, _ = fuzz.FieldBits(line)
		if r, err := fuzz.ParseReason(line); err == nil && r != nil {
			if r.String() == "" || !r.Is(fuzz.Answer{Kind: r.Kind, Path: r.Path, Bit: r.Bit, Width: r.Width}) {
				t.Errorf("%q: %v is not itself", line, r)
			}
		}
	})
}

// bitWriter writes bits from the least significant.
type bitWriter struct {
	data []byte
	pos  int
}

func (w *bitWriter) put(n int, v uint64) *bitWriter {
	for k := range n {
		if w.pos%8 == 0 {
			w.data = append(w.data, 0)
		}
		w.data[w.pos/8] |= byte(v>>k&1) << (w.pos % 8)
		w.pos++
	}
	return w
}

func (w *bitWriter) align() *bitWriter { return w.put(-w.pos&7, 0) }

func (w *bitWriter) bytes(s string) *bitWriter {
	w.data = append(w.data, s...)
	w.pos = 8 * len(w.data)
	return w
}

// A sequence is shortened to what it takes.
func TestShortenSequence(t *testing.T) {
	var packets [][]byte
	for i := range 100 {
		packets = append(packets, []byte{byte(i)})
	}
	needs := func(which ...byte) func([][]byte) (bool, error) {
		return func(try [][]byte) (bool, error) {
			at := 0
			for _, p := range try {
				if at < len(which) && p[0] == which[at] {
					at++
				}
			}
			return at == len(which), nil
		}
	}
	for _, which := range [][]byte{{99}, {0, 99}, {12, 13, 99}, {5, 50, 98, 99}} {
		got, err := fuzz.ShortenSequence(packets, 1000, needs(which...))
		if err != nil || len(got) != len(which) {
			t.Errorf("%v: %v, %v", which, got, err)
		}
	}
	tries := 0
	got, _ := fuzz.ShortenSequence(packets, 3, func([][]byte) (bool, error) { tries++; return false, nil })
	if tries != 3 || len(got) != 100 {
		t.Errorf("%d tries, %d packets left", tries, len(got))
	}
}
