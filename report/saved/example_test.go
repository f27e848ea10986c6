package saved_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/pktscope/pktscope/report/saved"
)

// Until Commit a reader has the old result.
func Example() {
	dir, err := os.MkdirTemp("", "saved")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "report.json")
	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		log.Fatal(err)
	}
	f, err := saved.Replace(name, saved.OwnerOnly)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprint(f, "new")
	before, _ := os.ReadFile(name)
	if err := f.Commit(); err != nil {
		log.Fatal(err)
	}
	after, _ := os.ReadFile(name)
	fmt.Printf("%s %s\n", before, after)
	// Output:
	// old new
}
