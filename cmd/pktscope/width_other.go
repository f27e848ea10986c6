//go:build !unix

package main

import "os"

// terminalSize is not known here.
func terminalSize(*os.File) int { return 0 }

// terminalRows is not known here.
func terminalRows(*os.File) int { return 0 }

// terminalResizes has nothing here: the next drawing has the size of then.
func terminalResizes() chan os.Signal { return nil }
