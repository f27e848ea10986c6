package oracle_test

import (
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// runs are structs whose leaves meet every way that a run is laid out in words: widths that fill a word exactly and
// that do not, more leaves than one word takes, leaves of no bits, bytes the other way round beside others, and every
// kind of leaf that a word cannot judge.
var runs = []struct{ name, decls, fields string }{
	{"one", "", "a uint8"},
	{"bits", "", "a bool, b bits(3), c int(0..5), d int(-3..3), e bits(7), f bool, g int(0..1000)"},
	{"full words", "", "a uint64, b uint32, c uint32, d bits(63), e bool, f uint64"},
	{"wide after narrow", "", "a bool, b uint64, c bits(5), d bits(57), e bits(58)"},
	{"all ones", "", "a uint64, b int64, c uint64 != 5, d uint64 in 1..18446744073709551615"},
	{"no bits", "", "a int(5..5), b bits(3), c int(5..5), d uint64, e int(1..1), f int(2..2), g bool, h int(3..3)"},
	{"signed rules", "", "a int8 in -2..2, b int16 in 0..300, c bits(4), d int8 in -128..-1"},
	{"holes", "enum E : uint8 { A = 1, B = 3, C = 4 }", "a E, b bits(5), c uint8 in {1, 2, 200..255}, d E in {A, B}, e bits(3)"},
	{"notes", "open enum E : uint8 { A = 1, B = 3 }\nopen flags F : uint8 { X = 1, Y = 4 }", "a E, b bits(2), reserved(6) any, f F, c bool"},
	{"closed flags", "flags F : uint8 { X = 1, Y = 4 }", "f F, b bool, reserved(3), g F"},
	{"floats", "", "a float32 finite, b float(0..10, 0.01), c float32 in 0.0..1.0, d bool"},
}

// swapped are more of them, with the word that turns bytes around in each order.
var swapped = []struct{ name, decls, fields string }{
	{"swapped", "", "a uint16 SWAP, b uint8, c uint32 SWAP in 0..1000, d bits(3), e uint64 SWAP, f uint16 SWAP, g uint16 SWAP in 0..5, h bits(5)"},
	{"swapped enum", "enum E : uint16 { A = 1, B = 3 }", "a bool, b E SWAP, c int16 SWAP in -5..5, d E"},
}

// A run says the same as the reference, alone and as an array's element: every cut of a packet, every bit of it, filled
// with zeros, ones and anything.
func TestRunsAgree(t *testing.T) {
	for _, order := range []string{"lsb", "msb", "bousk"} {
		rows := runs[:len(runs):len(runs)]
		for _, row := range swapped {
			row.fields = swapWord(row.fields, order)
			rows = append(rows, row)
		}
		for i, row := range rows {
			if !need.OneIn(i, 8) {
				continue
			}
			t.Run(order+"/"+row.name, func(t *testing.T) {
				decls := row.decls + "\nstruct S { " + row.fields + " }"
				alone := protocol(t, order, decls, "p bits(3)\ns S\nq bits(9)")
				array := protocol(t, order, decls, "n int(0..5)\np bits(2)\nouter [2]S\ns [n]S\nt [n]S\nq bits(7)")
				window := protocol(t, order, decls, "n uint16\nwithin(n bits) { s [2]S }\nq [2]S")
				agreeAnyhow(t, alone, 20)
				agreeAnyhow(t, array, 8)
				agreeCut(t, window, order)
			})
		}
	}
}

func swapWord(fields, order string) string {
	word := "be"
	if order == "msb" {
		word = "le"
	}
	var b []byte
	for i := 0; i < len(fields); i++ {
		if i+4 <= len(fields) && fields[i:i+4] == "SWAP" {
			b = append(b, word...)
			i += 3
			continue
		}
		b = append(b, fields[i])
	}
	return string(b)
}

// agreeAnyhow tries generated packets, and packets of noise, at every cut and with every bit flipped.
func agreeAnyhow(t *testing.T, d *decode.Decoder, tries int) {
	t.Helper()
	o := oracle.NewOracle(d)
	kinds := map[reject.Kind]int{}
	try := func(packet []byte) {
		t.Helper()
		answer, err := o.Decode(packet, decode.FromUnknown)
		if err != nil {
			t.Fatalf("%x: %v", packet, err)
		}
		kinds[answer.Kind]++
	}
	g := fuzz.NewGenerator(d)
	size := int(d.Plan().Bound.MaxBits+7) / 8
	for n := range tries {
		packet := make([]byte, size)
		switch {
		case n == 0:
		case n == 1:
			for i := range packet {
				packet[i] = 0xff
			}
		case n%4 == 3:
			x := uint32(n)*2654435761 + 1
			for i := range packet {
				x = x*1664525 + 1013904223
				packet[i] = byte(x>>24) >> (n % 3 * 3)
			}
		default:
			k, err := g.Random(uint64(n), uint64(n))
			if err != nil {
				t.Fatal(err)
			}
			packet = append(packet[:0], k.Data...)
		}
		try(packet)
		for cut := range packet {
			if n < 4 || cut%7 == n%7 || cut < 10 {
				try(packet[:cut:cut])
			}
		}
		for bit := n % 5; bit < 8*len(packet); bit += 5 {
			packet[bit/8] ^= 1 << (bit % 8)
			try(packet)
			packet[bit/8] ^= 1 << (bit % 8)
		}
	}
	if kinds[reject.None] == 0 || kinds[reject.PastEnd] == 0 {
		t.Errorf("no packet of each kind: %v", kinds)
	}
}

// agreeCut tries packets that begin with the size of a window in 16 bits, for every size: that cuts at every bit.
func agreeCut(t *testing.T, d *decode.Decoder, name string) {
	t.Helper()
	o := oracle.NewOracle(d)
	order, _ := wire.ParseOrder(name)
	g := fuzz.NewGenerator(d)
	k, err := g.Random(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	packet := append([]byte(nil), k.Data...)
	for size := range uint64(8 * len(packet)) {
		order.Store(packet, 0, 16, size)
		if _, err := o.Decode(packet, decode.FromUnknown); err != nil {
			t.Fatalf("%x: %v", packet, err)
		}
	}
}

func protocol(tb testing.TB, order, decls, body string) *decode.Decoder {
	tb.Helper()
	src := "protocol test\norder " + order + "\n" + decls + "\npacket {\n" + body + "\n}\n"
	s, diags := schema.Load("test.pks", []byte(src), nil)
	if s == nil {
		tb.Fatalf("schema: %v\n%s", diags, src)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		tb.Fatalf("plan: %v\n%s", diags, src)
	}
	return decode.New(p)
}
