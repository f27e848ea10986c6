package syntax

import "testing"

// Line ends and tabs are obeyed, and nothing else.
func TestAppendEscapedLines(t *testing.T) {
	for text, want := range map[string]string{
		"":                "\n",
		"a\tb\n\nc":       "a\tb\n\nc\n",
		"a\x1b[2J\r\nb\n": "a\\x1b[2J\\x0d\nb\n",
	} {
		if got := string(AppendEscapedLines([]byte("x"), text)); got != "x"+want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
