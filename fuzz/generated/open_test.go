package generated_test

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/fuzz"
)

// branchForms are packets that both writers have to find a way to write: given are only zeros, or fields that two ways
// share, or sizes that follow from the packet's last bits.
var branchForms = []struct{ name, packet, packets string }{
	{"a look and another field, with nothing given", "order bousk\npacket { n uint64, if from(server) && n <= -peek(5) { a wstring(10), b bytes(n % 9, max 18) } else { list [n % 5]uint8 } }",
		"ffffffffffffffff 0a00000000000000"},
	{"a look and another field, with a shared name", "order lsb\npacket { n uint8 in 1..9, if (n + peek(6)) / n < rest >> 2 { a varint(42) in {25..26, 1733465} } else { a int64 } }",
		"05ffffffffffffffff 0100000000000000ff 0119000000000000"},
	{"no other way, and no bits that are set", "order lsb\npacket { n uint16, if n >= peek(13) { a bits(n % 9) }, b uint16 }",
		"ca0300c4 080000c40000 0000c4c4"},
	{"two ways of zeros", "order lsb\npacket { n uint8, if tail(8) == n { a uint16, b uint8 in 0..3 } else { a bits(24), c uint8 } }",
		"0000000000 0100000001 01000000 0200000000"},
	{"a window filled with zeros, as long as the last byte says", "order lsb\npacket { within(tail(8) zeros) { a uint32, b uint32 }, c uint8, d uint8 }",
		"0102030405060708aa08 010200000000aa06 aa00"},
	{"a size in front of one that follows from a length", "order bousk\npacket { n bits(10), a subset(relative) [2]relative(n), within(rest - 4) { within(n) { b bits(8) }, c bytes(rest, max 12) }, d bytes(4) }",
		"01000000000102030405 0100001122334455"},
	{"text in Latin-1 that is long", "order msb\npacket { a bytes(rest, max 159) latin1 }",
		"4142434445464748494a4b4c4d4e4f505152535455565758595a4142434445464748494a4b4c4d4e4f505152535455565758e9e9"},
	{"a length that counts from more than the window has", "order lsb\npacket { n uint8 in 3..9, within(n - 2 zeros) { a uint16, b uint32 }, c uint8 }",
		"0301aa 05010203aa 08010203040506aa"},
	{"a length that is not below an earlier field", "order lsb\npacket { least uint8 in 0..6, length uint8 in least..7, within(length zeros) { a uint32, b uint16, c uint8 }, d uint8 }",
		"0303010000aa 03040100000203 000007 0607000000000000ffaa 0606ffffffff0000aa"},
	{"a length between ends that can be negative", "order msb\npacket { low int8 in -3..5, length uint8 in low..low + 4, within(length zeros) { a uint32, b uint8 }, d uint8 }",
		"fd00aa ff0311223300 05050011002200ff ff03000000aa 0404000000ff07"},
	{"options up to one that ends them", "order msb\npacket { list [until code == 255, max 9]{ code uint8, if code != 255 { n uint8, within(n) { a bytes(rest, max 9) } } }, b bytes(rest, max 3) }",
		"0102aabbff ff 0100 0200ff0000"},
	{"a list up to a length of zero", "order lsb\npacket { list [until n == 0, max 5]{ n uint8, within(n) { a bytes(rest, max 9) } } }",
		"00 01aa00 02aabb01cc00"},
	{"a bitmap with more elements than it has slots", "order lsb\npacket { list [3]subset(bitmap) [1]subset(index) [9]uint8 }",
		"0000000000 070000 01aabb"},
	{"a constant that its width does not hold", "order lsb\npacket { n uint8, if n < 9 { a int(0..n) == 7 } else { b bits(n & 7) == 3 } }",
		"07ff 0803 0f03 0b03"},
	{"elements that take the rest", "order lsb\npacket { n uint8, list [rest, max 5]{ a uint8, b [rest, max 9]uint16 } }",
		"05 0507 05070102 050701020304"},
	{"flags and what takes the rest", "order bousk\npacket { list [..3]{ a bits(3), b bytes(rest, max 9) } }",
		"0100 0940aa 6b00 010203"},
	{"windows of elements that take the rest", "order lsb\npacket { list [..2]{ n uint8, within(n) { list [..2]{ a optional uint8, b bytes(rest, max 5) } }, c uint8 } }",
		"00 01020501bb00 01010000"},
	{"bits that take the rest", "order lsb\npacket { n uint8, within(n bits) { list [..2]{ x bits(1), if rest > 0 { a [rest, max 20]bool } } }, b bytes(rest, max 4) }",
		"0000 0301aa 0bff07"},
	{"a switch over bits of which the packet before has no case", "order msb\npacket { s switch 5 << tail(3) { 5..6: uint8, 9..15: bool, 18..20: uint64 != 0 }, a uint64, b uint16, c uint8 }",
		"070123456789abcdef010208 070123456789abcdeff10101 0000000000000009aaaaaaaaaaaaaaaa010202"},
	{"lengths above an earlier number", "order lsb\npacket { n relative(3), within(n) { a bytes(rest, max 30) }, m relative(n), b [m, max 40]uint8, c bytes(rest, max 2) }",
		""},
	{"what is wrong behind the longest datagram", "order msb\nmax datagram 14\npacket { a [..3]uint32, b subset(relative) [2]cstring(5) }",
		""},
	{"a limit over a length that nobody gave", "order lsb\npacket { k uint8 in 0..5, n below((rest | 1) << k), x bool, if x { l [k, max 5]uint8 }, c bytes(rest, max 2) }",
		""},
}

func TestBranchFormsAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("-short builds the forms of TestOpenFormsAgree")
	}
	g := &program{dir: t.TempDir()}
	for _, row := range branchForms {
		if err := g.add(t, row.name, compile(t, "form.pks", []byte("protocol form\n"+row.packet+"\n"))); err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
	}
	g.build(t)
	b := &batch{g: g}
	for n, row := range branchForms {
		m := fuzz.NewMutator(decode.New(g.plans[n]))
		for _, packet := range strings.Fields(row.packets) {
			data, err := hex.DecodeString(packet)
			if err != nil {
				t.Fatal(err)
			}
			for _, from := range []decode.Direction{decode.FromUnknown, decode.Client, decode.Server} {
				b.attack(t, n, m, data, from, need.Rounds(100, 20))
			}
		}
		b.makes(t, n, 1, need.Rounds(20, 6), need.Rounds(60, 20))
	}
	b.hold(t)
	derived, written, refused := b.counts()
	t.Logf("%d packets, %d derived, %d changed and written, %d changed and refused", b.held, derived, written, refused)
}

// What `rest` sizes or decides is read and written by generated code as the interpreter does it: with the length that
// Decode gave, and from the values alone.
func TestOpenFormsAgree(t *testing.T) {
	g := &program{dir: t.TempDir()}
	forms := slices.Concat(anyschema.Sums[:need.Rounds(len(anyschema.Sums), 5)], anyschema.Open[:need.Rounds(len(anyschema.Open), 4)])
	for i := range forms {
		f := &forms[i]
		if err := g.add(t, f.Name, compile(t, "form.pks", []byte(f.Source))); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
	}
	g.build(t)
	g.vet(t)
	b := &batch{g: g}
	for n := range g.plans {
		m := fuzz.NewMutator(decode.New(g.plans[n]))
		for _, packet := range forms[n].Packets {
			data, err := hex.DecodeString(packet)
			if err != nil {
				t.Fatal(err)
			}
			b.attack(t, n, m, data, decode.FromUnknown, need.Rounds(150, 20))
		}
		if made := b.makes(t, n, 1, need.Rounds(20, 4), need.Rounds(100, 20)); made == 0 {
			t.Errorf("%s: no packet was made", g.names[n])
		}
	}
	b.hold(t)
	derived, written, refused := b.counts()
	t.Logf("%d packets, %d derived, %d changed and written, %d changed and refused", b.held, derived, written, refused)
	if enough := need.Rounds(1000, 20); derived < enough || written < enough || refused < enough/2 {
		t.Error("too few to show anything")
	}
}
