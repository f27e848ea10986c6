package process

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

// What a command prints is its first line, within bounds of size and time; what it started in the background ends with
// it, and no error holds what it printed.
func TestLineOf(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	line, err := LineOf(`sh -c 'printf "a b\r\nc\n"'`)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := line(); got != "a b" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for _, row := range []struct{ command, want string }{
		{"echo secret; exit 3", "exit status 3"},
		{"sleep 60", "it took longer than 300ms"},
		{"echo secret; sleep 60 & sleep 60", "it took longer than 300ms"},
		{"yes secret", "it printed more than 65536 bytes"},
	} {
		begun := time.Now()
		_, err := printed([]string{"sh", "-c", row.command}, 300*time.Millisecond)
		if err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", row.command, err)
		}
		if took := time.Since(begun); took > 20*time.Second {
			t.Errorf("%s: it took %v", row.command, took)
		}
	}
}
