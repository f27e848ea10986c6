package luagen_test

import (
	"encoding/binary"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
)

// load is the decoder of a built-in or an example.
func load(t testing.TB, name string) *decode.Decoder {
	t.Helper()
	src, _ := protocols.Shipped(name)
	d, err := decode.LoadFS(protocols.Dir(), name+".pks", src)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Of every capture of a built-in and of an example, tshark shows the values, verdicts, kinds and notes that the decoder
// gives.
func TestCaptures(t *testing.T) {
	files, err := filepath.Glob("../../corpus/*.pcap")
	if err != nil {
		t.Fatal(err)
	}
	more, _ := filepath.Glob("../../corpus/examples/*.pcap")
	files = append(files, more...)
	if len(files) < 20 {
		t.Fatalf("only %d captures", len(files))
	}
	if testing.Short() {
		files = []string{"../../corpus/course.pcap", "../../corpus/examples/bfd.pcap"}
	}
	for _, file := range files {
		name := filepath.Base(file[:len(file)-len(".pcap")])
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat(file); err != nil {
				t.Fatal(err)
			}
			packets, fields := hold(t, load(t, name), file)
			if packets == 0 || fields == 0 {
				t.Errorf("%d packets, %d fields", packets, fields)
			}
			t.Logf("%d packets, %d fields", packets, fields)
		})
	}
}

// The same of schemas that were drawn, and of packets that were drawn for them.
func TestAnySchema(t *testing.T) {
	seeds := need.Rounds(uint64(20), 2)
	if need.Required(t, need.Tshark) {
		seeds = 60
	}
	eachSchema(t, seeds, func(seed uint64, d *decode.Decoder) (packets, fields int) {
		return hold(t, d, capture(t, drawn(d, seed, 200)))
	})
}

// A plain Lua 5.3 and 5.4, whose numbers are also integers, read what Wireshark's 5.2 reads. No Wireshark is there: what
// a dissector uses of it is in testdata.
func TestNewerLua(t *testing.T) {
	for _, lua := range []string{"lua5.3", "lua5.4"} {
		t.Run(lua, func(t *testing.T) {
			eachSchema(t, need.Rounds(uint64(200), 4), func(seed uint64, d *decode.Decoder) (packets, fields int) {
				return holdLua(t, lua, d, drawn(d, seed, 200))
			})
		})
	}
}

// eachSchema holds the dissectors of schemas that were drawn.
func eachSchema(t *testing.T, seeds uint64, hold func(seed uint64, d *decode.Decoder) (packets, fields int)) {
	t.Helper()
	with, packets, fields := 0, 0, 0
	for seed := range seeds {
		src := anyschema.Source(anyschema.Seeded(seed), 3+int(seed)%40)
		s, _ := schema.Load("any.pks", []byte(src), nil)
		if s == nil {
			continue
		}
		p, _ := plan.Compile(s)
		if p == nil {
			continue
		}
		with++
		d := decode.New(p)
		n, f := hold(seed, d)
		packets, fields = packets+n, fields+f
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, src)
		}
	}
	t.Logf("%d schemas, %d packets, %d fields", with, packets, fields)
}

// compile is the decoder of the items of a packet.
func compile(t testing.TB, items string) *decode.Decoder {
	t.Helper()
	d, err := decode.Load("x.pks", []byte("protocol xyz\norder msb\nmax datagram 400\npacket {\n"+items+"\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The arithmetic of 64 bits, which Lua has not.
func TestArithmetic(t *testing.T) {
	const items = `
		a uint64
		b uint64 in 1..18446744073709551615
		c int64 in -9223372036854775807..9223372036854775807
		d int(1..9223372036854775807)
		n bits(6)
		x uint32
		y uint32
		let quotient = a / b
		let remainder = a % b
		let share = c / d
		let modulo = c % d
		let product = x * y
		let both = a & b
		let either = a | b
		let one = a ^ b
		let lower = a >> n
		let down = c >> n
		let up = x << (n & 31)
		let sum = x + y
		let difference = x - y
		let less = a < b
		let mixed = c < a
		let equal = c == a
		let negative = -c
		let in_set = a in {0..7, 9223372036854775807..9223372036854775809}`
	d := compile(t, items)
	edges := []uint64{0, 1, 2, 3, 7, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1<<53 - 1, 1 << 53, 1<<53 + 1, 1<<63 - 1, 1 << 63, 1<<63 + 1, 1<<64 - 2, 1<<64 - 1, 6148914691236517205, 1000000007}
	var all [][]byte
	for i, a := range edges {
		for k, b := range edges {
			e, f := edges[(i*7+k)%len(edges)], edges[(i+k*3)%len(edges)]
			data := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, a), b)
			data = binary.BigEndian.AppendUint64(data, e)
			rest := new(big.Int).SetUint64(f & (1<<63 - 1)) // 63 bits, then 6, 32 and 32: 3 are left
			for _, part := range []struct {
				bits uint
				v    uint64
			}{{6, uint64(i*k) & 63}, {32, a & (1<<32 - 1)}, {32, b & (1<<32 - 1)}, {3, 0}} {
				rest.Or(rest.Lsh(rest, part.bits), new(big.Int).SetUint64(part.v))
			}
			all = append(all, append(data, rest.FillBytes(make([]byte, 17))...))
		}
	}
	for _, lua := range []string{"lua5.3", "lua5.4"} {
		n, fields := holdLua(t, lua, d, all)
		t.Logf("%s: %d packets, %d fields", lua, n, fields)
		if fields < 20*n/2 {
			t.Errorf("only %d fields of %d packets", fields, n)
		}
	}
	hold(t, d, capture(t, all[:need.Rounds(len(all), 40)]))
}

// A domain name follows 64 pointers, and no more.
func TestNames(t *testing.T) {
	d := compile(t, "chain bytes(200)\nname dnsname")
	var all [][]byte
	for hops := 1; hops < 80; hops++ {
		data := make([]byte, 200) // a root, and behind it pointers, each at the one before
		for i := 1; i < 199; i += 2 {
			data[i], data[i+1] = 0xc0, byte(max(i-2, 0))
		}
		all = append(all, append(data, 0xc0, byte(2*hops-1)))
	}
	var trace decode.Trace
	accepted := 0
	for _, data := range all {
		if d.Decode(data, decode.FromUnknown, &trace) == nil {
			accepted++
		}
	}
	if accepted != 63 {
		t.Errorf("%d of %d are accepted", accepted, len(all))
	}
	holdLua(t, "lua5.4", d, all)
}

// What was wrong once.
func TestOnce(t *testing.T) {
	for name, row := range map[string]struct{ order, items, packet string }{
		"a checksum without a name":    {"msb", "a uint8\nc crc(24, 0x864CFB, 0xB704CE, false, true, 0, xor 0x10203, over a..a)", "\x01\x02\x03\x04"},
		"bits behind the last in lsb":  {"lsb", "a bits(9)", "\x00\x01"},
		"set bits behind it":           {"lsb", "a bits(9)", "\x00\x02"},
		"the padding of a Latin-1":     {"msb", "a char(4) latin1", "\x12\x00\x00\x00"},
		"a case without fields":        {"msb", "a switch 3 { 3: empty }", "\x01"},
		"the tag right before":         {"msb", "a uint8\nb uint16\nc switch b { 1: uint8 }", "\x01\x02\x03\x04"},
		"a long text":                  {"msb", "a bytes(rest, max 300) utf8", strings.Repeat("\x00é", 90)},
		"bits of a float that tie":     {"msb", "a float64", "\x00\xff\xf5\x0d\x5d\x0b\x33\x88"},
		"bytes off a byte":             {"bousk", "a bits(3)\nb bytes(3)\nc bits(5)", "\x5a\xa5\x3c\xc3"},
		"a window cut before its text": {"msb", "n uint8\nwithin(n zeros) { a uint8\nb bytes(9) }\nc uint8", "\x03\x01\x02\x03\x04"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := decode.Load("x.pks", []byte("protocol xyz\norder "+row.order+"\nmax datagram 400\npacket {\n"+row.items+"\n}\n"))
			if err != nil {
				t.Fatal(err)
			}
			var packets [][]byte
			for size := range len(row.packet) + 1 {
				packets = append(packets, []byte(row.packet[:size]))
			}
			if !testing.Short() { // tshark takes a third of a second to start
				hold(t, d, capture(t, packets))
			}
			holdLua(t, "lua5.4", d, packets)
		})
	}
}
