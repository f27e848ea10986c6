package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
)

// What tests can need, what .ci/all can provide and what the workflow runs are the same jobs.
func TestJobs(t *testing.T) {
	script, err := os.ReadFile("../../.ci/all")
	if err != nil {
		t.Fatal(err)
	}
	var jobs []string
	for _, found := range regexp.MustCompile(`(?m)^job_([a-z]+)\(\) \{ # .`).FindAllSubmatch(script, -1) {
		jobs = append(jobs, string(found[1]))
	}
	workflow, err := os.ReadFile("../../.github/workflows/ci.yml")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^ +job: \[(.*)\]$`).FindSubmatch(workflow)
	if found == nil {
		t.Fatal("the workflow has no matrix of jobs")
	}
	if matrix := strings.Split(string(found[1]), ", "); !slices.Equal(matrix, jobs) {
		t.Errorf(".ci/all has the jobs %q, the workflow %q", jobs, matrix)
	}
	for _, name := range need.Names() {
		if !slices.Contains(jobs, name) {
			t.Errorf("tests can need %s, and .ci/all has no job of that name", name)
		}
	}
	if bash, err := exec.LookPath("bash"); err == nil {
		out, err := exec.Command(bash, "../../.ci/all", "tshrak").CombinedOutput()
		if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 2 || !strings.HasPrefix(string(out), ".ci/all: no job tshrak; there are: ") {
			t.Errorf("%v: %s", err, out)
		}
	}
}

// A job has in its lines each program that a test of it looks for, or a function that is called so: on a machine that has
// nothing it is installed.
func TestJobsInstallWhatTestsNeed(t *testing.T) {
	script, err := os.ReadFile("../../.ci/all")
	if err != nil {
		t.Fatal(err)
	}
	jobs := map[string]string{}
	for _, found := range regexp.MustCompile(`(?ms)^job_([a-z]+)\(\) \{(.*?)^\}`).FindAllStringSubmatch(string(script), -1) {
		jobs[found[1]] = found[2]
	}
	wanted := 0
	for _, file := range testFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range regexp.MustCompile(`need\.Program\(t, need\.([A-Za-z]+)((?:, "[^"]*")+)\)`).FindAllStringSubmatch(string(text), -1) {
			wanted++
			named := slices.ContainsFunc(regexp.MustCompile(`"([^"]*)"`).FindAllStringSubmatch(call[2], -1), func(program []string) bool {
				return regexp.MustCompile(`(^|[\s/])` + strings.ReplaceAll(regexp.QuoteMeta(program[1]), "-", "[-_]") + `(\s|$)`).MatchString(jobs[strings.ToLower(call[1])])
			})
			if !named {
				t.Errorf("%s: the job %s of .ci/all does not have%s", file, strings.ToLower(call[1]), call[2])
			}
		}
	}
	if wanted < 30 {
		t.Errorf("%d programs are looked for", wanted)
	}
}

// A job runs all tests that need what it has: those that say so themselves, and those whose helpers do.
func TestJobsRunWhatNeedsThem(t *testing.T) {
	if testing.Short() {
		t.Skip("two seconds of go run, as the job does")
	}
	cmd := exec.Command("go", "run", ".ci/lint/needs.go", ".ci/lint/walk.go", "Root")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	run, packages, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	tests := strings.Split(strings.TrimSuffix(strings.TrimPrefix(run, "-run=^("), ")$"), "|")
	dirs := strings.Fields(packages)
	direct := 0
	for _, file := range testFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range regexp.MustCompile(`(?ms)^func (Test[A-Za-z0-9_]*)\(.*?^\}`).FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(test[0], "need."+"Root") {
				continue
			}
			direct++
			dir, _ := filepath.Rel("../..", filepath.Dir(file))
			if !slices.Contains(tests, test[1]) || !slices.Contains(dirs, "./"+filepath.ToSlash(dir)) {
				t.Errorf("%s in %s needs root, and is not in %s", test[1], dir, out)
			}
		}
	}
	for _, byHelper := range []string{"TestLiveInterfaceVanishes", "TestViewInTerminal"} {
		if !slices.Contains(tests, byHelper) {
			t.Errorf("%s needs root by its helpers, and is not in %s", byHelper, out)
		}
	}
	if slices.Contains(tests, "TestScripts") || direct < 3 {
		t.Errorf("%d tests, and %s", direct, out)
	}
}

// testFiles are all test files of the module.
func testFiles(t *testing.T) (files []string) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 {
			return filepath.SkipDir
		}
		if err == nil && strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A short run of .ci/fuzz gives each of its targets 12 seconds or more, and the runs after it take the other targets.
func TestFuzzTurns(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of processes of a shell script")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	list := func(round int, seconds ...string) []string {
		cmd := exec.Command(bash, append([]string{"../../.ci/fuzz", "list"}, seconds...)...)
		cmd.Env = append(os.Environ(), "ROUND="+strconv.Itoa(round))
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(out)), "\n")
	}
	all := list(0)
	const perRun = 120 / 12
	seen := map[string]int{}
	rounds := (len(all) + perRun - 1) / perRun
	for round := range rounds {
		turn := list(100+round, "120")
		if len(turn) != min(perRun, len(all)) {
			t.Errorf("round %d has %d targets: %q", round, len(turn), turn)
		}
		for _, target := range turn {
			seen[target]++
		}
	}
	for _, target := range all {
		if seen[target] == 0 {
			t.Errorf("%s has no turn in %d rounds", target, rounds)
		}
	}
	if long := list(7, "3600"); !slices.Equal(long, all) {
		t.Errorf("an hour leaves out targets: %d of %d", len(long), len(all))
	}
}

// What GitHub, goreleaser and pre-commit read is YAML.
func TestYAML(t *testing.T) {
	names := []string{"../../.goreleaser.yaml", "../../action.yml", "../../.pre-commit-hooks.yaml", "../../.clusterfuzzlite/project.yaml"}
	for _, pattern := range []string{"../../.github/*.yml", "../../.github/*/*.yml"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	if len(names) < 10 {
		t.Errorf("only %q", names)
	}
	for _, name := range names {
		var any any
		readYAML(t, name, &any)
	}
}

// make race tests every package that has a go statement or a lock, however .ci/lint/concurrent.go finds them: here by their
// text alone.
func TestRaceMissesNoPackage(t *testing.T) {
	if testing.Short() {
		t.Skip("two seconds of go run, as make race does")
	}
	cmd := exec.Command("go", "run", ".ci/lint/concurrent.go", ".ci/lint/walk.go")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	raced := strings.Fields(string(out))
	cmd = exec.Command("go", "list", "-f", `{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}} {{end}}{{range .TestGoFiles}}{{$d}}/{{.}} {{end}}{{range .XTestGoFiles}}{{$d}}/{{.}} {{end}}`, "./...")
	cmd.Dir = "../.."
	files, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	top, _ := filepath.Abs("../..")
	shared := regexp.MustCompile(`(?m)^\t+(defer )?go (func\(|[a-zA-Z.]+\()|^\t.*\b(sync\.(Mutex|RWMutex|WaitGroup|Cond|Map|Pool)|atomic\.(Int|Uint|Bool|Pointer|Value)[0-9]*)\b`)
	missed := map[string]bool{}
	for _, name := range strings.Fields(string(files)) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		rel, _ := filepath.Rel(top, filepath.Dir(name))
		if at := shared.FindIndex(text); at != nil && (!strings.HasSuffix(name, "_test.go") || bytes.Contains(text[at[0]:at[1]], []byte("go "))) &&
			!slices.Contains(raced, "./"+filepath.ToSlash(rel)) && !missed[rel] {
			missed[rel] = true
			t.Errorf("%s: %q, and .ci/lint/concurrent.go does not list it", name, text[at[0]:at[1]])
		}
	}
	if len(raced) < 15 {
		t.Errorf("only %q", raced)
	}
	rules, err := os.ReadFile("../../Makefile")
	if err != nil || !strings.Contains(string(rules), "test -race -short -timeout 20m $$($(GO) run .ci/lint/concurrent.go .ci/lint/walk.go)\n") {
		t.Errorf("%v: make race does not test what it lists", err)
	}
}
