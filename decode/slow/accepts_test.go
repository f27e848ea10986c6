package slow_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"testing"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/wire"
)

// What is accepted: the fields, then the notes, as show writes them.
var accepts = []struct {
	row
	want string
}{
	{row{name: "nothing", items: "a { }", packet: ""}, ``},
	{row{name: "integers", items: "a bits(3)\nb int16\nc sbits(5)\nd uint64", packet: "3:5 16:0xFFFE 5:0x1F 64:0xFFFFFFFFFFFFFFFF"},
		`a@0+3=5 b@3+16=65534 c@19+5=31 d@24+64=18446744073709551615`},
	{row{name: "ranges", items: "a int(-5..5)\nb int(7..7)\nc int(-9223372036854775808..9223372036854775807)", packet: "4:10 64:3"},
		`a@0+4=10 b@4+0=0 c@4+64=3`},
	{row{name: "signed values", items: "a sbits(4) in -8..-8\nb int8 == -1\nrequire a + b == -9", packet: "4:8 8:0xFF"},
		`a@0+4=8 b@4+8=255`},
	{row{name: "bools", items: "a bool\nb bool8 == true\nc bool != true", packet: "1:1 8:1 1:0"}, `a@0+1=1 b@1+8=1 c@9+1=0`},
	{row{name: "bytes the other way, lsb", items: "a uint16 be == 0x1234\nb uint32 le == 0x1234\nc int(0..65535) be == 0x1234", packet: "16:0x3412 32:0x1234 16:0x3412",
		orders: []wire.Order{wire.LSB, wire.Bousk}}, `a@0+16=4660 b@16+32=4660 c@48+16=4660`},
	{row{name: "bytes the other way, msb", items: "a uint16 le == 0x1234\nb uint32 be == 0x1234\nc float32 le == 1.0", packet: "16:0x3412 32:0x1234 32:0x0000803F",
		orders: []wire.Order{wire.MSB}}, `a@0+16=4660 b@16+32=4660 c@48+32=1065353216`},
	{row{name: "enum with its bytes turned", decls: "enum E : uint16 be { A = 0x1234 }", items: "e E\nf E le\ng E be", packet: "16:0x3412 16:0x1234 16:0x3412",
		orders: []wire.Order{wire.LSB, wire.Bousk}}, `e@0+16=4660 f@16+16=4660 g@32+16=4660`},
	{row{name: "enums", decls: "enum E : int(-1..6) { A = -1, B = 2 }\nopen enum O : uint8 { A = 1 }", items: "e E\nf E\no O\np O", packet: "3:0 3:3 8:1 8:9"},
		`e@0+3=0 f@3+3=3 o@6+8=1 p@14+8=9 !unlisted-value:p@14+8`},
	{row{name: "flags", decls: "flags F : uint8 { A = 1, B = 4 }\nopen flags O : bits(4) { A = 1 }", items: "f F\ng F\no O\nif f.B { x bits(4) }\nif f.A { y bits(4) }", packet: "8:4 8:0 4:9 4:7"},
		`f@0+8=4 g@8+8=0 o@16+4=9 x@20+4=7 !unlisted-value:o@16+4`},
	{row{name: "structs", decls: "struct P(n in 0..9, b bool) { v [n]uint8\nif b { w bits(4) } }", items: "n bits(4) in 0..8\np P(n + 1, true)\nq { r P(0, n == 1) }", packet: "4:1 8:5 8:6 4:7 4:8"},
		`n@0+4=1 p.v[0]@4+8=5 p.v[1]@12+8=6 p.w@20+4=7 q.r.w@24+4=8`},
	{row{name: "inline bodies see what encloses them", items: "n bits(4)\na { b { v [n]bits(2) } }", packet: "4:2 2:1 2:3"}, `n@0+4=2 a.b.v[0]@4+2=1 a.b.v[1]@6+2=3`},
	{row{name: "one struct read twice", decls: "struct P { n bits(4), v [n]bits(4) }", items: "p [2]P\nq P", packet: "4:1 4:9 4:0 4:1 4:7"},
		`p[0].n@0+4=1 p[0].v[0]@4+4=9 p[1].n@8+4=0 q.n@12+4=1 q.v[0]@16+4=7`},
	{row{name: "array of arrays", items: "v [2][3]bits(2)", packet: "2:0 2:1 2:2 2:3 2:0 2:1"}, `v[0][0]@0+2=0 v[0][1]@2+2=1 v[0][2]@4+2=2 v[1][0]@6+2=3 v[1][1]@8+2=0 v[1][2]@10+2=1`},
	{row{name: "switch", items: "t bits(4)\ns switch t { 1, 3..5: bits(4)\n2: empty\n6: { a bits(4) }\ndefault: [2]bits(2) }\nu switch t > 3 { true: empty, false: bits(4) }", packet: "4:4 4:9"},
		`t@0+4=4 s@4+4=9`},
	{row{name: "switch, default", items: "t bits(4)\ns switch t { 1: bits(4)\ndefault: [2]bits(2) }", packet: "4:4 2:3 2:1"}, `t@0+4=4 s[0]@4+2=3 s[1]@6+2=1`},
	{row{name: "if and else", items: "a bits(4)\nif a < 3 { x bits(4) } else if a == 3 { y bits(4) } else { x bits(3)\nz bool }\nw bits(8)", packet: "4:4 3:1 1:1 8:9"},
		`a@0+4=4 x@4+3=1 z@7+1=1 w@8+8=9`},
	{row{name: "let", items: "a uint8\nlet twice = a * 2\nlet odd = a % 2 == 1\nif odd { v [twice - 2]bits(4) }", packet: "8:3 4:1 4:2 4:3 4:4"},
		`a@0+8=3 v[0]@8+4=1 v[1]@12+4=2 v[2]@16+4=3 v[3]@20+4=4`},
	{row{name: "floats", items: "a float32\nb float64\nc float32 in -1.0..1.0\nd float32 == 0.0\ne float32 != 1.0", packet: "32:0x7FA00001 64:0x8000000000000000 32:0x3F800000 32:0x80000000 32:0x7FC00000"},
		`a@0+32=2141192193 b@32+64=9223372036854775808 c@96+32=1065353216 d@128+32=2147483648 e@160+32=2143289344`},
	{row{name: "quantised", items: "a float(0..10, 0.01)", packet: "10:1000"}, `a@0+10=1000`},
	{row{name: "bytes", items: "n bits(3)\nb bytes(n)\nc bytes(0)\nd bytes(rest, max 9)", packet: `3:2 5:0 "ab" "xyz"`, orders: aligning},
		`n@0+3=2 b@8+16="ab" c@24+0="" d@24+24="xyz"`},
	{row{name: "bytes, unaligned", items: "n bits(3)\nb bytes(n)\nc bytes(0)\nd bytes(rest, max 9)", packet: `3:2 "ab" "xyz"`, orders: bousk},
		`n@0+3=2 b@3+16="ab" c@19+0="" d@19+24="xyz"`},
	{row{name: "char", items: `a char(3)` + "\n" + `b char(4) == "abc"` + "\n" + `c char(2) utf8`, packet: `"x" 16:0 "abc" 8:0 8:0xC3 8:0xA9`},
		`a@0+24="x\x00\x00" b@24+32="abc\x00" c@56+16="é"`},
	{row{name: "align", items: "a bits(3)\nalign\nb uint8\nalign(32)\nc uint8\nalign", packet: "3:1 5:0 8:2 16:0 8:3"}, `a@0+3=1 b@8+8=2 c@32+8=3`},
	{row{name: "align any", items: "s { a bits(3)\nalign any\nb uint8\nalign(32) any }", packet: "3:1 5:8 8:2 16:0"}, `s.a@0+3=1 s.b@8+8=2 !ignored-bits:s@3+5`},
	{row{name: "reserved", items: "a bool\nreserved(7)\nb { reserved(5) any, reserved(3) any }\nreserved(70)\nc bits(2)", packet: "1:1 7:0 5:9 3:0 70:0 2:3"},
		`a@0+1=1 [@1+7=0] [b@8+5=9] [b@13+3=0] [@16+70=0] c@86+2=3 !ignored-bits:b@8+5`},
	{row{name: "checks", items: `a { check 0x12345678, check "end of packet" }`, packet: "32:0x12345678 32:0x9908ACE2"},
		`[a@0+32=305419896] [a@32+32=2567482594]`},
	{row{name: "label check behind padding", items: `a bool` + "\n" + `check "End Of Packet"`, packet: "1:1 7:0 32:0x9908ACE2", orders: aligning}, `a@0+1=1 [@8+32=2567482594]`},
	{row{name: "label check, unaligned", items: `a bool` + "\n" + `check "End Of Packet"`, packet: "1:1 32:0x9908ACE2", orders: bousk}, `a@0+1=1 [@1+32=2567482594]`},
	{row{name: "crc over rest", items: "c crc32(over rest)\nb bytes(9)", packet: `32:0xCBF43926 "123456789"`}, `c@0+32=3421780262 b@32+72="123456789"`},
	{row{name: "crc32c over rest", items: "a uint8\nc crc32c(over rest)\nb bytes(9)", packet: `8:7 32:0xE3069283 "123456789"`}, `a@0+8=7 c@8+32=3808858755 b@40+72="123456789"`},
	{row{name: "crc16_modbus over rest", items: "a uint8\nc crc16_modbus(over rest)\nb bytes(9)", packet: `8:7 16:0x4B37 "123456789"`}, `a@0+8=7 c@8+16=19255 b@24+72="123456789"`},
	{row{name: "trailing zero bits", items: "a bits(3)", packet: "3:5"}, `a@0+3=5`},
	{row{name: "trailing bits", items: "a bits(3)", packet: "3:5 5:4"}, `a@0+3=5 !trailing-bits:@3+5`},
	{row{name: "direction", items: "a uint8 @from(server)\nb bits(3)\ns switch b { 1: bytes(1) @from(server)\ndefault: empty @from(server) } @from(client)", packet: "8:7 3:1 5:0 8:9", from: schema.Client, orders: aligning},
		`a@0+8=7 b@8+3=1 s@16+8="\t" !wrong-direction:a@0+8 !wrong-direction:s@11+13`},
	{row{name: "direction of nothing", items: "b bits(3)\ns switch b { 1: bytes(1)\ndefault: empty @from(server) }", packet: "3:2", from: schema.Client}, `b@0+3=2 !wrong-direction:s@3+0`},
	{row{name: "right direction", items: "a uint8 @from(server)", packet: "8:7", from: schema.Server}, `a@0+8=7`},
	{row{name: "unknown direction", items: "a uint8 @from(server)\nif from(client) || from(server) { b uint8 }", packet: "8:7"}, `a@0+8=7`},
	{row{name: "notes in order", decls: "open enum O : bits(3) { A = 1 }", items: "o O @from(server)\nreserved(2) any", packet: "3:2 2:1 3:7", from: schema.Client},
		`o@0+3=2 [@3+2=1] !unlisted-value:o@0+3 !wrong-direction:o@0+3 !ignored-bits:@3+2 !trailing-bits:@5+3`},
	{row{name: "a struct of another order", decls: "struct M order msb { a bits(4), b bits(12) }\nstruct L order lsb { a bits(4), b bits(12) }", items: "m M\nl L\nn uint16", packet: `8:0x12 8:0x34 8:0x21 8:0x43 16:0x4321`},
		`m.a@0+4=1 m.b@4+12=564 l.a@16+4=1 l.b@20+12=1074 n@32+16=17185`},
}

func TestAccepts(t *testing.T) {
	for _, r := range append(accepts, variableAccepts...) {
		for _, order := range r.in() {
			if got := show(r.decode(t, order)); got != r.want {
				t.Errorf("%s, %v:\nwant %s\n got %s", r.name, order, r.want, got)
			}
		}
	}
}

// Every accepted packet is tried at every length: what is accepted shorter was not needed, which only `rest` may say.
func TestTruncations(t *testing.T) {
	for _, r := range append(accepts, variableAccepts...) {
		for _, order := range r.in() {
			s := load(t, r.source(order))
			payload := pack(t, order, r.packet)
			whole := slow.Decode(s, payload, r.from)
			for n := range payload {
				got := slow.Decode(s, payload[:n], r.from)
				switch {
				case got.Reject == nil:
					if !bytes.Contains([]byte(r.items), []byte("rest")) {
						t.Errorf("%s, %v: the first %d of %d bytes were accepted", r.name, order, n, len(payload))
					}
					continue
				case len(got.Fields) > len(whole.Fields):
					t.Errorf("%s, %v: more fields in %d bytes than in %d", r.name, order, n, len(payload))
				case got.Reject.Kind == reject.PastEnd && got.Reject.Bit+got.Reject.Width <= 8*n:
					t.Errorf("%s, %v: %d bytes: %s, but that fits", r.name, order, n, showReject(*got.Reject))
				}
				for i, f := range got.Fields {
					if fmt.Sprint(f) != fmt.Sprint(whole.Fields[i]) && !bytes.Contains([]byte(r.items), []byte("rest")) {
						t.Errorf("%s, %v: %d bytes: field %d is %v, was %v", r.name, order, n, i, f, whole.Fields[i])
					}
				}
			}
		}
	}
}

// The worked example of the wire page.
func TestBouskExample(t *testing.T) {
	s := load(t, "protocol test\norder bousk\npacket {\na int(0..255)\nb int(-7..8)\nc int(0..31)\nd bool\ne bool\nf int(-4000..4000)\ng int(0..256)\n}")
	payload, err := hex.DecodeString("05A2DA9D7B00")
	if err != nil {
		t.Fatal(err)
	}
	want := `a@0+8=5 b@8+4=10 c@12+5=18 d@17+1=1 e@18+1=0 f@19+13=7578 g@32+9=123`
	if got := show(slow.Decode(s, payload, schema.SideNone)); got != want {
		t.Errorf("want %s\n got %s", want, got)
	}
}

// The checksum over the whole datagram with its own bytes as zero, with every form of prefix, held to the standard
// library's.
func TestChecksum(t *testing.T) {
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	rows := []struct {
		item   string
		table  *crc32.Table
		prefix string
	}{
		{"crc32", crc32.IEEETable, ""},
		{"crc32c", castagnoli, ""},
		{"crc32(prefix 0x44551177 : uint32)", crc32.IEEETable, "\x77\x11\x55\x44"},
		{"crc32(prefix 0x44551177 : uint32 be)", crc32.IEEETable, "\x44\x55\x11\x77"},
		{"crc32c(prefix 0x0102030405060708 : uint64)", castagnoli, "\x08\x07\x06\x05\x04\x03\x02\x01"},
		{"crc32(prefix 0x0102030405060708 : uint64 be)", crc32.IEEETable, "\x01\x02\x03\x04\x05\x06\x07\x08"},
	}
	for _, r := range rows {
		for _, order := range orders {
			s := load(t, fmt.Sprintf("protocol test\norder %v\npacket {\na uint16\nc %s\nb uint32\n}", order, r.item))
			payload := []byte{1, 2, 0, 0, 0, 0, 3, 4, 5, 6}
			sum := crc32.Update(0, r.table, append([]byte(r.prefix), payload...))
			if order == wire.MSB {
				binary.BigEndian.PutUint32(payload[2:], sum)
			} else {
				binary.LittleEndian.PutUint32(payload[2:], sum)
			}
			if got := slow.Decode(s, payload, schema.SideNone); got.Reject != nil {
				t.Errorf("%s, %v: want accept, got %s", r.item, order, showReject(*got.Reject))
			}
			for bit := range 8 * len(payload) {
				payload[bit/8] ^= 1 << (bit % 8)
				got := slow.Decode(s, payload, schema.SideNone)
				payload[bit/8] ^= 1 << (bit % 8)
				if got.Reject == nil || *got.Reject != (slow.Reject{Kind: reject.CRCMismatch, Path: "c", Bit: 16, Width: 32}) {
					t.Errorf("%s, %v: with bit %d changed: want crc-mismatch, got %s", r.item, order, bit, show(got))
				}
			}
		}
	}
}

// Every operator, at values where a machine's arithmetic differs from the mathematical one or its rounding matters.
func TestExpressions(t *testing.T) {
	rows := []string{
		"a + b == 262", "a - b == -248", "b - a == 248", "a * b == 1785", "b / a == 36", "-b / a == -36", "b % a == 3",
		"-b % a == -3", "a & 3 == 3", "a | 8 == 15", "a ^ 5 == 2", "-a & 255 == 249", "-a | 1 == -7", "-a ^ 1 == -8",
		"a << 3 == 56", "b >> 3 == 31", "-b >> 3 == -32", "a << a == 896", "c == 0xFFFFFFFFFFFFFFFF", "c / 2 == 0x7FFFFFFFFFFFFFFF",
		"c > 0 && c - 1 < c", "a < b", "a <= 7", "b > a", "b >= 255", "a != b", "!(a == b)", "a == 7 && b == 255",
		"a == 0 || b == 255", "a in 1..7", "!(a in {1..6, 8})", "s.x + a == 8", "s.y", "!s.z", "f.On", "!f.Off", "E.One == 1", "e == E.One",
		"rest == 1", "!from(client)", "!from(server)", "a & b == 7", "1 << 3 | 1 == 9", "2 + 3 * 4 == 14", "u == 3",
	}
	decls := "flags F : bits(2) { On = 1, Off = 2 }\nenum E : bits(2) { One = 1, Two = 2 }"
	for _, cond := range rows {
		for _, negated := range []bool{false, true} {
			text := cond
			if negated {
				text = "!(" + cond + ")"
			}
			items := "a bits(4) in 1..7\nb uint8\nc uint64\ns { x uint8\n y bool\n z bool }\nf F\ne E\nlet u = a - 4\nif b == 255 { require " + text + " }\nlast bits(12)" // a `require` that never holds may stand behind a condition only
			r := row{decls: decls, items: items, packet: "4:7 8:255 64:0xFFFFFFFFFFFFFFFF 8:1 1:1 1:0 2:1 2:1 12:0"}
			got := r.decode(t, wire.LSB)
			if refused := got.Reject != nil && got.Reject.Kind == reject.RuleBroken; refused != negated || !refused && got.Reject != nil {
				t.Errorf("%s: %s", text, show(got))
			}
		}
	}
}
