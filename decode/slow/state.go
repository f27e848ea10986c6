package slow

import (
	"maps"
	"math/big"
	"strings"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// Registers that steer: what a packet's flow holds before it. Whatever names one that is not set stops the packet, but
// after a test of it in the same expression.

// Held is what the flow of a packet holds: the value of a register, of which the packet's sender means that side; nil
// where it is not set.
type Held func(r *schema.Register, side schema.Side) *big.Int

// Kept is what an accepted packet keeps: a value for a register, or with a nil Register nothing of what there was.
type Kept struct {
	schema.Keep
	Value *big.Int
}

// stateVar is what a name of a register stands for; a value that is not set is read by nothing.
func (w *walk) stateVar(v *schema.StateVar) *big.Int {
	var held *big.Int
	if w.state != nil {
		held = w.state(v.Register, v.Side)
	}
	if v.Known {
		return truth(held != nil)
	}
	return held
}

// knows stops the packet where an expression names a register that is not set. What it names at all is noted.
func (w *walk) knows(list ...*schema.TypedExpr) bool {
	ok := true
	for _, e := range list {
		w.names(e)
		for _, v := range needs(e) {
			ok = ok && w.stateVar(v) != nil
		}
	}
	return ok || w.refuse(w.around, reject.RuleBroken, w.bit, 0)
}

// names notes the registers that an expression names.
func (w *walk) names(e *schema.TypedExpr) {
	if e == nil {
		return
	}
	if v := register(e); v != nil {
		w.out.Named = append(w.out.Named, v)
	}
	w.names(e.X)
	w.names(e.Y)
}

// register is the register that an expression is, nil of all else.
func register(e *schema.TypedExpr) *schema.StateVar {
	if len(e.Path) == 0 {
		return nil
	}
	return e.Path[0].State
}

// needs are the registers, by how they are written, that must be set for an expression.
func needs(e *schema.TypedExpr) map[string]*schema.StateVar {
	if e == nil {
		return nil
	}
	if v := register(e); v != nil && !v.Known {
		return map[string]*schema.StateVar{e.Path[0].Name: v}
	}
	out, behind := needs(e.X), needs(e.Y)
	if len(behind) > 0 && (e.Op == schema.OpLAnd || e.Op == schema.OpLOr) {
		for name := range told(e.X, e.Op == schema.OpLAnd) {
			delete(behind, name)
		}
	}
	if out == nil {
		return behind
	}
	maps.Copy(out, behind)
	return out
}

// told are the registers that are set where a condition is so.
func told(e *schema.TypedExpr, so bool) map[string]bool {
	out := map[string]bool{}
	if v := register(e); v != nil && v.Known && so {
		out[strings.TrimPrefix(e.Path[0].Name, "has ")] = true
	}
	if e.Op == schema.OpNot {
		return told(e.X, !so)
	}
	if e.Op == schema.OpLAnd && so || e.Op == schema.OpLOr && !so {
		for _, side := range []*schema.TypedExpr{e.X, e.Y} {
			for name := range told(side, so) {
				out[name] = true
			}
		}
	}
	return out
}
