package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/pktscope/pktscope/corpus/need"
)

// step is a step of a workflow or of an action.
type step struct {
	Name, If, Uses, Run, Shell string
	With, Env                  map[string]string
}

func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalWithOptions(text, into, yaml.AllowDuplicateMapKey()); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// The README's workflow does what it says: its own steps and those of action.yml run one after the other on the reader of
// the README, as an audit and as a campaign of 1,500 packets, and the last step fails, because that reader dies of a packet.
// What GitHub does is left out: the checkout, the download, caches and uploads.
func TestReadmeAction(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the reader with sanitizers, audits and fuzzes it; TestReadmeReader stays")
	}
	for _, tool := range []string{"g++", "bash", "sed"} {
		need.Program(t, need.CXX, tool)
	}
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, source, ok := strings.Cut(string(text), "```yaml\n")
	source, _, ok2 := strings.Cut(source, "```\n")
	if !ok || !ok2 {
		t.Fatal("the README has no workflow")
	}
	var workflow struct {
		Jobs map[string]struct{ Steps []step }
	}
	if err := yaml.Unmarshal([]byte(source), &workflow); err != nil {
		t.Fatal(err)
	}
	var action struct {
		Inputs map[string]struct {
			Default  string
			Required bool
		}
		Runs struct{ Steps []step }
	}
	readYAML(t, "../../action.yml", &action)
	for _, event := range []string{"push", "schedule"} {
		t.Run(event, func(t *testing.T) {
			dir := t.TempDir()
			env := append(os.Environ(), "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary.md"))
			run := func(script string, env []string) (string, error) {
				cmd := exec.Command("bash", "-e", "-o", "pipefail", "-c", script)
				cmd.Dir, cmd.Env = dir, env
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			blocks := readmeReader(t, string(text), dir)
			if out, err := run(strings.Join(strings.Split(strings.TrimSpace(blocks[5]), "\n")[:2], "\n"), env); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var verdict error
			var said string
			for _, s := range workflow.Jobs["reader"].Steps {
				switch {
				case s.Run != "":
					if out, err := run(s.Run, env); err != nil {
						t.Fatalf("%s: %v\n%s", s.Run, err, out)
					}
				case s.Uses == "OWNER/pktscope@COMMIT":
					with := map[string]string{}
					for name, input := range action.Inputs {
						with[name] = input.Default
						if _, ok := s.With[name]; input.Required && !ok {
							t.Errorf("the README's workflow lacks the input %s", name)
						}
					}
					for name, value := range s.With {
						if _, ok := action.Inputs[name]; !ok {
							t.Errorf("action.yml has no input %s", name)
						}
						with[name] = value
					}
					if with["command"] != "${{ github.event_name == 'schedule' && 'fuzz' || 'audit' }}" {
						t.Fatalf("command: %s", with["command"])
					}
					with["command"] = map[string]string{"push": "audit", "schedule": "fuzz"}[event]
					with["duration"], with["binary"] = "5m", "pktscope"
					if event == "schedule" {
						with["args"] = "-c\n1500\n" // packets end it: where time does, a busy machine explains no crash
					}
					var err error
					if verdict != nil {
						t.Fatal("two steps use the action")
					}
					said, err = runAction(t, action.Runs.Steps, with, env, run)
					verdict = err
				}
			}
			if exit, ok := verdict.(*exec.ExitError); !ok || exit.ExitCode() != exitFindings || strings.Count(said, "::error") != 1 || !strings.HasPrefix(said, "::error file=reader.hpp,line=9,") {
				t.Errorf("%v\n%s", verdict, said)
			}
			for name, wants := range map[string][]string{
				"summary.md":                      {"**crash** in `shot`, target `exec+persistent:./harness`, `count, bits 0..7`"},
				"pktscope-results/pktscope.sarif": {`"uri": "shot.pks"`, `"uri": "reader.hpp"`, `"id": "pktscope/shot/exec+persistent:.%2Fharness/"`},
				"pktscope-results/report.html":    {"<!DOCTYPE html>"},
			} {
				got, err := os.ReadFile(filepath.Join(dir, name))
				for _, want := range wants {
					if err != nil || !strings.Contains(string(got), want) {
						t.Errorf("%s: %v, no %s\n%.2000s", name, err, want, got)
					}
				}
			}
			if found, _ := filepath.Glob(filepath.Join(dir, "pktscope-results/findings/*.json")); len(found) == 0 {
				t.Error("no finding is kept")
			}
		})
	}
}

// runAction runs the scripts of an action's steps with its inputs, and gives what the last one printed. The steps before
// it must not fail.
func runAction(t *testing.T, steps []step, with map[string]string, env []string, run func(string, []string) (string, error)) (said string, err error) {
	t.Helper()
	input := regexp.MustCompile(`^\$\{\{ inputs\.([a-z-]+)(?: \|\| '[a-z]+')? \}\}$`)
	for _, s := range steps {
		if s.Run == "" || s.If == "inputs.binary == ''" {
			continue
		}
		if s.Shell != "bash" || strings.Contains(s.Run, "${{") {
			t.Errorf("step %s: want bash, and inputs by the environment, which nobody can break out of", s.Name)
		}
		own := append([]string(nil), env...)
		for name, value := range s.Env {
			found := input.FindStringSubmatch(value)
			if found == nil {
				t.Fatalf("step %s: %s: %s", s.Name, name, value)
			}
			own = append(own, name+"="+with[found[1]])
		}
		if err != nil {
			t.Fatalf("a step before %s fails: %v\n%s", s.Name, err, said)
		}
		said, err = run(s.Run, own)
	}
	return said, err
}

// The action builds its own source: nobody else's release runs in a user's job.
func TestActionBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("links the program")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var action struct{ Runs struct{ Steps []step } }
	readYAML(t, "../../action.yml", &action)
	build := action.Runs.Steps[1]
	if build.Name != "build" || build.If != "inputs.binary == ''" || build.Env["SOURCE"] != "${{ github.action_path }}" {
		t.Fatalf("the second step is %+v", build)
	}
	dir := t.TempDir()
	cmd := exec.Command(bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", build.Run)
	cmd.Env = append(os.Environ(), "SOURCE="+top, "RUNNER_TEMP="+dir, "GITHUB_PATH="+filepath.Join(dir, "path"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	path, err := os.ReadFile(filepath.Join(dir, "path"))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(filepath.Join(strings.TrimSpace(string(path)), "pktscope"), "version").Output(); err != nil || !strings.HasPrefix(string(out), "pktscope ") {
		t.Errorf("%v: %s", err, out)
	}
}

// A job of a workflow or a step that may write runs no code of the repository, and no token is in a command line.
func TestWorkflowsKeepTokens(t *testing.T) {
	names, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(names) < 3 {
		t.Fatal(names, err)
	}
	writes, jobs := regexp.MustCompile(`: (write|write-all)$`), 0
	for _, name := range names {
		var workflow struct {
			Permissions any
			Jobs        map[string]struct {
				Permissions any
				Steps       []struct{ Uses, Run string }
			}
		}
		readYAML(t, name, &workflow)
		for called, job := range workflow.Jobs {
			jobs++
			for _, granted := range []any{workflow.Permissions, job.Permissions} {
				text, err := yaml.Marshal(map[string]any{"permissions": granted})
				if err != nil {
					t.Fatal(err)
				}
				for line := range strings.SplitSeq(string(text), "\n") {
					for _, s := range job.Steps {
						if writes.MatchString(line) && !strings.Contains(line, "security-events") && (strings.HasPrefix(s.Uses, "actions/checkout@") || strings.Contains(s.Run, ".ci/")) {
							t.Errorf("%s: job %s has %q and runs %s%s", name, called, strings.TrimSpace(line), s.Uses, s.Run)
						}
					}
				}
			}
			for _, s := range job.Steps {
				if regexp.MustCompile(`(-p|--password|--token)[ =]"?\$`).MatchString(s.Run) {
					t.Errorf("%s: job %s has a token in a command line: %s", name, called, s.Run)
				}
			}
		}
	}
	if jobs < 4 {
		t.Errorf("only %d jobs", jobs)
	}
}
