package importer_test

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/importer"
)

// Drafts read what g++ for x86-64 keeps: of bits.hpp a Player with id 7, yaw -5, alive, mode Off, kind B, far B, ammo 77,
// items 1 to 4, spots[2][1] -3, more[0][0] 9, data 5, port 4711, tone -2, pitch -3; of bases.hpp a Shot of whose members and
// bases none is 0.
func TestBytesOfCompilers(t *testing.T) {
	for _, one := range []struct {
		source, kept string
		want         map[string]int64
	}{
		{"bits.hpp", "07fb79084d0102030400000000000000000000fdff090000000000000000000000056712fe0d", map[string]int64{
			"id": 7, "yaw": -5, "alive": 1, "mode": -1, "kind": 1, "far": 1, "ammo": 77,
			"spots[2][1]": -3, "more[0][0]": 9, "port": 4711, "tone": -2, "pitch": -3}},
		{"bases.hpp", "341215efbeadde07fdff09006400ffff671219", map[string]int64{
			"id": 0x1234, "flags": 5, "kind": 2, "tick": 0xdeadbeef, "id_2": 7, "spots[0].x": -3, "spots[0].y": 9,
			"spots[1].x": 100, "spots[1].y": -1, "of.id": 4711, "of.flags": 1, "of.kind": 3}},
	} {
		src, err := os.ReadFile("testdata/" + one.source)
		if err != nil {
			t.Fatal(err)
		}
		draft, err := importer.Import([]importer.File{{Name: one.source, Src: src}}, importer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := decode.Load("draft.pks", draft.Source)
		if err != nil {
			t.Fatal(err)
		}
		packet, err := hex.DecodeString(one.kept)
		if err != nil {
			t.Fatal(err)
		}
		var trace decode.Trace
		if err := d.Decode(packet, decode.FromUnknown, &trace); err != nil {
			t.Fatal(err)
		}
		got := map[string]int64{}
		for ev := range trace.Walk() {
			if ev.Leaf >= 0 && ev.Kind == decode.Leaf {
				got[string(trace.AppendEventPath(nil, ev))] = int64(d.Plan().Info[ev.Leaf].Value(ev.Raw, ev.CodeWidth))
			}
		}
		for path, want := range one.want {
			if value, ok := got[path]; !ok || value != want {
				t.Errorf("%s: %s: want %d, got %d (read: %v)", one.source, path, want, value, ok)
			}
		}
	}
}

// What is said of a class, and of what it is made from, costs none of its members.
func TestBases(t *testing.T) {
	const base = "struct Base { uint16_t id; uint8_t hp; };\n"
	for _, one := range []struct{ src, packet, want, not string }{
		{"class Ping final { uint8_t a; };", "", "`Ping` is not packed", "final"},
		{base + "struct Ping final : Base { uint8_t a; };", "Ping", "`Ping` is not packed", "final"},
		{"struct final { uint8_t a; };", "", "`final` is not packed", ""},
		{"struct [[nodiscard]] Pung { uint8_t a; };", "", "`Pung` is not packed", ""},
		{"class [[a(1)]] alignas(4) [[b::c]] Pung { uint8_t a; };", "Pung", "    a uint8\n}", ""},
		{"struct Pung { enum class [[x]] E : uint8_t { A }; struct alignas(2) In { uint8_t b; } in; [[maybe_unused]] uint8_t a; E e; };", "Pung",
			"    in_ In // was in\n    a   uint8\n    e   E\n", "taken for"},
		{"class Base { virtual ~Base(){} uint16_t id; }; class Hit : public Base { uint8_t hp; };", "",
			"`Hit` has virtual functions: the pointer that compilers put before its members is left out", "id"},
		{"class A { virtual void f(); }; class B : A {}; class Hit : public ns::B { uint8_t hp; };", "", "`Hit` has virtual functions", ""},
		{base + "struct Hit : public Base { uint8_t hp; };", "", "    id uint16\n    hp uint8\n    // ? line 2: `Hit` is not packed: " +
			"compilers may put padding between its members\n    hp_2 uint8 // was hp\n", "left out"},
		{base + "struct Mid : Base { }; struct Hit : ns::Mid { uint8_t c; };", "", "    c uint8\n", "left out"},
		{base + "struct Hit : Base { uint8_t c; }; struct Miss : Base { uint8_t c; }; struct All { Base b; Hit h; Miss m; };", "",
			"struct Miss {\n    id uint16\n    hp uint8\n    // ? line 2: `Miss` is not packed", "left out"},
		{base + "struct Hit : virtual Base { uint8_t c; };", "", "what `Hit` has of `Base` is left out here", "id"},
		{base + "struct Other { uint8_t d; }; struct Hit : Base, Other { uint8_t c; };", "", "what `Hit` has of `Base, Other` is left out here", "id"},
		{base + "struct Hit : Base, ns::Far { uint8_t c; };", "", "`Base, Far` is left out here", "id"},
		{base + "struct Hit : Base<Hit> { uint8_t c; };", "Hit", "of `Base Hit` is left out here", "id"},
		{"struct Hit : ns::Hit { uint8_t c; };", "", "of `Hit` is left out here", ""},
		{"using Base = Old; struct Old { uint8_t o; }; struct Hit : Base { uint8_t c; };", "", "    o uint8\n", "is left out"},
		{"struct Base { int x; template <typename S> bool Serialize(S& stream) { serialize_bits(stream, x, 5); return true; } };" +
			" struct Hit : Base { uint8_t c; };", "", "of `Base` is left out here", "x bits"},
		{"enum Kind : uint8_t { NONE, PING, PONG }; struct Head { Kind kind; }; struct Ping : Head { uint8_t a; }; struct Pong : Head { uint8_t b; };",
			"Head", "struct Ping {\n    // ? line 1: `Ping` is not packed: compilers may put padding between its members\n    a uint8\n}", "of `Head` is left out"},
		{"enum Kind : uint8_t { NONE, PING }; struct Head { Kind kind; }; struct Top : Head { uint8_t x; }; struct Ping { uint8_t a; };",
			"Top", "switch kind {", ""},
	} {
		draft, err := importer.Import([]importer.File{{Name: "p.hpp", Src: []byte(one.src)}}, importer.Options{Order: "lsb", Packet: one.packet})
		if err != nil {
			t.Errorf("%s: %v", one.src, err)
			continue
		}
		text := string(draft.Source)
		if !strings.Contains(text, one.want) || one.not != "" && strings.Contains(text, one.not) {
			t.Errorf("%s: want %q and not %q in\n%s", one.src, one.want, one.not, text)
		}
		if n := strings.Count(text, "`Base` is not packed"); n > 1 {
			t.Errorf("%s: a doubt is told %d times in\n%s", one.src, n, text)
		}
	}
}

// What looks like a function, and is none, is a member; a function is none, whatever its name is.
func TestMembers(t *testing.T) {
	for _, one := range []struct{ member, want string }{
		{"alignas(4) uint8_t x;", "x uint8"},
		{"uint16_t x __attribute__((aligned(2)));", "x uint16"},
		{"uint8_t x[(2)];", "x bytes(2)"},
		{"uint16_t x[sizeof(long)];", "how many elements `x` has is not known"},
		{"std::array<uint16_t, (2)> x;", "x [2]uint16"},
		{"array<std::array<Pair<int, int>, 2>, 3> x[4];", "x [4][3][2]uint32"},
		{"std::array<uint8_t> x;", "`array uint8_t` is taken for uint8"},
		{"Rank x : 2;", "x sbits(2)"},
		{"Short x : 5;", "x sbits(5)"},
		{"signed : 5; uint8_t x : 3;", "reserved(5) any"},
		{"uint8_t x : 65;", "how many bits `x` has is not known"},
		{"uint8_t x : 3; uint16_t y;", "reserved(5) any\n    y uint16"},
		{"Ids x;", "x [2]uint16"},
		{"struct { uint16_t a, b; } x[2], y;", "    x [2]P_x\n    y P_x"},
		{"struct { uint16_t a; } x; struct { uint32_t b; } x;", "    x   P_x\n    x_2 P_x_2"},
		{"struct { uint16_t a; } strings;", "strings P_strings"},
		{"struct In { uint8_t a; } x;", "x In"},
		{"struct { uint8_t x : 3; }; uint8_t y : 5;", "    x bits(3)\n"},
		{"enum : uint8_t { B } x;", "x P_x"},
		{"union { uint8_t a; } x; uint8_t y;", "union `x` is left out"},
		{"union { uint8_t a; uint16_t b; }; uint8_t y;", "union without a name is left out"},
		{"union U { uint8_t a; }; uint8_t x;", "    x uint8\n}"},
		{"void (*x)(int); uint8_t y;", "`x` lies elsewhere in memory"},
		{"virtual ~P() {} uint8_t x;", "`P` has virtual functions: the pointer that compilers put before its members is left out"},
		{"uint8_t x; virtual void f() = 0;", "    x uint8\n}"},
	} {
		src := "enum Rank : signed char { A };\nusing Short = int16_t;\nusing Ids = std::array<uint16_t, 2>;\n" +
			"struct P : protected Q { bool operator<(const P& p) const { return true; } P(int a); " + one.member + " };"
		draft, err := importer.Import([]importer.File{{Name: "p.hpp", Src: []byte(src)}}, importer.Options{Order: "lsb"})
		if err != nil {
			t.Errorf("%s: %v", one.member, err)
			continue
		}
		if text := string(draft.Source); !strings.Contains(text, one.want) || !strings.Contains(text, "of `Q` is left out here") ||
			strings.Contains(text, "operator") {
			t.Errorf("%s: want %q in\n%s", one.member, one.want, text)
		}
	}
}
