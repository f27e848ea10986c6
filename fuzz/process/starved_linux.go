package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// starved is how long a process has been ready to run and had no processor, in all, of its threads the one that waited
// most; 0 when it is not known.
func starved(pid int) time.Duration {
	most := time.Duration(0)
	list, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/[0-9]*/schedstat")
	for _, name := range list {
		text, err := os.ReadFile(name) // time on a processor, time waiting for one, turns; in ns
		words := bytes.Fields(text)
		if err != nil || len(words) < 2 {
			continue
		}
		if ns, err := strconv.ParseInt(string(words[1]), 10, 64); err == nil {
			most = max(most, time.Duration(ns))
		}
	}
	return most
}
