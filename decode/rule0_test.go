package decode_test

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pktscope/pktscope/decode"
)

var update = flag.Bool("update", false, "write the golden file")

// A schema keeps its plan: what the language learns changes nothing of what was written before. Of each built-in and
// each example the golden has a digest of the plan as `schema plan` prints it; who changes one of these schemas, or how a
// plan is printed, writes it anew with -update.
func TestPlansStay(t *testing.T) {
	var files []string
	for _, dir := range []string{"protocols", "../corpus/examples", "schema/testdata/check/ok", "testdata"} {
		found, err := filepath.Glob(dir + "/*.pks")
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %d schemas", dir, err, len(found))
		}
		files = append(files, found...)
	}
	sort.Strings(files)
	dir := fstest.MapFS{} // an example may import a built-in
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		dir[filepath.Base(file)] = &fstest.MapFile{Data: src}
	}
	var got strings.Builder
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d, err := decode.LoadFS(dir, filepath.Base(file), src)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		var text bytes.Buffer
		if err := d.Disassemble(&text); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%x %s\n", sha256.Sum256(text.Bytes()), filepath.ToSlash(file))
	}
	const golden = "testdata/plans.sha256"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	wants, gots := strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")
	for i := range max(len(wants), len(gots)) {
		if i >= len(wants) || i >= len(gots) || wants[i] != gots[i] {
			t.Fatalf("the plans are others than in %s: line %d of %d and %d\nwant %s\ngot  %s", golden, i+1, len(wants), len(gots),
				at(wants, i), at(gots, i))
		}
	}
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "nothing"
}
