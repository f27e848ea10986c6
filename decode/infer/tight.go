package infer

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/wire"
)

// tightRule is the range of a number that was seen, as a rule; "" where none is wanted, or where it says nothing: a
// number that counts leaves it, and one that looks random has any value.
func (d *draft) tightRule(it *item) string {
	s := d.seen[it.name]
	if !d.tight || !d.sealed || it.plain || it.decides || it.kept || d.constant(it) || s == nil || s.n < 2*fewest || it.width < 2 || it.width > maxWidth {
		return ""
	}
	if it.model == modelRate || it.model == modelHistory || it.model == modelFloat || it.model == modelUniform {
		return ""
	}
	if d.signed(it) {
		return fmt.Sprintf(" in -%d..%d", s.negative, s.positive)
	}
	if s.least == 0 && s.most == wire.Mask(it.width) {
		return ""
	}
	return fmt.Sprintf(" in %d..%d", s.least, s.most)
}
