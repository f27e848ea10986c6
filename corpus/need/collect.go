package need

import (
	"os"
	"runtime/debug"
)

// mostHeap is how much memory the heap of a test binary takes before it is collected as usual.
const mostHeap = 1 << 30

// Tests hold little and allocate much, so that a sixth of their CPU was the garbage collector's, which began again with
// each 4 MB. In a test binary it waits for five times what is held. GOGC prevails; a race build takes memory enough.
func init() {
	if os.Getenv("GOGC") == "" && !Race {
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(mostHeap)
	}
}
