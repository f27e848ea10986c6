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

// RoundsIn is Rounds of a test that takes more rounds of the same in a job of .ci/all: long, where name is required.
func RoundsIn[N ~int | ~int64 | ~uint64](t testing.TB, name string, long, full, short N) N {
	t.Helper()
	if Required(t, name) {
		return long
	}
	return Rounds(full, short)
}

// OneIn reports whether round i of a loop over many of a kind is run: every one, or under -short one of n.
func OneIn(i, n int) bool { return !testing.Short() || i%n == 0 }

// UnderRace reports whether round i of a loop over many that share nothing is run: every one, or under the race detector
// one of n.
func UnderRace(i, n int) bool { return !Race || i%n == 0 }

// OneGoroutine skips a test of seconds under the race detector: it starts no goroutine, and there is nothing to see.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("one goroutine: the race detector has nothing to see")
	}
}
