package report

import (
	"bytes"
	"encoding/hex"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
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

// drawnBits reads the bits off a dump: '0', '1', '·', and 0 where it draws none; the keys and lines under them are checked
// to cover every bit.
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

// Every packet at every truncation, and with every bit turned: each bit is drawn once and as it is, or is a dot; no bit of
// a secret is drawn; a refused packet says so once.
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
		if tr.Rejected() && restSecret(tr) {
			for bit := lastBit(tr); bit < len(secret); bit++ {
				secret[bit] = true
			}
		}
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

// lastBit is where the last thing that was read ends.
func lastBit(t *decode.Trace) int {
	end := 0
	for ev := range t.Walk() {
		if ev.Width > 0 {
			end = max(end, ev.Bit+ev.Width)
		}
	}
	return end
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

// A reject that points back, or behind the last bit, is marked all the same.
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
		if pkt.Cut = true; pkt.Verdict() == Cut {
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
