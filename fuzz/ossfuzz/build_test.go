package ossfuzz

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
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
// package, and wants exactly one; and it compiles the package with the same tag, but for this machine and without
// libFuzzer.
const builder = `#!/bin/bash -eu
dir=$(go list -tags gofuzz -f '{{.Dir}}' "$1")
files=$(grep -r -l --include='*.go' -s "$2" "$dir")
[ "$(grep -r "func $2" $files | grep -c testing.F)" -eq 1 ] || { echo "no single func $2(f *testing.F)"; exit 1; }
[ -e "$OUT/package" ] || go test -tags gofuzz -c -o "$OUT/package" "$1"
[ "$("$OUT/package" -test.list "^$2\$")" = "$2" ] || { echo "$1 has no $2"; exit 1; }
cp "$OUT/package" "$OUT/$3"
`

// TestBuild runs build.sh in a directory that looks like the image's.
func TestBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles")
	}
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
	cmd := exec.Command("bash", "-eu", filepath.Join(here, "fuzz/ossfuzz/build.sh"))
	cmd.Env = append(os.Environ(), "SRC="+src, "OUT="+out, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
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
