//go:build race

package filter

// raceEnabled: under the race detector sync.Pool forgets at random, and with it regexp allocates.
const raceEnabled = true
