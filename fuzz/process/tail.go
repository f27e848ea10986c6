package process

import (
	"bytes"
	"strings"
	"sync"

	"github.com/pktscope/pktscope/fuzz"
)

// Bounds of what is kept of a target's stderr.
const (
	maxTail = 64 << 10
)

// tail keeps the last bytes of a stream: a target may print without end, and what it said before it died comes last.
type tail struct {
	mu   sync.Mutex
	data []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, b...)
	if len(t.data) > 2*maxTail {
		t.data = append(t.data[:0], t.data[len(t.data)-maxTail:]...)
	}
	return len(b), nil
}

// deathMarks are in the line that a sanitizer's report begins with, or the last words of a program of Go, Rust or .NET:
// they exit with a status of their own making, and are deaths all the same.
var deathMarks = [...]string{
	"ERROR: AddressSanitizer", "runtime error: ", "ERROR: LeakSanitizer", "WARNING: MemorySanitizer", "WARNING: ThreadSanitizer",
	"ERROR: UndefinedBehaviorSanitizer", "ERROR: libFuzzer", "panic: ", "fatal error: ", "SIGSEGV: segmentation violation",
	" panicked at ", "Unhandled exception. ", "Unhandled Exception:",
}

// report is the first death's report in the tail, or else the tail's end. death says which it is.
func (t *tail) report() (text string, death bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := -1
	for _, mark := range deathMarks {
		if i := bytes.Index(t.data, []byte(mark)); i >= 0 && (at < 0 || i < at) {
			at = i
		}
	}
	if at >= 0 {
		at = bytes.LastIndexByte(t.data[:at], '\n') + 1
		return trim(t.data[at:min(len(t.data), at+fuzz.MaxReport)]), true
	}
	const end = 4 << 10
	return trim(t.data[max(0, len(t.data)-end):]), false
}

func trim(b []byte) string { return strings.Trim(string(b), "\n") }
