package lsp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A session of any bytes ends, and what the server says is messages. Input without a head is lines of messages, each of
// which gets one.
func FuzzSession(f *testing.F) {
	files, err := filepath.Glob("testdata/sessions/*")
	if err != nil || len(files) == 0 {
		f.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		var in strings.Builder
		for line := range strings.Lines(string(text)) {
			if message, ok := strings.CutPrefix(line, "> "); ok {
				in.WriteString(message)
			}
		}
		f.Add(in.String())
	}
	f.Add("Content-Length: 2\r\n\r\n{}")
	dir := os.DirFS("testdata/dir")
	f.Fuzz(func(t *testing.T, in string) {
		if len(in) > 1<<14 {
			t.Skip()
		}
		var framed, out bytes.Buffer
		if strings.HasPrefix(in, "Content") {
			framed.WriteString(in)
		} else {
			for line := range strings.Lines(in) {
				fmt.Fprintf(&framed, "Content-Length: %d\r\n\r\n%s", len(line), line)
			}
		}
		err := Serve(&framed, &out, Options{Dir: func(string) fs.FS { return dir }})
		if err != nil && strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%q", err)
		}
		for {
			head, rest, ok := strings.Cut(out.String(), "\r\n\r\n")
			if !ok {
				break
			}
			var n int
			if _, err := fmt.Sscanf(head, "Content-Length: %d", &n); err != nil || n > len(rest) {
				t.Fatalf("%q: %v", head, err)
			}
			var m message
			if err := json.Unmarshal([]byte(rest[:n]), &m); err != nil {
				t.Fatalf("%v: %s", err, rest[:n])
			}
			out.Next(len(head) + 4 + n)
		}
		if out.Len() > 0 {
			t.Errorf("%d bytes are no message", out.Len())
		}
	})
}
