package lsp

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// eachSchema runs a test over all schemas of the repository, each opened in its directory.
func eachSchema(t *testing.T, do func(t *testing.T, s *server, d *document, dir fstest.MapFS)) {
	need.OneGoroutine(t)
	for name, dir := range schemas(t) {
		for file, text := range dir {
			t.Run(strings.ReplaceAll(filepath.Join(name, file), "../", ""), func(t *testing.T) {
				s, d := local("/x/"+file, string(text.Data), dir)
				do(t, s, d, dir)
			})
		}
	}
}

// checked are the lines that `schema check` prints of a text, without excerpts.
func checked(dir fstest.MapFS, name, text string) string {
	d, err := decode.LoadFS(dir, name, []byte(text))
	if err != nil {
		return err.Error()
	}
	all := schema.Diagnostics{Files: d.Schema().Files, List: d.Schema().Warnings}
	return all.Error()
}

// said are the diagnostics of a document as lines of that form, read back from its lines and columns.
func said(s *server, d *document) string {
	var lines []string
	for _, one := range s.diagnostics(d) {
		from, to := d.offset(one.Range.Start, s.wide), d.offset(one.Range.End, s.wide)
		severity := [...]string{1: "error", 2: "warning"}[one.Severity]
		if f, rest, ok := strings.Cut(one.Message, ".pks:"); ok && !strings.Contains(f, " ") { // of a file that is imported
			place, message, _ := strings.Cut(rest, ": ")
			lines = append(lines, fmt.Sprintf("%s.pks:%s: %s: %s", f, place, severity, message))
			continue
		}
		line := strings.Count(d.text[:from], "\n")
		column := from - (strings.LastIndexByte(d.text[:from], '\n') + 1)
		if from > to {
			return "a range that ends before it begins"
		}
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s: %s", d.name(), line+1, column+1, severity, one.Message))
	}
	return strings.Join(lines, "\n")
}

// What an editor shows of a schema is what `schema check` prints of it, and formatting is `schema fmt`.
func TestSchemasAsTheCommands(t *testing.T) {
	eachSchema(t, func(t *testing.T, s *server, d *document, dir fstest.MapFS) {
		if got, want := said(s, d), checked(dir, d.name(), d.text); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		text, _ := syntax.Format(d.name(), []byte(d.text))
		edits, err := s.format(d, nil, 0)
		switch list, _ := edits.([]textEdit); {
		case text == nil:
			if err == nil {
				t.Errorf("a text with a syntax error is formatted: %v", edits)
			}
		case bytes.Equal(text, []byte(d.text)):
			if err != nil || len(list) != 0 {
				t.Errorf("%v, %v", list, err)
			}
		default:
			for _, e := range list {
				d.edit(e.Range, e.NewText, s.wide)
			}
			if err != nil || d.text != string(text) {
				t.Errorf("%v: got\n%s", err, d.text)
			}
		}
	})
}

// Every word can be asked about: its hover, what completes it, its declaration. The declaration of a name is a place
// with that name.
func TestSchemasEveryWord(t *testing.T) {
	eachSchema(t, func(t *testing.T, s *server, d *document, _ fstest.MapFS) {
		all, _ := syntax.Scan([]byte(d.text))
		named := 0
		for i, l := range all {
			if !need.OneIn(i, 1+len(all)/50) {
				continue
			}
			at := int(l.Pos.Off)
			if _, err := s.hover(d, nil, at); err != nil {
				t.Fatal(err)
			}
			if _, err := s.complete(d, nil, at); err != nil {
				t.Fatal(err)
			}
			got, err := s.definition(d, nil, at)
			if err != nil {
				t.Fatal(err)
			}
			list, _ := got.([]location)
			if l.Kind != syntax.TokenWord && l.Kind != syntax.TokenName || len(list) == 0 {
				continue
			}
			named++
			for _, at := range list {
				if at.URI != d.uri {
					continue // of a file beside
				}
				from, to := d.offset(at.Range.Start, s.wide), d.offset(at.Range.End, s.wide)
				if d.text[from:to] != l.Text {
					t.Fatalf("%s at %s is declared as %q", l.Text, l.Pos, d.text[from:to])
				}
			}
		}
		if named == 0 && s.look(d).plan != nil && len(d.analysis.Names) > 0 {
			t.Error("no word names anything")
		}
	})
}

// A thing that is renamed, and renamed back, gives the same text; nothing is refused but what is called after a protocol.
func TestSchemasRename(t *testing.T) {
	eachSchema(t, func(t *testing.T, s *server, d *document, dir fstest.MapFS) {
		if s.look(d).plan == nil {
			return
		}
		only := fstest.MapFS{} // else every rename would check every file of the directory
		for _, f := range d.analysis.Diagnostics.Files[1:] {
			only[f.Name] = dir[f.Name]
		}
		s.o.Dir = func(string) fs.FS { return only }
		before, names := d.text, d.analysis.Names
		for i, n := range names {
			if !need.OneIn(i, 25) {
				continue
			}
			other := n.Text + "_other"
			if c := n.Text[0]; c >= 'A' && c <= 'Z' {
				other = n.Text + "Other"
			}
			at := int(n.Declared[0].Pos.Off)
			if d.local(n.Declared)[0].file != d.name() {
				continue
			}
			if err := renameTo(s, d, at, other); err != nil {
				t.Errorf("%s %s: %v", n.Kind, n.Text, err)
				continue
			}
			if d.text == before || strings.Count(d.text, other) < len(n.Declared) {
				t.Errorf("%s %s is not renamed", n.Kind, n.Text)
			}
			at = int(d.analysis.Names[i].Declared[0].Pos.Off) // uses may be in front
			if err := renameTo(s, d, at, n.Text); err != nil {
				t.Errorf("%s %s, back: %v", n.Kind, n.Text, err)
			}
			if d.text != before {
				t.Fatalf("%s %s: not the same text, there and back", n.Kind, n.Text)
			}
		}
	})
}

// renameTo renames what is at an offset, and edits the document so.
func renameTo(s *server, d *document, at int, name string) error {
	got, err := s.rename(d, &request{NewName: name}, at)
	if err != nil {
		return err
	}
	edits := got.(workspaceEdit).Changes[d.uri]
	for i := range edits {
		e := edits[len(edits)-1-i]
		d.edit(e.Range, e.NewText, s.wide)
	}
	s.look(d)
	return nil
}
