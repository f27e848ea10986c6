package gogen_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"

	"github.com/pktscope/pktscope/decode/gogen"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
)

var update = flag.Bool("update", false, "write the generated packages in testdata anew")

// goldenNames are the protocols whose generated packages are in testdata: the built-ins with seeds, and one that is all
// fixed fields.
func goldenNames() []string { return append(corpus.Protocols(), "flat97") }

// goldenSource is the schema of one of them.
func goldenSource(tb testing.TB, name string) []byte {
	tb.Helper()
	name = strings.TrimSuffix(name, "fixed") // of fixed arrays
	if src, ok := protocols.Source(name); ok {
		return src
	}
	src, err := os.ReadFile("testdata/" + name + ".pks")
	if err != nil {
		tb.Fatal(err)
	}
	return src
}

// The generated packages in testdata are there to be read, for the benchmarks, and for the three-way oracle in one
// process. They are what Generate makes now; `go test ./decode/gogen -run Golden -update` writes them anew.
func TestGolden(t *testing.T) {
	type row struct {
		name string
		opt  gogen.Options
	}
	rows := []row{{"derived", gogen.Options{}}, {"rtype", gogen.Options{Package: "rtypefixed", Fixed: true}}}
	for _, name := range goldenNames() {
		rows = append(rows, row{name, gogen.Options{}})
	}
	for _, row := range rows {
		out, err := gogen.Generate(compile(t, row.name, goldenSource(t, row.name)), row.opt)
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

func compile(tb testing.TB, name string, src []byte) *plan.Plan {
	tb.Helper()
	d, err := decode.Load(name, src)
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	return d.Plan()
}

// senders are the directions of the seeds.
var senders = map[string]decode.Direction{corpus.Client: decode.Client, corpus.Server: decode.Server, corpus.Unknown: decode.FromUnknown}
