package schema

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// The error corpus: small protocols by subject, several to a file in txtar's form. A line ends with `//! text` for each
// error about it, and with `//? text` for each warning; text is part of "message; fix". All of them have to come, once
// each, and nothing else.

type corpusCase struct {
	name string
	src  []byte
}

func errorCorpus(t testing.TB) []corpusCase {
	t.Helper()
	files, err := filepath.Glob("testdata/check/errors/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no error corpus: %v", err)
	}
	var out []corpusCase
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, section := range strings.Split("\n"+string(data), "\n-- ")[1:] {
			name, src, ok := strings.Cut(section, " --\n")
			if !ok {
				t.Fatalf("%s: a section without a head: %q", file, section)
			}
			src += "\n"
			if !strings.HasPrefix(src, "protocol ") {
				src = "protocol t\norder lsb\n" + src
			}
			subject := strings.TrimSuffix(filepath.Base(file), ".txtar")
			out = append(out, corpusCase{subject + "/" + strings.TrimSuffix(name, ".pks"), []byte(src)})
		}
	}
	return out
}

// TestCarets: the carets stand under what is wrong, not under the whole of what holds it.
func TestCarets(t *testing.T) {
	for _, tt := range []struct{ line, marked string }{
		{"a bits(12) be", "be"},
		{"a int(0..100) le in 1..5", "le"},
		{"a [4]bits(12) be", "be"},
		{"a vec2(bits(12)) be", "be"},
		{"a bits(12) in 1..2 be", "be"},
		{"a uint8 0..3", "0..3"},
		{"a uint8 in {1, 2, 1..2}", "1..2"},
		{"a float(0..1, 0.3)", "0.3"},
		{"a uint8, require a >= 0", "a >= 0"},
		{"#include <a>", "#include"},
	} {
		src := []byte("protocol t\norder lsb\npacket {\n" + tt.line + "\n}\n")
		_, diags := Load("t", src, nil)
		if len(diags) == 0 {
			t.Errorf("%s: nothing said", tt.line)
			continue
		}
		d := diags[len(diags)-1]
		if got := string(src[d.Pos.Off:d.End.Off]); got != tt.marked || d.Pos.Line != 4 {
			t.Errorf("%s: %q is marked, want %q:\n%s", tt.line, got, tt.marked, d.AppendText(nil, "t", src))
		}
	}
}

var complaint = regexp.MustCompile(`//([!?]) `)

func TestCheckRefuses(t *testing.T) {
	cases := errorCorpus(t)
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			want := map[string][]string{}
			total := 0
			for i, line := range strings.Split(string(tt.src), "\n") {
				at := complaint.FindAllStringSubmatchIndex(line, -1)
				for k, m := range at {
					end := len(line)
					if k+1 < len(at) {
						end = at[k+1][0]
					}
					key := fmt.Sprintf("%d%s", i+1, line[m[2]:m[3]])
					want[key] = append(want[key], strings.TrimSpace(line[m[1]:end]))
					total++
				}
			}
			if total == 0 {
				t.Fatal("the case expects nothing")
			}
			s, diags := Load(tt.name, tt.src, nil)
			if (s == nil) != syntax.HasErrors(diags) {
				t.Errorf("schema is nil: %v, with errors: %v", s == nil, syntax.HasErrors(diags))
			}
		next:
			for _, d := range diags {
				key := fmt.Sprintf("%d%s", d.Pos.Line, []string{"!", "?"}[d.Severity])
				for i, w := range want[key] {
					if strings.Contains(d.Message+"; "+d.Fix, w) {
						want[key] = append(want[key][:i:i], want[key][i+1:]...)
						continue next
					}
				}
				t.Errorf("not expected:\n%s", d.AppendText(nil, tt.name, tt.src))
			}
			for key, list := range want {
				for _, w := range list {
					t.Errorf("line %s: did not get %q", key, w)
				}
			}
		})
	}
	if len(cases) < 100 {
		t.Errorf("the corpus has %d cases, want 100 and more", len(cases))
	}
}

// TestRenderNowhere: what is about no place is shown without one.
func TestRenderNowhere(t *testing.T) {
	const src = "protocol t\norder lsb\nconst A = 1\npacket { x uint8 == A }\n"
	for name, want := range map[string]string{
		"B": "t.pks: error: a value is given for `B`, but the file has no `param` of that name\n" +
			"help: it has no params; `param Name = v in a..b` declares one\n",
		"A": "t.pks:3:7: error: a value is given for `A`, but it is a `const`\nconst A = 1\n      ^\n" +
			"help: make it a `param A = 1 in a..b` to set it\n",
	} {
		s, diags := Load("t.pks", []byte(src), map[string]*big.Int{name: bigOne})
		got := ""
		for _, d := range diags {
			got += string(d.AppendText(nil, "t.pks", []byte(src)))
		}
		if s != nil || got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
