package syntax

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// render is all of the diagnostics as a terminal shows them.
func render(diags []Diagnostic, file string, src []byte) string {
	var b []byte
	for _, d := range diags {
		b = d.AppendText(b, file, src)
	}
	return string(b)
}

func TestExamples(t *testing.T) {
	files, err := filepath.Glob("testdata/parse/*.pks")
	if err != nil || len(files) < 4 {
		t.Fatalf("examples: %v %v", files, err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, diags := Parse(file, src); len(diags) > 0 {
			t.Error(render(diags, file, src))
		}
	}
}

var expectation = regexp.MustCompile(`//! `)

// TestErrors reads the error corpus: a source line ends with `//! text` for each complaint about it, where text is
// part of "message; fix". All of them have to come, and nothing else.
func TestErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/parse/errors/*.pks")
	if err != nil || len(files) == 0 {
		t.Fatalf("error corpus: %v %v", files, err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".pks"), func(t *testing.T) { checkErrors(t, file, src) })
	}
}

func checkErrors(t *testing.T, file string, src []byte) {
	wanted := map[int32][]string{}
	for i, line := range strings.Split(string(src), "\n") {
		wants := expectation.Split(strings.TrimSuffix(line, "\r"), -1)[1:]
		for _, w := range wants {
			wanted[int32(i+1)] = append(wanted[int32(i+1)], strings.TrimSpace(w))
		}
	}
	if len(wanted) == 0 {
		t.Fatal("no expectation in the file")
	}
	_, diags := Parse(filepath.Base(file), src)
next:
	for _, d := range diags {
		text := d.Message + "; " + d.Fix
		for i, w := range wanted[d.Pos.Line] {
			if strings.Contains(text, w) {
				wanted[d.Pos.Line] = append(wanted[d.Pos.Line][:i:i], wanted[d.Pos.Line][i+1:]...)
				continue next
			}
		}
		t.Errorf("not expected:\n%s", d.AppendText(nil, filepath.Base(file), src))
	}
	for line, wants := range wanted {
		for _, w := range wants {
			t.Errorf("line %d: did not get %q", line, w)
		}
	}
}

// TestNamesOfWords: a field may be called what is a word elsewhere, whatever its type looks like beside that.
func TestNamesOfWords(t *testing.T) {
	for _, line := range []string{
		"struct quat smallest3(4)", // found by FuzzAnySchema: the advice about C's order took it for one
		"enum quat smallest3(4)", "int quat smallest3(4)", "struct Part", "enum uint8 le", "unsigned uint8 in 0..3",
		"type quat(float32)", "optional optional bool", "subset subset(index) [4]bool", "bool bool8", "port [2]uint16",
	} {
		src := []byte("protocol t\norder lsb\npacket {\n" + line + "\n}\n")
		if _, diags := Parse("t", src); len(diags) > 0 {
			t.Errorf("%s: %s", line, render(diags, "t", src))
		}
	}
}
