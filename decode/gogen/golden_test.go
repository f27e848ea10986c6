package gogen_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/gogen"
	"github.com/pktscope/pktscope/decode/protocols"
)

var update = flag.Bool("update", false, "write the generated packages in testdata anew")

// The generated packages in testdata are there to be read, and for the benchmarks of package decode. They are what Generate
// makes now; `go test ./decode/gogen -run Golden -update` writes them anew.
func TestGolden(t *testing.T) {
	for _, name := range []string{"flat97", "rtype", "gaffer"} {
		src, ok := protocols.Source(name)
		if !ok {
			var err error
			if src, err = os.ReadFile("testdata/" + name + ".pks"); err != nil {
				t.Fatal(err)
			}
		}
		out, err := gogen.Generate(compile(t, name, src), gogen.Options{})
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join("testdata", out.Name)
		if *update {
			if err := os.MkdirAll(dir, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		for _, f := range out.Files {
			clean(t, f.Name, f.Source)
			if strings.HasSuffix(f.Name, "_test.go") {
				continue // it is a fuzz target that .ci/fuzz would find
			}
			path := filepath.Join(dir, f.Name)
			if *update {
				if err := os.WriteFile(path, f.Source, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			have, err := os.ReadFile(path)
			if err != nil || !bytes.Equal(have, f.Source) {
				t.Errorf("%s is not what is generated now: %v", path, err)
			}
		}
	}
}
