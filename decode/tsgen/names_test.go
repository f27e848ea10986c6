package tsgen_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema/packets"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/tsgen"
)

// Names of a schema that mean something in TypeScript are members and types like others: objects keep their prototype,
// and a type of the machine is none of the schema's.
func TestNames(t *testing.T) {
	node(t)
	const hostile = `protocol names
order msb
max datagram 400
enum Map : uint8 { Constructor = 0
Undefined = 1
Object = 2 }
flags Machine : uint8 { Constructor = 1
Prototype = 2 }
struct Array { __proto__ uint8
length uint8 }
struct Packet { constructor Map
valueof Machine }
struct Object { __proto__ Array
constructor Packet
prototype uint8 }
packet {
    __proto__   Object
    constructor [2]Array
    n           uint8 in 0..3
    prototype   [n]Packet
    if n > 1 { then uint8 }
    class       Map
    function    bytes(rest, max 300)
}
`
	d, err := decode.Load("names.pks", []byte(hostile))
	if err != nil {
		t.Fatal(err)
	}
	b := newBatch(t)
	tried(b, "names", d, 3, 400)
	files, err := filepath.Glob("../gogen/testdata/hostile/*.pks")
	if err != nil || len(files) < 5 {
		t.Fatal(len(files), err)
	}
	for i, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d, err := decode.Load(filepath.Base(file), src)
		if err != nil {
			t.Fatal(err)
		}
		tried(b, filepath.Base(file), d, uint64(i), 100)
	}
	b.hold()
	if b.by["names"] == 0 {
		t.Error("no packet of names is accepted")
	}
	check(t, b.files)
}

// Which type a number has is for the schema to say, at the boundary too.
func TestWide(t *testing.T) {
	for item, want := range map[string]string{
		"bits(53)": "number", "bits(54)": "bigint", "uint64": "bigint", "uint32": "number",
		"sbits(53)": "number", "sbits(54)": "bigint", "int64": "bigint", "varint(53)": "number", "varint(62)": "bigint",
		"int(0..9007199254740991)": "number", "int(0..9007199254740992)": "bigint",
		"int(-9007199254740991..0)": "number", "int(-9007199254740992..0)": "bigint",
		"int(9007199254740990..9007199254740991)": "number", "int(9007199254740991..9007199254740992)": "bigint",
		"float64": "number", "bool": "boolean",
	} {
		source := tsgen.Source(compile(t, "msb", "a "+item).Plan(), "-p x", "x.ts")
		if !strings.Contains(source, "\n  a: "+want+";\n") {
			t.Errorf("%s: want %s", item, want)
		}
	}
}

// What a module says of numbers around the boundary, of text, of floats and of branches.
func TestValues(t *testing.T) {
	node(t)
	b := newBatch(t)
	for i, row := range []struct{ order, items string }{
		{"msb", "a bits(53)\nb bits(54)\nc sbits(54)\nd int(-9007199254740991..9007199254740991)\ne bits(5)\nrest_of bytes(rest, max 300)"},
		{"lsb", "a uint64\nb int64\nc float32\nd float64\ne float(-1..1, 0.01)\nalign\nrest_of bytes(rest, max 300)"},
		{"bousk", "a bits(3)\nb bits(21)\nc bits(33)\nd bits(61)\ne bytes(3)\nf bits(2)\nrest_of bytes(rest, max 300)"},
		{"lsb", "s char(9)\nt cstring(20)\nu bytes(6) le utf16\nv bytes(4) latin1\nw bytes(3) ascii\nrest_of bytes(rest, max 300)"},
		{"msb", "k uint8 in 0..3\nbody switch k { 0: empty\n1: { x uint8 }\n2: { y [2]int16 }\ndefault: { z string(5) } }\nalign\nrest_of bytes(rest, max 300)"},
		{"msb", "n uint8 in 0..9\nl [n]optional uint8\nm [n]{ a bool\nif a { b bits(7) } else { c bits(7) } }\nalign\nrest_of bytes(rest, max 300)"},
		{"lsb", "a bool\nif a { b uint8 } else { b uint16 }\nlet c = b + 1\nrequire c != 7\nalign\nrest_of bytes(rest, max 300)"},
		{"lsb", "q quat smallest3(10)\nv vec3(float32)\nalign\nrest_of bytes(rest, max 300)"},
		{"msb", "name dnsname\nother dnsname\nrest_of bytes(rest, max 300)"},
	} {
		tried(b, fmt.Sprintf("row %d", i), compile(t, row.order, row.items), uint64(i), 300)
	}
	b.hold()
	check(t, b.files)
	if len(b.by) < 9 {
		t.Errorf("of some rows no packet is accepted: %v", b.by)
	}
	t.Logf("%d packets, %d accepted: %v", b.packets, b.accepted, b.by)
}

// A refusal tells of a secret what the decoder tells, which is nothing.
func TestSecrets(t *testing.T) {
	node(t)
	b := newBatch(t)
	for i, items := range []string{
		"n uint8 @secret\ndata bytes(n)",
		"n uint8 @secret\nlist [n]uint16",
		"n uint8 in 1..9 @secret\nx bits(n)\nalign",
		"n uint8 @secret\nlet twice = n * 2\nwithin(twice) { x uint8\nrest_of bytes(rest, max 9) }",
		"s string(20) @secret\nk uint8 in 3..4 @secret",
		"t uint8 @secret\nbody switch t { 1: { a uint8 }\ndefault: empty }",
		"n uint8 @secret\ndata bytes(n)\na uint8 in 0..9",
		"n uint8 @secret\nwithin(n) { t uint8\nbody switch t { 1: { a uint8 } } }",
		"a uint8 @secret\nb uint8\nrequire a < b\nc crc32(over a..b)",
		"l [3]{ a uint8 @secret\nif a > 3 { b uint8 in 1..2 } else { c uint16 } }\nd uint8 in 1..9",
		"a uint8 @secret\nif a > 3 { b uint8 in 1..2\nreserved(8) } else { c uint16 }\nd uint8 == 9",
	} {
		tried(b, fmt.Sprintf("row %d", i), compile(t, "msb", items), uint64(i), 300)
	}
	b.hold()
	t.Logf("%d packets, %d accepted", b.packets, b.accepted)
}

// The messages of a protocol have functions of their own.
func TestMessages(t *testing.T) {
	node(t)
	b, messages := newBatch(t), 0
	for i, name := range protocols.ShippedNames() {
		d := load(t, name)
		for n, section := range d.Sections() {
			if n == 0 {
				b.open(name, d)
			}
			messages++
			message := section.Schema().Message.Name
			for k, data := range packets.Drawn(section, uint64(i), 100) {
				b.add(name+" "+message, "decode"+tsgen.Camel(message), section, data, decode.Direction(k%3))
			}
		}
	}
	b.hold()
	if messages < 3 {
		t.Errorf("only %d messages", messages)
	}
	t.Logf("%d messages, %d packets, %d accepted", messages, b.packets, b.accepted)
}

// A program that uses a module is checked with it: what a packet may lack, a bigint and a name of no case are mistakes.
func TestUse(t *testing.T) {
	node(t)
	b := newBatch(t)
	b.open("use", compile(t, "msb", "id uint64\nn uint8\nif n > 3 { extra uint16 }\nbody switch n { 1: { a uint8 }\ndefault: { b string(9) } }\nmarks [n]int16"))
	write := func(text string) string {
		file := filepath.Join(b.dir, "use.ts")
		if err := os.WriteFile(file, []byte("import { decode } from \"./m0\";\nconst p = decode(new Uint8Array(4), { from: \"client\" });\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	check(t, []string{write(`export function use(): string {
  if (!p.ok) return p.kind === "past-end" ? p.want + p.got : String(p.bit ?? 0);
  const id: bigint = p.value.id, all: number = p.value.marks.reduce((n, m) => n + m, 0) + (p.value.extra ?? 0);
  return String(id) + all + ("a" in p.value.body ? String(p.value.body.a + 1) : p.value.body.b.length) + p.notes.length;
}
`)})
	for _, wrong := range []string{
		"export const x: number = p.value.id;", "if (p.ok) { const x: number = p.value.id; void x; }", "if (p.ok) { const x: number = p.value.extra; void x; }",
		"if (p.ok) void p.value.body.a;", "if (!p.ok) void p.value;", `if (!p.ok && p.kind === "past_end") void p;`,
	} {
		if err := exec.Command(node(t), "testdata/check.cjs", write(wrong)).Run(); err == nil {
			t.Errorf("tsc takes %s", wrong)
		}
	}
}
