package main

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
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
