package gogen

import "github.com/pktscope/pktscope/decode/plan"

// GenerateParts is Generate with functions of so many ops and leaves.
func GenerateParts(p *plan.Plan, opt Options, weight int) (*Package, error) {
	return generate(p, opt, weight)
}
