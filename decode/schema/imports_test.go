package schema

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// loadFiles checks a.pks of some files: "a.pks: text" in one string each. Without a line `protocol`, one that names the
// file and says order msb is in front, on the same line.
func loadFiles(files map[string]string) (*Schema, *Diagnostics) {
	dir := fstest.MapFS{}
	for name, text := range files {
		dir[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return LoadFS(dir, "some/where/a.pks", dir["a.pks"].Data, nil)
}

// head makes a file that begins on line 3.
func head(name, text string) string { return "protocol " + name + "\norder msb\n" + text }

// What a file lends is used as if it stood there: in the order of its own, and with what it says of itself.
func TestImports(t *testing.T) {
	s, diags := loadFiles(map[string]string{
		"a.pks": head("a", "import \"lib.pks\"\nimport \"some_game.pks\"\nconst Two = One + 1\nparam Most = One in 1..Four\nstruct Own { pad uint8 == Two }\n"+
			"packet { kind Kind, own Own, pair Pair, counts [Most]Bits, if kind == Kind.Late { v uint8 == Table(2) } else { body SomeGame } }\n"),
		"lib.pks": "// Shared.\nprotocol lib\norder lsb\nimport \"deep.pks\"\nport 9\nmax datagram 3\nexpect timeout 2s\nconst One = 1\nconst Four = Deepest\nconst Table = switch { 0..3: 7 }\nparam P = 3 in 0..9\n" +
			"enum Kind : uint16 { Early = 1, Late = 2 }\nflags Bits : uint8 { Up = 1 }\nstruct Pair { a uint16 == P, b Inner }\nstruct Inner { c bits(8) }\nstruct Never { a uint8 }\n",
		"deep.pks":      head("deep", "const Deepest = 4\n"),
		"some_game.pks": "// What it is.\nprotocol some_game\norder lsb\nport 7\nenum Kind : uint8 { Own = 9 }\nstruct Own { k Kind }\npacket { a Own, n uint16 }\n",
	})
	if s == nil {
		t.Fatal(diags)
	}
	if len(diags.List) > 0 {
		t.Errorf("warnings: %v", diags)
	}
	var names []string
	for _, e := range s.Enums {
		names = append(names, e.Name)
	}
	for _, st := range s.Structs {
		names = append(names, fmt.Sprintf("%s in %s of %s", st.Name, st.Order, s.Files.At(st.Pos.Off).Name))
	}
	if got, want := strings.Join(names, "\n"), strings.TrimSpace(`
Kind
Bits
SomeGameKind
Own in msb of some/where/a.pks
Inner in lsb of some/where/lib.pks
Pair in lsb of some/where/lib.pks
SomeGameOwn in lsb of some/where/some_game.pks
SomeGame in lsb of some/where/some_game.pks`); got != want {
		t.Errorf("want\n%s\ngot\n%s", want, got)
	}
	if game := s.Structs[len(s.Structs)-1]; !game.Lent || game.Doc != "What it is." {
		t.Errorf("the packet of some_game: lent %t, %q", game.Lent, game.Doc)
	}
	if len(s.Ports) > 0 || s.MaxDatagram != MaxUDPPayload || s.Timeout != 0 || len(s.Params) != 1 || s.Params[0].Name != "Most" {
		t.Errorf("an import's own went in: ports %v, datagram %d, timeout %d, params %v", s.Ports, s.MaxDatagram, s.Timeout, s.Params)
	}
	if v := s.Structs[2].Items[0].(*Field).Value; v.Rule.Want.Int64() != 3 {
		t.Errorf("the param of lib is %v in lib, want 3", v.Rule.Want)
	}
}

// A file that is lent twice lends one thing: a diamond is no clash.
func TestDiamond(t *testing.T) {
	s, diags := loadFiles(map[string]string{
		"a.pks":    head("a", "import \"l.pks\"\nimport \"r.pks\"\nimport \"base.pks\"\npacket { l L, r R, h Header }\n"),
		"l.pks":    head("l", "import \"base.pks\"\nstruct L { h Header }\n"),
		"r.pks":    head("r", "import \"base.pks\"\nstruct R { h Header }\n"),
		"base.pks": head("base", "struct Header { a uint8 }\n"),
	})
	if s == nil || len(diags.List) > 0 {
		t.Fatal(diags)
	}
	if len(s.Structs) != 3 || len(s.Files) != 4 {
		t.Errorf("want 3 structs of 4 files, got %d of %d", len(s.Structs), len(s.Files))
	}
}

// The proof is redone inside: what is lent is bounded by the datagram of the file that uses it.
func TestImportsAreProved(t *testing.T) {
	files := map[string]string{
		"a.pks":    head("a", "max datagram 9\nimport \"wide.pks\"\npacket { w Wide }\n"),
		"wide.pks": head("wide", "max datagram 100\npacket { a bytes(80) }\n"),
	}
	s, diags := loadFiles(files)
	if s != nil || !strings.Contains(diags.Error(), "more than the 72 of a datagram") {
		t.Errorf("got %v", diags)
	}
	files["a.pks"] = head("a", "import \"wide.pks\"\npacket { w Wide }\n")
	files["wide.pks"] = head("wide", "max datagram 10\npacket { a bytes(rest, max 4000) }\n")
	if s, diags = loadFiles(files); s == nil || s.Structs[0].MaxBits < 8*4000 {
		t.Errorf("what is lent is held to a datagram of its own file: %v", diags)
	}
}

// Each mistake is in its file, at its place.
func TestImportErrors(t *testing.T) {
	big := strings.Repeat("// much\n", (1<<20)/8-16)
	many := map[string]string{"a.pks": head("a", "")}
	for i := range MaxFiles {
		many["a.pks"] += fmt.Sprintf("import \"f%d.pks\"\n", i)
		many[fmt.Sprintf("f%d.pks", i)] = head("f", fmt.Sprintf("const C%d = 1\n", i))
	}
	many["a.pks"] += "packet { a bits(C0 + C1 + C2 + C3 + C4 + C5 + C6 + C7 + C8 + C9 + C10 + C11 + C12 + C13 + C14) }\n"
	const packet = "packet { a uint8 }\n"
	for _, row := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"17 files", many, `a.pks:18:8: error: a schema has at most 16 files, itself included`},
		{"above 1 MiB", map[string]string{"a.pks": head("a", "import \"b.pks\"\nimport \"c.pks\"\n"+packet), "b.pks": head("b", big), "c.pks": head("c", strings.Repeat("// more\n", 16))},
			`a.pks:4:8: error: a schema has at most 1048576 bytes, with all that it imports: ` + "`c.pks`" + ` is one too many`},
		{"itself", map[string]string{"a.pks": head("a", "import \"a.pks\"\n"+packet)}, `a.pks:3:8: error: a circle of imports: a.pks → a.pks`},
		{"circle of three", map[string]string{"a.pks": head("a", "import \"b.pks\"\n"+packet), "b.pks": head("b", "import \"c.pks\"\n"), "c.pks": head("c", "\n  import \"a.pks\"\n")},
			`c.pks:4:10: error: a circle of imports: a.pks → b.pks → c.pks → a.pks`},
		{"circle below", map[string]string{"a.pks": head("a", "import \"b.pks\"\n"+packet), "b.pks": head("b", "import \"c.pks\"\n"), "c.pks": head("c", "import \"b.pks\"\n")},
			`c.pks:3:8: error: a circle of imports: b.pks → c.pks → b.pks`},
		{"above", map[string]string{"a.pks": head("a", "import \"../x.pks\"\n"+packet)}, "a.pks:3:8: error: want a name in this directory, got `../x.pks`; put the file there and write `import \"x.pks\"`"},
		{"below", map[string]string{"a.pks": head("a", "import \"x/x.pks\"\n"+packet)}, "a.pks:3:8: error: want a name in this directory"},
		{"absolute", map[string]string{"a.pks": head("a", "import \"/x.pks\"\n"+packet)}, "a.pks:3:8: error: want a name in this directory"},
		{"backslash", map[string]string{"a.pks": head("a", "import \"..\\\\x.pks\"\n"+packet)}, "a.pks:3:8: error: want a name in this directory"},
		{"no .pks", map[string]string{"a.pks": head("a", "import \"x\"\n"+packet)}, "a.pks:3:8: error: want a name in this directory, got `x`; want letters, digits"},
		{"newline", map[string]string{"a.pks": head("a", "import \"x\\n.pks\"\n"+packet)}, `a.pks:3:8: error: want a name in this directory, got ` + "`x\\x0a.pks`"},
		{"missing", map[string]string{"a.pks": head("a", "import \"x.pks\"\n"+packet)}, "a.pks:3:8: error: there is no file `x.pks`"},
		{"twice", map[string]string{"a.pks": head("a", "import \"x.pks\"\nimport \"x.pks\"\npacket { a bits(A) }\n"), "x.pks": head("x", "const A = 1\n")}, "a.pks:4:8: error: `x.pks` is imported already, at 3:8"},
		{"NULs", map[string]string{"a.pks": head("a", "import \"x.pks\"\n"+packet), "x.pks": head("x", "\x00\x00const A = 1\n")}, "x.pks:3:1: error: a NUL"},
		{"no header", map[string]string{"a.pks": head("a", "import \"x.pks\"\n"+packet), "x.pks": ""}, "x.pks:1:1: error: the file does not say its protocol"},
		{"no order", map[string]string{"a.pks": head("a", "import \"x.pks\"\n"+packet), "x.pks": "protocol x\n"}, "x.pks:1:10: error: the file does not say its bit order"},
		{"an error in one", map[string]string{"a.pks": head("a", "import \"x.pks\"\npacket { a A }\n"), "x.pks": head("x", "struct A { a unit8, b [n]uint8 }\n")}, "x.pks:3:14: error: unknown type `unit8`"},
		{"its port", map[string]string{"a.pks": head("a", "import \"x.pks\"\npacket { a X }\n"), "x.pks": head("x", "port 0\n"+packet)}, "x.pks:3:6: error: a port"},
		{"clash with its own", map[string]string{"a.pks": head("a", "import \"x.pks\"\nstruct A { a uint8 }\npacket { a A }\n"), "x.pks": head("x", "const A = 1\n")},
			"a.pks:3:8: error: `A`, which `x.pks` lends, is already declared at 4:8; rename one of the two"},
		{"two that clash", map[string]string{"a.pks": head("a", "import \"x.pks\"\nimport \"y.pks\"\npacket { a A }\n"), "x.pks": head("x", "struct A { a uint8 }\n"), "y.pks": head("y", "\nenum A : uint8 { B = 1 }\n")},
			"a.pks:4:8: error: `A`, which `y.pks` lends, is already declared at x.pks:3:8"},
		{"two packets of one protocol", map[string]string{"a.pks": head("a", "import \"x.pks\"\nimport \"y.pks\"\npacket { a X }\n"), "x.pks": head("x", packet), "y.pks": head("x", packet)},
			"a.pks:4:8: error: `X`, which `y.pks` lends, is already declared at x.pks:3:1"},
		{"lent on", map[string]string{"a.pks": head("a", "import \"x.pks\"\npacket { a B, c A }\n"), "x.pks": head("x", "import \"y.pks\"\nstruct A { a B }\n"), "y.pks": head("y", "struct B { a uint8 }\n")},
			"a.pks:4:12: error: unknown type `B`"},
		{"a name of a packet's file", map[string]string{"a.pks": head("a", "import \"x.pks\"\npacket { a X, b A }\n"), "x.pks": head("x", "struct A { a uint8 }\npacket { a A }\n")},
			"a.pks:4:17: error: unknown type `A`"},
		{"a param from outside", map[string]string{"a.pks": head("a", "import \"x.pks\"\npacket { a bits(N) }\n"), "x.pks": head("x", "param N = 1 in 1..4\n")}, ""},
		{"off a byte", map[string]string{"a.pks": head("a", "import \"x.pks\"\npacket { a bits(3), b X }\n"), "x.pks": head("x", packet)}, "a.pks:4:23: error: the packet of another file begins on a byte: `X` does not here"},
		{"another order, ends off a byte", map[string]string{"a.pks": head("a", "import \"x.pks\"\npacket { b X }\n"), "x.pks": "protocol x\norder lsb\npacket { a bits(3) }\n"}, "x.pks:3:1: error: a struct with an order of its own ends on a byte: `X` may not"},
		{"a circle of structs", map[string]string{"a.pks": head("a", "import \"x.pks\"\npacket { b X }\n"), "x.pks": head("x", "struct A { b A }\npacket { a A }\n")}, "x.pks:3:14: error: recursion: A → A"},
		{"ack of a packet that is none", map[string]string{"a.pks": head("a", "import \"x.pks\"\npacket { s uint8, b B }\n"), "x.pks": head("x", "struct B { a uint8 @ack(s) }\n")}, "x.pks:3:25: error: `s` is a field of `packet`, and this file has none"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, diags := loadFiles(row.files)
			text := diags.Error()
			if row.want == "" {
				if s == nil {
					t.Error(text)
				}
				return
			}
			if s != nil || !strings.Contains("\n"+text, "\nsome/where/"+row.want) {
				t.Errorf("want %s, got\n%s", row.want, text)
			}
			for _, d := range diags.List {
				f, local := diags.Files.Local(d)
				if local.Pos.Off < 0 || local.End.Off < local.Pos.Off || int(local.End.Off) > len(f.Src) {
					t.Errorf("%s: bytes %d..%d of %d", f.Name, local.Pos.Off, local.End.Off, len(f.Src))
				}
			}
		})
	}
}

// What counts from the first bit of a packet is there.
func TestFirstBit(t *testing.T) {
	const (
		lone   = "packet { a uint8, c crc32, b uint8 }\n"
		before = "packet { a uint8, c crc32(over before) }\n"
		upTo   = "packet { a uint8, b uint8, c crc32(over ..b) }\n"
		wide   = "packet { a uint8, align(16) }\n"
		deep   = "struct D { if 1 == 1 { n dnsname } }\npacket { a [2]D }\n"
		prev   = "packet { let n = prev(v, 9), v uint8 }\n"
		own    = "packet { l [2]{ let n = prev(v, 9), v uint8 } }\n"
		free   = "packet { a uint8, l [2]{ d uint8, c crc32(over before) }, within(13) { b uint8, e crc64_xz, f [4]uint8 }, x crc32(over a), y crc32(over rest), align }\n"
	)
	ok := map[string]string{}
	for _, row := range []struct {
		name, x, a string
		want       string
	}{
		{"lone", lone, "packet { x X }", ""},
		{"lone after lets", lone, "packet { let a = rest, align, require rest > 4, x X, let b = a + 1 }", ""},
		{"lone in an arm", lone, "packet { x switch peek(8) { 0: X, default: empty } }", ""},
		{"lone after a bit", lone, "packet { a uint8, x X }", "a.pks:4:21: error: `X` can be at the first bit of a packet only: the checksum of all, at x.pks:3:21, counts from there"},
		{"lone before a byte", lone, "packet { x X, a uint8 }", "a.pks:4:12: error: `X` can be at the end of a packet only: the checksum of all, at x.pks:3:21, covers what is after it, too"},
		{"lone before padding", lone, "packet { x X, align(32) }", "a.pks:4:12: error: `X` can be at the end of a packet only"},
		{"lone in a window in front", lone, "packet { within(6) { x X }, a uint8 }", ""},
		{"lone in a window after", lone, "packet { a uint8, within(6) { x X } }", "a.pks:4:33: error: `X` can be at the first bit of a packet only"},
		{"before after a bit", before, "packet { a uint8, x X }", "a.pks:4:21: error: `X` can be at the first bit of a packet only: a checksum from the start of the packet"},
		{"before before a byte", before, "packet { x X, a uint8 }", ""},
		{"up to", upTo, "packet { a uint8, x X }", "a.pks:4:21: error: `X` can be at the first bit of a packet only: a checksum from the start"},
		{"in an array", upTo, "packet { x [1]X }", "a.pks:4:12: error: `X` can be at the first bit of a packet only"},
		{"after a presence bit", wide, "packet { a bits(7), x optional X }", "a.pks:4:23: error: `X` can be at the first bit of a packet only: an `align` above 8"},
		{"deep", deep, "packet { a uint8, x X }", "a.pks:4:21: error: `X` can be at the first bit of a packet only: a `dnsname`, at x.pks:3:26"},
		{"through a struct", deep, "struct S { b X }\npacket { if rest > 9 { a S } else { n uint8, c S } }", "a.pks:4:14: error: `X` can be at the first bit of a packet only"},
		{"deep at the first bit", deep, "struct S { b X }\npacket { if rest > 9 { a S } else { n uint8 } }", ""},
		{"prev", prev, "packet { a uint8, x X, b uint8, if b == 0 { y X } }", ""},
		{"prev in an array", prev, "packet { n uint8 in 0..3, x [n]{ x X } }", "a.pks:4:36: error: `X` cannot be in an array: a `prev`, at x.pks:3:18, begins anew with each packet"},
		{"prev in an array of its own", own, "packet { n uint8 in 0..3, x [n]X }", ""},
		{"free", free, "packet { a uint8, x X, b uint8, y [2]X }", ""},
	} {
		ok["a.pks"], ok["x.pks"] = head("a", "import \"x.pks\"\n"+row.a+"\n"), head("x", row.x)
		t.Run(row.name, func(t *testing.T) {
			s, diags := loadFiles(ok)
			if text := diags.Error(); (s != nil) != (row.want == "") || !strings.Contains("\n"+text, "\nsome/where/"+row.want) && row.want != "" {
				t.Errorf("want %q, got\n%s", row.want, text)
			}
		})
	}
}

// A schema that was read from no directory, and a directory that cannot be read.
func TestImportsNeedADirectory(t *testing.T) {
	src := []byte(head("a", "import \"x.pks\"\npacket { a uint8 }\n"))
	_, diags := LoadFS(nil, "-", src, nil)
	if got, want := diags.Error(), "-:3:8: error: `x.pks` cannot be imported: the schema was not read from a directory; give the schema as a file, beside those that it imports"; got != want {
		t.Errorf("want %s, got %s", want, got)
	}
	dir := fstest.MapFS{"x.pks": &fstest.MapFile{Mode: fs.ModeDir | 0o755}}
	if _, diags = LoadFS(dir, "a.pks", src, nil); !strings.Contains(diags.Error(), "`x.pks` cannot be read: it is no plain file") {
		t.Errorf("a directory: %v", diags)
	}
	dir["x.pks"] = &fstest.MapFile{Mode: fs.ModeNamedPipe | 0o644}
	if _, diags = LoadFS(stubborn{dir, t}, "a.pks", src, nil); !strings.Contains(diags.Error(), "`x.pks` cannot be read: it is no plain file") {
		t.Errorf("a FIFO: %v", diags)
	}
}

// stubborn is a directory in which nothing may be opened.
type stubborn struct {
	fstest.MapFS
	t *testing.T
}

func (s stubborn) Open(name string) (fs.File, error) {
	s.t.Errorf("%s was opened", name)
	return nil, fs.ErrPermission
}

// A file as large as all may be is read once, and the work stays linear.
func TestImportsAreBounded(t *testing.T) {
	files := map[string]string{"a.pks": head("a", "import \"f1.pks\"\nimport \"f2.pks\"\npacket { a uint8 }\n")}
	for i := 1; i < MaxFiles; i++ { // each imports all after it: 2^14 ways
		text := head(fmt.Sprintf("f%d", i), "")
		for k := i + 1; k < MaxFiles; k++ {
			text += fmt.Sprintf("import \"f%d.pks\"\n", k)
		}
		files[fmt.Sprintf("f%d.pks", i)] = text
	}
	s, diags := loadFiles(files)
	if s == nil || len(s.Files) != MaxFiles {
		t.Errorf("got %v", diags)
	}
	if n := s.Files.Size(); n > syntax.MaxSource {
		t.Errorf("%d bytes", n)
	}
}

// A message that a file lends is used as if it stood there, and what a lent packet holds comes with it, under a name of
// its own where that is taken.
func TestImportedMessages(t *testing.T) {
	s, diags := loadFiles(map[string]string{
		"a.pks": head("a", "import \"lib.pks\"\nimport \"some_game.pks\"\npacket { kind bool8, if kind { a bytes(rest, max 9) @message(Whole) } else { body SomeGame } }\n"+
			"message Game max 5 { a uint8 }\n"),
		"lib.pks":       head("lib", "message Whole max 9 order lsb { a bytes(rest, max 9) @message(Deep) }\nmessage Deep max 9 { kind Kind }\nmessage Never max 9 { a uint8 }\nenum Kind : uint8 { Own = 1 }\n"),
		"some_game.pks": head("some_game", "packet { a bytes(rest, max 100) @fragment(Game, 1, index 0, count 1) }\nmessage Game max 70000 { a bytes(rest, max 70000) }\n"),
	})
	if s == nil || len(diags.List) > 0 {
		t.Fatal(diags)
	}
	var names []string
	for _, m := range s.Sections {
		of := s.Section(m.Name)
		names = append(names, fmt.Sprintf("%s of %d bytes in %s: %s", m.Name, m.Max, m.Struct.Order, of.Packet.Name))
		if of.Packet != m.Struct || of.MaxDatagram != m.Max || of.Message != m {
			t.Errorf("the schema of %s is of %s, of %d bytes", m.Name, of.Packet.Name, of.MaxDatagram)
		}
	}
	if got, want := strings.Join(names, "; "), "Game of 5 bytes in msb: Game; Whole of 9 bytes in lsb: Whole; Deep of 9 bytes in msb: Deep; SomeGameGame of 70000 bytes in msb: SomeGameGame"; got != want {
		t.Errorf("want %s\ngot  %s", want, got)
	}
	if len(s.Enums) != 1 || s.Section("Never") != nil {
		t.Errorf("%d enums; Never: %v", len(s.Enums), s.Section("Never"))
	}
	if fragments := s.Packet.Fragments(); len(fragments) != 2 || fragments[0].Section.Name != "Whole" || fragments[1].Section.Name != "SomeGameGame" {
		t.Errorf("the packet holds %v", fragments)
	}
}
