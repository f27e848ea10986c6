package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
)

// sample is a change that CONTRIBUTING shows: rows to add, and commands that show that they suffice.
type sample struct {
	name     string
	rows     []sampleRow
	commands string
}

// sampleRow adds a text to a file, after another that is there once.
type sampleRow struct{ file, after, add string }

// contributing reads the samples of CONTRIBUTING: the sections that have a table with the columns file, after and add.
func contributing(t *testing.T) (samples []sample) {
	t.Helper()
	page, err := os.ReadFile("../../.github/CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `([^`]+)` \\| `([^`]+)` \\|$")
	for _, section := range strings.Split(string(page), "\n## ")[1:] {
		_, table, ok := strings.Cut(section, "\n| file | after | add |\n")
		if !ok {
			continue
		}
		s := sample{}
		s.name, _, _ = strings.Cut(section, "\n")
		table, rest, _ := strings.Cut(table, "\n\n")
		for _, found := range row.FindAllStringSubmatch(table, -1) {
			s.rows = append(s.rows, sampleRow{found[1], found[2], found[3]})
		}
		if n := strings.Count(table, "\n"); len(s.rows) != n { // beside them there is the line of dashes
			t.Fatalf("%s: %d of %d rows are read", s.name, len(s.rows), n)
		}
		_, rest, _ = strings.Cut(rest, "```\n")
		s.commands, _, _ = strings.Cut(rest, "```\n")
		samples = append(samples, s)
	}
	if len(samples) != 4 {
		t.Fatalf("CONTRIBUTING has %d samples", len(samples))
	}
	return samples
}

// changed gives the files of a sample with its rows.
func (s *sample) changed(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, r := range s.rows {
		text, ok := files[r.file]
		if !ok {
			source, err := os.ReadFile(filepath.Join("../..", r.file))
			if err != nil {
				t.Fatal(err)
			}
			text = string(source)
		}
		if n := strings.Count(text, r.after); n != 1 {
			t.Fatalf("%s: %s has %d times %s", s.name, r.file, n, r.after)
		}
		at := strings.Index(text, r.after) + len(r.after)
		between := " "
		if text[at] == '\n' {
			between = "\n"
		}
		files[r.file] = text[:at] + between + r.add + text[at:]
	}
	return files
}

// What CONTRIBUTING says to add goes where it says.
func TestContributingPlaces(t *testing.T) {
	for _, s := range contributing(t) {
		s.changed(t)
	}
}

// What CONTRIBUTING says to add suffices: its commands fail as the tree is, and pass with the rows.
func TestContributingSamples(t *testing.T) {
	need.Job(t, need.Long) // it builds most of the module for each sample
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range contributing(t) {
		t.Run(s.name, func(t *testing.T) {
			dir := t.TempDir()
			replace := map[string]string{}
			for name, text := range s.changed(t) {
				file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				replace[filepath.Join(top, name)] = file
			}
			overlay := filepath.Join(dir, "overlay.json")
			text, err := json.Marshal(map[string]any{"Replace": replace})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(overlay, text, 0o600); err != nil {
				t.Fatal(err)
			}
			run := func(flags string) (string, error) {
				cmd := exec.Command("sh", "-e", "-c", s.commands)
				cmd.Dir, cmd.Env = top, append(os.Environ(), "GOFLAGS="+flags, "PKTSCOPE_REQUIRE=")
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			if out, err := run(os.Getenv("GOFLAGS") + " -overlay=" + overlay); err != nil {
				t.Errorf("with its rows: %v\n%s", err, out)
			}
			if out, err := run(os.Getenv("GOFLAGS")); err == nil {
				t.Errorf("without its rows the commands pass\n%s", out)
			}
		})
	}
}
