package main

import (
	"os"
	"strconv"
)

// lineWidth is how many cells a line of f may have, 0 for any number: what COLUMNS says, else a terminal's. Where f is
// a pipe or a file, nothing is cut: whoever reads it there needs all of it.
func lineWidth(f *os.File) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if !isTerminal(f) {
		return 0
	}
	return terminalWidth(f)
}

// terminalWidth is how many cells a line of a terminal has, 80 where it does not say. More would be wrapped.
func terminalWidth(f *os.File) int {
	const usual = 80
	if n := terminalSize(f); n > 0 {
		return n
	}
	return usual
}
