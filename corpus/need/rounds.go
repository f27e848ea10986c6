package need

import "testing"

// Rounds is how many rounds a test takes: full, or short under -short, where a package has less than 5 s of CPU. A test
// keeps one round of each behavior and can fail in it.
func Rounds[N ~int | ~int64 | ~uint64 | ~float64](full, short N) N {
	if testing.Short() {
		return short
	}
	return full
}

// OneIn reports whether round i of a loop over many of a kind is run: every one, or under -short one of n.
func OneIn(i, n int) bool { return !testing.Short() || i%n == 0 }

// OneGoroutine skips a test of seconds under the race detector: it starts no goroutine, and there is nothing to see.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("one goroutine: the race detector has nothing to see")
	}
}
