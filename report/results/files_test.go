package results_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/report/results"
)

// Of a directory only its own .json files are read; links lead elsewhere.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"b.json", "a.json", "c.pcapng", "d.jsonl"} {
		if err := os.WriteFile(path(name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(path("e.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"f.json": "a.json", "f.pcapng": "c.pcapng"} {
		if err := os.Symlink(to, path(link)); err != nil {
			t.Skip(err) // a system without links
		}
	}
	names, err := results.Files(os.DirFS(dir))
	if want := []string{"a.json", "b.json"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("want %q, got %q, %v", want, names, err)
	}
	if names, err := results.Files(os.DirFS(path("none"))); err == nil {
		t.Errorf("no directory: want an error, got %q", names)
	}
}
