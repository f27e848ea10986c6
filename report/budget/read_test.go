package budget

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/report/saved"
)

// aPart is a small budget as it is saved, and its fields for tests to break.
func aPart(t testing.TB) []byte {
	t.Helper()
	const text = "protocol a\norder msb\nparam N = 9 in 1..9\npacket {\n    type uint8\n    x uint16\n    key uint32 @secret\n    list [..5]uint8 @budget(9 bits)\n    body switch type {\n        1: { y int(0..N) }\n        default: empty\n    }\n}\n"
	b := counted(compile(t, "a.pks", text), packetsOf([]byte{1, 2, 3, 0, 0, 0, 9, 0x40, 1, 0}, []byte{0, 2, 4, 0, 0, 0, 9, 0}, []byte{1, 2}), 9)
	if b.Packets() != 2 || len(b.Broken()) != 2 {
		t.Fatalf("%d accepted, %v broken", b.Packets(), b.Broken())
	}
	return b.AppendJSON(nil)
}

func broken(t testing.TB, line []byte, change func(p *part)) string {
	t.Helper()
	var p part
	if err := json.Unmarshal(line, &p); err != nil {
		t.Fatal(err)
	}
	change(&p)
	out, err := json.Marshal(&p)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func hostileParts(t testing.TB) map[string][2]string {
	line := aPart(t)
	state := func(change func([]byte) []byte) string {
		return broken(t, line, func(p *part) {
			raw, err := base64.StdEncoding.DecodeString(p.State)
			if err != nil {
				t.Fatal(err)
			}
			p.State = base64.StdEncoding.EncodeToString(change(raw))
		})
	}
	huge := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}
	return map[string][2]string{
		"nothing":           {"", "no budget in it"},
		"no JSON":           {"\x1b[31mhello", "budget 1: no budget: no JSON at byte 1"},
		"another JSON":      {`{"fields": []}`, "want kind pktscope-budget"},
		"a list":            {`[1, 2]`, "wrong kind"},
		"cut":               {string(line[:len(line)/2]), "it is cut"},
		"deep":              {strings.Repeat("[", 20_000), "no budget"},
		"a version to come": {broken(t, line, func(p *part) { p.SchemaVersion = 2 }), "version 2: want 1"},
		"a limit":           {broken(t, line, func(p *part) { p.MaxPacket = 1 << 20 }), "max_packet 1048576"},
		"no schema":         {broken(t, line, func(p *part) { p.Schema.Source = "" }), "schema: it does not check"},
		"a broken schema":   {broken(t, line, func(p *part) { p.Schema.Source += "}" }), "schema: it does not check"},
		"a huge schema":     {broken(t, line, func(p *part) { p.Schema.Source = strings.Repeat("/", 1<<20+1) }), "schema: too long"},
		"another schema": {broken(t, line, func(p *part) {
			p.Schema.Source, p.Schema.Params = "protocol a\norder msb\npacket { x uint8 }\n", nil
		}), "state: not of this schema"},
		"a param that is none":   {broken(t, line, func(p *part) { p.Schema.Params["M"] = "1" }), "schema"},
		"a param of text":        {broken(t, line, func(p *part) { p.Schema.Params["N"] = "nine" }), "a param is no number"},
		"a param of many digits": {broken(t, line, func(p *part) { p.Schema.Params["N"] = strings.Repeat("9", 1<<16) }), "a param is no number"},
		"no base64":              {broken(t, line, func(p *part) { p.State = "!" }), "no base64"},
		"no state":               {broken(t, line, func(p *part) { p.State = "" }), "it is cut"},
		"bytes after":            {state(func(b []byte) []byte { return append(b, 0) }), "bytes after its end"},
		"a count above 2^53":     {state(func(b []byte) []byte { return append(append(b[:4:4], huge...), b[5:]...) }), "too large"},
		"a number without end":   {state(func(b []byte) []byte { return append(b[:4:4], bytes.Repeat([]byte{0xff}, 99)...) }), "it is cut"},
		"many":                   {strings.Repeat(string(line), MaxBudgets+1), "more than 32 budgets"},
	}
}

func TestReadRefuses(t *testing.T) {
	for name, row := range hostileParts(t) {
		_, err := Read(strings.NewReader(row[0]))
		if err == nil || !strings.Contains(err.Error(), row[1]) {
			t.Errorf("%s: got %v, want …%s", name, err, row[1])
		} else if strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%s: %q is not one clean line", name, err)
		}
	}
}

// What a secret gives its size is only counted together. A part that has it apart would show it.
func TestReadRefusesSecretSizes(t *testing.T) {
	b := New(compile(t, "a.pks", "protocol a\norder msb\npacket {\n    n uint8 @secret\n    data bytes(n)\n}\n"), 0)
	if _, err := Read(bytes.NewReader(b.AppendJSON(nil))); err != nil {
		t.Fatal(err)
	}
	for i := range b.shape.records {
		if r := &b.shape.records[i]; r.folded && r.shape != plan.NoShape {
			b.places[r.place].times = 1
		}
	}
	if _, err := Read(bytes.NewReader(b.AppendJSON(nil))); err == nil || !strings.Contains(err.Error(), "counted together") {
		t.Errorf("got %v", err)
	}
}

// endless is a file that never ends.
type endless struct{ read int }

func (e *endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	e.read += len(b)
	return len(b), nil
}

func TestReadIsBounded(t *testing.T) {
	e := &endless{}
	if _, err := Read(e); err == nil || !strings.Contains(err.Error(), "at most 64 MiB") {
		t.Errorf("got %v", err)
	}
	if e.read > saved.MaxObject+1<<20 {
		t.Errorf("%d bytes were read", e.read)
	}
}

// Every truncation of a state, and bits of it turned, is refused or is a budget that shows and saves itself again.
func TestReadStates(t *testing.T) {
	var whole part
	if err := json.Unmarshal(aPart(t), &whole); err != nil {
		t.Fatal(err)
	}
	raw, _ := base64.StdEncoding.DecodeString(whole.State)
	open := func(state []byte) (*Budget, error) {
		p := whole
		p.State = base64.StdEncoding.EncodeToString(state)
		return p.open()
	}
	for n := range raw {
		if _, err := open(raw[:n]); err == nil {
			t.Errorf("%d of %d bytes were taken for the state", n, len(raw))
		}
	}
	taken := 0
	for i := 0; i < 8*len(raw); i += 11 {
		state := bytes.Clone(raw)
		state[i/8] ^= 1 << (i % 8)
		if b, err := open(state); err == nil {
			taken++
			settled(t, b)
		}
	}
	if taken == 0 {
		t.Error("not one was taken")
	}
}

// settled: whatever a part said, its budget can be shown, saved, read again to the same, and merged with itself.
func settled(t testing.TB, b *Budget) {
	t.Helper()
	b.AppendText(nil, TextOptions{All: true})
	saved := b.AppendJSON(nil)
	again, err := Read(bytes.NewReader(saved))
	if err != nil {
		t.Fatalf("what was read is not read again: %v", err)
	}
	if second := again[0].AppendJSON(nil); !bytes.Equal(second, saved) {
		t.Fatalf("read again it is\n%.900s\nwant\n%.900s", second, saved)
	}
	_ = b.Merge(again[0])
	b.AppendText(nil, TextOptions{})
}

func FuzzRead(f *testing.F) {
	f.Add(aPart(f))
	for _, row := range hostileParts(f) {
		if len(row[0]) < 1<<16 {
			f.Add([]byte(row[0]))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := Read(bytes.NewReader(data))
		if (err == nil) != (len(list) > 0) {
			t.Fatalf("%d budgets and %v", len(list), err)
		}
		for _, b := range list {
			settled(t, b)
		}
	})
}

// FuzzState breaks the state alone: JSON and base64 keep a fuzzer from it.
func FuzzState(f *testing.F) {
	var whole part
	if err := json.Unmarshal(aPart(f), &whole); err != nil {
		f.Fatal(err)
	}
	raw, _ := base64.StdEncoding.DecodeString(whole.State)
	f.Add(raw)
	f.Add(raw[:len(raw)/2])
	f.Fuzz(func(t *testing.T, state []byte) {
		p := whole
		p.State = base64.StdEncoding.EncodeToString(state)
		if b, err := p.open(); err == nil {
			settled(t, b)
		}
	})
}
