//go:build race

package need

// Race says that this is a build with the race detector: its memory and its times are not those of others.
const Race = true
