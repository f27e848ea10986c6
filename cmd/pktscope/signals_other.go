//go:build !unix

package main

import (
	"io/fs"
	"os"
)

// ignoreSignals has nothing to ignore on this system.
func ignoreSignals() {}

// keepOwner leaves owners to the directory, as this system does.
func keepOwner(*os.File, fs.FileInfo) {}
