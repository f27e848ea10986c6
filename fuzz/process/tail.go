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
	mu     sync.Mutex
	data   []byte
	strike func(string) string // of what leaves it: all that is kept of a program's stderr does so by report
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, b...)
	if len(t.data) > 2*maxTail {
		t.data = append(t.data[:0], t.data[len(t.data)-maxTail:]...)
		t.data = t.data[bytes.IndexByte(t.data, '\n')+1:] // half a line may be half a secret
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
		return t.part(at, min(len(t.data), at+fuzz.MaxReport)), true
	}
	const end = 4 << 10
	return t.part(max(0, len(t.data)-end), len(t.data)), false
}

// part is some of the tail, with masks in place of secrets. Half a secret is none that could be found, so where there
// may be some, no line is there in part.
func (t *tail) part(from, to int) string {
	b := t.data[from:to]
	if t.strike == nil {
		return strings.Trim(string(b), "\n")
	}
	if to < len(t.data) {
		b = b[:bytes.LastIndexByte(b, '\n')+1]
	}
	if from > 0 && t.data[from-1] != '\n' {
		b = b[bytes.IndexByte(b, '\n')+1:]
	}
	return strings.Trim(t.strike(string(b)), "\n")
}
