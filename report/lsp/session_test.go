package lsp

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Sessions as clients had them: a line `> ` is what the client sends, the lines `< ` after it what it gets for that,
// byte by byte, and `=` how the server ends. UPDATE_SESSIONS=1 writes the lines of the server anew.
func TestSessions(t *testing.T) {
	files, err := filepath.Glob("testdata/sessions/*")
	if err != nil || len(files) < 3 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			c := newClient(t, Options{Dir: func(string) fs.FS { return os.DirFS("testdata/dir") }, Version: "test"})
			var want, got strings.Builder
			for line := range strings.Lines(string(text)) {
				want.WriteString(line)
				line = strings.TrimSuffix(line, "\n")
				message, sent := strings.CutPrefix(line, "> ")
				switch {
				case sent && strings.Contains(message, `"method":"exit"`):
					c.write(message)
					fmt.Fprintf(&got, "%s\n= %v\n", line, c.finish())
				case sent:
					c.write(message)
					fmt.Fprintln(&got, line)
					for _, reply := range c.until() {
						fmt.Fprintln(&got, "< "+reply)
					}
				case !strings.HasPrefix(line, "< ") && !strings.HasPrefix(line, "= "):
					fmt.Fprintln(&got, line)
				}
			}
			if got.String() == want.String() {
				return
			}
			if os.Getenv("UPDATE_SESSIONS") != "" {
				if err := os.WriteFile(name, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			w, g := strings.Split(want.String(), "\n"), strings.Split(got.String(), "\n")
			for i := range min(len(w), len(g)) {
				if w[i] != g[i] {
					t.Fatalf("line %d: want\n%s\ngot\n%s", i+1, w[i], g[i])
				}
			}
			t.Fatalf("want %d lines, got %d", len(w), len(g))
		})
	}
}
