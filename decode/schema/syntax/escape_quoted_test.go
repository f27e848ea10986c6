package syntax

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"
)

func TestAppendQuoted(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"\x1b[31m", `"\x1b[31m"`},
		{`" hidden`, `"\" hidden"`},
		{`\x1b`, `"\\x1b"`}, // four characters, not an escape
		{"a\u202eb", `"a\u202eb"`},
		{"\u0085\u009b", `"\u0085\u009b"`},
		{"\xff\xc3", `"\xff\xc3"`},
		{"a\nb\tc\x7f", `"a\x0ab\x09c\x7f"`},
		{"e\u0301", `"e\u0301"`},
		{"\U000e0001", `"\U000e0001"`},
		{"Zoë 語 😀", `"Zoë 語 😀"`},
		{"", `""`},
	} {
		if got := string(AppendQuoted(nil, []byte(row.text))); got != row.want {
			t.Errorf("%q: got %s, want %s", row.text, got, row.want)
		}
	}
}

func FuzzAppendJSON(f *testing.F) {
	for _, s := range []string{"\x1b[2J", "##[error]x", "\"\\\n", "\u202e\U000e0001", "\xff\xed\xa0\x80", "Zoë 😀"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b := AppendJSON(nil, s)
		for _, r := range string(b) {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' {
				t.Fatalf("%q holds %U", b, r)
			}
		}
		if bytes.Contains(b, []byte("##[")) {
			t.Fatalf("%q is a command to a CI system", b)
		}
		var back string
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		if utf8.ValidString(s) && back != s {
			t.Fatalf("%q came back as %q", s, back)
		}
	})
}
