//go:build unix

package main

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// terminalSize is how many cells a line of the terminal has that f is, 0 when it is none.
func terminalSize(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}

// terminalRows is how many lines the terminal has that f is, 0 when it is none.
func terminalRows(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Row)
}

// terminalResizes has a signal whenever the terminal got another size.
func terminalResizes() chan os.Signal {
	resizes := make(chan os.Signal, 1)
	signal.Notify(resizes, unix.SIGWINCH)
	return resizes
}
