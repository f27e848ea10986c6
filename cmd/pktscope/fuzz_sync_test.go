package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus"
)

// Only who knows square roots modulo a prime gets after the `if`: no campaign does by itself.
const roots = `protocol roots
order msb
packet {
    a uint32 in 2..2147483647
    b uint32 in 2..2147483647
    if a * a % 2147483629 == 900678394 && b * b % 2147483629 == 1163759667 {
        deep uint8 in 0..9
    }
}
`

// What one campaign keeps another has within two rounds of --sync; and it says that no seed repeats it.
func TestFuzzSync(t *testing.T) {
	if testing.Short() {
		t.Skip("two campaigns")
	}
	dir := t.TempDir()
	schema, seeds, out, told := filepath.Join(dir, "roots.pks"), filepath.Join(dir, "seeds"), filepath.Join(dir, "out.json"), filepath.Join(dir, "told")
	if err := os.WriteFile(schema, []byte(roots), 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := corpus.Create(seeds)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	campaign := func(during func(), args ...string) (saved struct {
		Synced    *struct{ Read, Added int }
		Unreached []string
	}, said string) {
		t.Helper()
		stdout, err := os.Create(out)
		if err != nil {
			t.Fatal(err)
		}
		defer stdout.Close()
		stderr, err := os.Create(told)
		if err != nil {
			t.Fatal(err)
		}
		defer stderr.Close()
		done := make(chan int)
		go func() {
			done <- run(append([]string{"fuzz", "-p", schema, "--corpus", seeds, "-T", "json", "-j", "1"}, args...), strings.NewReader(""), stdout, stderr)
		}()
		during()
		<-done
		text, err := os.ReadFile(out)
		if err != nil || json.Unmarshal(text, &saved) != nil {
			t.Fatalf("%v: %s", err, text)
		}
		text, _ = os.ReadFile(told)
		return saved, string(text)
	}
	alone, said := campaign(func() {}, "-c", "20000", "--seed", "1")
	if alone.Synced != nil || strings.Contains(said, "not repeatable") {
		t.Errorf("without --sync: %+v: %s", alone, said)
	}
	together, said := campaign(func() {
		time.Sleep(time.Second)
		if _, err := store.Add([]byte{0x77, 0x35, 0x93, 0xe5, 0x69, 0xf6, 0xbc, 0x2f, 3}, corpus.Unknown, ""); err != nil {
			t.Error(err)
		}
	}, "--duration", "6s", "--seed", "1", "--sync", "1s")
	if together.Synced == nil || together.Synced.Read < 1 || together.Synced.Added < 1 || !strings.Contains(said, "not repeatable: --sync") {
		t.Errorf("with --sync: %+v: %s", together.Synced, said)
	}
	deep := func(list []string) bool { return strings.Contains(strings.Join(list, " "), "deep") }
	if !deep(alone.Unreached) || deep(together.Unreached) {
		t.Errorf("unreached alone: %q, together: %q", alone.Unreached, together.Unreached)
	}
}
