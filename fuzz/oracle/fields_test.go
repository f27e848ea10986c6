package oracle_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

func compileFields(t testing.TB) *decode.Decoder {
	t.Helper()
	src, err := os.ReadFile("testdata/fields.pks")
	if err != nil {
		t.Fatal(err)
	}
	return compile(t, string(src))
}

func compile(t testing.TB, src string) *decode.Decoder {
	t.Helper()
	d, err := decode.Load("test.pks", []byte(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return d
}

// What a reader gives is compared with what the schema says, and nothing else is.
func TestCompareFields(t *testing.T) {
	d := compileFields(t)
	e := &bitWriter{}
	e.put(8, 2).put(3, 5).put(64, 1<<63+1).put(32, 0x3dcccccd).put(2, 2) // Leave, Up|Fire, …, 0.1
	e.put(17, 51200).put(8, 0xfb).put(17, 0).put(8, 100)                 // x 0, health -5; x -512, health 100
	e.align().bytes("bob\x00").bytes("ann\x00").bytes("\xab\xcd")
	var trace decode.Trace
	if err := d.Decode(e.data, decode.FromUnknown, &trace); err != nil {
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
		{`{"players":[{},{},{"x":1}]}`, "players", "3 elements where the schema says 2"},
		{`{"players[2].x":1}`, "players[2].x", "no such field"},
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
		wrong := oracle.CompareFields(&trace, []byte(row.line))
		switch {
		case row.what == "":
			if len(wrong) > 0 {
				t.Errorf("%s: %+v", row.line, wrong)
			}
		case len(wrong) == 0:
			t.Errorf("%s: nothing found, want %s at %q", row.line, row.what, row.path)
		case wrong[0].Path != row.path || !strings.Contains(wrong[0].What, row.what) || wrong[0].Kind != oracle.FoundWrongValue:
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
		if n, err := oracle.FieldBits([]byte(row.line)); n != row.want || (err != nil) != row.bad {
			t.Errorf("%s: %d, %v", row.line, n, err)
		}
	}
}

// A text is the packet's bytes, whatever they are, in every way in which JSON can have them; what has other bytes is
// found.
func TestCompareText(t *testing.T) {
	const source = `protocol text
order lsb
max datagram 200
packet {
    c char(6)
    z cstring(8)
    s string(9)
    w wstring(5)
    b bytes(4)
    t bytes(4) @text
    e [2]char(2)
}
`
	d := compile(t, source)
	packet := func(c, z, b, text string) []byte {
		e := &bitWriter{}
		e.bytes(c).bytes(z).put(4, 3).align().bytes("é!").put(3, 2)
		for _, unit := range []uint64{0xd83d, 0xde00} {
			e.put(32, unit)
		}
		return e.align().bytes(b).bytes(text).bytes("\xff\xff\xe2\x82").data
	}
	for _, row := range []struct{ c, z, line, path string }{
		{"\x1b[2K\xff\xfe", "a\x00", `{"c":"\u001b[2K\ufffd\ufffd"}`, ""},  // 1b5b324bfffe, as Go's JSON has it
		{"\x1b[2J\xff\xfe", "a\x00", "{\"c\":\"\\u001b[2J\xff\xfe\"}", ""}, // as pks_text of C has it
		{"\x1b[2J\xff\xfe", "a\x00", `{"c":"\u001b[2J\ufffd"}`, ""},        // a run that is one mark
		{"\x1b[2J\xff\xfe", "a\x00", `{"c":"\u001b[2J\udcff\udcfe"}`, ""},  // Python's surrogateescape
		{"\x1b[2J\xff\xfe", "a\x00", `{"c":{"raw":"1b5b324afffe"}}`, ""},
		{"\x1b[2J\xff\xfe", "a\x00", `{"c":{"value":"?","raw":"1B5B324AFFFE"}}`, ""},
		{"ab\xe2\x82\x00\x00", "\xf0\x9f\x98z\x00", `{"c":"ab\ufffd","z":"\ufffdz"}`, ""},                   // the beginning of a character
		{"ab\xe2\x82\x00\x00", "\xf0\x9f\x98z\x00", `{"c":"ab\ufffd\ufffd","z":"\ufffd\ufffd\ufffdz"}`, ""}, // a mark a byte
		{"ab\xe2\x82\x00\x00", "\xed\xa0\x80z\x00", `{"c":"ab\ufffd\u0000\u0000","z":"\ud800z"}`, ""},
		{"\xef\xbf\xbd\xff\x00\x00", "\x00", `{"c":"\ufffd\ufffd","z":""}`, ""},
		{"\"\\/\x7f\n\x01", "\"\x00", `{"c":"\"\\\/\u007f\n\u0001","z":"\u0022"}`, ""},
		{"ab\x00\x00\x00\x00", "\x00", `{"c":"ab\u0000\u0000\u0000\u0000","z":""}`, ""},
		{"ab\x00\x00\x00\x00", "\x00", `{"c":{"raw":"6162"},"z":{"raw":""}}`, ""},
		{"ab\x00\x00\x00\x00", "\x00", `{"c":{"raw":"616200000000"},"s":"\u00e9!","w":"\ud83d\uDE00"}`, ""},
		{"abcdef", "\x00", `{"s":{"raw":"c3a921"},"w":"😀","b":"00ff0041","t":"ok\u0000\ufffd","e":["\ufffd","\ufffd\ufffd"]}`, ""},
		{"abcdef", "\x00", `{"b":[0,255,0,65],"t":{"raw":"6f6b00ff"},"e":[{"raw":"ffff"},{"raw":"e282"}]}`, ""},
		{"abcdef", "\x00", `{"b":[0,-1,0,65],"t":"6f6b00ff"}`, ""},

		{"\x1b[2J\xff\xfe", "a\x00", "{\"c\":\"\\u001b[2J\xff\xff\"}", "c"},
		{"\x1b[2J\xff\xfe", "a\x00", `{"c":"\u001b[2J\udcff\udcff"}`, "c"},
		{"\x1b[2J\xff\xfe", "a\x00", `{"c":"\u001b[2J\ufffd\ufffd\ufffd"}`, "c"},
		{"\x1b[2J\xff\xfe", "a\x00", `{"c":"\u001b[2J"}`, "c"},
		{"\x1b[2J\xff\xfe", "a\x00", `{"c":"\u001b[3J\ufffd\ufffd"}`, "c"},
		{"\x1b[2J\xff\xfe", "a\x00", `{"c":{"raw":"1b5b324afffd"}}`, "c"},
		{"\x1b[2J\xff\xfe", "a\x00", `{"c":"1b5b324afffe"}`, "c"},
		{"abcdef", "\x00", `{"c":"abc\ufffdef"}`, "c"}, // what is UTF-8 is not replaced
		{"abcdef", "\x00", `{"c":"abcde"}`, "c"},
		{"abcdef", "\x00", `{"c":"abcdef\u0000x"}`, "c"},
		{"abcdef", "\x00", `{"c":{"raw":"6162"}}`, "c"},
		{"abcdef", "\x00", `{"s":"\u00e8!"}`, "s"},
		{"abcdef", "\x00", `{"w":"\ud83d"}`, "w"},
		{"abcdef", "\x00", `{"b":"\u0000\ufffd\u0000A"}`, "b"},
		{"abcdef", "\x00", `{"b":[0,255,0]}`, "b"},
		{"abcdef", "\x00", `{"b":[0,255,0,321]}`, "b"},
		{"abcdef", "\x00", `{"e":["\ufffd","\ufffd\ufffd\ufffd"]}`, "e[1]"},
	} {
		var trace decode.Trace
		if err := d.Decode(packet(row.c, row.z, "\x00\xff\x00A", "ok\x00\xff"), decode.FromUnknown, &trace); err != nil {
			t.Fatal(err)
		}
		wrong := oracle.CompareFields(&trace, []byte(row.line))
		switch {
		case row.path == "" && len(wrong) > 0:
			t.Errorf("%q: false alarm: %+v", row.line, wrong)
		case row.path != "" && (len(wrong) != 1 || wrong[0].Path != row.path):
			t.Errorf("%q: want one finding at %s, got %+v", row.line, row.path, wrong)
		}
	}
}

// Of text in an encoding a reader gives the UTF-8 or the packet's own bytes; a language whose texts end with a NUL has
// what is before it.
func TestCompareEncodings(t *testing.T) {
	d := compile(t, `protocol encodings
order msb
packet {
    u bytes(4) utf8
    l bytes(2) latin1
    w bytes(6) le utf16
    c char(3) latin1
}
`)
	packet := []byte("a\x00\xc3\xa9\xe9b\xe9\x00\x3d\xd8\x80\xde\xe9\x00\x00")
	for line, path := range map[string]string{
		`{"u":"a\u0000é","l":"éb","w":"é🚀","c":"é"}`:                                                  "",
		`{"u":{"raw":"6100c3a9"},"l":{"raw":"e962"},"w":{"raw":"e9003dd880de"},"c":{"raw":"e90000"}}`: "",
		`{"c":{"raw":"e9"}}`:           "",
		`{"u":"a"}`:                    "",
		`{"u":"aé"}`:                   "u",
		`{"u":"b"}`:                    "u",
		`{"l":"\udce9b"}`:              "l",
		`{"l":{"raw":"c3a962"}}`:       "l",
		`{"w":{"raw":"00e9d83dde80"}}`: "w",
		`{"w":"é"}`:                    "w",
	} {
		var trace decode.Trace
		if err := d.Decode(packet, decode.FromUnknown, &trace); err != nil {
			t.Fatal(err)
		}
		wrong := oracle.CompareFields(&trace, []byte(line))
		if path == "" && len(wrong) > 0 || path != "" && (len(wrong) != 1 || wrong[0].Path != path) {
			t.Errorf("%s: want a finding at %q, got %+v", line, path, wrong)
		}
	}
}

// Of what has a display a reader gives the number or what is shown.
func TestCompareDisplays(t *testing.T) {
	d := compile(t, `protocol displays
order msb
packet {
    a uint32 @ipv4
    b bytes(6) @mac
    c [2]uint16 @bcd
}
`)
	for line, path := range map[string]string{
		`{"a":"192.0.2.1","b":"00:00:5E:00:53:01","c":["0042","0x12fa"]}`: "",
		`{"a":3221225985,"b":"00005e005301","c":[66,4858]}`:               "",
		`{"a":"192.0.2.2"}`: "a", `{"b":"00:00:5e:00:53:02"}`: "b", `{"c":["0042","0x12fb"]}`: "c[1]", `{"c":["42",4858]}`: "c[0]",
	} {
		var trace decode.Trace
		if err := d.Decode([]byte("\xc0\x00\x02\x01\x00\x00\x5e\x00\x53\x01\x00\x42\x12\xfa"), decode.FromUnknown, &trace); err != nil {
			t.Fatal(err)
		}
		wrong := oracle.CompareFields(&trace, []byte(line))
		if path == "" && len(wrong) > 0 || path != "" && (len(wrong) != 1 || wrong[0].Path != path) {
			t.Errorf("%s: want a finding at %q, got %+v", line, path, wrong)
		}
	}
}

// What pktscope shows of a value is the value. The code of what has a scale is not: it is what a reader gives that
// forgets it.
func TestCompareAsShown(t *testing.T) {
	d := compile(t, `protocol shown
order lsb
open flags Keys : bits(4) { Up = 1, Down = 2 }
packet {
    speed uint16 @scale(0.1) @unit("m/s")
    lon   int32 @scale(0.0000001)
    big   int64 @scale(1000)
    at    uint32 @time(s)
    id    uint64
    keys  Keys
    none  Keys
    crc   crc32
}
`)
	e := &bitWriter{}
	e.put(16, 125).put(32, 1<<32-1234567891).put(64, 3).put(32, 1700000000).put(64, 1<<63+5).put(4, 11).put(4, 0)
	crc := len(e.data)
	packet := e.put(32, 0).data
	d.Plan().RepairChecksum(packet)
	var trace decode.Trace
	if err := d.Decode(packet, decode.FromUnknown, &trace); err != nil {
		t.Fatal(err)
	}
	sum := fmt.Sprintf("0x%08x", binary.LittleEndian.Uint32(packet[crc:]))
	for _, row := range []struct{ line, path string }{
		{`{"speed":12.5,"lon":-123.4567891,"big":3000,"at":1700000000}`, ""},
		{`{"speed":"12.5","lon":-123.456787109375,"big":3.0e3}`, ""}, // a float32
		{`{"speed":{"raw":125},"lon":{"value":-123.4567891,"raw":"3060399405"}}`, ""},
		{`{"id":9223372036854775813,"keys":["Down","Up"],"none":[]}`, ""},
		{`{"id":"9223372036854775813","keys":"Up|Down|0x8","none":"none"}`, ""},
		{`{"id":"0x8000000000000005","keys":"Down|Up|0x8","none":0,"crc":"` + sum + `"}`, ""},
		{`{"keys":11}`, ""},

		{`{"speed":125}`, "speed"}, // forgot the scale
		{`{"speed":1.25}`, "speed"},
		{`{"speed":12.6}`, "speed"},
		{`{"speed":"NaN"}`, "speed"},
		{`{"speed":{"raw":12}}`, "speed"},
		{`{"lon":-1234567891}`, "lon"},
		{`{"lon":-123.4567}`, "lon"},
		{`{"big":3}`, "big"},
		{`{"big":2000}`, "big"},
		{`{"id":9223372036854775812}`, "id"},
		{`{"keys":"Up|0x8"}`, "keys"},
		{`{"keys":"Up|Left|0x8"}`, "keys"},
		{`{"none":"none|Up"}`, "none"},
		{`{"none":"Up"}`, "none"},
		{`{"crc":"0x00000000"}`, "crc"},
	} {
		wrong := oracle.CompareFields(&trace, []byte(row.line))
		switch {
		case row.path == "" && len(wrong) > 0:
			t.Errorf("%q: false alarm: %+v", row.line, wrong)
		case row.path != "" && (len(wrong) != 1 || wrong[0].Path != row.path):
			t.Errorf("%q: want one finding at %s, got %+v", row.line, row.path, wrong)
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
		if err := d.Decode(e.data, decode.FromUnknown, &trace); err != nil {
			t.Fatal(err)
		}
		for _, w := range oracle.CompareFields(&trace, line) {
			if w.What == "" {
				t.Error("a finding without words")
			}
		}
		_, _ = oracle.FieldBits(line)
		if r, err := oracle.ParseReason(line); err == nil && r != nil {
			if r.String() == "" || !r.Is(oracle.Answer{Kind: r.Kind, Path: r.Path, Bit: r.Bit, Width: r.Width}) {
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

func (b *bitWriter) put(n int, v uint64) *bitWriter {
	for k := range n {
		if b.pos%8 == 0 {
			b.data = append(b.data, 0)
		}
		b.data[b.pos/8] |= byte(v>>k&1) << (b.pos % 8)
		b.pos++
	}
	return b
}

func (b *bitWriter) align() *bitWriter { return b.put(-b.pos&7, 0) }

func (b *bitWriter) bytes(s string) *bitWriter {
	b.data = append(b.data, s...)
	b.pos = 8 * len(b.data)
	return b
}
