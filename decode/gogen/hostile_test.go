package gogen_test

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/gogen"
)

// hostile are schemas of which somebody hopes that their names or comments become code. Each must compile and be
// vetted, and nothing of it may run or build.
var hostile = []struct{ name, src string }{
	{"keywords", `protocol func
order lsb
packet { type uint8, var uint8, range uint8, go uint8, map uint8, chan uint8, nil uint8, string uint8, _ uint8, __ uint8, _1 uint8, len uint8, data uint8, bit uint8, end uint8, v uint8, r uint8 }
`},
	{"collisions in a struct", `protocol collide
order msb
packet {
    player_id uint8
    playerid  uint8
    player__id uint8
    append uint8
    a { x uint8 }
    a_ { x uint16 }
    has_b bool
    b optional uint8
    datagram_size uint8
    body switch player_id {
        0: uint8
        1..2: { y uint8 }
        3: empty
        default: bytes(rest, max 9)
    }
}
`},
	{"types named as support code", `protocol names
order lsb
enum Kind : uint8 { None = 0, PastEnd = 1, String = 2 }
enum RejectKind : uint8 { None = 0, PastEnd = 1 }
enum From : uint8 { Client = 0, Reject = 1 }
struct PacketReader { reject uint8 }
struct PacketReject { path uint8 }
struct PacketRelative { value uint8 }
struct RejectNone { x uint8 }
flags Side : uint8 { Client = 1, Server = 2 }
struct Packet { reader Reader, bits Bits }
struct Reader { reject uint8 }
struct Bits { decode uint8 }
struct Relative { value uint8 }
struct Reject { path uint8 }
struct MaxBits { error uint8 }
packet { a Kind, b Side, c Packet, d Relative, e Reject, f MaxBits, g RejectKind, k From, l PacketReader, m PacketReject, n PacketRelative, o RejectNone, reader { x2 uint8 }, reject { x3 uint8 }, h vec3(uint8), i uint8, j relative(i) }
`},
	{"types named as fixed arrays", `protocol arrays
order lsb
enum Text8 : uint8 { Len = 0, At = 1 }
struct Bytes4 { len uint8, at [..3]uint8, slice bytes(4), add char(8) }
struct Uint8List3 { set bool, string string(3), uint8list3 [..3]uint8 }
packet { a Text8, b Bytes4, c [..2]Uint8List3, d [..2][..2]bytes(1), e [2]{ }, f [100]bool, g [..2][2]{ h char(8) } }
`},
	{"names that Go knows", `protocol go
order lsb
struct Binary { math uint8, bits uint8 }
struct String { byte uint8, string string(3) }
struct Testing { bytes bytes(2), t uint8, b uint8, f uint8 }
enum Error : uint8 { Nil = 0, True = 1, String = 2, Iota = 3 }
enum Errors : uint8 { Error = 1, String = 2 }
flags Uint8 : uint8 { A = 1, Ab = 3, B = 2, String = 128 }
packet { binary Binary, strconv String, testing Testing, error Error, errors Errors, uint8 Uint8, int sbits(7), uint64 uint8, cap uint8, min uint8, make uint8, new uint8, clear uint8, decode uint8, settled uint8 }
`},
	{"comments", "// */ package evil\n//go:build ignore\n// +build ignore\n//line evil.go:1\n// \\\n// \u202e\u2028 \x1b[31m\n// `+panic()+`\nprotocol comments\norder lsb\n// *" + "/ func init() { panic(1) } /" + "*\n//go:linkname a b\n// import \"C\"\npacket {\n    // \" + os.Exit(1) //\n    a uint8 // `json:\"x\"`\n    b char(8) == \"`\\\"\\n*/\" // trailing \\\n}\n"},
	{"a switch that always takes its default", `protocol one
order lsb
packet {
    tag uint16
    body switch tag { default: uint8 }
    far switch tag {
        0..50000: uint8
        default:  empty
    }
}
`},
	{"package main", "protocol main\norder lsb\npacket { a uint8 }\n"},
	{"package test", "protocol x_test\norder lsb\npacket { a uint8 }\n"},
	{"nothing", "protocol init\norder lsb\npacket { }\n"},
	{"text", "protocol text\norder lsb\npacket { a bytes(5) == \"%d\\x00%s\", b string(9) != \"%!\\\\\", c cstring(4) utf8, d check \"%s\\\"\\n\" }\n"},
}

func init() {
	for i := range hostile {
		hostile[i].src = strings.ReplaceAll(hostile[i].src, ", d check", "\n check")
	}
}

func TestHostileNames(t *testing.T) {
	g := &program{dir: t.TempDir()}
	for _, g.fixed = range []bool{false, true} {
		for i, row := range hostile {
			if g.fixed && i%2 == 0 || i%need.Rounds(1, 4) > 0 {
				continue // names are the same in both
			}
			if err := g.add(t, row.name, compile(t, row.name, []byte(row.src))); err != nil {
				t.Errorf("%s: %v", row.name, err)
			}
		}
	}
	if t.Failed() {
		return
	}
	g.build(t)
	g.vet(t)
	b := &batch{g: g}
	for n := range g.plans {
		b.makes(t, n, 3, 2, 50)
	}
	b.hold(t)
	if b.held < need.Rounds(100, 20) {
		t.Errorf("%d packets held", b.held)
	}
	files, err := filepath.Glob(filepath.Join(g.dir, "p*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		clean(t, file, src)
	}
}

// clean holds what generated source promises: its form, and that no line of it is a directive.
func clean(t *testing.T, file string, src []byte) {
	t.Helper()
	formatted, err := format.Source(src)
	if err != nil || !bytes.Equal(formatted, src) {
		t.Errorf("%s: not as gofmt has it: %v", file, err)
	}
	for i, line := range bytes.Split(src, []byte("\n")) {
		at := bytes.TrimSpace(line)
		for _, bad := range []string{"//go:", "//line", "// +build", "/*", "//export", "//extern"} {
			if bytes.HasPrefix(at, []byte(bad)) {
				t.Errorf("%s:%d: %q", file, i+1, line)
			}
		}
		if bytes.HasPrefix(at, []byte("//")) && bytes.HasSuffix(at, []byte("\\")) || bytes.ContainsAny(line, "\x00\x1b\u202e\u2028") {
			t.Errorf("%s:%d: %q", file, i+1, line)
		}
	}
}

// The same schema gives the same bytes, whatever a map's order is.
func TestDeterministic(t *testing.T) {
	for i, row := range hostile {
		p := compile(t, row.name, []byte(row.src))
		opt := gogen.Options{Fixed: i%2 == 0}
		first, err := gogen.Generate(p, opt)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			again, err := gogen.Generate(compile(t, row.name, []byte(row.src)), opt)
			if err != nil {
				t.Fatal(err)
			}
			for i := range first.Files {
				if !bytes.Equal(first.Files[i].Source, again.Files[i].Source) {
					t.Errorf("%s: %s differs", row.name, first.Files[i].Name)
				}
			}
		}
	}
}

func TestPackageNames(t *testing.T) {
	p := compile(t, "x", []byte("protocol x\norder lsb\npacket { a uint8 }\n"))
	for _, name := range []string{"func", "main", "A", "a-b", "a b", "_", "a_b", "x_test", "../x", "x\n", "é", "init"} {
		if _, err := gogen.Generate(p, gogen.Options{Package: name}); err == nil {
			t.Errorf("package %q was made", name)
		}
	}
	for name, want := range map[string]string{"": "x", "wire": "wire", "p2p": "p2p"} {
		if out, err := gogen.Generate(p, gogen.Options{Package: name}); err != nil || out.Name != want {
			t.Errorf("package %q: %v", name, err)
		}
	}
}
