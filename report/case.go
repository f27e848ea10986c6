package report

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// Case names the cases of a protocol's packets, as text does: the enum's case, or the tag in decimal.
type Case struct{ view caseView }

// NewCase makes the Case of a protocol.
func NewCase(p *plan.Plan) *Case { return &Case{newCaseView(p)} }

// Append appends the packet's case, `-` where it was not reached or there is none, ‹secret› where it is one.
func (c *Case) Append(b []byte, t *decode.Trace) []byte {
	if !t.HasTag {
		return append(b, '-')
	}
	return c.view.append(b, t.Tag)
}
