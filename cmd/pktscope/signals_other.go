//go:build !unix

package main

// ignoreSignals has nothing to ignore on this system.
func ignoreSignals() {}

// suspend is not known here.
var suspend func()
