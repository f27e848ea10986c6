package tsgen_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema/packets"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/pcap"
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

// compile is the decoder of the items of a packet.
func compile(t testing.TB, order, items string) *decode.Decoder {
	t.Helper()
	d, err := decode.Load("x.pks", []byte("protocol xyz\norder "+order+"\nmax datagram 400\npacket {\n"+items+"\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Of every capture of a built-in and of an example a module says what the decoder and the reference say, also of what a
// flipped bit or a cut makes of its packets.
func TestCaptures(t *testing.T) {
	node(t)
	files, _ := filepath.Glob("../../corpus/*.pcap")
	more, _ := filepath.Glob("../../corpus/examples/*.pcap")
	files = append(files, more...)
	if len(files) < 20 {
		t.Fatalf("only %d captures", len(files))
	}
	if testing.Short() {
		files = []string{"../../corpus/course.pcap", "../../corpus/examples/bfd.pcap"}
	}
	b := newBatch(t)
	for _, file := range files {
		replay(b, file, 1<<20)
	}
	b.hold()
	if len(b.by) < len(files) {
		t.Errorf("of %d captures packets of %d are accepted: %v", len(files), len(b.by), b.by)
	}
	t.Logf("%d captures, %d packets, %d accepted, %d fields", len(files), b.packets, b.accepted, b.fields)
}

// replay adds packets of a capture, and of some what a cut and a flipped bit make of them.
func replay(b *batch, file string, most int) {
	b.t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		b.t.Fatal(err)
	}
	name := strings.TrimSuffix(filepath.Base(file), ".pcap")
	d := load(b.t, name)
	b.open(name, d)
	datagrams := pcap.NewDatagrams(pcap.NewReader(bytes.NewReader(data)))
	for n := range most {
		g, err := datagrams.Next()
		if err != nil {
			break
		}
		from, payload := decode.DirectionOf(d.Schema(), g.Src.Port(), g.Dst.Port()), bytes.Clone(g.Payload)
		b.add(name, "decode", d, payload, from)
		if n%8 == 0 && len(payload) > 0 {
			b.add(name, "decode", d, payload[:(n/8)%len(payload)], from)
			payload[(n/8)%len(payload)] ^= 1 << (n % 7)
			b.add(name, "decode", d, payload, from)
		}
	}
}

// tried adds packets that were drawn for a protocol and for its messages.
func tried(b *batch, name string, d *decode.Decoder, seed uint64, n int) {
	b.open(name, d)
	for i, data := range packets.Drawn(d, seed, n) {
		b.add(name, "decode", d, data, decode.Direction(i%3))
	}
}

// The same of packets that were drawn for every built-in and example, which have what captures have not; and tsc finds
// nothing in their modules.
func TestShipped(t *testing.T) {
	node(t)
	b := newBatch(t)
	for i, name := range protocols.ShippedNames() {
		if testing.Short() && i%8 != 0 {
			continue
		}
		tried(b, name, load(t, name), uint64(i), need.Rounds(400, 100))
	}
	b.hold()
	check(t, b.files)
	t.Logf("%d modules, %d packets, %d accepted, %d fields", len(b.files), b.packets, b.accepted, b.fields)
}

// The same of schemas that were drawn.
func TestAnySchema(t *testing.T) {
	node(t)
	b := newBatch(t)
	for seed, d := range packets.Schemas(need.Rounds(uint64(600), 4)) {
		tried(b, fmt.Sprintf("seed %d", seed), d, seed, 200)
		if len(b.asked) > 20000 {
			b.hold()
			b.remove()
		}
	}
	b.hold()
	check(t, b.files[len(b.files)-min(len(b.files)-b.removed, need.Rounds(40, 2)):])
	t.Logf("%d modules, %d packets, %d accepted, %d fields", len(b.files), b.packets, b.accepted, b.fields)
}

// A module with a mistake is found out, whatever the mistake is.
func TestMistakes(t *testing.T) {
	node(t)
	for i, row := range []struct{ of, is, was string }{
		{"the bits of a fifth byte", "if (s + n > 32) v |= view.getUint8(at + 4) << (32 - s);", ""},
		{"a value that is one too large", "h * P32 + l + leaf.offset :", "h * P32 + l + leaf.offset + 1 :"},
		{"a number that is rounded", "  if (wide) return bigOf(h, l, signed);", ""},
		{"a case without its name", "if (name !== undefined) return name;", ""},
		{"an element that is taken for the one before", "  for (const n of (list.op.node as Place).owned) m.slots[n.id] = undefined;", ""},
		{"a range that lacks its end", "if (less(leaf.span[0], leaf.span[1], h, l)) return", "if (false) return"},
		{"padding of any bits", "if (H === 0 && L === 0) continue;\n    if (any)", "if (H === 0 && L === 0 || kind === \"nonzero-padding\") continue;\n    if (any)"},
		{"the words of what is wanted", "if (H !== set[i][0] || L !== set[i][1]) break;", "break;"},
		{"an end that nobody looks at", "if (left >= 8) return refuseCount(m, \"trailing-bytes\", m.bit, left, left, 0);\n  if (left <= 0)", "if (left <= 0)"},
		{"a checksum that is not compared", "if (h !== H || l !== L) return refuse(m, \"crc-mismatch\"", "if (false) return refuse(m, \"crc-mismatch\""},
	} {
		if i%need.Rounds(1, 4) != 0 {
			continue
		}
		b := newBatch(t)
		b.spoil = func(source string) string {
			if !strings.Contains(source, row.is) {
				t.Fatalf("%s: %q is not in the module", row.of, row.is)
			}
			return strings.ReplaceAll(source, row.is, row.was)
		}
		for _, name := range []string{"rtype", "packets", "gaffer", "quic"} {
			replay(b, "../../corpus/"+name+".pcap", 300)
		}
		tried(b, "numbers", compile(t, "lsb", "a uint64\nb int(0..5)\nalign\nkind uint8 in 0..9\nbody switch kind { 0: empty, 1: { c uint8 }, 5: { d uint16 } }\nrest_of bytes(rest, max 300)"), 1, 400)
		b.hold()
		if b.failed == 0 {
			t.Errorf("%s: not seen in %d packets", row.of, b.packets)
		}
	}
}
