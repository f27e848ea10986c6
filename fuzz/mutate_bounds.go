package fuzz

import (
	"math/bits"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Ranges whose ends other fields give: which codes are at the ends is another thing in every packet.

// bounding finds the requirement that bounds each leaf.
func bounding(p *plan.Plan) map[int]*plan.Require {
	all := map[int]*plan.Require{}
	for _, s := range p.Steps {
		if r, ok := s.(*plan.Require); ok && r.Bounds {
			all[int(p.Requires[r.Index].Leaf)] = r
		}
	}
	return all
}

// bounded sets a number to both ends of its range, and to what is next to them outside.
func (r *mutating) bounded(ev *decode.Event, path string) bool {
	s := r.bounds[ev.Leaf]
	if s == nil || r.mute {
		return true
	}
	info := &r.plan.Info[ev.Leaf]
	lo, hi := r.trace.Bounds(s)
	for _, c := range []struct {
		value uint64
		done  string
	}{{lo - 1, "below its range"}, {lo, "the least of its range"}, {hi, "the most of its range"}, {hi + 1, "above its range"}} {
		code := info.CodeOf(c.value, ev.Width)
		kind, _ := info.Judge(code, max(ev.Width, bits.Len64(code)))
		if kind != reject.None || code == ev.Raw || info.Value(code, max(ev.Width, bits.Len64(code))) != c.value {
			continue
		}
		if !r.forceValue(ev, path, c.done, code, s.Depth == 0 && (c.value == lo-1 || c.value == hi+1)) {
			return false
		}
	}
	return true
}

// forceValue gives a number a code; beyond says that its range is known not to have it.
func (r *mutating) forceValue(ev *decode.Event, path, done string, code uint64, beyond bool) bool {
	n, ok := r.plan.Reader(ev.Leaf).(*plan.Number)
	if !ok || n.Kind == plan.NumberSized || n.Kind == plan.NumberRanged {
		if code&^wire.Mask(ev.Width) != 0 {
			return true
		}
		want := oracle.Expectation{}
		if beyond {
			want = refused(reject.OutOfRange, path, ev.Bit, ev.Width)
		}
		return r.give(classEdge, r.setTo(ev, code), path, done, ev.Bit, code, want)
	}
	pieces := rungPieces(6, 32, code)
	if n.Kind == plan.NumberBelow {
		limit := r.plan.Operands[n.Operand].Expr
		if !limit.IsConst() || limit.Val.Uint64() <= code { // how many bits it takes is the packet's to say; or it has none
			return true
		}
		pieces = belowPieces(code, limit.Val.Uint64())
	}
	if n.Kind == plan.NumberVarint {
		pieces = varintPieces(code)
	}
	want := oracle.Expectation{}
	if beyond {
		want = refused(reject.OutOfRange, path, ev.Bit, wide(pieces))
	}
	return r.force(classEdge, ev, path, done, code, want, pieces...)
}

// varintPieces are the groups of a varint.
func varintPieces(code uint64) []decode.Piece {
	var pieces []decode.Piece
	for ; code >= 0x80; code >>= 7 {
		pieces = append(pieces, decode.Piece{Code: code&0x7f | 0x80, Width: 8})
	}
	return append(pieces, decode.Piece{Code: code, Width: 8})
}
