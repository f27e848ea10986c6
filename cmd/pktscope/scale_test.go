package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The job of `help scale` is run as a cluster would: its arguments for each index, in any order, one of them twice as
// after a crash; then what it says to merge. The result is that of one run.
func TestScaleJob(t *testing.T) {
	const captures = "testdata/rtype-session.pcap"
	_, rest, found := strings.Cut(helpScale, "args: [")
	list, _, closed := strings.Cut(rest, "]\n")
	if !found || !closed {
		t.Fatal("no arguments in the job")
	}
	data := t.TempDir()
	if err := os.Mkdir(filepath.Join(data, "parts"), 0o700); err != nil {
		t.Fatal(err)
	}
	pktscope := func(args ...string) {
		t.Helper()
		out, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		if code := run(args, strings.NewReader(""), out, out); code != exitDone {
			told, _ := os.ReadFile(out.Name())
			t.Fatalf("%v: exit code %d: %s", args, code, told)
		}
	}
	pktscope("shards", "-q", "--size", "90kB", "-o", filepath.Join(data, "plan.jsonl"), captures)
	const pieces = 6
	order := append(rand.New(rand.NewPCG(1, 2)).Perm(pieces), 3)
	for _, i := range order {
		var args []string
		for _, one := range strings.Split(list, ",") {
			one = strings.Trim(strings.TrimSpace(one), `"`)
			args = append(args, strings.NewReplacer("/data", data, "$(JOB_COMPLETION_INDEX)", fmt.Sprint(i)).Replace(one))
		}
		pktscope(args...)
	}
	all, one, whole := filepath.Join(data, "all.json"), filepath.Join(data, "one.json"), filepath.Join(data, "whole.json")
	pktscope("report", "merge", "--complete", "-o", all, filepath.Join(data, "parts"))
	pktscope("stats", "-q", "-T", "json", "-o", one, captures)
	pktscope("report", "merge", "-o", whole, one)
	got, err := os.ReadFile(all)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(whole)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v: %d bytes, want %d", err, len(got), len(want))
	}
}
