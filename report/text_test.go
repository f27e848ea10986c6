package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema"
)

func TestLine(t *testing.T) {
	p := builtin(t, "rtype")
	for _, row := range []struct{ name, payload, want string }{
		{"cut type", "00",
			"    3 14:07:21.503 10.0.0.3:53471 C→S 10.0.0.1:4124  -              1 B reject type: past-end at bit 0 (byte 0): want 16 bits, got 8 left\n"},
		{"secret cut short", "0010 0001 0000018bcfe56800 a5a5a5",
			"    3 14:07:21.503 10.0.0.3:53471 C→S 10.0.0.1:4124  JoinGame      15 B reject body.token: past-end at bit 96 (byte 12): want 256 bits, got 24 left\n"},
		{"trailing", "0001 0001 0000018bcfe56800 00",
			"    3 14:07:21.503 10.0.0.3:53471 C→S 10.0.0.1:4124  HeartBeat     13 B reject packet: trailing-bytes at bit 96 (byte 12): want 0 bits, got 8 left\n"},
		{"accept", "0061 0001 0000018bcfe56800 0015 0009",
			"    3 14:07:21.503 10.0.0.3:53471 C→S 10.0.0.1:4124  PlayerInput   16 B accept\n"},
		{"note", "0070 0001 0000018bcfe56800 01",
			"    3 14:07:21.503 10.0.0.3:53471 C→S 10.0.0.1:4124  PlayerJoin    13 B accept note body: wrong-direction at bit 96 (byte 12): sent by the client, only the server sends this\n"},
	} {
		if got := string(NewText(p, TextOptions{}).AppendLine(nil, packet(t, p, row.payload))); got != row.want {
			t.Errorf("%s:\ngot  %swant %s", row.name, got, row.want)
		}
	}
}

func TestLineOfOtherPackets(t *testing.T) {
	p := compile(t, countSchema)
	pkt := packet(t, p, "02 01")
	pkt.Trace.From = decode.FromUnknown
	pkt.Cut, pkt.LengthMismatch, pkt.Time, pkt.File = true, true, 0, "b\x1b.pcap"
	want := "b\\x1b.pcap:3            - 10.0.0.3:53471 → 10.0.0.1:4124    -      2 B cut list[1] at bit 16 (byte 2): not in the capture note packet: length-mismatch: the UDP length disagrees with the IP length; the shorter one counts\n"
	if got := string(NewText(p, TextOptions{File: true}).AppendLine(nil, pkt)); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}

const treeSchema = `protocol zoo
order msb
open enum Kind : uint8 { One = 1 }
open flags Keys : uint8 { Up = 1, Down = 2 }
// A point.
struct Point {
    x uint8 @unit("px") // from the left
    y int8
}
packet {
    kind    Kind
    other   Kind
    keys    Keys
    none    Keys
    sent    uint32 @time(s)
    never   uint64 @time(ms)
    speed   uint16 @scale(0.1) @unit("m/s")
    ratio   float(0..1, 0.25)
    odd     float32
    yes     bool8
    reserved(5)
    points  [2]Point
    key     bytes(2) @secret
    name    char(4)
    said    bytes(3) @text
    few     bytes(2)
    many    bytes(18)
    check 0x01020304
    last    uint8 in 0..3
}
`

func TestTree(t *testing.T) {
	p := compile(t, treeSchema)
	payload := "01 07 81 00 65920080 ffffffffffffffff 0064" + // kind … speed
		// ratio in 3 bits (010), odd in 32 (7fc00001), yes in 8, 5 reserved
		"4ff80000 2020" +
		"01ff 0280" + "a5a5" + "1b220000" + "680a69" + "beef" + strings.Repeat("00", 18) + "01020304"
	want := `packet 3 of a.pcap, 2026-01-02 14:07:21.503000000 UTC
10.0.0.3:53471 C→S 10.0.0.1:4124, zoo, 58 bytes: %s
     0+8    kind    One (1)
     8+8    other   7 (unlisted)
    16+8    keys    Up|0x80 (0x81)
    24+8    none    none (0x00)
    32+32   sent    1704067200 s (2024-01-01T00:00:00Z)
    64+64   never   18446744073709551615 ms
   128+16   speed   10 m/s (100)
   144+3    ratio   0.5 (code 2)
   147+32   odd     NaN (0x7fc00001)
   179+8    yes     true
   187+5    reserved
            points  2 elements
              [0]
   192+8        x   1 px  // from the left
   200+8        y   -1
              [1]
   208+8        x   2 px
   216+8        y   -128
   224+16   key     ‹secret 2 B›
   240+32   name    "\x1b\""
   272+24   said    "h\x0ai"
   296+16   few     beef
   312+144  many    18 bytes
    39  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00
    55  00 00
   456+32   check 0x01020304
`
	for _, row := range []struct{ last, verdict, tail string }{
		{"04", "reject", `   488+8    ✗ last: out-of-range: want 0..3 in 8 bits, got 4
  rest from byte 61: 1 byte
    61  04
`},
		{"", "reject", `   488+8    ✗ last: past-end: want 8 bits, got 0 left
  rest from byte 61: nothing
`},
		{"03", "accept", `   488+8    last    3
  note other: unlisted-value at bit 8 (byte 1): Kind does not list 7
  note keys: unlisted-value at bit 16 (byte 2): Keys does not list 0x80
`},
	} {
		pkt := packet(t, p, payload+row.last)
		got := string(NewText(p, TextOptions{}).AppendTree(nil, pkt))
		whole := strings.Replace(fmt.Sprintf(want, row.verdict), "58 bytes", fmt.Sprintf("%d bytes", len(pkt.Trace.Payload)), 1) + row.tail + "\n"
		if got != whole {
			t.Errorf("last %q: got\n%swant\n%s", row.last, got, whole)
		}
	}
}

// A tree of one packet says a field's doc text once, and again in the next packet's.
func TestTreeDocs(t *testing.T) {
	p := compile(t, "protocol t\norder msb\npacket { list [2]uint8 // of two\n s [2]{ x uint8 // of x\n } }\n")
	x := NewText(p, TextOptions{})
	for range 2 {
		got := string(x.AppendTree(nil, packet(t, p, "01020304")))
		if strings.Count(got, "// of two") != 1 || strings.Count(got, "// of x") != 1 {
			t.Errorf("doc texts are not there once:\n%s", got)
		}
	}
}

func TestTreeCut(t *testing.T) {
	p := compile(t, countSchema)
	pkt := packet(t, p, "02 01")
	pkt.Cut = true
	got := string(NewText(p, TextOptions{}).AppendTree(nil, pkt))
	if want := "bytes: cut\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	if want := "    16+8    ▲ list[1]: cut by the capture, which kept 2 bytes\n\n"; !strings.HasSuffix(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// A dump ends, however long the packet is.
func TestTreeDumpIsBounded(t *testing.T) {
	p := compile(t, "protocol t\norder msb\npacket { all bytes(rest, max 60000) }\n")
	got := NewText(p, TextOptions{}).AppendTree(nil, decoded(p, make([]byte, 60000)))
	if !bytes.Contains(got, []byte("… 59488 more bytes\n")) || len(got) > 4000 {
		t.Errorf("%d bytes: %.200s", len(got), got)
	}
}

func TestTextHostile(t *testing.T) {
	need.OneGoroutine(t)
	p := builtin(t, "rtype")
	x := NewText(p, TextOptions{})
	var b []byte
	hostile(func(payload []byte) {
		pkt := decoded(p, payload)
		b = x.AppendLine(b[:0], pkt)
		harmless(t, b[:len(b)-1])
		secretive(t, pkt, b)
		b = x.AppendTree(b[:0], pkt)
		for _, line := range bytes.Split(b, []byte("\n")) {
			harmless(t, line)
		}
		secretive(t, pkt, b)
	})
}

// Colour changes nothing but colour.
func TestColour(t *testing.T) {
	need.OneGoroutine(t)
	p := builtin(t, "rtype")
	plain, coloured := NewText(p, TextOptions{}), NewText(p, TextOptions{Colour: true})
	codes := regexp.MustCompile("\x1b\\[[0-9;]*m")
	hostile(func(payload []byte) {
		pkt := decoded(p, payload)
		for _, form := range []func(*Text) []byte{
			func(x *Text) []byte { return x.AppendLine(nil, pkt) },
			func(x *Text) []byte { return x.AppendTree(nil, pkt) },
		} {
			want, got := form(plain), form(coloured)
			if bytes.Equal(got, want) {
				t.Fatalf("no colour in %s", got)
			}
			if got = codes.ReplaceAll(got, nil); !bytes.Equal(got, want) {
				t.Fatalf("got\n%swant\n%s", got, want)
			}
		}
	})
}

func TestLineAllocates(t *testing.T) {
	p := builtin(t, "rtype")
	x := NewText(p, TextOptions{Colour: true})
	pkt := decoded(p, samples()[4])
	var b []byte
	if n := testing.AllocsPerRun(100, func() { b = x.AppendLine(b[:0], pkt) }); n != 0 {
		t.Errorf("%v allocations for the line of an accepted packet", n)
	}
}

func TestDiagnostics(t *testing.T) {
	src := []byte("protocol t\norder msb\npacket { a unit8 }\n")
	_, diags := schema.LoadFS(nil, "a\x1b.pks", src, nil)
	if len(diags.List) == 0 {
		t.Fatal("no diagnostic")
	}
	plain := AppendDiagnostics(nil, diags, false)
	if !bytes.HasPrefix(plain, []byte(`a\x1b.pks:3:12: error: `)) || bytes.IndexByte(plain, 0x1b) >= 0 {
		t.Errorf("got %q", plain)
	}
	coloured := AppendDiagnostics(nil, diags, true)
	bare := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAll(coloured, nil)
	if bytes.Equal(coloured, plain) || !bytes.Equal(bare, plain) {
		t.Errorf("got %q, want %q with colours", coloured, plain)
	}
}

// What `schema check` says after the diagnostics: how many errors, from two on, or what was proved.
func TestCheckEnds(t *testing.T) {
	one, two := []schema.Diagnostic{{Severity: schema.Error}, {Severity: schema.Warning}}, []schema.Diagnostic{{Severity: schema.Error}, {Severity: schema.Error}}
	if got := AppendErrorCount(nil, "a.pks", one); got != nil {
		t.Errorf("one error: want nothing, got %q", got)
	}
	if got, want := string(AppendErrorCount(nil, "a\x1b.pks", two)), "a\\x1b.pks: 2 errors\n"; got != want {
		t.Errorf("want %q, got %q", want, got)
	}
	d, err := decode.Load("a.pks", []byte("protocol p\norder lsb\npacket { n int(0..3), m uint8 }\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(AppendBounds(nil, "a.pks", d.Plan())), "a.pks: ok: protocol p: at least 2 bytes; at most 2 bytes, 2 fields, 2 steps\n"; got != want {
		t.Errorf("want %q, got %q", want, got)
	}
}
