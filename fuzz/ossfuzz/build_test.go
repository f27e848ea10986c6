package ossfuzz

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
)

// binaryName is what build.sh calls a target's binary.
func binaryName(function string) string {
	return "fuzz_" + strings.ToLower(strings.TrimPrefix(function, "Fuzz"))
}

var targetLine = regexp.MustCompile(`(?m)^target (\w+) (\w+)(?: (\w+))?$`)

// build.sh has each target of this package once, under its name, with a dictionary that is there.
func TestBuildScriptListsTargets(t *testing.T) {
	script, err := os.ReadFile("build.sh")
	if err != nil {
		t.Fatal(err)
	}
	var built, used []string
	for _, m := range targetLine.FindAllStringSubmatch(string(script), -1) {
		built = append(built, strings.TrimPrefix(m[1], "Fuzz"))
		if m[2] != binaryName(m[1]) {
			t.Errorf("%s becomes %s, want %s", m[1], m[2], binaryName(m[1]))
		}
		if m[3] != "" {
			used = append(used, m[3]+".dict")
		}
	}
	var want []string
	for name := range funcs {
		want = append(want, name)
	}
	slices.Sort(want)
	slices.Sort(built)
	if !slices.Equal(built, want) {
		t.Errorf("build.sh builds %v, the targets are %v", built, want)
	}
	for _, name := range used {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
}

// builder stands for the one of OSS-Fuzz: it looks for the function as that does, with grep in all files below the
// package, and wants exactly one file; and it compiles the package with the same tag, but for this machine and without
// libFuzzer. For coverage it compiles as that does, and runs the target on a seed.
const builder = `#!/bin/bash -eu
dir=$(go list -tags gofuzz -f '{{.Dir}}' "$1")
[ "$(grep -r -l --include='*.go' "func $2(.*testing\.F" "$dir" | wc -l)" -eq 1 ] || { echo "no single file has func $2(f *testing.F)"; exit 1; }
flags=
[ "${SANITIZER:-}" != coverage ] || flags="-coverpkg=github.com/pktscope/pktscope/... -covermode=atomic"
# shellcheck disable=SC2086 # several words
[ -e "$OUT/package" ] || go test -tags gofuzz -c $flags -o "$OUT/package" "$1"
[ "$("$OUT/package" -test.list "^$2\$")" = "$2" ] || { echo "$1 has no $2"; exit 1; }
cp "$OUT/package" "$OUT/$3"
`

// The builder rewrites the call of f.Fuzz in the body of the function that it found, and wants a literal there: each
// target calls it on its own parameter.
func TestTargetsCallFuzzThemselves(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "targets_test.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	called := map[string]bool{}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || !strings.HasPrefix(f.Name.Name, "Fuzz") {
			continue
		}
		own := f.Type.Params.List[0].Names[0].Name
		for _, statement := range f.Body.List {
			if s, ok := statement.(*ast.ExprStmt); ok && isFuzz(s.X, own) {
				called[strings.TrimPrefix(f.Name.Name, "Fuzz")] = true
			}
		}
	}
	for name := range funcs {
		if !called[name] {
			t.Errorf("Fuzz%s does not call f.Fuzz with a function literal", name)
		}
	}
}

// isFuzz reports whether x is own.Fuzz(func…).
func isFuzz(x ast.Expr, own string) bool {
	call, ok := x.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || method.Sel.Name != "Fuzz" {
		return false
	}
	f, ok := method.X.(*ast.Ident)
	_, literal := call.Args[0].(*ast.FuncLit)
	return ok && f.Name == own && literal
}

// TestBuild runs build.sh in a directory that looks like the image's.
func TestBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles")
	}
	out := build(t, "address", "fuzz/ossfuzz/build.sh")
	for name := range funcs {
		for _, file := range []string{"", "_seed_corpus.zip"} {
			path := filepath.Join(out, binaryName("Fuzz"+name)+file)
			if info, err := os.Stat(path); err != nil || info.Size() < 100 {
				t.Errorf("%s: %v, %v", filepath.Base(path), info, err)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(out, "fuzz_schema.dict")); err != nil {
		t.Error(err)
	}
}

// TestBuildCoverage runs the build.sh of ClusterFuzzLite with its sanitizer `coverage`, and a target on its seeds: what
// it covers is written.
func TestBuildCoverage(t *testing.T) {
	need.Job(t, need.Long) // it compiles every target for the coverage of each package
	out := build(t, "coverage", ".clusterfuzzlite/build.sh")
	profile := filepath.Join(out, "profile")
	cmd := exec.Command(filepath.Join(out, "fuzz_filter"), "-test.run=^FuzzFilter$", "-test.coverprofile="+profile)
	cmd.Dir = "." // where the seeds' files are
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^github\.com/pktscope/pktscope/decode/filter/\S+ \d+ [1-9]`).Match(text) {
		t.Error("nothing of decode/filter is covered")
	}
}

// build runs a build script for a sanitizer in a directory that looks like the image's, and returns its OUT.
func build(t *testing.T, sanitizer, script string) string {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	src, out, bin := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.Symlink(here, filepath.Join(src, "pktscope")); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "compile_native_go_fuzzer_v2"), []byte(builder), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-eu", filepath.Join(here, script))
	cmd.Dir = here // as WORKDIR of the Dockerfiles says
	cmd.Env = append(os.Environ(), "SANITIZER="+sanitizer, "SRC="+src, "OUT="+out, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}
