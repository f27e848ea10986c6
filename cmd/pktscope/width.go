package main

import (
	"os"
	"strconv"
)

// terminalWidth is how many cells a line of f may have: the terminal's, else what COLUMNS says, else 80. What is no terminal
// has 80 wherever it is made, so that output can be compared.
func terminalWidth(f *os.File) int {
	const usual = 80
	if !isTerminal(f) {
		return usual
	}
	if n := terminalSize(f); n > 0 {
		return n
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return usual
}
