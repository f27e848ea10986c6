package corpus_test

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
)

// What a seed file is refused for; the error names the line.
func TestParseSeedsRefuses(t *testing.T) {
	rows := []struct{ src, want string }{
		{"a", "line 1: want a name, a sender and hex, got 1 words"},
		{"a any 00 11", "line 1: want a name, a sender and hex, got 4 words"},
		{"\n# x\na any", "line 3: want a name, a sender and hex, got 2 words"},
		{"a any 0", "line 1: hex: want pairs of digits, got 1 characters, 0 of them good"},
		{"a any 00zz", "line 1: hex: want pairs of digits, got 4 characters, 2 of them good"},
		{"a any 0A", "line 1: hex: want lower-case digits"},
		{"a any --", "line 1: hex: want pairs of digits, got 2 characters, 0 of them good"},
		{"a any " + strings.Repeat("00", corpus.MaxSeed+1), "line 1: hex: want 65507 bytes at most, got 65508"},
		{"a both 00", `line 1: sender: want client, server or any, got "both"`},
		{"a any 00\nb any 00\na any 11", "line 3: a is the name of line 1 too"},
		{"a.b any 00", `line 1: name: want letters, digits, _ and -, got "a.b"`},
		{strings.Repeat("a", 65) + " any 00", "line 1: name: want 64 characters at most, got 65"},
		{"a any 00\r\n", "line 1: byte 0x0d: want printable ASCII"},
		{"a\tany 00", "line 1: byte 0x09: want printable ASCII"},
		{"a any 00\n\x1b[2J", "line 2: byte 0x1b: want printable ASCII"},
		{"ä any 00", "line 1: byte 0xc3: want printable ASCII"},
		{strings.Repeat("\n", corpus.MaxSeedFile+1), "line 1: want 1048576 bytes at most, got 1048577"},
	}
	for _, row := range rows {
		seeds, err := corpus.ParseSeeds([]byte(row.src))
		if err == nil || err.Error() != row.want || seeds != nil {
			t.Errorf("%.30q: want %q, got %v, %d seeds", row.src, row.want, err, len(seeds))
		}
	}
}

func TestParseSeedsAccepts(t *testing.T) {
	const src = "# head\n\n  a-1   client 00ff # a # b\nB_2 server - \nc any 7f"
	want := []corpus.Seed{{"a-1", corpus.Client, []byte{0, 0xFF}}, {"B_2", corpus.Server, nil}, {"c", corpus.Unknown, []byte{0x7F}}}
	seeds, err := corpus.ParseSeeds([]byte(src))
	if err != nil || len(seeds) != len(want) {
		t.Fatalf("got %v, %v", seeds, err)
	}
	var again []byte
	for i, s := range seeds {
		if s.Name != want[i].Name || s.From != want[i].From || string(s.Data) != string(want[i].Data) {
			t.Errorf("seed %d: want %v, got %v", i, want[i], s)
		}
		again = corpus.AppendSeed(again, s, "")
	}
	if want := "a-1 client 00ff\nB_2 server -\nc any 7f\n"; string(again) != want {
		t.Errorf("written again: want %q, got %q", want, again)
	}
}

// A protocol without a corpus has none; no name reaches the embedded files' paths.
func TestUnknownProtocol(t *testing.T) {
	for _, name := range []string{"", "nosuch", "../corpus/rtype", "./rtype", "rtype.txt"} {
		if seeds, capture := corpus.Seeds(name), corpus.Capture(name); seeds != nil || capture != nil {
			t.Errorf("%q: got %d seeds, %d bytes", name, len(seeds), len(capture))
		}
	}
}

func TestEmbedded(t *testing.T) {
	if got := strings.Join(corpus.Protocols(), " "); got != "course gaffer packets rtype" {
		t.Fatalf("protocols: %s", got)
	}
	for _, name := range corpus.Protocols() {
		if n := len(corpus.Seeds(name)); n < 10 {
			t.Errorf("%s: %d seeds", name, n)
		}
		if n := len(corpus.Capture(name)); n < 1000 || n >= 300_000 {
			t.Errorf("%s: a capture of %d bytes, want under 300 kB", name, n)
		}
	}
}

func FuzzParseSeeds(f *testing.F) {
	f.Add([]byte("# head\na client 00ff # x\nb any -\n"))
	f.Add([]byte("a any 0\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		seeds, err := corpus.ParseSeeds(src)
		if err != nil {
			for _, c := range []byte(err.Error()) {
				if c < ' ' || c == 0x7F {
					t.Fatalf("%q holds a control byte", err)
				}
			}
			return
		}
		var again []byte
		for _, s := range seeds {
			again = corpus.AppendSeed(again, s, "")
		}
		back, err := corpus.ParseSeeds(again)
		if err != nil || len(back) != len(seeds) {
			t.Fatalf("written again: %v, %d of %d seeds", err, len(back), len(seeds))
		}
		for i := range back {
			if back[i].Name != seeds[i].Name || back[i].From != seeds[i].From || string(back[i].Data) != string(seeds[i].Data) {
				t.Fatalf("seed %d: %v came back as %v", i, seeds[i], back[i])
			}
		}
	})
}
