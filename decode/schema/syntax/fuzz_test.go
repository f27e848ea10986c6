package syntax

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// validSources are the examples and one source for each production.
func validSources(t testing.TB) (list [][]byte) {
	files, err := filepath.Glob("testdata/parse/*.pks")
	if err != nil || len(files) == 0 {
		t.Fatalf("examples: %v %v", files, err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, src)
	}
	var items, exprs, decls []string
	for _, row := range grammarItems {
		items = append(items, row.source)
	}
	for _, row := range grammarExprs {
		exprs = append(exprs, "require "+row.source)
	}
	for _, row := range grammarDecls {
		decls = append(decls, row.source)
	}
	for _, src := range []string{"packet {\n" + strings.Join(items, "\n") + "\n}", "packet {\n" + strings.Join(exprs, "\n") + "\n}",
		strings.Join(decls, "\n")} {
		list = append(list, []byte(grammarHeader+src))
	}
	return list
}

// checkParse parses src twice and checks what holds for every input.
func checkParse(t *testing.T, src []byte) {
	t.Helper()
	f, diags := Parse("f.pks", src)
	again, more := Parse("f.pks", src)
	if !reflect.DeepEqual(diags, more) || !reflect.DeepEqual(f, again) {
		t.Fatalf("two runs differ over %q", src)
	}
	if len(diags) > MaxErrors+1 {
		t.Fatalf("%d complaints", len(diags))
	}
	last := int32(0)
	for _, d := range diags {
		if d.Pos.Off < last || d.End.Off < d.Pos.Off || int(d.End.Off) > len(src) {
			t.Fatalf("%q: place %v..%v of %q in %d bytes, after %d", src, d.Pos, d.End, d.Message, len(src), last)
		}
		last = d.Pos.Off
		checkPlace(t, src, d.Pos)
		checkText(t, d.AppendText(nil, "f.pks", src))
		if line := d.AppendLine(nil, "f.pks"); strings.ContainsAny(string(line), "\n\t") {
			t.Fatalf("more than a line: %q", line)
		}
	}
	for _, c := range f.Comments {
		checkPlace(t, src, c.Pos)
		if !strings.HasPrefix(string(src[c.Pos.Off:c.End.Off]), "//") {
			t.Fatalf("%q: comment at %v", src, c.Pos)
		}
	}
}

// checkPlace checks that the line and the column of a place fit its offset.
func checkPlace(t *testing.T, src []byte, p Pos) {
	t.Helper()
	before := string(src[:p.Off])
	line := strings.Count(before, "\n") + 1
	col := len(before) - strings.LastIndexByte(before, '\n')
	if int(p.Line) != line || int(p.Col) != col {
		t.Fatalf("%q: offset %d is %v, want %d:%d", src, p.Off, p, line, col)
	}
}

// checkText checks that a rendering is text that a terminal only shows.
func checkText(t *testing.T, text []byte) {
	t.Helper()
	if !utf8.Valid(text) {
		t.Fatalf("not UTF-8: %q", text)
	}
	for _, r := range string(text) {
		if r != '\n' && r != '\t' && (!unicode.IsPrint(r) || unicode.IsMark(r)) {
			t.Fatalf("%U in %q", r, text)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, src := range validSources(f) {
		f.Add(src)
	}
	files, err := filepath.Glob("testdata/parse/errors/*.pks")
	if err != nil || len(files) == 0 {
		f.Fatalf("error corpus: %v %v", files, err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	for _, n := range nasty {
		f.Add([]byte(n.head + strings.Repeat(n.unit, 70) + n.tail))
	}
	f.Fuzz(func(t *testing.T, src []byte) { checkParse(t, src) })
}
