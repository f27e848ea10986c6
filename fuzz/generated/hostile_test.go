package generated_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
)

// Packages of schemas whose names or comments want to become code agree with the interpreter as all others do.
func TestHostileNames(t *testing.T) {
	if testing.Short() {
		t.Skip("TestProtocolsAgree builds a package for each form of name that is usual")
	}
	files, err := filepath.Glob("../../decode/gogen/testdata/hostile/*.pks")
	if err != nil || len(files) < 5 {
		t.Fatal(len(files), err)
	}
	g := &program{dir: t.TempDir()}
	for _, g.fixed = range []bool{false, true} {
		for i, file := range files {
			if g.fixed && i%2 == 0 || i%need.Rounds(1, 4) > 0 {
				continue // names are the same in both
			}
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := g.add(t, file, compile(t, file, src)); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	if t.Failed() {
		return
	}
	g.build(t)
	g.vet(t)
	b := &batch{g: g}
	for n := range g.plans {
		b.makes(t, n, 3, 2, 50)
	}
	b.hold(t)
	if b.held < need.Rounds(100, 20) {
		t.Errorf("%d packets held", b.held)
	}
}
