package process

import (
	"bytes"
	"os"
	"strconv"
)

// pageBytes is the unit of statm.
var pageBytes = int64(os.Getpagesize())

// resident is how much memory a process holds, in bytes; 0 when it is not known.
func resident(pid int) int64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	words := bytes.Fields(text)
	if len(words) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(words[1]), 10, 64)
	return pages * pageBytes
}
