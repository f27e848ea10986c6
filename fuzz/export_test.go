package fuzz

import "github.com/pktscope/pktscope/decode"

// Fits reports whether Add can follow a trace to its end.
func (c *Coverage) Fits(t *decode.Trace) bool { return c.Empty().replay(t) }

// Disproved names what was reached although it is said to be out of reach.
func (c *Coverage) Disproved() []string {
	var names []string
	for at := range c.points.pairs {
		if c.points.possible[at/64]>>(at%64)&1 == 0 && c.has(at) {
			names = append(names, c.points.name(at))
		}
	}
	return names
}
