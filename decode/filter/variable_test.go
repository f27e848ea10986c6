package filter

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// The types whose size is found on the way: the language page's gaffer and record list, and the rest of them in two.

const gaffer = `
protocol gaffer
order lsb

struct RigidBody {
    position    vec3(float(-1000..1000, 0.001))
    orientation quat smallest3(10)
    at_rest     bool
    if !at_rest {
        linear_velocity  vec3(float(-10..10, 0.01))
        angular_velocity vec3(float(-20..20, 0.01))
    }
}

packet {
    crc  crc32(prefix 0x44551177 : uint32)
    type int(0..3)
    body switch type {
        0: { objects subset(bitmap)   [64]RigidBody }
        1: { objects subset(index)    [64]RigidBody }
        2: { objects subset(sentinel) [64]RigidBody }
        3: { objects subset(relative) [64]RigidBody }
    }
    check "end of packet"
}
`

// uncheckedGaffer believes packets that were changed.
var uncheckedGaffer = strings.Replace(gaffer, "crc32(prefix 0x44551177 : uint32)", "uint32", 1)

// gafferPackets are the articles' own: an empty one and one with some objects for each kind of subset.
var gafferPackets = []string{
	"d4d874b9000000000000000000e2ac0899",
	"68ff02080078bd47dce436d4e3631d0da540cf89489ab885b85ee274cbadf632909ca8d70b9224a5e51e779ba0f02500000000000000e2ac0899",
	"960783d30100e2ac0899",
	"a99b317b0d9ec2591a8c66723f8b51328b33d91cddf193d5c897e6e6fd02e294177d7ff7d63839ad3033586c34e7be937d390cd968185dadf54b4742671ff55839f1d4a2a002e2ac0899",
	"885c77680201e2ac0899",
	"70c868555e26305554ed21dc796f846e817f805fba22fcf6e4f1dbd2093da8bbb7c3f591cf5b1808e2ac0899",
	"95c85bc78303e2ac0899",
	"75299cf2c34fbddf36acc75f85f102b57cd3336a732ac400486f14e2ac0899",
}

var (
	tlv = body("msb", `struct Record {
    tag    uint8
    length uint8
    within(length) {
        value switch tag {
            1:       uint32
            2:       { name char(16), level uint8 in 1..60 }
            default: bytes(rest, max 255)
        }
    }
}`, "records [rest, max 64]Record")
	tlvPacket = "01 04 00000007 02 11 416e6e00000000000000000000000000 05 09 02 1234 03 00"

	numeric = body("lsb", "enum E : varint(10) { Low = 3, High = 300 }", "n bits(4)\ns sbits(n)\nr int(-3..n)\nv varint(64)\nz zigzag(64)\nl relative(n)\ne E\no optional sbits(n)\np optional { q bits(2), t string(4) }\nlast bits(3)")
	strs    = body("lsb", "", "w wstring(8)\nc cstring(5)\ns string(8)\nr char(4)")
	nested  = body("lsb", "struct Row { k [..3]bits(3), v subset(bitmap) [3]bits(3), w subset(sentinel) [3]bits(3), m [until m == 0, max 3]bits(2) }",
		"rows [..3]Row\nf subset(relative) [7]{ a optional bits(3), g subset(bitmap) [2]bits(2) }\ntexts [..2]string(4)")
)

var numericPackets = []string{
	"4:4 4:15 3:7 8:0xff 8:0xff 8:0xff 8:0xff 8:0xff 8:0xff 8:0xff 8:0xff 8:0xff 8:1 8:0xff 8:0xff 8:0xff 8:0xff 8:0xff 8:0xff 8:0xff 8:0xff 8:0xff 8:1 1:0 1:1 3:4 8:3 1:1 4:8 1:1 2:2 2:2 %a 8:0x41 8:0x42 3:5",
	"4:0 2:3 8:5 8:3 1:1 8:0xac 8:2 1:0 1:0 3:1",
	"4:0 2:0 8:0 8:4 6:0 32:9 8:3 1:1 1:0 3:1",
}

var nestedPackets = []string{
	"2:2  2:2 3:1 3:2  1:0 1:1 3:4 1:1 3:5  2:1 3:3 2:3  2:1 2:0   2:0  1:0 1:0 1:0  2:3  2:1 2:2 2:0" +
		"  1:1 1:1 3:6 1:1 2:3 1:0  1:0 1:1 2:1 1:0 1:0 1:1 2:1  1:0 1:1 2:2  2:2 2:1 %a 8:0x41 2:0 %a",
	"2:0  1:0 1:0 1:1 3:2  2:0",
}

// pack writes `width:value` pieces in lsb order; %a is padding to a byte.
func pack(tb testing.TB, pieces string) []byte {
	tb.Helper()
	data, at := make([]byte, 256), 0
	for _, piece := range strings.Fields(pieces) {
		if piece == "%a" {
			at = (at + 7) &^ 7
			continue
		}
		w, v, _ := strings.Cut(piece, ":")
		width, err := strconv.Atoi(w)
		value, err2 := strconv.ParseUint(v, 0, 64)
		if err != nil || err2 != nil {
			tb.Fatalf("bad piece %q", piece)
		}
		wire.LSB.Store(data, at, width, value)
		at += width
	}
	return data[:(at+7)/8]
}

// variableProtocols are the schemas above with packets that they accept.
func variableProtocols(tb testing.TB) map[string]protocol {
	all := map[string]protocol{}
	add := func(name, schema string, packets ...[]byte) {
		all[name] = protocol{planOf(tb, schema), packets}
	}
	var scenes, numbers, lists [][]byte
	for _, s := range gafferPackets {
		scenes = append(scenes, bytesFrom(tb, s))
	}
	for _, s := range numericPackets {
		numbers = append(numbers, pack(tb, s))
	}
	for _, s := range nestedPackets {
		lists = append(lists, pack(tb, s))
	}
	add("gaffer", gaffer, scenes...)
	add("uncheckedGaffer", uncheckedGaffer, scenes...)
	add("tlv", tlv, bytesFrom(tb, tlvPacket))
	add("numeric", numeric, numbers...)
	add("strings", strs, pack(tb, "3:3 32:0xD83D 32:0xDE00 32:0x41 %a 8:0x61 8:0 3:2 %a 8:0xc3 8:0xa9 8:0x62 8:0 16:0"))
	add("nested", nested, lists...)
	return all
}

type protocol struct {
	plan    *plan.Plan
	packets [][]byte
}

// tries are the packets, each of their truncations, and each of them with one bit turned.
func (p *protocol) tries(tb testing.TB) []packet {
	var all []packet
	add := func(what string, n int, data []byte) {
		all = append(all, packet{name: fmt.Sprint(what, n), data: slices.Clone(data)})
	}
	d := decode.New(p.plan)
	for i, data := range p.packets {
		var t decode.Trace
		if err := d.Decode(data, decode.FromUnknown, &t); err != nil {
			tb.Errorf("packet %d: %v", i, err)
		}
		add("whole ", i, data)
		for n := range data {
			add("cut at ", n, data[:n])
		}
		for bit := range 8 * len(data) {
			data[bit/8] ^= 1 << (bit % 8)
			add("turned bit ", bit, data)
			data[bit/8] ^= 1 << (bit % 8)
		}
	}
	return all
}

var variableFilters = []struct {
	schema string
	packet []byte
	src    string
	want   ternary
}{
	{gaffer, hexed(gafferPackets[1]), `any(body.objects, .index == 63) or any(body.objects, .index > 99 && .value.at_rest)`, no},
	{gaffer, hexed(gafferPackets[1]), `len(body.objects) == 2 && count(body.objects, .index < 64) == 2 && body.objects[2] == nil`, yes},
	{gaffer, hexed(gafferPackets[1]), `body.objects[0].index < body.objects[1].index && body.objects[1].value.position.x >= -1000`, yes},
	{gaffer, hexed(gafferPackets[1]), `any(body.objects, .index == 64)`, no},
	{gaffer, hexed(gafferPackets[3]), `len(body.objects) == 3 && all(body.objects, .value.orientation.largest < 4)`, yes},
	{gaffer, hexed(gafferPackets[5]), `len(body.objects) == 2 && one(body.objects, .index == body.objects[1].index)`, yes},
	{gaffer, hexed(gafferPackets[4]), `len(body.objects) == 0 && body.objects != nil && body.objects[0].index == nil && all(body.objects, false)`, yes},
	{gaffer, hexed(gafferPackets[4]), `body.objects[0].index == 64`, unknown},
	{gaffer, hexed(gafferPackets[7]), `len(body.objects) == 1 && body.objects[0].value != nil && crc > 0`, yes},
	{gaffer, hexed(gafferPackets[1][:40]), `pkt.rejected && body == nil && reject.kind == "crc-mismatch"`, yes},

	{tlv, hexed(tlvPacket), `len(records) == 4 && records[0].value == 7 && records[1].value.name == "Ann" && records[1].value.level == 5`, yes},
	{tlv, hexed(tlvPacket), `any(records, .tag == 2 && .value.level == 5) && records[3].value == "" && records[2].value == "1234"`, yes},
	{tlv, hexed(tlvPacket), `any(records, .value == "02")`, unknown},
}

func hexed(s string) []byte {
	var b []byte
	s = strings.ReplaceAll(s, " ", "")
	for i := 0; i+1 < len(s); i += 2 {
		n, err := strconv.ParseUint(s[i:i+2], 16, 8)
		if err != nil {
			panic(err)
		}
		b = append(b, byte(n))
	}
	return b
}

func TestMatchVariable(t *testing.T) {
	rows := variableFilters
	add := func(schema string, packet []byte, src string, want ternary) {
		rows = append(rows, struct {
			schema string
			packet []byte
			src    string
			want   ternary
		}{schema, packet, src, want})
	}
	for _, row := range []struct {
		at   int
		src  string
		want ternary
	}{
		{0, `s == -1 && r == 4 && v == 18446744073709551615 && z == -9223372036854775808 && l == 10`, yes},
		{0, `v > 9223372036854775807 && v < 18446744073709551616 && z < -9223372036854775807 && e == "Low" && e == 3`, yes},
		{0, `o == -8 && p.q == 2 && p.t == "AB" && last == 5 && len(p.t) == 2`, yes},
		{1, `s == 0 && r == 0 && v == 5 && z == -2 && l == 1 && e == "High"`, yes},
		{1, `o == nil && p == nil && p.t == nil && s != nil`, yes},
		{1, `o == 0 || p.q == 2 || p.t == ""`, unknown},
		{2, `o == 0 && o != nil && l == 9 && z == 2 && "non-canonical" in notes`, yes},
	} {
		add(numeric, pack(t, numericPackets[row.at]), row.src, row.want)
	}
	for _, row := range []struct {
		src  string
		want ternary
	}{
		{`rows[0].k[1] == 2 && rows[0].v[0].index == 1 && rows[0].v[1].value == 5 && rows[0].w[0].index == 1 && rows[0].m[1] == 0`, yes},
		{`len(rows) == 2 && len(rows[0].v) == 2 && len(rows[0].w) == 1 && len(rows[1].v) == 0 && len(rows[1].m) == 3 && len(f) == 2`, yes},
		{`len(rows[0].k) == 2 && len(rows[0].m) == 2 && rows[0].w[1] == nil && rows[1].k != nil && rows[1].k[0] == nil`, yes},
		{`any(rows, any(.v, .index == 2 && .value == 5)) && all(rows, len(.w) <= 1)`, yes},
		{`all(rows, none(.w, .index == 3))`, yes},
		{`count(f, .value.a == nil) == 1 && f[0].value.a == 6 && f[1].index == 3 && f[0].value.g[0].value == 3 && len(f[1].value.g) == 1`, yes},
		{`texts[0] == "A" && texts[1] == "" && len(texts) == 2 && any(texts, # == "A")`, yes},
	} {
		add(nested, pack(t, nestedPackets[0]), row.src, row.want)
	}
	add(strs, pack(t, "3:3 32:0xD83D 32:0xDE00 32:0x41 %a 8:0x61 8:0 3:2 %a 8:0xc3 8:0xa9 8:0x62 8:0 16:0"),
		`w == "😀A" && c == "a" && s == "é" && r == "b" && len(w) == 5 && w matches "^.A$" && w contains "A"`, yes)
	add(body("lsb", "", "u bytes(4) utf8\nl bytes(2) latin1\nw bytes(4) utf16\nc char(3)"), []byte("a\x00\xc3\xa9\xe9b\xe9\x00\xac\x20a\x00\x00"),
		`u == "a\u0000é" && l == "éb" && w == "é€" && len(w) == 5 && u != c && c == "a" && l contains "é" && w != l`, yes)
	add(body("msb", "", "a uint32 @ipv4\nb bytes(4) @ipv4\nh int16 @hex\nl [2]uint16 @bcd"), []byte("\xc0\x00\x02\x01\x0a\x00\x00\x01\xff\xe1\x00\x42\x12\xfa"),
		`a == "192.0.2.1" && a == 3221225985 && a < "192.0.2.2" && b == "10.0.0.1" && b == "0a000001" && b != "10.0.0.2" && h == "-0x1f" && h == -31 && l[0] == "0042" && any(l, # == "0x12fa")`, yes)
	add(body("msb", "", "a dnsname\nl [2]{ n dnsname }"), hexed("01610162000163c00200"),
		`a == "a.b." && l[0].n == "c.b." && l[0].n endsWith ".b." && l[1].n == "." && any(l, .n startsWith "c") && len(a) == 4`, yes)
	add(body("msb", "", "k uint8 @secret\na dnsname"), hexed("00016100"), `a == nil`, no)
	for _, row := range rows {
		p := planOf(t, row.schema)
		if got := ask(t, p, row.src, []packet{{name: "it", data: row.packet}})[0]; got != row.want {
			t.Errorf("%s over %x: want %s, got %s", row.src, row.packet, row.want, got)
		}
	}
}

// A text whose length was read is not there yet, and neither is an optional whose flag was.
func TestPresenceCut(t *testing.T) {
	for _, row := range []struct {
		items, packet, src string
		want               ternary
	}{
		{"s string(256)", "8:2 8:0x41", `s == nil && s != "A"`, unknown},
		{"s string(256)", "8:2 8:0x41", `s == nil`, yes},
		{"a { s string(256) }", "8:2 8:0x41", `a != nil && a.s == nil`, yes},
		{"o optional uint64", "1:1", `o == nil`, yes},
		{"v subset(bitmap) [9]uint64", "1:1", `v != nil && v[0].index == 0 && v[0].value == nil && len(v) == 1`, yes},
		{"v subset(sentinel) [9]uint64", "4:8", `v[0].index == 8 && v[0].value == nil && len(v) == 1`, yes},
		{"v subset(sentinel) [255]uint64", "8:7", `v[0].index == 7 && v[1] == nil && len(v) == 1`, yes},
	} {
		p := planOf(t, body("lsb", "", row.items))
		if got := ask(t, p, row.src, []packet{{name: "it", data: pack(t, row.packet)}})[0]; got != row.want {
			t.Errorf("%s of %s: want %s, got %s", row.src, row.items, row.want, got)
		}
	}
}

// Random filters agree with the reference over every kind of list, number and text.
func TestVariableAgainstReference(t *testing.T) {
	for name, p := range variableProtocols(t) {
		t.Run(name, func(t *testing.T) {
			packets := p.tries(t)
			if len(packets) > 400 {
				rand.New(rand.NewPCG(3, 4)).Shuffle(len(packets), func(i, j int) { packets[i], packets[j] = packets[j], packets[i] })
				packets = packets[:400]
			}
			for _, data := range p.packets {
				packets = append(packets, packet{name: "whole", data: data})
			}
			againstReference(t, p.plan, packets, need.Rounds(1500, 200))
		})
	}
}

func TestVariableSelectorAgainstWalk(t *testing.T) {
	for name, p := range variableProtocols(t) {
		t.Run(name, func(t *testing.T) { selectorsAgainstWalk(t, p.plan, p.tries(t)) })
	}
}

func TestVariablePaths(t *testing.T) {
	all := variableProtocols(t)
	for _, row := range []struct{ name, want string }{
		{"tlv", "records[*].tag number; records[*].length number; records[*].value number or bytes; records[*].value.name text; records[*].value.level number"},
		{"numeric", "n number; s number; r number; v number; z number; l number; e enum E; o number; p.q number; p.t text; last number"},
		{"strings", "w text; c text; s text; r text"},
	} {
		var got []string
		for _, path := range Paths(all[row.name].plan) {
			got = append(got, path.Path+" "+path.Type)
		}
		if s := strings.Join(got, "; "); s != row.want {
			t.Errorf("%s: want %s, got %s", row.name, row.want, s)
		}
	}
	if paths := Paths(all["gaffer"].plan); !slices.ContainsFunc(paths, func(p Path) bool { return p.Path == "body.objects[*].value.position.x" }) ||
		!slices.ContainsFunc(paths, func(p Path) bool { return p.Path == "body.objects[*].index" }) {
		t.Errorf("the subsets' paths are missing: %v", paths)
	}
}

func TestVariableAllocates(t *testing.T) {
	p := planOf(t, gaffer)
	var tr decode.Trace
	if err := decode.New(p).Decode(bytesFrom(t, gafferPackets[1]), decode.FromUnknown, &tr); err != nil {
		t.Fatal(err)
	}
	prog, err := Compile(p, `any(body.objects, .index == 63 || .value.position.x > 5000) || len(body.objects) > 64`)
	if err != nil {
		t.Fatal(err)
	}
	m, e := prog.NewMatcher(), &decode.Envelope{}
	if n := testing.AllocsPerRun(100, func() { m.Match(&tr, e) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
