package gogen_test

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/gogen"
	"github.com/pktscope/pktscope/decode/plan"
)

// hostile are the schemas in testdata/hostile: somebody hopes that their names or comments become code. Each must
// compile and be vetted, and nothing of it may run or build.
func hostile(t *testing.T) map[string]*plan.Plan {
	t.Helper()
	files, err := filepath.Glob("testdata/hostile/*.pks")
	if err != nil || len(files) < 5 {
		t.Fatal(len(files), err)
	}
	plans := map[string]*plan.Plan{}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		plans[file] = compile(t, file, src)
	}
	return plans
}

// clean holds what generated source promises: its form, and that no line of it is a directive.
func clean(t *testing.T, file string, src []byte) {
	t.Helper()
	formatted, err := format.Source(src)
	if err != nil || !bytes.Equal(formatted, src) {
		t.Errorf("%s: not as gofmt has it: %v", file, err)
	}
	for i, line := range bytes.Split(src, []byte("\n")) {
		at := bytes.TrimSpace(line)
		for _, bad := range []string{"//go:", "//line", "// +build", "/*", "//export", "//extern"} {
			if bytes.HasPrefix(at, []byte(bad)) {
				t.Errorf("%s:%d: %q", file, i+1, line)
			}
		}
		if bytes.HasPrefix(at, []byte("//")) && bytes.HasSuffix(at, []byte("\\")) || bytes.ContainsAny(line, "\x00\x1b\u202e\u2028") {
			t.Errorf("%s:%d: %q", file, i+1, line)
		}
	}
}

// The same schema gives the same bytes, whatever a map's order is.
func TestDeterministic(t *testing.T) {
	need.OneGoroutine(t)
	again := hostile(t)
	for file, p := range hostile(t) {
		for _, fixed := range []bool{false, true} {
			opt := gogen.Options{Fixed: fixed}
			first, err := gogen.Generate(p, opt)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			second, err := gogen.Generate(again[file], opt)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			for i, f := range first.Files {
				clean(t, f.Name, f.Source)
				if !bytes.Equal(f.Source, second.Files[i].Source) {
					t.Errorf("%s: %s differs", file, f.Name)
				}
			}
		}
	}
}

func TestPackageNames(t *testing.T) {
	p := compile(t, "x", []byte("protocol x\norder lsb\npacket { a uint8 }\n"))
	for _, name := range []string{"func", "main", "A", "a-b", "a b", "_", "a_b", "x_test", "../x", "x\n", "é", "init"} {
		if _, err := gogen.Generate(p, gogen.Options{Package: name}); err == nil {
			t.Errorf("package %q was made", name)
		}
	}
	for name, want := range map[string]string{"": "x", "wire": "wire", "p2p": "p2p"} {
		if out, err := gogen.Generate(p, gogen.Options{Package: name}); err != nil || out.Name != want {
			t.Errorf("package %q: %v", name, err)
		}
	}
}
