package fuzz

import (
	"math/big"
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
	q := &r.plan.Requires[s.Index]
	lo, hi := r.trace.Bounds(s)
	for _, c := range []struct {
		end  uint64
		of   uint32 // the operand that is the end
		by   int64
		done string
	}{{lo, q.Lo, -1, "below its range"}, {lo, q.Lo, 0, "the least of its range"}, {hi, q.Hi, 0, "the most of its range"}, {hi, q.Hi, 1, "above its range"}} {
		value, ok := beside(c.end, c.by, r.plan.Operands[c.of].Signed, info.IsSigned())
		code := info.CodeOf(value, ev.Width)
		kind, _ := info.Judge(code, max(ev.Width, bits.Len64(code)))
		if !ok || kind != reject.None || code == ev.Raw || info.Value(code, max(ev.Width, bits.Len64(code))) != value {
			continue
		}
		if !r.forceValue(ev, path, c.done, code, s.Depth == 0 && c.by != 0) {
			return false
		}
	}
	return true
}

// beside is the number next to the end of a range, or the end itself, as a field has it; false where the field's kind
// of integer has no such number. Nothing wraps.
func beside(end uint64, by int64, signed, fieldSigned bool) (value uint64, ok bool) {
	v := new(big.Int).SetUint64(end)
	if signed {
		v.SetInt64(int64(end))
	}
	if v.Add(v, big.NewInt(by)); fieldSigned {
		return uint64(v.Int64()), v.IsInt64()
	}
	return v.Uint64(), v.IsUint64()
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
