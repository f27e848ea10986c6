package fuzz_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// Audits and campaigns allocate much and keep little: with a heap this small, one collection in four does.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
