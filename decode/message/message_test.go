package message_test

import (
	"bytes"
	"net/netip"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

func compile(tb testing.TB, source string) *plan.Plan {
	tb.Helper()
	s, diags := schema.Load("test.pks", []byte(source), nil)
	if s == nil {
		tb.Fatalf("schema refused: %v\n%s", diags, source)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		tb.Fatalf("no plan: %v\n%s", diags, source)
	}
	return p
}

// game has one of everything that errors can be about.
const game = `
protocol game
order msb

enum Kind : uint8 { Hello = 1, State = 2, Bye = 3 }
open enum Mood : bits(4) { Calm = 1, Angry = 2 }
flags Keys : uint8 { Up = 1, Down = 2, Fire = 8 }

struct Player {
	health int(0..100)
	x      float(-10..10, 0.01)
	mood   Mood
}

packet {
	kind Kind
	body switch kind {
		Hello: {
			name   string(16)
			token  bytes(4) @secret
			score  int64
			keys   Keys
			ratio  float32
			level  optional uint8
			pin    optional int(0..9999) @secret
			mood   optional Mood @secret
			luck   optional float(0..1, 0.1) @secret
			ready  bool
		}
		State: {
			count   uint8
			players [count]Player
			tags    [..3]uint8
			size    uint8
			data    bytes(size * 2, max 64)
			more    bytes(size * 2, max 64)
			objects subset(bitmap) [8]uint8
		}
		Bye: empty
	}
}
`

// What is wrong with the JSON itself: it is refused before anybody looks for a field.
var refusedJSON = []struct{ name, json, want string }{
	{"nothing", "", "not JSON: nothing is there"},
	{"spaces", "  ", "not JSON: nothing is there"},
	{"cut", `{"fields":{`, "not JSON: byte 11: unexpected end of JSON input"},
	{"no JSON", `{"fields":{'a':1}}`, `not JSON: byte 12: invalid character '\'' looking for beginning of object key string`},
	{"two objects", `{"fields":{}} {}`, "not JSON: byte 15: invalid character '{' after top-level value"},
	{"comma", `{"fields":{"a":1,}}`, `not JSON: byte 18: invalid character '}' looking for beginning of object key string`},
	{"not UTF-8", "{\"fields\":{\"a\":\"\xff\"}}", "not UTF-8"},
	{"a list", `[]`, "want an object, got a list"},
	{"no fields", `{"Fields":{}}`, "want `fields`, which is not there; is it Fields?"},
	{"no fields at all", `{"a":{}}`, "want `fields`, which is not there"},
	{"fields", `{"fields":[1]}`, "fields: want an object, got a list"},
	{"key twice", `{"fields":{"body":{"a":1,"b":2,"a":3}}}`, "fields.body.a: this key comes twice"},
	{"key twice in an element", `{"fields":{"a":[{},{"b":1,"\u0062":1}]}}`, "fields.a[1].b: this key comes twice"},
	{"envelope twice", `{"case":"a","case":"b","fields":{}}`, "case: this key comes twice"},
	{"deep", `{"fields":` + strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 65), "fields" + strings.Repeat(".a", 63) + ": want at most 64 objects and lists in each other"},
	{"deep lists", `{"fields":{"a":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + "}}", "fields.a" + strings.Repeat("[0]", 62) + ": want at most 64 objects and lists in each other"},
	{"half a pair", `{"fields":{"a":"\ud800x"}}`, "fields.a: half a surrogate pair is no text"},
	{"half a pair and another", `{"fields":{"a":"\ud800\u0041"}}`, "fields.a: half a surrogate pair is no text"},
	{"key of escapes", `{"fields":{"\u001b[31m":[1,"\udc00"]}}`, `fields.\x1b[31m[1]: half a surrogate pair is no text`},
	{"direction", `{"fields":{},"direction":"up"}`, `direction: want client, server or unknown, got "up"`},
	{"direction a number", `{"fields":{},"direction":1}`, "direction: want client, server or unknown, got 1"},
	{"src", `{"fields":{},"src":"10.0.0.1"}`, `src: want ip:port or [ip6]:port, got "10.0.0.1"`},
	{"dst", `{"fields":{},"dst":{}}`, "dst: want ip:port or [ip6]:port, got an object"},
	{"zone", `{"fields":{},"dst":"[fe80::1%eth0]:7"}`, `dst: want ip:port or [ip6]:port, got "[fe80::1%eth0]:7"`},
	{"time", `{"fields":{},"time":"yesterday"}`, `time: want a time as 2026-01-02T14:07:21.503Z, got "yesterday"`},
	{"no time of ours", `{"fields":{},"time":"1066-01-02T14:07:21Z"}`, `time: want a time as 2026-01-02T14:07:21.503Z, got "1066-01-02T14:07:21Z"`},
	{"case", `{"fields":{},"case":["a"]}`, "case: want the name or the number of a case, got a list"},
	{"verdict", `{"fields":{},"verdict":"maybe"}`, `verdict: want accept, reject or cut, got "maybe"`},
	{"long values are cut", `{"fields":{},"verdict":"` + strings.Repeat("\\u001b", 100) + `"}`, `verdict: want accept, reject or cut, got "` + strings.Repeat(`\x1b`, 40) + `"…`},
}

func TestFromJSONRefuses(t *testing.T) {
	m := message.New(compile(t, game))
	for _, row := range refusedJSON {
		t.Run(row.name, func(t *testing.T) {
			if _, err := writeLine(t, m, decode.NewEncoder(decode.New(compile(t, game))), []byte(row.json)); err == nil {
				t.Error("the line has a packet")
			}
			err := m.FromJSON([]byte(row.json))
			if err == nil || err.Error() != row.want {
				t.Errorf("want %s\n got %v", row.want, err)
			}
			if len(m.Root.Items) > 0 {
				t.Error("a refused object leaves values")
			}
		})
	}
}

const (
	hello = `"kind":"Hello","body":{"name":"ann","token":"00010203","score":"-5","keys":["Up"],"ratio":0.5,"ready":true}`
	state = `"kind":"State","body":{"count":1,"players":[{"health":7,"x":1.5,"mood":"Calm"}],"tags":[1,2],"size":1,"data":"abcd","more":"0102","objects":[{"index":3,"value":9}]}`
)

// edit is an object with one thing changed.
type edit struct{ from, old, new string }

func (e edit) line() string { return `{"fields":{` + strings.Replace(e.from, e.old, e.new, 1) + `}}` }

// What is wrong with the values: missing, unfitting, contradicting.
var refusedValues = []struct {
	name string
	edit
	want string
}{
	{"missing", edit{hello, `"score":"-5",`, ``}, "body.score: missing: it follows from nothing else in the packet"},
	{"missing tag", edit{hello, `"kind":"Hello",`, ``}, "kind: missing: it follows from nothing else in the packet"},
	{"missing body", edit{hello, `"body"`, `"boby"`}, "boby: no such field; did you mean body?"},
	{"missing text", edit{hello, `"name":"ann",`, ``}, "body.name: missing: it follows from nothing else in the packet"},
	{"another name", edit{hello, `"score"`, `"scoer"`}, "body.scoer: no such field; did you mean score?"},
	{"null", edit{hello, `"ready":true`, `"ready":null`}, "body.ready: missing: it follows from nothing else in the packet"},
	{"unknown", edit{hello, `"ready":true`, `"ready":true,"zzz":[1]`}, "body.zzz: no such field"},
	{"unknown and near", edit{hello, `"ready":true`, `"ready":true,"levle":1`}, "body.levle: no such field; did you mean level?"},
	{"unknown null", edit{hello, `"ready":true`, `"ready":true,"levle":null`}, "body.levle: no such field; did you mean level?"},
	{"another branch's", edit{hello, `"ready":true`, `"ready":true,"count":1`}, "body.count: the packet has no place for it: it belongs to a branch that is not taken"},
	{"hostile name", edit{hello, `"ready":true`, `"ready":true,"\u001b[2J":1`}, `body.\x1b[2J: no such field`},
	{"enum", edit{hello, `"Hello"`, `"hello"`}, `kind: want a case of Kind, got "hello"; did you mean Hello?`},
	{"closed enum", edit{hello, `"Hello"`, `7`}, "kind: unknown-case: want 1..3 in 8 bits, got 7"},
	{"enum out of its base", edit{hello, `"Hello"`, `256`}, "kind: out-of-range: want 0..255, got 256"},
	{"enum of a bool", edit{hello, `"Hello"`, `true`}, "kind: want a case of Kind, got true"},
	{"flag", edit{hello, `["Up"]`, `["Up","Fier"]`}, `body.keys: want a flag of Keys, got "Fier"; did you mean Fire?`},
	{"flag no text", edit{hello, `["Up"]`, `[1]`}, `body.keys: want a flag of Keys, got 1`},
	{"flags", edit{hello, `["Up"]`, `{"value":[],"raw":"4"}`}, "body.keys: reserved-nonzero: want 0, got 0x4"},
	{"flags an object", edit{hello, `["Up"]`, `{"a":1}`}, "body.keys: want a value, got an object"},
	{"raw", edit{hello, `["Up"]`, `{"value":[],"raw":"0x4"}`}, `body.keys: want the code in decimal as raw, got "0x4"`},
	{"bool", edit{hello, `true`, `1`}, "body.ready: want true or false, got 1"},
	{"bool text", edit{hello, `true`, `"true"`}, `body.ready: want true or false, got "true"`},
	{"integer of a fraction", edit{hello, `"-5"`, `0.5`}, "body.score: want an integer, got 0.5"},
	{"integer of words", edit{hello, `"-5"`, `"five"`}, `body.score: want an integer, got "five"`},
	{"integer of an object", edit{hello, `"-5"`, `{}`}, `body.score: want a value, got an object`},
	{"integer too large", edit{hello, `"-5"`, `9223372036854775808`}, "body.score: out-of-range: want -9223372036854775808..9223372036854775807, got 9223372036854775808"},
	{"integer too small", edit{hello, `"-5"`, `"-9223372036854775809"`}, `body.score: out-of-range: want -9223372036854775808..9223372036854775807, got "-9223372036854775809"`},
	{"integer of an exponent", edit{hello, `"-5"`, `1e999999999`}, "body.score: want an integer, got 1e999999999"},
	{"float32", edit{hello, `0.5`, `1e39`}, "body.ratio: out-of-range: want a float32, got 1e39"},
	{"float32 of words", edit{hello, `0.5`, `"nan"`}, `body.ratio: want a number, "NaN", "Infinity" or "-Infinity", got "nan"`},
	{"text", edit{hello, `"ann"`, `5`}, "body.name: want a string, got 5"},
	{"text too long", edit{hello, `"ann"`, `"` + strings.Repeat("a", 16) + `"`}, "body.name.length: out-of-range: want 0..15 in 4 bits, got 16"},
	{"text with a NUL", edit{hello, `"ann"`, `"a\u0000"`}, "body.name: bad-string: want no NUL inside, got 0x00 at byte 1"},
	{"bytes", edit{hello, `"00010203"`, `"0001020"`}, "body.token: want hex, got 7 digits, half a byte too many"},
	{"bytes no hex", edit{hello, `"00010203"`, `"000102xy"`}, "body.token: want hex, got ‹secret›"},
	{"a secret number", edit{hello, `"00010203"`, `1234`}, "body.token: want a string of hex, got ‹secret›"},
	{"a secret that is true", edit{hello, `"00010203"`, `true`}, "body.token: want a string of hex, got ‹secret›"},
	{"raw of a secret", edit{hello, `"00010203"`, `{"raw":77}`}, "body.token: want hex as raw, got ‹secret›"},
	{"a secret code", edit{hello, `"ready":true`, `"ready":true,"pin":777777`}, "body.pin: out-of-range: want 0..9999, got ‹secret›"},
	{"a secret case", edit{hello, `"ready":true`, `"ready":true,"mood":"Clam"`}, "body.mood: want a case of Mood, got ‹secret›"},
	{"a secret ratio", edit{hello, `"ready":true`, `"ready":true,"luck":77.7`}, "body.luck: out-of-range: want 0..1, got ‹secret›"},
	{"bytes too short", edit{hello, `"00010203"`, `"000102"`}, "body.token: 3 bytes given, want 4"},
	{"masked", edit{hello, `"00010203"`, `"‹secret 4 B›"`}, "body.token: masked: JSON does not hold what is @secret; put the value here, or take the packet from a capture (decode -w)"},
	{"body a list", edit{hello, `"body":{`, `"body":[],"x":{`}, "body: want an object, got a list"},

	{"count too large", edit{state, `"count":1`, `"count":3`}, "body.players: 1 element given, want 3 (body.count)"},
	{"count too small", edit{state, `"count":1`, `"count":0`}, "body.players: 1 element given, want 0 (body.count)"},
	{"list missing", edit{state, `"players":[{"health":7,"x":1.5,"mood":"Calm"}],`, ``}, "body.players: missing: it follows from nothing else in the packet"},
	{"list a number", edit{state, `[1,2]`, `3`}, "body.tags: want a list, got 3"},
	{"list too long", edit{state, `[1,2]`, `[1,2,3,4]`}, "body.tags.count: out-of-range: want 0..3 in 2 bits, got 4"},
	{"element", edit{state, `[1,2]`, `[1,256]`}, "body.tags[1]: out-of-range: want 0..255, got 256"},
	{"element null", edit{state, `[1,2]`, `[1,null]`}, "body.tags[1]: missing: it follows from nothing else in the packet"},
	{"in an element", edit{state, `"health":7`, `"health":101`}, "body.players[0].health: out-of-range: want 0..100, got 101"},
	{"below zero", edit{state, `"health":7`, `"health":-1`}, "body.players[0].health: out-of-range: want 0..100, got -1"},
	{"quantized", edit{state, `1.5`, `10.5`}, "body.players[0].x: out-of-range: want -10..10, got 10.5"},
	{"quantized NaN", edit{state, `1.5`, `"NaN"`}, `body.players[0].x: out-of-range: want -10..10, got "NaN"`},
	{"quantized raw", edit{state, `1.5`, `{"value":1.5,"raw":"2001"}`}, "body.players[0].x: out-of-range: want 0..2000 in 11 bits, got 2001"},
	{"enum of 4 bits", edit{state, `"Calm"`, `16`}, "body.players[0].mood: out-of-range: want 0..15, got 16"},
	{"in an element, unknown", edit{state, `"health":7`, `"health":7,"helth":7`}, "body.players[0].helth: no such field; did you mean health?"},
	{"size", edit{state, `"data":"abcd"`, `"data":"abcdef"`}, "body.data: 3 bytes given, want 2 (body.size)"},
	{"no size", edit{state, `"size":1,"data":"abcd"`, `"data":"abc123"`}, "body.size: missing, and no value of it gives the 3 bytes of body.data"},
	{"two sizes", edit{state, `"size":1,"data":"abcd"`, `"data":"abcd1234"`}, "body.size: missing, and contradicted: 2 follows from body.data, 1 from body.more"},
	{"index falls", edit{state, `[{"index":3,"value":9}]`, `[{"index":3,"value":9},{"index":2,"value":9}]`}, "body.objects[1].index: not-increasing: want more than 3, got 2"},
	{"index twice", edit{state, `[{"index":3,"value":9}]`, `[{"index":3,"value":9},{"index":3,"value":9}]`}, "body.objects[1].index: not-increasing: want more than 3, got 3"},
	{"index beyond", edit{state, `"index":3`, `"index":8`}, "body.objects[0].index: out-of-range: want 0..7, got 8"},
	{"index missing", edit{state, `"index":3,`, ``}, "body.objects[0].index: missing: it follows from nothing else in the packet"},
	{"index of words", edit{state, `"index":3`, `"index":"x"`}, `body.objects[0].index: want an integer, got "x"`},
	{"element of a subset", edit{state, `{"index":3,"value":9}`, `3`}, "body.objects[0]: want an object, got 3"},
}

func TestEncodeRefuses(t *testing.T) {
	p := compile(t, game)
	m, e := message.New(p), decode.NewEncoder(decode.New(p))
	for _, row := range refusedValues {
		t.Run(row.name, func(t *testing.T) {
			if strings.Count(row.from, row.old) != 1 {
				t.Fatalf("%s does not occur once", row.old)
			}
			line := row.line()
			_, _ = writeLine(t, m, e, []byte(line))
			if err := m.FromJSON([]byte(line)); err != nil {
				t.Fatal(err)
			}
			got, err := m.Encode(e, []byte("x"))
			if err == nil || err.Error() != row.want {
				t.Errorf("want %s\n got %v\n%s", row.want, err, line)
			}
			if string(got) != "x" {
				t.Errorf("a refused packet appends %x", got[1:])
			}
		})
	}
}

// What may be left out, or be written in another way, encodes to the same packet.
var derived = []struct {
	name string
	edit
}{
	{"as it is", edit{hello, ``, ``}},
	{"the tag from the case", edit{hello, `"kind":"Hello",`, ``}},
	{"the case counts no more", edit{hello, `"kind":"Hello",`, `"kind":1,`}},
	{"another order", edit{state, `"tags":[1,2],"size":1,"data":"abcd"`, `"data":"abcd","size":1,"tags":[1,2]`}},
	{"an integer as a number", edit{hello, `"-5"`, `-5`}},
	{"an integer with an exponent", edit{hello, `"-5"`, `-50.0e-1`}},
	{"flags as a number", edit{hello, `["Up"]`, `1`}},
	{"flags twice", edit{hello, `["Up"]`, `["Up","Up"]`}},
	{"raw", edit{hello, `0.5`, `{"value":"NaN","raw":"1056964608"}`}},
	{"raw bytes", edit{hello, `"00010203"`, `{"raw":"00010203"}`}},
	{"escapes", edit{hello, `"ann"`, `"\u0061nn"`}},
	{"an absent optional", edit{hello, `"ready":true`, `"level":null,"ready":true`}},
	{"another branch has nothing", edit{hello, `"ready":true`, `"ready":true,"players":[]`}},
	{"a count", edit{state, `"count":1,`, ``}},
	{"a size from two", edit{state, `"size":1,`, ``}},
	{"a size after", edit{state, `"size":1,"data":"abcd"`, `"data":"abcd","size":1`}},
}

func TestEncodeDerives(t *testing.T) {
	p := compile(t, game)
	m, e := message.New(p), decode.NewEncoder(decode.New(p))
	encode := func(t *testing.T, line string) []byte {
		t.Helper()
		packet, err := writeLine(t, m, e, []byte(line))
		if err != nil {
			t.Fatalf("%v\n%s", err, line)
		}
		return packet
	}
	for _, row := range derived {
		t.Run(row.name, func(t *testing.T) {
			name := "Hello"
			if row.from == state {
				name = "State"
			}
			from := `{"case":"` + name + `","fields":{` + row.from + `}}`
			to := `{"case":"` + name + `","fields":{` + strings.Replace(row.from, row.old, row.new, 1) + `}}`
			want := encode(t, from)
			if got := encode(t, to); !bytes.Equal(got, want) {
				t.Errorf("want %x, got %x", want, got)
			}
		})
	}
}

// Without a direction the ports say who sent a packet; an address that is not given is that of the packet's sender or
// receiver.
func TestEnds(t *testing.T) {
	client, server := netip.MustParseAddrPort("127.0.0.1:9"), netip.MustParseAddrPort("127.0.0.1:4000")
	m := message.New(compile(t, "protocol p\norder lsb\nport 4000\npacket { n uint8 }"))
	for _, row := range []struct {
		envelope string
		from     decode.Direction
		src, dst string // "" where they are of two versions of IP
	}{
		{`"src":"10.0.0.1:5","dst":"[::1]:6"`, decode.FromUnknown, "", ""},
		{`"dst":"[::1]:6"`, decode.FromUnknown, "", ""},
		{``, decode.FromUnknown, "127.0.0.1:4000", "127.0.0.1:4000"},
		{`"direction":"client"`, decode.Client, "127.0.0.1:9", "127.0.0.1:4000"},
		{`"direction":"server","dst":"10.0.0.1:5"`, decode.Server, "127.0.0.1:4000", "10.0.0.1:5"},
		{`"src":"10.0.0.1:5","dst":"10.0.0.2:4000"`, decode.Client, "10.0.0.1:5", "10.0.0.2:4000"},
		{`"src":"10.0.0.2:4000","dst":"10.0.0.1:5"`, decode.Server, "10.0.0.2:4000", "10.0.0.1:5"},
		{`"direction":"client","src":"10.0.0.2:4000","dst":"10.0.0.1:5"`, decode.Client, "10.0.0.2:4000", "10.0.0.1:5"},
		{`"src":"10.0.0.2:4000"`, decode.FromUnknown, "10.0.0.2:4000", "127.0.0.1:4000"},
	} {
		line := "{" + row.envelope
		if row.envelope != "" {
			line += ","
		}
		if err := m.FromJSON([]byte(line + `"fields":{"n":1}}`)); err != nil {
			t.Fatal(err)
		}
		src, dst, err := m.Ends(client, server)
		if m.From != row.from || (err != nil) != (row.src == "") || err == nil && (src.String() != row.src || dst.String() != row.dst) {
			t.Errorf("%s: want %s, %s to %s, got %s, %s to %s, %v", row.envelope, row.from, row.src, row.dst, m.From, src, dst, err)
		}
	}
}
