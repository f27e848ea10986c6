package need

import (
	"os"
	"runtime/debug"
)

// Tests hold little and allocate much, so that a sixth of their CPU was the garbage collector's, which began again with
// each 4 MB. In a test binary it waits for five times what is held, and for no more than mostHeap. GOGC prevails.
const mostHeap = 1 << 30

func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(mostHeap)
	}
}
