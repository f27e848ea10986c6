package mutatorgen_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/mutatorgen"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

var update = flag.Bool("update", false, "write the golden tables anew")

// The tables of a small schema are there to be read: `go test ./decode/mutatorgen -run Golden -update` writes them
// anew.
func TestGoldenTables(t *testing.T) {
	src, err := os.ReadFile("testdata/small.pks")
	if err != nil {
		t.Fatal(err)
	}
	s, diags := schema.Load("small.pks", src, nil)
	if s == nil {
		t.Fatal(diags)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		t.Fatal(diags)
	}
	text := mutatorgen.Source(p, "-p small.pks", mutatorgen.FileName)
	begin, end := strings.Index(text, "static const char *const pm_kinds"), strings.Index(text, "\n// A packet that was read or written")
	if begin < 0 || end < begin {
		t.Fatal("no tables")
	}
	const golden = "testdata/small.tables.c"
	if *update {
		if err := os.WriteFile(golden, []byte(text[begin:end]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || string(want) != text[begin:end] {
		t.Errorf("%v: the tables are other ones than in %s: see -update\n%s", err, golden, text[begin:end])
	}
}
