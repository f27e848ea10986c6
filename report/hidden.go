package report

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// hidden follows a walk through a secret. A secret struct or array shows as one mask for all of it: its shape, such as
// how many elements it has, is part of the secret.
type hidden struct {
	depth    int
	from, to int // bits; from is -1 before the first
	unsized  bool
}

// event takes an event whose node is secret. It returns true where the outermost secret thing is complete, which is the
// place for its mask.
func (h *hidden) event(n *plan.Node, ev *decode.Event) bool {
	if h.depth == 0 {
		h.from, h.to, h.unsized = -1, 0, false
	}
	h.unsized = h.unsized || n.Unsized
	switch ev.Kind {
	case decode.Open:
		h.depth++
		return false
	case decode.Close:
		h.depth--
		return h.depth == 0
	}
	if h.from < 0 {
		h.from = ev.Bit
	}
	h.to = max(h.to, ev.Bit+ev.Width)
	return h.depth == 0 && ev.Kind != decode.Item
}

// bits is how many bits the secret took, as far as that may be shown.
func (h *hidden) bits() int {
	if h.unsized {
		return unsized
	}
	if h.from < 0 {
		return 0
	}
	return h.to - h.from
}
