package importer_test

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/importer"
)

// The draft of bits.hpp reads what g++ for x86-64 keeps of a Player with id 7, yaw -5, alive, mode Off, kind B, far B,
// ammo 77, items 1 to 4, spots[2][1] -3, more[0][0] 9, data 5, port 4711, tone -2, pitch -3.
func TestBitFields(t *testing.T) {
	const kept = "07fb79084d0102030400000000000000000000fdff090000000000000000000000056712fe0d"
	src, err := os.ReadFile("testdata/bits.hpp")
	if err != nil {
		t.Fatal(err)
	}
	draft, err := importer.Import([]importer.File{{Name: "bits.hpp", Src: src}}, importer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := decode.Load("draft.pks", draft.Source)
	if err != nil {
		t.Fatal(err)
	}
	packet, err := hex.DecodeString(kept)
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
	for path, want := range map[string]int64{"id": 7, "yaw": -5, "alive": 1, "mode": -1, "kind": 1, "far": 1, "ammo": 77,
		"spots[2][1]": -3, "more[0][0]": 9, "port": 4711, "tone": -2, "pitch": -3} {
		if value, ok := got[path]; !ok || value != want {
			t.Errorf("%s: want %d, got %d (read: %v)", path, want, value, ok)
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
