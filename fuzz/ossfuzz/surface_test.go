package ossfuzz

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/fuzz/selffuzz"
)

const root = "../.."

// entries finds the fuzz targets in the sources, as "directory.Function": the native ones, and go-fuzz's.
func entries(t *testing.T) (native, gofuzz []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() != ".." && strings.HasPrefix(d.Name(), ".") {
			if err == nil {
				err = fs.SkipDir
			}
			return err
		}
		if d.IsDir() || !strings.HasSuffix(path, "_test.go") && filepath.Base(path) != "gofuzz.go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Fuzz") || len(f.Type.Params.List) != 1 {
				continue
			}
			switch f.Type.Params.List[0].Type.(type) {
			case *ast.StarExpr:
				native = append(native, filepath.ToSlash(dir)+"."+f.Name.Name)
			case *ast.ArrayType:
				gofuzz = append(gofuzz, filepath.ToSlash(dir)+"."+f.Name.Name)
			}
		}
		return err
	})
	if err != nil || len(native) < 30 || len(gofuzz) < 15 {
		t.Fatalf("%d native targets, %d of go-fuzz, %v", len(native), len(gofuzz), err)
	}
	return native, gofuzz
}

// surface is a row of README.md's table.
type surface struct {
	what           string
	native, gofuzz []string
}

func surfaces(t *testing.T) (list []surface) {
	t.Helper()
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || strings.Contains(cells[1], "---") || strings.TrimSpace(cells[1]) == "surface" {
			continue
		}
		list = append(list, surface{strings.TrimSpace(cells[1]), names(cells[2]), names(cells[3])})
	}
	return list
}

// names are the code words of a cell.
func names(cell string) (list []string) {
	for i, part := range strings.Split(cell, "`") {
		if i%2 == 1 {
			list = append(list, part)
		}
	}
	return list
}

// alone are the surfaces that go-fuzz has no entry for, because their tests hold what only tests have: tables, files.
var alone = []string{
	"what target programs answer",
	"JSON made into packets",
	"saved parts of statistics",
	"saved parts of budgets",
	"saved results",
	"dialogues",
	"files of keys",
	"sessions of editors",
	"descriptions in other languages",
	"captures that schemas are drafted from",
	"profiles of networks",
	"serialize functions in Go code",
	"generated readers",
}

// Every hostile surface has a native target and an entry of go-fuzz, and every target has a surface.
func TestSurfaces(t *testing.T) {
	native, gofuzz := entries(t)
	var listed, listedGo []string
	for _, s := range surfaces(t) {
		if len(s.native) == 0 {
			t.Errorf("%s has no native target", s.what)
		}
		if len(s.gofuzz) == 0 != slices.Contains(alone, s.what) {
			t.Errorf("%s: %d entries of go-fuzz", s.what, len(s.gofuzz))
		}
		listed, listedGo = append(listed, s.native...), append(listedGo, s.gofuzz...)
	}
	for _, both := range [][3]any{{"native target", native, listed}, {"entry of go-fuzz", gofuzz, listedGo}} {
		found, listed := both[1].([]string), both[2].([]string)
		for _, name := range found {
			if !slices.Contains(listed, name) {
				t.Errorf("%s %s is in no row of README.md", both[0], name)
			}
		}
		for _, name := range listed {
			if !slices.Contains(found, name) {
				t.Errorf("README.md lists the %s %s, which is not there", both[0], name)
			}
		}
	}
	for name := range funcs {
		if !slices.Contains(native, "fuzz/ossfuzz.Fuzz"+name) {
			t.Errorf("entry %s has no native target", name)
		}
		if !slices.Contains(gofuzz, "fuzz/selffuzz.Fuzz"+name) && !slices.Contains(gofuzz, "report.Fuzz"+name) {
			t.Errorf("entry %s has no entry of go-fuzz", name)
		}
	}
}

// The script that CI runs finds the same targets.
func TestScriptFindsTargets(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	out, err := exec.Command("bash", filepath.Join(root, ".ci/fuzz"), "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := strings.Split(strings.TrimSpace(strings.ReplaceAll(string(out), " ", ".")), "\n")
	native, _ := entries(t)
	slices.Sort(found)
	slices.Sort(native)
	if !slices.Equal(found, native) {
		t.Errorf("the script has %v\nthe sources have %v", found, native)
	}
	if len(native) > 3600/12 { // on a push they run in turns
		t.Errorf("%d targets: the hour of a night has no 12 s for each", len(native))
	}
}

// Each target starts from something that gets far, so that an engine need not find it.
func TestSeedsAreInteresting(t *testing.T) {
	for name, target := range funcs {
		got := 0
		for _, seed := range seeds(name) {
			interesting, err := target(seed)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if interesting {
				got++
			}
		}
		if 5*got < len(seeds(name)) || got < 2 {
			t.Errorf("%s: only %d of %d seeds are interesting", name, got, len(seeds(name)))
		}
	}
	if n := len(seeds("Schema")); n < 15 {
		t.Errorf("%d schemas; those of decode/schema are missing", n)
	}
	for i, src := range append(small[:len(small):len(small)], importing) {
		if interesting, err := selffuzz.Schema([]byte(src)); err != nil || !interesting {
			t.Errorf("small schema %d: %v, %v", i, interesting, err)
		}
	}
}
