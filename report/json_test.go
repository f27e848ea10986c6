package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/report/scan"
)

// strict reads one JSON value and refuses what encoding/json lets pass: keys that repeat.
func strict(dec *json.Decoder) error {
	tok, err := dec.Token()
	if err != nil {
		return err
	}
	open, ok := tok.(json.Delim)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for dec.More() {
		if open == '{' {
			key, err := dec.Token()
			if err != nil {
				return err
			}
			name := key.(string)
			if seen[name] {
				return fmt.Errorf("key %q repeats", name)
			}
			seen[name] = true
		}
		if err := strict(dec); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return err
}

// checkJSON refuses anything but one strict object and a newline.
func checkJSON(t *testing.T, line []byte) {
	t.Helper()
	if !bytes.HasSuffix(line, []byte("}\n")) || bytes.IndexByte(line, '\n') != len(line)-1 || !json.Valid(line) {
		t.Fatalf("no JSON line: %q", line)
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	if err := strict(dec); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	if _, err := dec.Token(); err != io.EOF {
		t.Fatalf("more than one value in %s", line)
	}
}

// rows are a body of a packet in order msb, a payload, and the line from "verdict" on.
var jsonRows = []struct{ name, decls, body, payload, want string }{
	{"out of range", "", "a uint8 in 0..3\n b uint8", "04 01",
		`"verdict":"reject","reject":{"kind":"out-of-range","path":"a","bit":0,"width":8,"want":"0..3","got":"4","message":"want 0..3 in 8 bits, got 4"},"fields":{},"rest":"0401"}`},
	{"past the end", "", "a uint8\n b uint16", "04 01",
		`"verdict":"reject","reject":{"kind":"past-end","path":"b","bit":8,"width":16,"want":"16","got":"8","message":"want 16 bits, got 8 left"},"fields":{"a":4},"rest":"01"}`},
	{"past the very end", "", "a uint8\n b uint16", "04",
		`"verdict":"reject","reject":{"kind":"past-end","path":"b","bit":8,"width":16,"want":"16","got":"0","message":"want 16 bits, got 0 left"},"fields":{"a":4},"rest":""}`},
	{"rest begins at the failing bit's byte", "", "a bits(4)\n b bits(12) in 0..3", "ab cd",
		`"verdict":"reject","reject":{"kind":"out-of-range","path":"b","bit":4,"width":12,"want":"0..3","got":"3021","message":"want 0..3 in 12 bits, got 3021"},"fields":{"a":10},"rest":"abcd"}`},
	{"inside an array", "", "n uint8 in 0..3\n list [n]{ x uint8 in 0..9 }", "02 01 0a",
		`"verdict":"reject","reject":{"kind":"out-of-range","path":"list[1].x","bit":16,"width":8,"want":"0..9","got":"10","message":"want 0..9 in 8 bits, got 10"},"fields":{"n":2,"list":[{"x":1}]},"rest":"0a"}`},
	{"first element", "", "n uint8 in 0..3\n list [n]uint8", "02",
		`"verdict":"reject","reject":{"kind":"past-end","path":"list[0]","bit":8,"width":8,"want":"8","got":"0","message":"want 8 bits, got 0 left; 2 elements announced"},"fields":{"n":2,"list":[]},"rest":""}`},
	{"trailing bytes", "", "a uint8", "01 02 03",
		`"verdict":"reject","reject":{"kind":"trailing-bytes","path":"","bit":8,"width":16,"want":"0","got":"16","message":"want 0 bits, got 16 left"},"fields":{"a":1},"rest":"0203"}`},
	{"nothing", "", "list [0]uint8", "", `"verdict":"accept","fields":{"list":[]}}`},
	{"integers", "", "a uint8\n b int8\n c int(-5..250)", "ff ff ff", `"verdict":"accept","fields":{"a":255,"b":-1,"c":250}}`},
	{"53 bits", "", "a bits(53)\n reserved(3)", "ffffffffffff f8", `"verdict":"accept","fields":{"a":9007199254740991}}`},
	{"54 bits", "", "a bits(54)\n reserved(2)", "00000000000000", `"verdict":"accept","fields":{"a":"0"}}`},
	{"53 bits with a sign", "", "a sbits(53)\n reserved(3)", "80000000000000", `"verdict":"accept","fields":{"a":-4503599627370496}}`},
	{"54 bits with a sign", "", "a sbits(54)\n reserved(2)", "fffffffffffffc", `"verdict":"accept","fields":{"a":"-1"}}`},
	{"64 bits", "", "a uint64\n b int64", "ffffffffffffffff ffffffffffffffff", `"verdict":"accept","fields":{"a":"18446744073709551615","b":"-1"}}`},
	{"a rule does not make a type narrow", "", "a uint64 in 0..9", "0000000000000001", `"verdict":"accept","fields":{"a":"1"}}`},
	{"bools", "", "a bool8\n b bool\n c bool\n reserved(6)", "01 40", `"verdict":"accept","fields":{"a":true,"b":false,"c":true}}`},
	{"enum", "open enum E : uint8 { One = 1, Two = 2 }\n", "a E\n b E", "02 07",
		`"verdict":"accept","notes":[{"kind":"unlisted-value","path":"b","bit":8,"message":"E does not list 7"}],"fields":{"a":"Two","b":7}}`},
	{"enum with negative values", "enum E : int8 { Low = -2, High = 1 }\n", "a E\n b E", "fe 01", `"verdict":"accept","fields":{"a":"Low","b":"High"}}`},
	{"enum over a range", "enum E : int(10..20) { Ten = 10, Top = 20 }\n", "a E\n b E", "0a", `"verdict":"accept","fields":{"a":"Ten","b":"Top"}}`},
	{"flags", "open flags F : uint8 { A = 1, B = 2, D = 8 }\n", "a F\n b F\n c F", "00 03 02",
		`"verdict":"accept","fields":{"a":[],"b":["A","B"],"c":["B"]}}`},
	{"flags with bits that are nobody's", "open flags F : uint8 { A = 1 }\n", "a F", "81",
		`"verdict":"accept","notes":[{"kind":"unlisted-value","path":"a","bit":0,"message":"F does not list 0x80"}],"fields":{"a":{"value":["A"],"raw":"129"}}}`},
	{"floats", "", "a float32\n b float32\n c float64\n d float64", "3dcccccd 80000000 3fb999999999999a 7fefffffffffffff",
		`"verdict":"accept","fields":{"a":0.1,"b":-0,"c":0.1,"d":1.7976931348623157e+308}}`},
	{"floats that are no numbers", "", "a float32\n b float32\n c float32\n d float64", "7f800000 ff800000 7fc00000 7ff8000000000000",
		`"verdict":"accept","fields":{"a":"Infinity","b":"-Infinity","c":"NaN","d":"NaN"}}`},
	{"NaN payloads", "", "a float32\n b float64", "7fc00001 fff8000000000000",
		`"verdict":"accept","fields":{"a":{"value":"NaN","raw":"2143289345"},"b":{"value":"NaN","raw":"18444492273895866368"}}}`},
	{"bytes", "", "a bytes(3)\n b bytes(0)", "00 ff 1b", `"verdict":"accept","fields":{"a":"00ff1b","b":""}}`},
	{"@text changes nothing", "", "a bytes(2) @text", "68 69", `"verdict":"accept","fields":{"a":"6869"}}`},
	{"text", "", "a char(8)", "22 5c 1b 0a e2 80 ae 00", `"verdict":"accept","fields":{"a":"\"\\\u001b\n\u202e"}}`},
	{"text beyond 16 bits", "", "a char(8)", "f0 9f 98 80 f3 a0 80 81", `"verdict":"accept","fields":{"a":"😀\udb40\udc01"}}`},
	{"text that is not UTF-8", "", "a char(4)", "68 ff 69 00", `"verdict":"accept","fields":{"a":{"value":"h` + "\ufffd" + `i","raw":"68ff6900"}}}`},
	{"empty arm", "", "t uint8\n body switch t { 1: empty, default: { x uint8 } }", "01", `"case":"1","bits":8,"verdict":"accept","fields":{"t":1}}`},
	{"empty struct", "", "t { require 1 == 1 }", "", `"verdict":"accept","fields":{"t":{}}}`},
	{"no field for what has no name", "", "reserved(8) any\n check 0x01020304\n a uint8", "01 01020304 05",
		`"verdict":"accept","notes":[{"kind":"ignored-bits","path":"","bit":0,"message":"want 0, ignored 0x1"}],"fields":{"a":5}}`},
	{"secrets", "", "a uint8\n k bytes(3) @secret\n s { x uint8\n y [2]uint8 } @secret\n l [2]uint8 @secret\n e bool @secret\n reserved(7)", "01 aaaaaa bb cccc dddd 80",
		`"verdict":"accept","fields":{"a":1,"k":"‹secret 3 B›","s":"‹secret 3 B›","l":"‹secret 2 B›","e":"‹secret 1 B›"}}`},
	{"a secret refused", "", "a uint8\n k uint16 in 0..9 @secret", "01 aaaa",
		`"verdict":"reject","reject":{"kind":"out-of-range","path":"k","bit":8,"width":16,"want":"0..9","got":"‹secret 2 B›","message":"want 0..9 in 16 bits, got ‹secret 2 B›"},"fields":{"a":1},"rest":"‹secret 2 B›"}`},
	{"a secret of which nothing is left", "", "a uint8\n k uint16 @secret", "01",
		`"verdict":"reject","reject":{"kind":"past-end","path":"k","bit":8,"width":16,"want":"16","got":"0","message":"want 16 bits, got 0 left"},"fields":{"a":1},"rest":""}`},
	{"a secret that shares the byte", "", "k bits(4) @secret\n a bits(4) in 0..3", "a4",
		`"verdict":"reject","reject":{"kind":"out-of-range","path":"a","bit":4,"width":4,"want":"0..3","got":"4","message":"want 0..3 in 4 bits, got 4"},"fields":{"k":"‹secret 1 B›"},"rest":"‹secret 1 B›"}`},
	{"a secret between tag and switch", "", "t uint8\n k bytes(2) @secret\n body switch t { 1: empty }", "02 aaaa",
		`"case":"2","bits":24,"verdict":"reject","reject":{"kind":"unknown-case","path":"body","bit":0,"width":8,"want":"1","got":"2","message":"want 1 in 8 bits, got 2"},"fields":{"t":2,"k":"‹secret 2 B›"},"rest":"‹secret 3 B›"}`},
	{"after the last secret", "", "k bytes(1) @secret\n a uint8 in 0..3", "aa 04",
		`"verdict":"reject","reject":{"kind":"out-of-range","path":"a","bit":8,"width":8,"want":"0..3","got":"4","message":"want 0..3 in 8 bits, got 4"},"fields":{"k":"‹secret 1 B›"},"rest":"04"}`},
	{"a tag that is a secret", "enum E : uint8 { One = 1 }\n", "t E @secret\n body switch t { One: empty }", "01",
		`"case":"‹secret›","bits":8,"verdict":"accept","fields":{"t":"‹secret 1 B›","body":"‹secret›"}}`},
}

func TestJSON(t *testing.T) {
	for _, row := range jsonRows {
		t.Run(row.name, func(t *testing.T) {
			p := compile(t, "protocol t\norder msb\n"+row.decls+"packet {\n"+row.body+"\n}\n")
			got := NewJSON(p).Append(nil, packet(t, p, row.payload))
			checkJSON(t, got)
			if !strings.HasSuffix(string(got), row.want+"\n") {
				t.Errorf("got  %swant …%s", got, row.want)
			}
			rightValues(t, packet(t, p, row.payload), got)
		})
	}
}

// rightValues holds a reader that gives what JSON shows for right, but for secrets, which JSON does not have.
func rightValues(t *testing.T, pkt *scan.Packet, line []byte) {
	t.Helper()
	if bytes.Contains(line, []byte("‹secret")) {
		return
	}
	var shown struct{ Fields json.RawMessage }
	if err := json.Unmarshal(line, &shown); err != nil {
		t.Fatal(err)
	}
	for _, w := range oracle.CompareFields(pkt.Trace, shown.Fields) {
		t.Errorf("a reader that gives %s would have a wrong value: %s: %s", shown.Fields, w.Path, w.What)
	}
}

func TestJSONOfSeedsIsRight(t *testing.T) {
	for _, name := range corpus.Protocols() {
		d, err := protocols.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		var trace decode.Trace
		for _, seed := range corpus.Seeds(name) {
			_ = d.Decode(seed.Data, fuzz.Sender(seed.From), &trace)
			pkt := &scan.Packet{Envelope: decode.Envelope{N: 1}, Trace: &trace}
			rightValues(t, pkt, NewJSON(d.Plan()).Append(nil, pkt))
		}
	}
}

func TestJSONEnvelope(t *testing.T) {
	p := compile(t, "protocol t\norder msb\nenum E : uint8 { One = 1 }\npacket { t E\n body switch t { One: empty } }\n")
	pkt := packet(t, p, "01")
	pkt.LengthMismatch = true
	want := `{"schema_version":1,"n":3,"file":"a.pcap","time":"2026-01-02T14:07:21.503000000Z","src":"10.0.0.3:53471","dst":"10.0.0.1:4124","direction":"client","protocol":"t","case":"One","bits":8,"verdict":"accept","notes":[{"kind":"length-mismatch","path":"","bit":0,"message":"the UDP length disagrees with the IP length; the shorter one counts"}],"fields":{"t":"One"}}` + "\n"
	if got := string(NewJSON(p).Append(nil, pkt)); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	// What the capture does not know is left out.
	pkt.File, pkt.Time, pkt.LengthMismatch = "", 0, false
	want = `{"schema_version":1,"n":3,"src":"10.0.0.3:53471","dst":"10.0.0.1:4124","direction":"client","protocol":"t","case":"One","bits":8,"verdict":"accept","fields":{"t":"One"}}` + "\n"
	if got := string(NewJSON(p).Append(nil, pkt)); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}

// A datagram that the capture cut is not refused: no reject, no rest.
func TestJSONCut(t *testing.T) {
	p := compile(t, countSchema)
	pkt := packet(t, p, "02 01")
	pkt.Cut = true
	got := string(NewJSON(p).Append(nil, pkt))
	if want := `"verdict":"cut","fields":{"n":2,"list":[1]}}` + "\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got %swant …%s", got, want)
	}
}

// A packet can earn more notes than there is room for: how many is a key of its own, right after them.
func TestJSONNotesLeft(t *testing.T) {
	p := compile(t, "protocol t\norder msb\nopen enum E : uint8 { One = 1 }\npacket { list [rest, max 200]E }\n")
	for _, row := range []struct {
		odd, length int // unlisted values; length: the UDP length is odd too
		notes       int
		want        string
	}{
		{0, 0, 0, `"verdict":"accept","fields":{`},
		{32, 0, 32, `"message":"E does not list 7"}],"fields":{`},
		{33, 0, 32, `"message":"E does not list 7"}],"notes_left":1,"fields":{`},
		{200, 0, 32, `"message":"E does not list 7"}],"notes_left":168,"fields":{`},
		{200, 1, 33, `"message":"E does not list 7"}],"notes_left":168,"fields":{`},
	} {
		pkt := decoded(p, bytes.Repeat([]byte{7}, row.odd))
		pkt.LengthMismatch = row.length == 1
		got := NewJSON(p).Append(nil, pkt)
		checkJSON(t, got)
		if !bytes.Contains(got, []byte(row.want)) || bytes.Count(got, []byte(`"kind":`)) != row.notes {
			t.Errorf("%d notes: got %s", row.odd, got)
		}
	}
}

// A file name is the user's, but a directory can be somebody else's.
func TestJSONFileName(t *testing.T) {
	p := compile(t, countSchema)
	pkt := packet(t, p, "00")
	pkt.File = "a\x1b[2J\xff\".pcap"
	got := NewJSON(p).Append(nil, pkt)
	checkJSON(t, got)
	if want := `"file":"a\u001b[2J` + "\ufffd" + `\".pcap"`; !strings.Contains(string(got), want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
}

// samples are payloads of the built-in rtype, whose secret is made of the byte 0xa5, and whose text is made of 0x1b.
func samples() [][]byte {
	head := func(kind byte, more ...byte) []byte {
		return append([]byte{0, kind, 0, 1, 0, 0, 1, 0x8b, 0xcf, 0xe5, 0x68, 0}, more...)
	}
	join := append(bytes.Repeat([]byte{0xa5}, 32), 1, 'R', 'O', 'O', 'M', '1', 0)
	nack := append([]byte("\x1b[2J\xe2\x80\xae\xff"), make([]byte, 56)...)
	player := []byte{1, 0, 2, 0, 3, 100, 1, 0, 9, 6}
	snapshot := append([]byte{2}, append(append(append([]byte{}, player...), player...), 1, 0, 7, 0xff, 0, 1, 0, 2, 0, 0)...)
	return [][]byte{head(1), head(0x10, join...), head(0x12, nack...), head(0x40, snapshot...), head(0x61, 0, 0x15, 0, 9)}
}

// hostile yields every sample, cut at every byte and with every bit flipped.
func hostile(each func([]byte)) {
	for _, s := range samples() {
		for n := range len(s) + 1 {
			each(s[:n:n])
		}
		for bit := range 8 * len(s) {
			b := bytes.Clone(s)
			b[bit/8] ^= 1 << (bit % 8)
			each(b)
		}
		each(append(bytes.Clone(s), 0xff))
	}
}

// Whatever arrives, a line of JSON is strict JSON; it is obeyed by no terminal; and nothing of a token shows.
func TestJSONHostile(t *testing.T) {
	need.OneGoroutine(t)
	p := builtin(t, "rtype")
	j := NewJSON(p)
	var b []byte
	refused := 0
	hostile(func(payload []byte) {
		pkt := decoded(p, payload)
		if pkt.Verdict() == decode.Refused {
			refused++
		}
		b = j.Append(b[:0], pkt)
		checkJSON(t, b)
		harmless(t, b[:len(b)-1])
		secretive(t, pkt, b)
	})
	if refused == 0 {
		t.Error("no packet was refused")
	}
}

// harmless refuses text that a terminal obeys.
func harmless(t *testing.T, b []byte) {
	t.Helper()
	for _, r := range string(b) {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' {
			t.Fatalf("%q holds %U", b, r)
		}
	}
	if bytes.Contains(b, []byte("##[")) {
		t.Fatalf("%q is a command to a CI system", b)
	}
}

// secretive refuses a token that shows. A flipped bit in the type makes a packet of another case, in which these bytes
// are no token.
func secretive(t *testing.T, p *scan.Packet, b []byte) {
	t.Helper()
	const joinGame = 0x10
	if p.Trace.HasTag && p.Trace.Tag != joinGame {
		return
	}
	if bytes.Contains(bytes.ToLower(b), []byte("a5a5")) || bytes.Contains(b, []byte("a5 a5")) {
		t.Fatalf("% x shows its token: %s", p.Trace.Payload, b)
	}
}

// The renderer allocates nothing of its own: no more than the walk that it reads.
func TestJSONAllocates(t *testing.T) {
	p := builtin(t, "rtype")
	j := NewJSON(p)
	for _, s := range samples()[:4] {
		pkt := decoded(p, s)
		b := j.Append(nil, pkt)
		none := func(*decode.Event) bool { return true }
		walk := testing.AllocsPerRun(100, func() { pkt.Trace.Walk()(none) })
		if got := testing.AllocsPerRun(100, func() { b = j.Append(b[:0], pkt) }); got > walk {
			t.Errorf("%d bytes: %v allocations, the walk alone has %v", len(s), got, walk)
		}
	}
}

func FuzzRenderers(f *testing.F) {
	for _, s := range samples() {
		f.Add(s)
	}
	p := builtin(f, "rtype")
	j, x := NewJSON(p), NewText(p, TextOptions{})
	f.Fuzz(func(t *testing.T, payload []byte) {
		pkt := decoded(p, payload)
		b := j.Append(nil, pkt)
		checkJSON(t, b)
		harmless(t, b[:len(b)-1])
		b = x.AppendLine(nil, pkt)
		harmless(t, b[:len(b)-1])
		for _, line := range bytes.Split(x.AppendTree(nil, pkt), []byte("\n")) {
			harmless(t, line)
		}
	})
}

func BenchmarkJSON(b *testing.B) {
	p := builtin(b, "rtype")
	j := NewJSON(p)
	pkt := decoded(p, samples()[3])
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		out = j.Append(out[:0], pkt)
	}
	b.SetBytes(int64(len(out)))
}

// What is found on the way: a signed number of changing width, optional elements that are not there.
func TestJSONOfVariableThings(t *testing.T) {
	p := compile(t, "protocol t\norder msb\npacket {\nn bits(4) in 1..8\na sbits(n)\nl [3]optional bits(3)\nreserved(1)\ns string(16)\n}\n")
	// 4: n = 4; 15: a = -1; 1 and 5, 0, 0 and a gap; length 1 and padding; "x"
	pkt := packet(t, p, "4f d0 20 78")
	b := NewJSON(p).Append(nil, pkt)
	checkJSON(t, b)
	if want := `"fields":{"n":4,"a":-1,"l":[5,null,null],"s":"x"}`; !bytes.Contains(b, []byte(want)) {
		t.Errorf("got %s, want %s", b, want)
	}
}

// Leaves beside each other give the text that they give one by one, the first time and from what was kept.
func TestJSONBesideAnySchema(t *testing.T) {
	need.OneGoroutine(t)
	together := 0
	for seed := range need.Rounds[uint64](300, 80) {
		s, _ := schema.Load("any.pks", []byte(anyschema.Source(anyschema.Seeded(seed), 3+int(seed)%30)), nil)
		if s == nil {
			continue
		}
		p, _ := plan.Compile(s)
		if p == nil {
			continue
		}
		j, single := NewJSON(p), NewJSON(p)
		single.beside = nil
		packets, _ := anyPackets(p, seed)
		for _, data := range slices.Concat(packets, packets) {
			pkt := decoded(p, data)
			if got, want := string(j.Append(nil, pkt)), string(single.Append(nil, pkt)); got != want {
				t.Fatalf("seed %d, %x: got %s, want %s", seed, data, got, want)
			}
		}
		together += len(j.leaf.kept)
	}
	if together < need.Rounds(500, 100) {
		t.Errorf("only %d texts were kept", together)
	}
}
