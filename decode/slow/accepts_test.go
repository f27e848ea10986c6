package slow_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"regexp"
	"testing"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/slow/rows"
	"github.com/pktscope/pktscope/decode/wire"
)

// looks finds what asks how much is left, or what it is: such packets can be complete when they are cut.
var looks = regexp.MustCompile(`\b(rest|peek|tail)\b`)

func TestAccepts(t *testing.T) {
	for _, r := range rows.Accepts {
		for _, order := range r.In() {
			if got := show(decodeRow(t, r.Row, order)); got != r.Want {
				t.Errorf("%s, %v:\nwant %s\n got %s", r.Name, order, r.Want, got)
			}
		}
	}
}

// Every accepted packet is tried at every length: what is accepted shorter was not needed, which only `rest` may say.
func TestTruncations(t *testing.T) {
	for _, r := range rows.Accepts {
		for _, order := range r.In() {
			s := rows.Load(t, r.Source(order))
			payload := rows.Pack(t, order, r.Packet)
			whole := slow.Decode(s, payload, r.From)
			for n := range payload {
				got := slow.Decode(s, payload[:n], r.From)
				switch {
				case got.Reject == nil:
					if !looks.MatchString(r.Items) {
						t.Errorf("%s, %v: the first %d of %d bytes were accepted", r.Name, order, n, len(payload))
					}
					continue
				case len(got.Fields) > len(whole.Fields):
					t.Errorf("%s, %v: more fields in %d bytes than in %d", r.Name, order, n, len(payload))
				case got.Reject.Kind == reject.PastEnd && got.Reject.Bit+got.Reject.Width <= 8*n:
					t.Errorf("%s, %v: %d bytes: %s, but that fits", r.Name, order, n, showReject(*got.Reject))
				}
				for i, f := range got.Fields {
					if fmt.Sprint(f) != fmt.Sprint(whole.Fields[i]) && !looks.MatchString(r.Items) {
						t.Errorf("%s, %v: %d bytes: field %d is %v, was %v", r.Name, order, n, i, f, whole.Fields[i])
					}
				}
			}
		}
	}
}

// The worked example of the wire page.
func TestBytewiseExample(t *testing.T) {
	s := rows.Load(t, "protocol test\norder bousk\npacket {\na int(0..255)\nb int(-7..8)\nc int(0..31)\nd bool\ne bool\nf int(-4000..4000)\ng int(0..256)\n}")
	payload, err := hex.DecodeString("05A2DA9D7B00")
	if err != nil {
		t.Fatal(err)
	}
	want := `a@0+8=5 b@8+4=10 c@12+5=18 d@17+1=1 e@18+1=0 f@19+13=7578 g@32+9=123`
	if got := show(slow.Decode(s, payload, schema.FromUnknown)); got != want {
		t.Errorf("want %s\n got %s", want, got)
	}
}

// The checksum over the whole datagram with its own bytes as zero, with every form of prefix, held to the standard
// library's.
func TestChecksum(t *testing.T) {
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	all := []struct {
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
	for _, r := range all {
		for _, order := range rows.Orders {
			s := rows.Load(t, fmt.Sprintf("protocol test\norder %v\npacket {\na uint16\nc %s\nb uint32\n}", order, r.item))
			payload := []byte{1, 2, 0, 0, 0, 0, 3, 4, 5, 6}
			sum := crc32.Update(0, r.table, append([]byte(r.prefix), payload...))
			if order == wire.MSB {
				binary.BigEndian.PutUint32(payload[2:], sum)
			} else {
				binary.LittleEndian.PutUint32(payload[2:], sum)
			}
			if got := slow.Decode(s, payload, schema.FromUnknown); got.Reject != nil {
				t.Errorf("%s, %v: want accept, got %s", r.item, order, showReject(*got.Reject))
			}
			for bit := range 8 * len(payload) {
				payload[bit/8] ^= 1 << (bit % 8)
				got := slow.Decode(s, payload, schema.FromUnknown)
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
	all := []string{
		"a + b == 262", "a - b == -248", "b - a == 248", "a * b == 1785", "b / a == 36", "-b / a == -36", "b % a == 3",
		"-b % a == -3", "a & 3 == 3", "a | 8 == 15", "a ^ 5 == 2", "-a & 255 == 249", "-a | 1 == -7", "-a ^ 1 == -8",
		"a << 3 == 56", "b >> 3 == 31", "-b >> 3 == -32", "a << a == 896", "c == 0xFFFFFFFFFFFFFFFF", "c / 2 == 0x7FFFFFFFFFFFFFFF",
		"c > 0 && c - 1 < c", "a < b", "a <= 7", "b > a", "b >= 255", "a != b", "!(a == b)", "a == 7 && b == 255",
		"a == 0 || b == 255", "a in 1..7", "!(a in {1..6, 8})", "s.x + a == 8", "s.y", "!s.z", "f.On", "!f.Off", "E.One == 1", "e == E.One",
		"rest == 1", "!from(client)", "!from(server)", "a & b == 7", "1 << 3 | 1 == 9", "2 + 3 * 4 == 14", "u == 3",
	}
	decls := "flags F : bits(2) { On = 1, Off = 2 }\nenum E : bits(2) { One = 1, Two = 2 }"
	for _, cond := range all {
		for _, negated := range []bool{false, true} {
			text := cond
			if negated {
				text = "!(" + cond + ")"
			}
			items := "a bits(4) in 1..7\nb uint8\nc uint64\ns { x uint8\n y bool\n z bool }\nf F\ne E\nlet u = a - 4\nif b == 255 { require " + text + " }\nlast bits(12)" // a `require` that never holds may be after a condition only
			r := rows.Row{Decls: decls, Items: items, Packet: "4:7 8:255 64:0xFFFFFFFFFFFFFFFF 8:1 1:1 1:0 2:1 2:1 12:0"}
			got := decodeRow(t, r, wire.LSB)
			if refused := got.Reject != nil && got.Reject.Kind == reject.RuleBroken; refused != negated || !refused && got.Reject != nil {
				t.Errorf("%s: %s", text, show(got))
			}
		}
	}
}
