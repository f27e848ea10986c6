package report

import (
	"encoding/csv"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/scan"
)

func columns(t testing.TB, pkt *scan.Packet, format ColumnFormat, paths ...string) *Columns {
	t.Helper()
	c, errs := NewColumns(pkt.Trace.Plan, paths, format)
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestColumnsRefuse(t *testing.T) {
	p := builtin(t, "rtype")
	for _, row := range []struct{ path, want string }{
		{"body.player_cuont", "filter:1:6: error: unknown path `body.player_cuont`; did you mean `body.player_count`?"},
		{"body.players", "filter:1:1: error: `body.players` is a list; write body.players[*] and a field of its elements"},
		{"pkt.scr", "filter:1:1: error: unknown path `pkt`; did you mean `pkt.src`?"},
		{"reject.nothing", "filter:1:1: error: unknown path `reject`; there are reject.kind, reject.path, reject.bit, reject.width, reject.want, reject.got"},
		{"$env.case", "filter:1:1: error: unknown path `case`"},
		{"", "filter:1:1: error: the path is empty"},
	} {
		c, errs := NewColumns(p, []string{"pkt.n", row.path}, CSV)
		if errs[0] != nil || errs[1] == nil || errs[1].Error() != row.want {
			t.Errorf("%s:\nwant %s\ngot  %v", row.path, row.want, errs[1])
		}
		// The column stays empty: other protocols may have it.
		if got := string(c.Append(nil, packet(t, p, "00"))); got != "3,\n" {
			t.Errorf("%s: %q", row.path, got)
		}
	}
	secret := compile(t, "protocol t\norder msb\npacket { a { b uint8 } @secret }\n")
	if _, errs := NewColumns(secret, []string{"a"}, CSV); errs[0] == nil || errs[0].Error() != "filter:1:1: error: `a` is @secret: its shape is not shown" {
		t.Errorf("%v", errs[0])
	}
}

// Every name that the manual lists is a column, and no other.
func TestEnvelopeColumns(t *testing.T) {
	var known []string
	for _, path := range filter.EnvelopePaths() {
		known = append(known, path.Path)
		if envelopeColumns[path.Path] == nil {
			t.Errorf("no column %s", path.Path)
		}
	}
	for name := range envelopeColumns {
		if !slices.Contains(known, name) {
			t.Errorf("column %s is not listed", name)
		}
	}
}

func TestEnvelopeCells(t *testing.T) {
	p := builtin(t, "rtype")
	accepted := packet(t, p, "0061 0001 0000018bcfe56800 0015 0009")
	refused := packet(t, p, "0061 0001 0000018bcfe56800 0040 0009")
	backwards := packet(t, p, "0070 0001 0000018bcfe56800 01")
	backwards.LengthMismatch = true
	bare := packet(t, compile(t, countSchema), "02 01")
	*bare = scan.Packet{Envelope: decode.Envelope{N: 1}, Trace: bare.Trace}
	for _, row := range []struct {
		path                                 string
		accepted, refused, backwards, absent string
	}{
		{"case", "PlayerInput", "PlayerInput", "PlayerJoin", ""},
		{"notes", "", "", "length-mismatch;wrong-direction", ""},
		{"pkt.n", "3", "3", "3", "1"},
		{"pkt.file", "a.pcap", "a.pcap", "a.pcap", ""},
		{"pkt.time", "2026-01-02T14:07:21.503000000Z", "2026-01-02T14:07:21.503000000Z", "2026-01-02T14:07:21.503000000Z", ""},
		{"pkt.src", "10.0.0.3:53471", "10.0.0.3:53471", "10.0.0.3:53471", ""},
		{"pkt.dst", "10.0.0.1:4124", "10.0.0.1:4124", "10.0.0.1:4124", ""},
		{"pkt.src_ip", "10.0.0.3", "10.0.0.3", "10.0.0.3", ""},
		{"pkt.dst_port", "4124", "4124", "4124", ""},
		{"pkt.direction", "client", "client", "client", "client"},
		{"pkt.protocol", "rtype", "rtype", "rtype", "t"},
		{"pkt.bits", "128", "128", "104", "16"},
		{"pkt.verdict", "accept", "reject", "accept", "reject"},
		{"pkt.rejected", "false", "true", "false", "true"},
		{"pkt.accepted", "true", "false", "true", "false"},
		{"pkt.cut", "false", "false", "false", "false"},
		{"reject.kind", "", "reserved-nonzero", "", "past-end"},
		{"reject.path", "", "body.keys", "", "list[1]"},
		{"reject.bit", "", "96", "", "16"},
		{"reject.width", "", "16", "", "8"},
		{"reject.want", "", "0", "", "8"},
		{"reject.got", "", "0x40", "", "0"},
	} {
		for i, want := range []string{row.accepted, row.refused, row.backwards, row.absent} {
			pkt := []*scan.Packet{accepted, refused, backwards, bare}[i]
			for _, format := range []ColumnFormat{CSV, Fields} {
				if got := string(columns(t, pkt, format, row.path).Append(nil, pkt)); got != want+"\n" {
					t.Errorf("%s of packet %d: want %q, got %q", row.path, i, want, got)
				}
			}
		}
	}
	bare.Cut = true
	if got := string(columns(t, bare, CSV, "pkt.verdict", "reject.kind", "pkt.cut").Append(nil, bare)); got != "cut,,true\n" {
		t.Errorf("%q", got)
	}
}

const cellSchema = `protocol t
order msb
open enum K : int8 { Low = -1, One = 1 }
open flags F : uint8 { A = 1, B = 2 }
struct Row { n uint8, name char(4) }
packet {
    k    [4]K
    f    [3]F
    big  uint64
    low  int8
    yes  bool8
    real [4]float32
    key  bytes(3) @secret
    raw  bytes(2)
    rows [3]Row
    hush { inner uint8 } @secret
}
`

const cellPacket = "ff 01 05 00  03 06 00  ffffffffffffffff fb 01 3dcccccd 7fc00000 ff800000 ba83126f a5a5a5 beef  01 3d313b32  02 00000000  03 22612c62 00"

func TestCells(t *testing.T) {
	pkt := packet(t, compile(t, cellSchema), cellPacket)
	if err := pkt.Trace.Reject(); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ path, csv, fields string }{
		{"k[*]", "Low;One;5;0", "Low;One;5;0"},
		{"k[1]", "One", "One"},
		{"k[9]", "", ""},
		{"f[*]", "A|B;B|0x4;none", "A|B;B|0x4;none"},
		{"big", "18446744073709551615", "18446744073709551615"},
		{"low", "-5", "-5"},
		{"yes", "true", "true"},
		{"real[*]", "0.1;NaN;-Infinity;-0.001", "0.1;NaN;-Infinity;-0.001"},
		{"key", "‹secret 3 B›", "‹secret 3 B›"},
		{"raw", "beef", "beef"},
		{"rows[*].n", "1;2;3", "1;2;3"},
		{"rows[0].name", `'=1\x3b2`, `'=1\x3b2`},
		{"rows[1].name", `""`, ""},
		{"rows[2].name", `"""a,b"`, `"a,b`},
		{"rows[*].name", `"'=1\x3b2;;""a,b"`, `'=1\x3b2;;"a,b`},
	} {
		if got := string(columns(t, pkt, CSV, row.path).Append(nil, pkt)); got != row.csv+"\n" {
			t.Errorf("%s: want %s, got %s", row.path, row.csv, got)
		}
		if got := string(columns(t, pkt, Fields, row.path).Append(nil, pkt)); got != row.fields+"\n" {
			t.Errorf("%s: want %s, got %s", row.path, row.fields, got)
		}
	}
	if got := string(columns(t, pkt, CSV, "pkt.n", "low", "k[9]", "raw").Append([]byte("x"), pkt)); got != "x3,-5,,beef\n" {
		t.Error(got)
	}
	if got := string(columns(t, pkt, Fields, "pkt.n", "low", "k[9]", "raw").Append(nil, pkt)); got != "3\t-5\t\tbeef\n" {
		t.Error(got)
	}
	if got := string(CSVHeader([]string{"pkt.n", "rows[*].name", `a"b`})); got != "pkt.n,rows[*].name,\"a\"\"b\"\n" {
		t.Error(got)
	}
}

// hostileCells are texts with the cells that they become.
var hostileCells = []struct{ text, csv, fields string }{
	{"", `""`, ""},
	{"plain", "plain", "plain"},
	{"=1+1", "'=1+1", "'=1+1"}, {"+1", "'+1", "'+1"}, {"-5", "'-5", "'-5"}, {"@SUM(A1)", "'@SUM(A1)", "'@SUM(A1)"}, {"＝1", "'＝1", "'＝1"},
	{"'quoted", "''quoted", "''quoted"},
	{"::error::x", "'::error::x", "'::error::x"}, {" ::x", `" ::x"`, "' ::x"}, {":x", ":x", ":x"}, {"a ##[error]x", `a ##\x5berror]x`, `a ##\x5berror]x`},
	{"\t=1", `\x09=1`, `\x09=1`}, {"\r=1", `\x0d=1`, `\x0d=1`}, {"\n=1", `\x0a=1`, `\x0a=1`},
	{"a;=1", `a\x3b=1`, `a\x3b=1`}, {`a","=1`, `"a"",""=1"`, `a","=1`}, {"a\t=1", `a\x09=1`, `a\x09=1`},
	{` =1 `, `" =1 "`, `' =1 `}, {"  ", `"  "`, "  "}, {" a", `" a"`, " a"},
	{"a\x1b[2Jb", `a\x1b[2Jb`, `a\x1b[2Jb`}, {"\u202egnp.exe", `\u202egnp.exe`, `\u202egnp.exe`}, {"\xff\xfe", `\xff\xfe`, `\xff\xfe`}, {"a\u2028b", `a\u2028b`, `a\u2028b`},
	{`\x1b`, `\\x1b`, `\\x1b`}, {"é😀", "é😀", "é😀"}, {"e\u0301", `e\u0301`, `e\u0301`},
}

func TestHostileCells(t *testing.T) {
	p := compile(t, "protocol t\norder msb\npacket { n uint8, t [1]T }\nstruct T { c cstring(64) }\n")
	for _, row := range hostileCells {
		pkt := decoded(p, append(append([]byte{0}, row.text...), 0))
		c := columns(t, pkt, CSV, "t[0].c")
		line := string(c.Append(nil, pkt))
		if line != row.csv+"\n" {
			t.Errorf("%q: want %s, got %s", row.text, row.csv, line)
		}
		if fields := string(columns(t, pkt, Fields, "t[0].c").Append(nil, pkt)); fields != row.fields+"\n" {
			t.Errorf("%q: want the field %s, got %s", row.text, row.fields, fields)
		}
		cells, err := csv.NewReader(strings.NewReader("x," + line)).Read()
		if err != nil || len(cells) != 2 {
			t.Errorf("%q: %v %q", row.text, err, cells)
		} else if s := cells[1]; s != "" && strings.ContainsRune("=+-@\t\r＝＋－＠", []rune(s)[0]) || syntax.EscapeText(s) != s {
			t.Errorf("%q: the cell is %q", row.text, s)
		}
		if got := string(columns(t, pkt, Fields, "t[0].c", "t[0].c").Append(nil, pkt)); strings.Count(got, "\t") != 1 || strings.Count(got, "\n") != 1 {
			t.Errorf("%q: %q", row.text, got)
		}
		pkt.File = row.text
		if got := string(columns(t, pkt, CSV, "pkt.file").Append(nil, pkt)); row.text != "" && got != row.csv+"\n" {
			t.Errorf("%q as a file's name: %q", row.text, got)
		}
	}
}

// Every packet at every truncation is one row of as many cells.
func TestColumnsTruncated(t *testing.T) {
	p := compile(t, cellSchema)
	paths := []string{"case", "notes", "reject.want", "reject.got", "reject.path", "key", "rows[*].name", "real[*]"}
	whole := packet(t, p, cellPacket).Trace.Payload
	for n := range len(whole) + 1 {
		pkt := decoded(p, whole[:n])
		got := columns(t, pkt, CSV, paths...).Append(nil, pkt)
		cells, err := csv.NewReader(strings.NewReader(string(got))).Read()
		if err != nil || len(cells) != len(paths) {
			t.Errorf("%d bytes: %v, %q", n, err, got)
		}
		if strings.Contains(string(got), "a5") {
			t.Errorf("%d bytes: the secret shows in %q", n, got)
		}
	}
}

func TestColumnsAllocate(t *testing.T) {
	for _, format := range []ColumnFormat{CSV, Fields} {
		pkt := packet(t, compile(t, cellSchema), cellPacket)
		c := columns(t, pkt, format, "pkt.n", "pkt.time", "pkt.src", "pkt.verdict", "reject.kind", "k[*]", "f[*]", "big", "real[*]", "key", "raw", "rows[*].name", "rows[1].n")
		b := c.Append(nil, pkt)
		if n := testing.AllocsPerRun(100, func() { b = c.Append(b[:0], pkt) }); n != 0 {
			t.Errorf("format %d: %v allocations", format, n)
		}
	}
}

func BenchmarkCSV(b *testing.B) {
	p := builtin(b, "rtype")
	pkt := packet(b, p, "0061 0001 0000018bcfe56800 0015 0009")
	c := columns(b, pkt, CSV, "pkt.n", "pkt.time", "case", "body.keys")
	line := c.Append(nil, pkt)
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		line = c.Append(line[:0], pkt)
	}
}
