package report

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

const dumpSchema = `protocol zoo
order lsb
struct M order msb { a bits(4), b bits(12) }
packet {
    kind  bits(3) in 0..4
    align
    m     M
    n     bits(4)
    reserved(4)
    key   bytes(2) @secret
    vault { pin uint8, [..3]uint8 } @secret
    body switch kind {
        0: empty
        1: { text char(8), raw bytes(n), check "end" }
        2: { list subset(sentinel) [7]bits(4), opt optional uint8, s string(8) }
        3: { hidden string(8) @secret, last uint8 }
    }
}
`

var dumpPlanSource = strings.Replace(dumpSchema, "[..3]uint8", "more [..3]uint8", 1)

var dumpPackets = []string{
	"00 1234 03 beef 55 01 66",
	"01 1234 03 beef 55 01 66 1b5b000000000000 010203 00000000",
	"02 1234 03 beef 55 00 98f6ff010102410000",
	"03 1234 03 beef 55 00 02 4142 07",
	"04 1234 03 beef 55 00",
	"05 1234 03 beef 55 00",
	"08 1234 03 beef 55 00",
	"00 1234 f3 beef 55 00",
}

// drawnBits reads the bits off a dump: '0', '1', '·', and 0 where it draws none; the keys and lines under them are
// checked to cover every bit.
func drawnBits(t *testing.T, dump string, bits int) []rune {
	t.Helper()
	drawn := make([]rune, bits)
	lines := strings.Split(dump, "\n")
	for i, line := range lines {
		if utf8.RuneCountInString(line) < 9 || line[bitColumn:bitColumn+2] != "  " {
			continue
		}
		offset, err := strconv.Atoi(strings.TrimSpace(line[:bitColumn]))
		if err != nil {
			continue
		}
		cells, under := []rune(line)[bitColumn+2:], []rune(lines[i+1])
		for n, c := range cells {
			at := 8*offset + n - n/9
			if n%9 == 8 {
				continue
			}
			if at >= bits || drawn[at] != 0 {
				t.Fatalf("bit %d is drawn twice or not there\n%s", at, dump)
			}
			drawn[at] = c
			if bitColumn+2+n >= len(under) || under[bitColumn+2+n] == ' ' && n == 0 {
				t.Fatalf("nothing stands under bit %d\n%s", at, dump)
			}
		}
		if len(cells) > dumpCells {
			t.Fatalf("a row of %d cells\n%s", len(cells), dump)
		}
	}
	return drawn
}

// markStretches marks the bits of which it is a secret what they hold.
func markStretches(tr *decode.Trace, secret []bool) {
	for ev := range tr.Show {
		for bit := ev.Bit; ev.Kind == decode.Stretch && bit < ev.Bit+ev.Width; bit++ {
			secret[bit] = true
		}
	}
}

// Every packet at every truncation, and with every bit turned: each bit is drawn once and as it is, or is a dot; no bit
// of a secret is drawn; a refused packet says so once.
func TestDumpDrawsEveryBit(t *testing.T) {
	p := compile(t, dumpPlanSource)
	d := NewDump(p, TextOptions{})
	check := func(data []byte) {
		t.Helper()
		pkt := decoded(p, data)
		tr := pkt.Trace
		dump := string(d.Append(nil, pkt))
		secret := make([]bool, 8*len(data))
		for ev := range tr.Walk() {
			if p.Nodes[ev.Node].Secret {
				for bit := ev.Bit; bit < ev.Bit+ev.Width; bit++ {
					secret[bit] = true
				}
			}
		}
		if tr.Rejected() && tr.RestSecret() {
			for bit := lastBit(tr); bit < len(secret); bit++ {
				secret[bit] = true
			}
		}
		markStretches(tr, secret)
		for bit, c := range drawnBits(t, dump, 8*len(data)) {
			if secret[bit] && c != '·' || !secret[bit] && c != '0' && c != '1' {
				t.Fatalf("%x: bit %d is drawn as %q\n%s", data, bit, c, dump)
			}
			high := data[bit/8]>>(7-bit%8)&1 == 1
			if low := data[bit/8]>>(bit%8)&1 == 1; c != '·' && (c == '1') != low && (c == '1') != high {
				t.Fatalf("%x: bit %d is drawn as %q\n%s", data, bit, c, dump)
			}
		}
		if n := strings.Count("\n"+dump, "\n     ▲ "); tr.Rejected() && n != 1 || !tr.Rejected() && n != 0 {
			t.Fatalf("%x: %d lines of a reject\n%s", data, n, dump)
		}
		if strings.ContainsAny(dump, "\x1b\u202e") {
			t.Fatalf("%x: the dump holds an order to the terminal: %q", data, dump)
		}
	}
	for _, s := range dumpPackets {
		data, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		for n := range len(data) + 1 {
			check(data[:n])
		}
		for bit := range 8 * len(data) {
			data[bit/8] ^= 1 << (bit % 8)
			check(data)
			data[bit/8] ^= 1 << (bit % 8)
		}
	}
}

// lastBit is where the last thing ends that is shown and has a place.
func lastBit(t *decode.Trace) int {
	end := 0
	for ev := range t.Show {
		if ev.Kind != decode.Stretch && ev.Bit != decode.Hidden && ev.Width > 0 {
			end = max(end, ev.Bit+ev.Width)
		}
	}
	return end
}

// What is said of a piece takes 80 cells at most; nothing of it is lost where it goes on below.
func TestDumpWidth(t *testing.T) {
	flags := make([]string, 16)
	for i := range flags {
		flags[i] = fmt.Sprintf("RatherLongName%d = %d", i, 1<<i)
	}
	p := compile(t, `protocol t
order msb
flags Long : uint16 { `+strings.Join(flags, ", ")+` }
packet {
    time     uint64 @time(us)
    deep     { deeper { deepest { signed_and_sealed int64 @time(ms), of_seconds uint64 @time(s) } } }
    all      Long
    some     Long
    evil     char(24)
    wide     char(24)
    raw      bytes(24)
    real     float64
    precise  float(0..1, 0.001) @unit("m")
    check "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18"
}
`)
	payload := "000000000000ffff 0000018bcfe56801 0000000065535f00 ffff 0003 " + strings.Repeat("1b", 24) + strings.Repeat("c3a9", 12) +
		strings.Repeat("ab", 24) + "3ff3333333333333 0040 "
	pkt := packet(t, p, payload+strings.Repeat("00", 8))
	b := NewDump(p, TextOptions{}).Append(nil, pkt)
	if r := pkt.Trace.Reject(); r == nil || r.Kind != reject.CheckMismatch { // all before it was read
		t.Fatal(r)
	}
	for _, want := range []string{
		"\n     a      0+64   time  0x000000000000ffff\n                   65535 us (1970-01-01T00:00:00.065535Z)\n",
		"0x0000018bcfe56801\n                   1700000000001 ms (2023-11-14T22:13:20.001Z)\n",
		"0x0000000065535f00\n                   1699962624 s (2023-11-14T11:50:24Z)\n",
		"0xffff\n                   RatherLongName0|", "|RatherLongName5|\n                   RatherLongName6|", "0x0003    RatherLongName0|RatherLongName1\n", "0x001  0.001 m\n",
		`"\x1b\x1b`, `\x1b"…`, `"éééééééééééé"`, "abababababababababababab…",
	} {
		if !strings.Contains(string(b), want) {
			t.Errorf("no %q in\n%s", want, b)
		}
	}
	for _, payload := range samples() {
		p := builtin(t, "rtype")
		b = append(b, NewDump(p, TextOptions{}).Append(nil, decoded(p, payload))...)
	}
	for line := range strings.Lines(string(b)) {
		if n := utf8.RuneCountInString(line) - 1; n > 80 && !strings.Contains(line, "▲") {
			t.Errorf("a line of %d cells: %s", n, line)
		}
	}
}

// Long things are cut in the middle, but each end is drawn.
func TestDumpLong(t *testing.T) {
	p := compile(t, "protocol t\norder msb\npacket { n uint8 in 0..200, all bytes(rest, max 65506) }\n")
	d := NewDump(p, TextOptions{})
	for _, row := range []struct {
		size int
		want string
	}{
		{64, ""}, {80, ""}, {81, "… 8 more bytes of all\n"}, {300, "… 224 more bytes of all\n"}, {65507, "… 65432 more bytes of all\n"},
	} {
		data := make([]byte, row.size)
		got := string(d.Append(nil, decoded(p, data)))
		if row.want == "" && strings.Contains(got, "more byte") || !strings.Contains(got, row.want) {
			t.Errorf("%d bytes: want %q\n%s", row.size, row.want, got)
		}
		if len(got) > 4000 {
			t.Errorf("%d bytes: a dump of %d", row.size, len(got))
		}
		// What was not read is cut as well, and the reject has its line all the same.
		data[0] = 201
		if got := string(d.Append(nil, decoded(p, data))); strings.Count(got, "out-of-range") != 1 || len(got) > 4000 {
			t.Errorf("%d bytes refused: %s", row.size, got)
		}
	}
}

// A reject that points back, or after the last bit, is marked all the same.
func TestDumpRejects(t *testing.T) {
	for _, row := range []struct{ schema, payload, want string }{
		{"n uint8\nlist [2]uint8\ns switch n { 1: uint8 }", "02 03 04 05", "        ▲▲▲▲▲▲▲▲\n"},
		{"n uint8\nm uint8", "02", "     ▲      8+8    m: past-end at bit 8 (byte 1): want 8 bits, got 0 left\n"},
		{"n uint8", "02 03 04", "                 ▲▲▲▲▲▲▲▲ ▲▲▲▲▲▲▲▲\n"},
		{"n uint8\nrequire n == 1", "02", "     ▲      8+0    packet: rule-broken at bit 8 (byte 1): "},
		{"n bits(4)\nalign\nm uint8", "01 02", "            ▲"},
		{"n uint8", "", "     ▲      0+8    n: past-end at bit 0 (byte 0): want 8 bits, got 0 left\n"},
	} {
		p := compile(t, "protocol t\norder msb\npacket {\n"+row.schema+"\n}\n")
		pkt := packet(t, p, row.payload)
		if got := string(NewDump(p, TextOptions{}).Append(nil, pkt)); !strings.Contains(got, row.want) {
			t.Errorf("%s of %s: want %s\n%s", row.schema, row.payload, row.want, got)
		}
		if pkt.Cut = true; pkt.Verdict() == decode.Cut {
			if got := string(NewDump(p, TextOptions{}).Append(nil, pkt)); !strings.Contains(got, "cut by the capture") || strings.Contains(got, "past-end") {
				t.Errorf("cut: %s", got)
			}
		}
	}
}

// Written in pieces it is the same, and what waits is little.
func TestDumpWrite(t *testing.T) {
	p := compile(t, "protocol t\norder lsb\npacket { n uint16, all [n]bool }\n")
	data := make([]byte, 2+65528/8)
	data[0], data[1] = 0xf8, 0xff
	pkt := decoded(p, data)
	if r := pkt.Trace.Reject(); r != nil {
		t.Fatal(r)
	}
	d := NewDump(p, TextOptions{Colour: true})
	var b bytes.Buffer
	if err := d.Write(&b, pkt); err != nil {
		t.Fatal(err)
	}
	if cap(d.spill.b) > 4*spillSize {
		t.Errorf("%d bytes waited", cap(d.spill.b))
	}
	if !bytes.Equal(b.Bytes(), d.Append(nil, pkt)) {
		t.Error("Write is not Append")
	}
}

// A dump of any schema's nodes knows their order.
func TestDumpOrders(t *testing.T) {
	p := compile(t, dumpPlanSource)
	d := NewDump(p, TextOptions{})
	got := string(d.Append(nil, packet(t, p, dumpPackets[0])))
	for _, want := range []string{
		"  byte  lsb: bit 0 of each byte is first", "  byte  from byte 1, msb: bit 7 of each byte is first", "  byte  from byte 3, lsb: ",
		"        01234567 76543210 76543210 01234567",
		"     a      0+3    kind",
		"padding", "reserved", "‹secret 2 B›",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for id := range p.Nodes {
		if n := &p.Nodes[id]; n.Kind == plan.NodeBlob && d.orders[id] != 0 {
			t.Errorf("%s has order %v", n.Name, d.orders[id])
		}
	}
}
