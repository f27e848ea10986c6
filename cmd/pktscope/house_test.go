package main_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pktscope/pktscope/decode/wire"
)

const module = "github.com/pktscope/pktscope/"

// floors is the house, of which the package's doc has the table: imports go down only. A package that is not listed
// is on the floor of the longest listed prefix.
var floors = sync.OnceValue(func() map[string]int {
	file, err := parser.ParseFile(token.NewFileSet(), "main.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		panic(err)
	}
	of := map[string]int{"corpus/need": -1} // of tests alone: it stands below all that they test
	floor, parent := -1, ""
	for line := range strings.Lines(file.Doc.Text()) {
		row, ok := strings.CutPrefix(line, "\t")
		if !ok || len(row) < 3 {
			continue
		}
		if '0' <= row[0] && row[0] <= '9' {
			floor = int(row[0] - '0')
		}
		names, _, _ := strings.Cut(strings.TrimSpace(row[1:]), "  ")
		for name := range strings.FieldsSeq(strings.ReplaceAll(names, ",", "")) {
			if top, _, _ := strings.Cut(name, "/"); !slices.Contains(tops, top) {
				name = parent + "/" + name // "report/page sarif": report/sarif
			}
			of[name], parent = floor, path.Dir(name)
			if _, err := os.Stat(filepath.Join("../..", name)); err != nil {
				panic("the doc's table of floors: " + err.Error())
			}
		}
	}
	return of
})

// tops are the folders at the top.
var tops = []string{"cmd", "decode", "fuzz", "corpus", "pcap", "report"}

func floorOf(path string) (int, bool) {
	for p := strings.TrimPrefix(path, module); p != ""; {
		if f, ok := floors()[p]; ok {
			return f, true
		}
		cut := strings.LastIndexByte(p, '/')
		if cut < 0 {
			break
		}
		p = p[:cut]
	}
	return 0, false
}

type listed struct {
	ImportPath string
	Name       string
	Dir        string
	GoFiles    []string

	TestGoFiles, XTestGoFiles []string

	Imports, TestImports, XTestImports []string
}

// listing is asked for once: many tests look at all packages.
var listing = sync.OnceValues(func() (all []listed, err error) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Name,Dir,GoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports", module+"...").Output()
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
})

func list(t *testing.T) []listed {
	t.Helper()
	all, err := listing()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	if len(all) < 8 {
		t.Fatalf("go list knows only %d packages", len(all))
	}
	return all
}

// Imports go down only: never up, and sideways only inside one part of the house (a package and what lies under it).
func TestImportsGoDown(t *testing.T) {
	for _, p := range list(t) {
		from, ok := floorOf(p.ImportPath)
		if !ok {
			t.Errorf("%s stands on no floor", p.ImportPath)
			continue
		}
		for _, imp := range p.Imports {
			if !strings.HasPrefix(imp, module) {
				continue
			}
			to, ok := floorOf(imp)
			family := strings.HasPrefix(p.ImportPath+"/", imp+"/") || strings.HasPrefix(imp+"/", p.ImportPath+"/")
			if !ok || to > from || to == from && !family && !sideways[[2]string{strings.TrimPrefix(p.ImportPath, module), strings.TrimPrefix(imp, module)}] {
				t.Errorf("%s (floor %d) imports %s (floor %d)", p.ImportPath, from, imp, to)
			}
		}
	}
}

// sideways are the imports on one floor that are wanted: a generated reader is a process, and the packets of simulated
// sessions, which are of tests alone, are written as messages.
var sideways = map[[2]string]bool{{"fuzz/generated", "fuzz/process"}: true, {"decode/infer/sessions", "decode/message"}: true}

// The tests of decode need nothing that stands above decode: they pass where it is copied out with the floors below it.
func TestDecodeTestsStayBelow(t *testing.T) {
	top, _ := floorOf(module + "decode")
	for _, p := range list(t) {
		self := strings.TrimPrefix(p.ImportPath, module)
		if floor, ok := floorOf(p.ImportPath); self != "decode" && !strings.HasPrefix(self, "decode/") || ok && floor > top {
			continue
		}
		var above []string
		for _, imp := range slices.Concat(p.TestImports, p.XTestImports) {
			floor, ok := floorOf(imp)
			imp, own := strings.CutPrefix(imp, module)
			if own && (!ok || floor > top || imp == "pcap" || strings.HasPrefix(imp, "pcap/")) && !slices.Contains(above, imp) {
				above = append(above, imp)
			}
		}
		slices.Sort(above)
		if len(above) > 0 {
			t.Errorf("the tests of %s import %q from above decode", self, above)
		}
	}
}

// What tests need of a machine, and the rows they share, are in no program.
func TestOfTestsAlone(t *testing.T) {
	for _, p := range list(t) {
		for _, of := range []string{"corpus/need", "decode/anyschema/packets", "decode/slow/rows", "decode/infer/sessions"} {
			if slices.Contains(p.Imports, module+of) {
				t.Errorf("%s imports %s", p.ImportPath, of)
			}
		}
	}
}

// Some packages are one part's business alone.
func TestSoleImporters(t *testing.T) {
	allowed := map[string][]string{
		"github.com/google/gopacket":        {"pcap", "pcap/live"},
		"github.com/google/gopacket/layers": {}, // of tests alone: its tables double what it costs to start
		"github.com/spf13/cobra":            {"cmd/pktscope", "cmd/pktscope/internal/man"},
		"golang.org/x/crypto":               {"decode/internal/seal", "fuzz/zoo/vault"}, // which shares nothing with us
		"github.com/parquet-go/parquet-go":  {"report/parquet"},
		"github.com/pelletier/go-toml":      {"pcap/relay/line"},
		"github.com/gdamore/tcell":          {"report/browse"},
		"golang.org/x/perf":                 {"cmd/pktscope/bench"},
		"net/http":                          {}, // an eighth of the program, for one page
		"github.com/apache/beam":            {}, // of the module cmd/pktscope/beam alone
		module + "decode/internal/ops":      {"decode", "decode/internal/ops/tables", "decode/luagen", "decode/mutatorgen", "decode/tsgen"},
	}
	for _, p := range list(t) {
		self := strings.TrimPrefix(p.ImportPath, module)
		for _, imp := range p.Imports {
			for lib, may := range allowed {
				if imp != lib && !strings.HasPrefix(imp, lib+"/") {
					continue
				}
				ok := false
				for _, m := range may {
					ok = ok || m == self
				}
				if !ok {
					t.Errorf("%s imports %s; only %v may", self, imp, may)
				}
			}
			if imp == "os" && self == "decode" && !onlyIn(t, p, "dir.go", `"os"`) {
				t.Error("in decode only dir.go may import os")
			}
			if (imp == "os" || imp == "log") && p.Name != "main" && !readsFiles[self] {
				t.Errorf("%s imports %s: only commands print, exit and open files", self, imp)
			}
		}
		if top, _, _ := strings.Cut(self, "/"); !topLevel[top] {
			t.Errorf("%s: the top level is cmd, corpus, decode, fuzz, pcap and report", self)
		}
		if p.Name == "main" && self != "cmd/pktscope" && self != "corpus/gen" && self != "cmd/pktscope/bench" {
			t.Errorf("%s is a program; only cmd/pktscope, its bench and corpus/gen are", self)
		}
	}
}

var topLevel = map[string]bool{"cmd": true, "corpus": true, "decode": true, "fuzz": true, "pcap": true, "report": true}

// readsFiles may import os for what is not printing: live opens a socket as an os.File, corpus is a directory, a target
// is a process after pipes, or code that is built first, results are saved to files; in pcap only the FileWriter may
// (TestOnlyFileWriterOpensFiles there), in decode only Dir, which a schema's imports are read from.
var readsFiles = map[string]bool{
	"decode": true, "pcap": true, "pcap/live": true, "corpus": true, "corpus/need": true, "fuzz/process": true, "fuzz/generated": true, "fuzz/findings": true, "report/saved": true,
}

// onlyIn reports whether one file alone of a package has a text.
func onlyIn(t *testing.T, p listed, file, text string) bool {
	t.Helper()
	for _, name := range p.GoFiles {
		src, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if name != file && strings.Contains(string(src), text) {
			return false
		}
	}
	return true
}

// The second opinion is written from wire.md: what it would share with the code that it judges, it could not find
// wrong. Through schema.Order, which is wire's, it can reach wire's loads; it names none of them.
func TestSecondOpinionIsItsOwn(t *testing.T) {
	own := map[string]bool{}
	for m := range reflect.TypeFor[wire.Order]().NumMethod() {
		if name := reflect.TypeFor[wire.Order]().Method(m).Name; name != "String" {
			own[name] = true
		}
	}
	looked := 0
	for _, p := range list(t) {
		self := strings.TrimPrefix(p.ImportPath, module)
		if self != "decode/slow" && self != "corpus/gen" {
			continue
		}
		for _, imp := range p.Imports {
			if imp == module+"decode/wire" || imp == module+"decode/plan" || imp == module+"decode" {
				t.Errorf("%s imports %s", self, imp)
			}
		}
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			looked++
			ast.Inspect(file, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok && own[sel.Sel.Name] {
					t.Errorf("%s/%s calls %s of wire.Order", self, name, sel.Sel.Name)
				}
				return true
			})
		}
	}
	if looked < 20 || len(own) < 4 {
		t.Fatalf("looked at %d files for %d methods", looked, len(own))
	}
}

// Each package that a program can import shows how. Generated packages under testdata are the generator's.
func TestExamples(t *testing.T) {
	without := map[string]bool{
		"cmd/pktscope/editors": true, "corpus/need": true, "decode/slow/rows": true, "fuzz/ossfuzz": true, // of tests alone
		"decode/gogen/runtime": true, // copied, not imported
	}
	for _, p := range list(t) {
		self := strings.TrimPrefix(p.ImportPath, module)
		if p.Name == "main" || strings.Contains(self, "/testdata/") || strings.Contains(self, "internal/") || without[self] {
			continue
		}
		shown := false
		for _, name := range append(p.TestGoFiles, p.XTestGoFiles...) {
			src, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			shown = shown || bytes.Contains(src, []byte("\nfunc Example"))
		}
		if !shown {
			t.Errorf("%s has no Example", self)
		}
	}
}

// decode must stay usable without capture libraries, and pcap without decoders.
func TestDecodeAndPcapDoNotKnowEachOther(t *testing.T) {
	for _, p := range list(t) {
		self := strings.TrimPrefix(p.ImportPath, module)
		for _, imp := range p.Imports {
			imp = strings.TrimPrefix(imp, module)
			if strings.HasPrefix(self, "decode") && strings.HasPrefix(imp, "pcap") || strings.HasPrefix(self, "pcap") && strings.HasPrefix(imp, "decode") {
				t.Errorf("%s imports %s", self, imp)
			}
		}
	}
}
