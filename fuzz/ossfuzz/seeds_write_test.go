package ossfuzz

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

// TestWriteSeeds writes the seeds of all targets for other engines: into PKTSCOPE_SEEDS as files, FuzzX/corpus/NAME,
// which go-fuzz reads, and into PKTSCOPE_SEED_ZIPS as OSS-Fuzz wants them. Without the two it only tries a few.
func TestWriteSeeds(t *testing.T) {
	files, zips := os.Getenv("PKTSCOPE_SEEDS"), os.Getenv("PKTSCOPE_SEED_ZIPS")
	for name := range funcs {
		if files != "" {
			writeFiles(t, filepath.Join(files, "Fuzz"+name, "corpus"), seeds(name))
		}
		if zips != "" {
			path := filepath.Join(zips, binaryName("Fuzz"+name)+"_seed_corpus.zip")
			if err := os.WriteFile(path, zipped(t, seeds(name)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	dir := t.TempDir()
	writeFiles(t, dir, seeds("Wire"))
	if list, err := os.ReadDir(dir); err != nil || len(list) != len(seeds("Wire")) {
		t.Errorf("%d files, %v, want %d", len(list), err, len(seeds("Wire")))
	}
	archive := zipped(t, seeds("Wire"))
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil || len(r.File) != len(seeds("Wire")) || r.File[1].UncompressedSize64 != uint64(1+len(seeds("Wire")[1])) {
		t.Errorf("zip: %v, %v", r, err)
	}
}

// seedName is what libFuzzer and go-fuzz call inputs: a hash of them.
func seedName(seed []byte) string {
	sum := sha256.Sum256(seed)
	return hex.EncodeToString(sum[:20])
}

func writeFiles(t *testing.T, dir string, list [][]byte) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, seed := range list {
		if err := os.WriteFile(filepath.Join(dir, seedName(seed)), seed, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// zipped is a seed corpus for libFuzzer. The reader that OSS-Fuzz's builder puts before a target takes one byte
// for each argument of varying length, which says how much of the input is its share, and with one argument ignores it.
func zipped(t *testing.T, list [][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	done := map[string]bool{}
	for _, seed := range list {
		if done[seedName(seed)] {
			continue
		}
		done[seedName(seed)] = true
		f, err := w.Create(seedName(seed))
		if err == nil {
			_, err = f.Write(append([]byte{0}, seed...))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
