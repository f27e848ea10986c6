package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

// A loss of 6 % is told from one of 4 %, and from turns that differ as much among themselves.
func TestComparisonTellsALoss(t *testing.T) {
	times := func(ns ...float64) []float64 { return ns }
	before := turns{
		"lost":     times(100, 101, 100.5, 99.5, 100.2, 100.8, 99.9, 100.1),
		"a little": times(100, 101, 100.5, 99.5, 100.2, 100.8, 99.9, 100.1),
		"faster":   times(100, 101, 100.5, 99.5, 100.2, 100.8, 99.9, 100.1),
		"noise":    times(100, 140, 90, 120, 85, 130, 99, 150),
		"gone":     times(1),
	}
	after := turns{
		"lost":     times(106.1, 107, 106.6, 105.6, 106.3, 106.9, 106, 106.2),
		"a little": times(104, 105, 104.5, 103.5, 104.2, 104.8, 103.9, 104.1),
		"faster":   times(80, 81, 80.5, 79.5, 80.2, 80.8, 79.9, 80.1),
		"noise":    times(110, 145, 95, 132, 84, 140, 100, 160),
		"new":      times(1),
	}
	before["read/hand-written"], after["read/hand-written"] = before["lost"], after["lost"]
	text, slower := comparison("0123456789ab", before, after)
	if !slices.Equal(slower, []string{"lost"}) {
		t.Errorf("slower: %q\n%s", slower, text)
	}
	for _, want := range []string{"| lost | 100 | 106 | +6.0", "| a little | 100 | 104 | +3.9", "| faster | 100 | 80.2 | -19.", "| noise | 110 | 121 | ~ |"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "new") || strings.Contains(text, "gone") {
		t.Errorf("a row of one side\n%s", text)
	}
}

// What the history has, benchstat's reader reads: the same names, the best of as many turns each, the keys before them.
func TestHistory(t *testing.T) {
	all := turns{"flat97/read/generated": nil, ofPrograms + "decode -T json": {1600.4, 1500}}
	for i := range 40 {
		all["flat97/read/generated"] = append(all["flat97/read/generated"], float64(100+i))
	}
	file := filepath.Join(t.TempDir(), "history.txt")
	text := append(turns{"bits/read/serialize": {3}}.entry("commit", "aaaaaaaaaaaa"), all.thinned().entry("commit", "bbbbbbbbbbbb+", "cpu", "a processor")...)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	got := map[string][]float64{}
	for r := benchfmt.NewReader(bytes.NewReader(text), ""); r.Scan(); {
		line, ok := r.Result().(*benchfmt.Result)
		if !ok {
			t.Fatal(r.Result())
		}
		if line.GetConfig("commit") == "bbbbbbbbbbbb+" && line.GetConfig("cpu") == "a processor" {
			got[line.Name.String()] = append(got[line.Name.String()], line.Values[0].OrigValue)
		}
	}
	if len(got) != 2 || !slices.Equal(got["Packet/flat97/read/generated"], []float64{100, 104, 108, 112, 116, 120, 124, 128, 132, 136}) ||
		!slices.Equal(got["Program/decode_-T_json"], []float64{1600, 1500}) {
		t.Errorf("%v\n%s", got, text)
	}
	if commit, err := newest(file); commit != "bbbbbbbbbbbb" || err != nil {
		t.Error(commit, err)
	}
	for name, text := range map[string]string{"empty": "", "no commit": "BenchmarkA 1 2 ns/op\n", "no number": "commit: a\nBenchmarkA 1 x ns/op\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if commit, err := newest(file); err == nil {
			t.Errorf("%s: commit %q", name, commit)
		}
	}
	if _, err := newest(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("no file")
	}
}

func TestCommitOf(t *testing.T) {
	if _, err := commitOf(t.Context(), "-no such commit"); err == nil || !strings.Contains(err.Error(), "want a commit") {
		t.Error(err)
	}
}
