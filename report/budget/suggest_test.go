package budget

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

func suggested(list []Suggestion) map[string]Suggestion {
	out := map[string]Suggestion{}
	for _, s := range list {
		out[s.Field] = s
	}
	return out
}

// rewritten is the packets as the tightened schema has them, decoded again and counted.
func rewritten(t *testing.T, from, to *plan.Plan, packets []captured) (*Budget, []captured) {
	t.Helper()
	var out []captured
	r, d := NewRewriter(from, to), decode.New(from)
	var trace, again decode.Trace
	tight := decode.New(to)
	for i := range packets {
		c := packets[i]
		if d.Decode(c.payload, c.from, &trace) != nil || c.Cut {
			continue
		}
		payload, err := r.Append(nil, &trace)
		if err != nil {
			t.Fatalf("packet %d: %v", c.N, err)
		}
		if err := tight.Decode(payload, c.from, &again); err != nil {
			t.Fatalf("packet %d: rewritten, it is refused: %v", c.N, err)
		}
		sameValues(t, &trace, &again)
		c.payload = payload
		out = append(out, c)
	}
	return counted(to, out, 0), out
}

// sameValues: the same leaves with the same values, the same texts.
func sameValues(t *testing.T, a, b *decode.Trace) {
	t.Helper()
	type value struct {
		path  string
		value uint64
		data  string
	}
	all := func(t *decode.Trace) (out []value) {
		for ev := range t.Walk() {
			if ev.Kind != decode.Leaf && ev.Kind != decode.Blob && ev.Kind != decode.Item {
				continue
			}
			if ev.Leaf >= 0 && t.Plan.Info[ev.Leaf].Let != nil {
				continue // it follows, from the length too
			}
			v := value{path: string(t.AppendEventPath(nil, ev)), data: string(ev.Data)}
			if ev.Leaf >= 0 && t.Plan.Info[ev.Leaf].Kind != plan.LeafChecksum {
				v.value = t.Plan.Info[ev.Leaf].Value(ev.Raw, int(t.Plan.Leaves[ev.Leaf].Width))
			}
			out = append(out, v)
		}
		return out
	}
	x, y := all(a), all(b)
	if len(x) != len(y) {
		t.Fatalf("%d fields became %d", len(x), len(y))
	}
	for i := range x {
		if x[i] != y[i] {
			t.Fatalf("%+v became %+v", x[i], y[i])
		}
	}
}

// fieldBits is what the fields take, without alignment and the rest of the last byte.
func fieldBits(b *Budget) uint64 {
	n := uint64(0)
	for _, f := range b.Fields() {
		if f.Class != Padding && f.Path != "(masked)" { // which has padding in it
			n += f.Bits
		}
	}
	return n
}

// The session's coordinates take 16 bits and need 12, its enums fewer: budget finds both, and the schema with all it
// suggests carries the same values in exactly as many bits less as it promised, each alone and all together.
func TestSessionSavesWhatWasPromised(t *testing.T) {
	if testing.Short() {
		t.Skip("it counts a session under each suggestion")
	}
	p := builtIn(t, "rtype")
	packets := capture(t, p, session)
	b := counted(p, packets, 0)
	list := b.Suggestions()
	by := suggested(list)
	for field, want := range map[string]struct {
		text string
		bits uint64 // saved each time
	}{
		"PlayerState.x":         {"int(0..4095)", 4},
		"PlayerState.y":         {"int(0..4095)", 4},
		"MissileState.x":        {"int(0..4095)", 4},
		"MissileState.y":        {"int(0..4095)", 4},
		"EnemyState.x":          {"int(0..4095)", 4},
		"EnemyState.y":          {"int(0..4095)", 4},
		"PlayerState.alive":     {"bool", 7},
		"PlayerState.health":    {"int(0..100)", 1},
		"Snapshot.player_count": {"int(0..MaxPlayers)", 5},
		"enum MessageType":      {"bits(8)", 8},
		"flags InputKeys":       {"bits(5)", 11},
	} {
		s, ok := by[field]
		if !ok || s.Text != want.text || s.Saved != want.bits*s.Times || s.Times == 0 {
			t.Errorf("%s: got %+v, want %s that saves %d bits each time", field, s, want.text, want.bits)
		}
	}
	for _, never := range []string{"sequence_num", "PlayerInput.sequence_num", "PlayerState.last_acked_input_seq", "PlayerState.id", "JoinGame.token"} {
		if s, ok := by[never]; ok {
			t.Errorf("suggested %s", s.Declaration())
		}
	}
	if s := by["timestamp"]; s.Text != "bits(42)" || !s.Advice {
		t.Errorf("the clock: got %+v, want bits(42) as advice", s)
	}
	if f := fieldOf(t, b, "timestamp"); f.Width != 64 || bits.Len64(1_700_000_020_007) != 41 || f.Most != "1700000020007" {
		t.Errorf("timestamp: %+v", f)
	}
	promise := uint64(0)
	for i, s := range list {
		_, tight, err := b.Apply(list[i : i+1])
		if err != nil {
			t.Fatalf("%s: %v", s.Declaration(), err)
		}
		after, _ := rewritten(t, p, tight, packets)
		want := Saved(list[i : i+1])
		if saved := fieldBits(b) - fieldBits(after); saved != want || (want == 0) != s.Advice {
			t.Errorf("%s: saved %d bits, promised %d", s.Declaration(), saved, want)
		}
		promise += want
	}
	text, tight, err := b.Apply(list)
	if err != nil {
		t.Fatal(err)
	}
	again := compile(t, "tight.pks", string(text))
	if len(again.Steps) != len(tight.Steps) {
		t.Error("the text is not what was compiled")
	}
	after, _ := rewritten(t, p, again, packets)
	if saved := fieldBits(b) - fieldBits(after); saved != promise || saved != Saved(list) {
		t.Errorf("all together saved %d bits, promised %d, in sum %d", saved, Saved(list), promise)
	}
	// Of a missile's 56 bits 24 are ids, of an enemy's 64 bits 16: these are never narrowed, and with them it was a fifth.
	if a, z := after.Total().Bytes, b.Total().Bytes; 100*a > 84*z {
		t.Errorf("%d bytes became %d: want a sixth less", z, a)
	}
	if more := after.Suggestions(); Saved(more) != 0 {
		t.Errorf("the tightened schema is tightened again: %s", more[0].Declaration())
	}
}

// packetOf are 200 packets of so many bytes; set makes each.
func packets200(size int, set func(i int, b []byte)) []captured {
	var payloads [][]byte
	for i := range 200 {
		b := make([]byte, size)
		set(i, b)
		payloads = append(payloads, b)
	}
	return packetsOf(payloads...)
}

func TestWhatIsSuggested(t *testing.T) {
	small := func(i int, b []byte) { b[0], b[1], b[2], b[3] = 0, 0, 0, byte(i%20) }
	for _, row := range []struct {
		name, fields string
		size         int
		set          func(i int, b []byte)
		want         string // of field x; "" for none
	}{
		{"seen", "x uint32", 4, small, "bits(6)|int(0..63)"},
		{"one more value would need another bit", "x uint32", 4, func(i int, b []byte) { b[3] = byte(i % 33) }, "int(0..127)"},
		{"all zero", "x uint16", 2, func(int, []byte) {}, "int(0..1) ?"},
		{"the upper half is used", "x uint8", 1, func(i int, b []byte) { b[0] = byte(i) }, ""},
		{"signed", "x int32", 4, small, "sbits(7)"},
		{"signed, below zero", "x int16", 2, func(i int, b []byte) { b[0], b[1] = 0xff, byte(-1-i%20) }, "sbits(7)"},
		{"sequence", "x uint32 @seq", 4, small, ""},
		{"id", "x_id uint32", 4, small, ""},
		{"a clock that began with the capture", "x uint32 @time(ms)", 4, small, ""},
		{"a clock that has room for a year", "x uint32 @time(s)", 4, small, "bits(25) ?"},
		{"a clock of the epoch", "x uint64 @time(ms)", 8, func(i int, b []byte) { b[2], b[3], b[7] = 1, 0x9c, byte(i) }, "bits(42) ?"},
		{"a signed clock", "x int32 @time(s)", 4, small, ""},
		{"a clock with the author's range", "x int(0..65535) @time(ms)", 2, func(i int, b []byte) { b[1] = byte(i % 20) }, ""},
		{"secret", "x uint32 @secret", 4, small, ""},
		{"read by an expression", "x uint32\n    if x == 300 { y uint8 }", 4, small, ""},
		{"in a window", "n uint8 == 4\n    within(n) { x uint32 }", 5, func(i int, b []byte) { b[0], b[4] = 4, byte(i%20) }, ""},
		{"the author's range", "x int(0..65535)", 2, func(i int, b []byte) { b[1] = byte(i % 20) }, "int(0..63) ?"},
		{"the author's range, used", "x int(0..255)", 1, func(i int, b []byte) { b[0] = byte(i) }, ""},
		{"the author's range, not from 0", "x int(100..65635)", 2, func(i int, b []byte) { b[1] = byte(i % 20) }, "int(100..255) ?"},
		{"the author's range, below 0", "x int(-32768..32767)", 2, func(i int, b []byte) { b[0], b[1] = 0x80, byte(i%20) }, "int(-64..63) ?"},
		{"the author's range, secret", "x int(0..65535) @secret", 2, func(i int, b []byte) {}, ""},
		{"the author's float", "x float(-500..500, 0.1)\n    y bits(2)", 2, func(i int, b []byte) { b[0], b[1] = 0x4e, 0x20|byte(i%4)<<2 }, "float(-1..1, 0.1) ?"},
		{"a rule", "x uint32 in 0..1000", 4, small, "int(0..1000)"},
		{"a rule below zero", "x int8 in -3..4", 1, func(i int, b []byte) { b[0] = byte(i % 5) }, "int(-3..4)"},
		{"a rule with holes", "x uint8 in {1, 3..5}", 1, func(i int, b []byte) { b[0] = 3 }, "int(1..5)"},
		{"a constant", "x uint8 == 7", 1, func(i int, b []byte) { b[0] = 7 }, ""},
		{"not zero", "x uint32 != 0", 4, func(i int, b []byte) { b[3] = byte(1 + i%20) }, "int(0..63)"},
		{"bool8", "x bool8", 1, func(i int, b []byte) { b[0] = byte(i % 2) }, "bool"},
		{"sized by a field", "n bits(4)\n    x bits(n)", 3, func(i int, b []byte) { b[0], b[2] = 0xf0, byte(i%5)<<5 }, ""},
		{"byte order", "x uint32 le", 4, func(i int, b []byte) { b[0] = byte(i % 20) }, "int(0..63)"},
		{"small but for one", "x uint32", 4, func(i int, b []byte) {
			if b[3] = byte(i % 20); i == 77 {
				b[0] = 0x80
			}
		}, "varint(32)"},
		{"a varint of large values", "x varint(32)", 5, func(i int, b []byte) { b[0], b[1], b[2], b[3], b[4] = 0x80, 0x80, 0x80, 0x80, 0x04 }, "bits(32)"},
		{"a float", "x float32", 4, func(i int, b []byte) { putFloat(b, float32(i)/2) }, "float(0..256, 0.001) ?"},
		{"a float that is huge", "x float32", 4, func(i int, b []byte) { putFloat(b, float32(i)*1e30) }, ""},
		{"a float that is none", "x float32", 4, func(i int, b []byte) { putFloat(b, float32(math.NaN())) }, ""},
		{"an array", "x [2]uint16", 4, small, "int(0..63)"},
		{"a vector", "x vec2(uint16)", 4, small, "int(0..63)"},
		{"a vector's rule", "x vec2(uint8) in 1..2", 2, func(i int, b []byte) { b[0], b[1] = 1, 2 }, "int(1..2)"},
		{"optional", "x optional uint16\n    y bits(7)", 3, func(i int, b []byte) { b[0] = 0x80 }, "int(0..1) ?"},
		{"in a list to the end", "x [rest, max 9]uint16", 4, small, ""},
		{"before a checksum on a byte", "x uint32\n    crc crc32", 8, nil, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := compile(t, "a.pks", "protocol a\norder msb\npacket {\n    "+row.fields+"\n}\n")
			var packets []captured
			if row.set == nil {
				packets = checksummed(t, p)
			} else {
				packets = packets200(row.size, row.set)
			}
			b := counted(p, packets, 0)
			if b.Packets() != 200 {
				t.Fatalf("%d packets were accepted", b.Packets())
			}
			got := ""
			list := b.Suggestions()
			for _, s := range list {
				if strings.HasPrefix(s.Field, "x") {
					if got = s.Text; s.Advice {
						got += " ?"
					}
				}
			}
			if got != row.want && !strings.HasSuffix(row.want, "|"+got) || got == "" && row.want != "" {
				t.Fatalf("got %q, want %q", got, row.want)
			}
			_, tight, err := b.Apply(list)
			if err != nil {
				t.Fatal(err)
			}
			after, _ := rewritten(t, p, tight, packets)
			if saved := fieldBits(b) - fieldBits(after); saved != Saved(list) {
				t.Errorf("saved %d bits, promised %d", saved, Saved(list))
			}
		})
	}
}

func putFloat(b []byte, f float32) {
	n := math.Float32bits(f)
	b[0], b[1], b[2], b[3] = byte(n>>24), byte(n>>16), byte(n>>8), byte(n)
}

func checksummed(t *testing.T, p *plan.Plan) []captured {
	t.Helper()
	var payloads [][]byte
	for i := range 200 {
		b := make([]byte, 8)
		b[3] = byte(i % 20)
		seal := p.Checksums[0].Seal(32, 0, nil)
		sum := seal.Sum(b)
		b[4], b[5], b[6], b[7] = byte(sum>>24), byte(sum>>16), byte(sum>>8), byte(sum)
		payloads = append(payloads, b)
	}
	return packetsOf(payloads...)
}

// Few values say nothing.
func TestFewValuesSuggestNothing(t *testing.T) {
	p := compile(t, "a.pks", "protocol a\norder msb\npacket { x uint32 }\n")
	for _, n := range []int{1, minSeen - 1, minSeen} {
		var payloads [][]byte
		for range n {
			payloads = append(payloads, []byte{0, 0, 0, 1})
		}
		if got := len(counted(p, packetsOf(payloads...), 0).Suggestions()); (got == 1) != (n == minSeen) {
			t.Errorf("%d values: %d suggestions", n, got)
		}
	}
}

// The other built-ins' suggestions hold too, and their packets survive being written again.
func TestBuiltInsAreRewritten(t *testing.T) {
	for name, file := range captures {
		p := builtIn(t, name)
		packets := capture(t, p, file)
		b := counted(p, packets, 0)
		list := b.Suggestions()
		text, tight, err := b.Apply(list)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		after, _ := rewritten(t, p, tight, packets)
		if saved := fieldBits(b) - fieldBits(after); saved != Saved(list) {
			t.Errorf("%s: saved %d bits, promised %d", name, saved, Saved(list))
		}
		if len(list) == 0 && !bytes.Equal(text, p.Schema.File.Src) {
			t.Errorf("%s: nothing is suggested, but the text is another", name)
		}
	}
}

// What an imported file declares is advice, whatever it would save: others may import it. The saved budget has the
// texts of all files, and is read without them.
func TestImportedDeclarations(t *testing.T) {
	files := decode.Texts{"shared.pks": "protocol shared\norder lsb\n\nstruct Pair {\n    small uint32\n    other uint8 in 0..3\n}\nenum Kind : uint16 { One = 1 }\n"}
	const src = "protocol a\norder lsb\nimport \"shared.pks\"\npacket {\n    kind Kind\n    pair Pair\n    mine uint32\n}\n"
	d, err := decode.LoadFS(files, "dir/a.pks", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	b := counted(d.Plan(), packets200(11, func(i int, b []byte) { b[0], b[2], b[6], b[7] = 1, byte(i%50), byte(i%4), byte(i%50) }), 0)
	list := suggested(b.Suggestions())
	for field, want := range map[string]Suggestion{
		"mine":       {},
		"Pair.small": {File: "shared.pks", Advice: true}, "Pair.other": {File: "shared.pks", Advice: true}, "enum Kind": {File: "shared.pks", Advice: true},
	} {
		got, ok := list[field]
		if !ok || got.File != want.File || got.Advice != want.Advice || want.Advice && !strings.HasSuffix(got.Why, ", but shared.pks declares it") {
			t.Errorf("%s: %+v", field, got)
		}
	}
	text, tight, err := b.Apply(b.Suggestions())
	if err != nil || !strings.Contains(string(text), "import \"shared.pks\"") || strings.Contains(string(text), "mine uint32") || len(tight.Schema.Files) != 2 {
		t.Errorf("applied: %v\n%s", err, text)
	}
	line := b.AppendJSON(nil)
	for _, want := range []string{`"imports":{"shared.pks":"protocol shared\n`, `"file":"shared.pks","line":5`} {
		if !strings.Contains(string(line), want) {
			t.Errorf("not in the saved budget: %s", want)
		}
	}
	read, err := Read(strings.NewReader(string(line)))
	if err != nil || len(read) != 1 {
		t.Fatalf("read: %v", err)
	}
	if again := read[0].AppendJSON(nil); string(again) != string(line) {
		t.Errorf("saved again it is\n%s, it was\n%s", again, line)
	}
	for what, change := range map[string]func(p *part){
		"a file is missing":  func(p *part) { p.Schema.Imports = nil },
		"a file is another":  func(p *part) { p.Schema.Imports["shared.pks"] = "protocol shared\norder lsb\n" },
		"a file is too long": func(p *part) { p.Schema.Imports["shared.pks"] += strings.Repeat("// much\n", 1<<17) },
	} {
		if _, err := Read(strings.NewReader(broken(t, line, change))); err == nil || !strings.Contains(err.Error(), "schema: it does not check") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// What names something, however it is called or shown, is narrowed by no capture, and what few values of a wide type say
// is advice: Apply leaves the declaration.
func TestNamesAreNotNarrowed(t *testing.T) {
	few := func(i int) uint32 { return uint32(0x2601147a + i%3*0x1b2c) }
	many := func(i int) uint32 { return uint32(i * i % 997) }
	small := func(i int) uint32 { return uint32(i*7%100) + uint32(i%50/49)<<30 }
	for _, row := range []struct {
		field string
		value func(int) uint32
		want  string
	}{
		{"dev_addr uint32 @hex", few, ""}, {"dev_addr uint32", few, ""}, {"peer_addr uint32", few, ""}, {"node uint32 @hex", many, ""}, {"ip uint32", many, ""},
		{"token uint32", many, ""}, {"name_hash uint32", many, ""}, {"hash2 uint32", many, ""}, {"session_id uint32", many, ""}, {"host uint32 @ipv4", many, ""}, {"addr int32", many, ""},
		{"token uint32", small, "varint(32) ?"},
		{"node uint32", few, "bits(31) ?"}, {"level int32", func(i int) uint32 { return uint32(i % 5) }, "sbits(5) ?"}, {"node varint(32)", few, "bits(31) ?"},
		{"valid uint32", many, "int(0..2047)"}, {"grid uint32", many, "int(0..2047)"}, {"strip uint32", many, "int(0..2047)"}, {"hashed uint32", many, "int(0..2047)"},
	} {
		p := compile(t, "a.pks", "protocol a\norder msb\npacket {\n    "+row.field+"\n}\n")
		var packets []captured
		for i := range 400 {
			code := binary.BigEndian.AppendUint32(nil, row.value(i))
			if strings.Contains(row.field, "varint") {
				code = binary.AppendUvarint(nil, uint64(row.value(i)))
			}
			packets = append(packets, captured{payload: code, Envelope: decode.Envelope{N: int64(i + 1), Time: int64(i) * 1e7}})
		}
		b := counted(p, packets, 0)
		list, got := b.Suggestions(), ""
		if len(list) == 1 {
			if got = list[0].Text; list[0].Advice {
				got += " ?"
			}
		}
		text, _, err := b.Apply(list)
		if got != row.want || err != nil || bytes.Equal(text, p.Schema.File.Src) == (row.want != "" && !strings.HasSuffix(row.want, "?")) {
			t.Errorf("%s: got %q, want %q; applied: %v\n%s", row.field, got, row.want, err, text)
		}
	}
}

// A declaration of an arm has its case in its name: two arms with one field are two lines.
func TestSuggestionsNameTheirCase(t *testing.T) {
	p := compile(t, "a.pks", "protocol a\norder msb\nenum Kind : uint8 { One = 0, Two = 1 }\npacket {\n kind Kind\n body switch kind {\n One: { tick uint32 }\n Two: { tick uint32 }\n }\n}\n")
	list := suggested(counted(p, packets200(5, func(i int, b []byte) { b[0], b[4] = byte(i%2), byte(i*31) }), 0).Suggestions())
	for _, want := range []string{"body<One>.tick", "body<Two>.tick"} {
		if _, ok := list[want]; !ok {
			t.Errorf("want %s, got %+v", want, list)
		}
	}
}
