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
	"github.com/pktscope/pktscope/decode/anyschema/packets"
	"github.com/pktscope/pktscope/decode/protocols"
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
	eachSchema(t, need.Rounds(uint64(60), 2), func(seed uint64, d *decode.Decoder) (n, fields int) {
		return hold(t, d, capture(t, packets.Drawn(d, seed, 200)))
	})
}

// A plain Lua 5.3 and 5.4, whose numbers are also integers, read what Wireshark's 5.2 reads. No Wireshark is there: what
// a dissector uses of it is in testdata.
func TestNewerLua(t *testing.T) {
	for _, lua := range []string{"lua5.3", "lua5.4"} {
		t.Run(lua, func(t *testing.T) {
			eachSchema(t, need.Rounds(uint64(200), 4), func(seed uint64, d *decode.Decoder) (n, fields int) {
				return holdLua(t, lua, d, packets.Drawn(d, seed, 200))
			})
		})
	}
}

// eachSchema holds the dissectors of schemas that were drawn.
func eachSchema(t *testing.T, seeds uint64, hold func(seed uint64, d *decode.Decoder) (packets, fields int)) {
	t.Helper()
	with, all, fields := 0, 0, 0
	for seed, d := range packets.Schemas(seeds) {
		with++
		n, f := hold(seed, d)
		all, fields = all+n, fields+f
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, packets.Source(seed))
		}
	}
	t.Logf("%d schemas, %d packets, %d fields", with, all, fields)
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
		data := make([]byte, 200) // a root, and after it pointers, each at the one before
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
		"bits after the last in lsb":   {"lsb", "a bits(9)", "\x00\x01"},
		"set bits after it":            {"lsb", "a bits(9)", "\x00\x02"},
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

// What a refusal wants and got are the decoder's words, of every kind that words go with; of a secret they are not told,
// and of nothing else left out.
func TestRefusals(t *testing.T) {
	const message = "message M max 8 { m bytes(rest, max 8) }\n"
	for name, row := range map[string]struct{ items, packet, kind, want, got string }{
		"a closed enum in hex":      {"e E", "\x07", "unknown-case", "0x01..0x02", "0x07"},
		"a tag in hex":              {"a uint16\nc switch a { 0x10: uint8\n0x20: uint8 }", "\x00\x99\x00", "unknown-case", "0x0010, 0x0020", "0x0099"},
		"a tag":                     {"a uint8\nc switch a { 1: uint8 }", "\x09\x00", "unknown-case", "1", "9"},
		"a tag that is a secret":    {"a uint8 @secret\nc switch a { 1: uint8 }", "\x09\x00", "unknown-case", "1", ""},
		"a bool of a byte":          {"a bool8", "\x09", "out-of-range", "0..1", "9"},
		"flags":                     {"f F\nreserved(3)", "\xf8", "reserved-nonzero", "0", "0x18"},
		"no UTF-8":                  {"s string(9)", "\x20a\xff", "bad-string", "UTF-8", "0xff at byte 1"},
		"a NUL":                     {"s string(9)", "\x20a\x00", "bad-string", "no NUL inside", "0x00 at byte 1"},
		"text after a NUL":          {"s char(4)", "a\x00b\x00", "bad-string", "nothing but NULs after a NUL", "0x62 at byte 2"},
		"no end":                    {"s cstring(3)", "abc", "bad-string", "a NUL", "none in 3 bytes"},
		"ASCII":                     {"s bytes(2) ascii", "a\x80", "bad-string", "ASCII", "0x80 at byte 1"},
		"half of a pair":            {"s bytes(4) be utf16", "\x00a\xd8\x00", "bad-string", "surrogates in pairs", "0xd800 at byte 2"},
		"half of a unit":            {"s bytes(rest, max 9) le utf16", "a\x00b", "bad-string", "an even number of bytes", "0x62 at byte 2"},
		"a unit":                    {"n bits(6)\ns wstring(3)", "\x01\x00\x01\x00\x00", "bad-string", "a UTF-16 unit", "0x10000 at unit 0"},
		"a zero unit":               {"n bits(6)\ns wstring(3)", "\x01\x00\x00\x00\x00", "bad-string", "no NUL inside", "0x00 at unit 0"},
		"a label":                   {"n dnsname", "\x41", "bad-string", "a label of at most 63 bytes, or a pointer", "0x41 at byte 0 of the datagram"},
		"a pointer":                 {"n dnsname", "\xc0\x05", "bad-string", "a pointer at earlier labels", "0xc0 at byte 0 of the datagram"},
		"a quaternion":              {"q quat smallest3(4)\nn bits(2)", "\x3f\xfc", "non-unit", "squares that sum to 1 at most", "0x0fff"},
		"a relation":                {"a uint8\nb uint8\nrequire a < b && rest > 0\nc uint8", "\x05\x05\x00", "rule-broken", "a < b && rest > 0", "a = 5, b = 5, rest = 1"},
		"a relation with a secret":  {"a uint8 @secret\nb uint8\nrequire a < b", "\x05\x05", "rule-broken", "a < b", "a = ‹secret›, b = 5"},
		"a look":                    {"require peek(12) == 5\na bits(16)", "\xab\xcd", "rule-broken", "peek(12) == 5", "peek(12) = 0xabc"},
		"bytes that are not":        {"b bytes(5) == \"ab\\xffde\"", "ab\n\"\x01", "const-mismatch", `"ab\xffde"`, `"ab\n\"\x01"`},
		"a varint that is too long": {"v varint(20)", "\x80\x00", "non-canonical", "the shortest encoding", "0x0000"},
		"a float":                   {"f float32 finite", "\x7f\x80\x00\x00", "not-finite", "a finite number", "0x7f800000"},
		"a float's range":           {"f float32 in 0.5..2.0", "\x4b\x18\x96\x80", "out-of-range", "0.5..2", "1e+07"},
		"a type's range":            {"a int(0..100) in 3..4", "\xfe", "out-of-range", "0..100", "127"},
		"a rule's range":            {"a int(0..100) in 3..4", "\x10", "out-of-range", "3..4", "8"},
		"a number that is a secret": {"a uint8 in 3..4 @secret", "\x10", "out-of-range", "3..4", ""},
		"a size that is a secret":   {"a uint8 @secret\nb bytes(a)", "\x10", "past-end", "", ""},
		"a size beside a secret":    {"a uint8 @secret\nn uint8\nb bytes(n)", "\x10\x04\x00", "past-end", "32", "8"},
		"what is after a secret":    {"a uint8 @secret\nb uint8", "\x10\x04\x00", "trailing-bytes", "0", "8"},
		"a count of a secret":       {"a uint8 @secret\nb [a, max 3]uint8", "\x10", "out-of-range", "0..3", ""},
		"a piece after the last":    {"i uint8\nn uint8\nb bytes(rest, max 8) @fragment(M, 0, index i, count n)", "\x03\x03ab", "fragment", "a piece within its message", "index 3 of 3"},
		"a piece at an offset":      {"i uint8\nn uint8\nb bytes(rest, max 8) @fragment(M, 0, offset i, total n)", "\x03\x04ab", "fragment", "a piece within its message", "offset 3 of 4"},
		"a piece of a secret":       {"i uint8 @secret\nn uint8\nb bytes(rest, max 8) @fragment(M, 0, index i, count n)", "\x03\x03ab", "fragment", "a piece within its message", ""},
		"a piece that is too large": {"i uint8\nb bytes(rest, max 20) @fragment(M, 0, index i, count 4)", "\x00123456789", "fragment", "a piece within its message", "index 0 of 4"},
		"a message too large":       {"b bytes(rest, max 20) @message(M)", "123456789", "fragment", "a piece within its message", "more bytes than it has"},
	} {
		t.Run(name, func(t *testing.T) {
			src := "protocol xyz\norder msb\nmax datagram 400\nenum E : uint8 { Aa = 0x1\nBb = 0x2 }\nflags F : bits(5) { Aa = 1\nBb = 2\nCc = 4 }\n"
			src += "packet {\n" + row.items + "\n}\n"
			if strings.Contains(row.items, "(M") {
				src += message
			}
			d, err := decode.Load("x.pks", []byte(src))
			if err != nil {
				t.Fatal(err)
			}
			var trace decode.Trace
			p := expected(d, &trace, []byte(row.packet), len(row.packet), decode.FromUnknown, false)
			if p.kind != row.kind || p.want != row.want || p.got != row.got {
				t.Fatalf("the decoder says %s: want %q, got %q", p.kind, p.want, p.got)
			}
			packets := [][]byte{[]byte(row.packet)}
			holdLua(t, "lua5.4", d, packets)
			if !testing.Short() {
				hold(t, d, capture(t, packets))
			}
		})
	}
}
