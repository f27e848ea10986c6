package fuzz

import (
	"maps"
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz/coverage"
)

// sum is k0*x0 + k1*x1 + … + c over the variables of a group, which is 0 or, less, at most 0.
type sum struct {
	k       map[int]int64 // of each leaf, not 0
	carried map[int]int64 // of registers that are carried from the element before: known where a group is solved
	c       int64
	less    bool

	factors []coverage.Factor // the same over places in the group's leaves
	now     int64             // c, with what is carried
}

// leaves are those of a sum, in order.
func (s sum) leaves() []int { return slices.Sorted(maps.Keys(s.k)) }

// lines reads requirements as sums over leaves.
type lines struct {
	p       *plan.Plan
	terms   *coverage.Terms
	scratch []uint64 // the values that a search has, by leaves
	carried []uint64 // the values of registers that are carried from the element before
}

func newLines(r *coverage.Terms) *lines {
	return &lines{r.Plan, r, make([]uint64, len(r.Plan.Leaves)), make([]uint64, r.Plan.Registers)}
}

// line is a term as a sum over leaves; false where it is none.
func (l *lines) line(t *coverage.Term, depth int) (out sum, ok bool) {
	out.k = map[int]int64{}
	word := t.Word()
	switch word {
	case "const":
		out.c = int64(t.Inst.Imm)
		return out, -mostValue < out.c && out.c < mostValue
	case "register":
		if leaves := l.p.RegisterLeaves[t.Inst.A]; len(leaves) == 1 {
			out.k[int(leaves[0])] = 1
			return out, true
		}
		if l.p.Carried[t.Inst.A] {
			out.carried = map[int]int64{int(t.Inst.A): 1}
			return out, true
		}
		if let := l.let(t, depth); let != nil {
			return l.line(let, depth-1)
		}
	case "neg":
		x, ok := l.line(t.X, depth)
		return x.times(-1), ok
	case "add", "sub", "mul", "shl":
		x, ok1 := l.line(t.X, depth)
		y, ok2 := l.line(t.Y, depth)
		if !ok1 || !ok2 {
			return out, false
		}
		switch {
		case word == "add":
			return x.plus(y, 1), true
		case word == "sub":
			return x.plus(y, -1), true
		case word == "shl" && len(y.k) == 0 && 0 <= y.c && y.c < 20:
			return x.times(1 << y.c), true
		case word == "mul" && len(y.k) == 0 && y.c < coverage.MaxFactor && -coverage.MaxFactor < y.c:
			return x.times(y.c), true
		case word == "mul" && len(x.k) == 0 && x.c < coverage.MaxFactor && -coverage.MaxFactor < x.c:
			return y.times(x.c), true
		}
	}
	return out, false
}

func (s sum) times(n int64) sum {
	return sum{k: multiplied(s.k, n), carried: multiplied(s.carried, n), c: s.c * n}
}

func multiplied(factors map[int]int64, n int64) map[int]int64 {
	out := make(map[int]int64, len(factors))
	for at, k := range factors {
		out[at] = k * n
	}
	return out
}

func (s sum) plus(o sum, n int64) sum {
	out := s.times(1)
	out.c += n * o.c
	add(out.k, o.k, n)
	add(out.carried, o.carried, n)
	return out
}

// add adds n times some factors to others.
func add(to, more map[int]int64, n int64) {
	for at, k := range more {
		if to[at] += n * k; to[at] == 0 {
			delete(to, at)
		}
	}
}

// relations lists what a condition demands when it is true or, with holds false, when it is not.
func (l *lines) relations(t *coverage.Term, holds bool) []sum {
	word := t.Word()
	switch word {
	case "not":
		return l.relations(t.X, !holds)
	case "and":
		if holds {
			return append(l.relations(t.X, true), l.relations(t.Y, true)...)
		}
	case "or":
		if !holds {
			return append(l.relations(t.X, false), l.relations(t.Y, false)...)
		}
	case "eq", "lt", "le":
		x, ok1 := l.line(t.X, coverage.MaxLets)
		y, ok2 := l.line(t.Y, coverage.MaxLets)
		if !ok1 || !ok2 || word == "eq" && !holds {
			return nil
		}
		var s sum
		switch {
		case word == "eq":
			s = x.plus(y, -1)
		case holds: // x < y, x <= y
			s = x.plus(y, -1)
			s.less = true
		default: // x >= y, x > y
			s = y.plus(x, -1)
			s.less = true
		}
		if (word == "lt") == holds && word != "eq" {
			s.c++
		}
		return []sum{s}
	}
	return nil
}

// breaks lists in which ways a condition is not true, each as what it demands; nothing where no sums say it.
func (l *lines) breaks(t *coverage.Term) [][]sum {
	switch t.Word() {
	case "and":
		return append(l.breaks(t.X), l.breaks(t.Y)...)
	case "eq":
		x, ok1 := l.line(t.X, coverage.MaxLets)
		y, ok2 := l.line(t.Y, coverage.MaxLets)
		if !ok1 || !ok2 {
			return nil
		}
		above, below := x.plus(y, -1), y.plus(x, -1)
		above.less, below.less = true, true
		above.c++
		below.c++
		return [][]sum{{above}, {below}}
	}
	if s := l.relations(t, false); len(s) > 0 {
		return [][]sum{s}
	}
	return nil
}
