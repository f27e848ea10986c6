//lint:file-ignore U1000 what a generated package uses of this is copied into it

package runtime

// pickRoom is how many branches of a packet are tried another way, maxTries how often a packet is written for that.
const (
	pickRoom = 64
	maxTries = 64
)

// picks are the ways that are tried at branches over what is not known yet (peek, tail, rest), where what is given does
// not say which. Each pass comes to the same branches in the same order.
type picks struct {
	tried  [pickRoom]pick
	picks  int // branches that were met
	picked int // of this pass
}

// pick is one branch: which of its ways is tried.
type pick struct{ at, of uint8 }

// pick is the number of the way to try at a branch that has so many.
func (w *writer) pick(of int) int {
	p := &w.found.picks
	i := p.picked
	if p.picked++; i >= pickRoom {
		return 0
	}
	if i >= p.picks {
		p.tried[i], p.picks = pick{of: uint8(min(of, 255))}, i+1
	}
	return int(p.tried[i].at) % of
}

// another goes on to the next ways to try, and forgets all else; false where there are none.
func (w *writer) another() bool {
	p := &w.found.picks
	for p.picks > 0 {
		last := &p.tried[p.picks-1]
		if last.at++; last.at < last.of {
			kept := *p
			*w = writer{from: w.from}
			w.found.picks = kept
			return true
		}
		p.picks--
	}
	return false
}

// way is whether an if is taken: then and other say which of its ways something is given of, guess what that says.
func (w *writer) way(then, other, guess bool) bool {
	return guess != (then == other && w.pick(2) == 1)
}

// arm is the arm of a switch that is taken: the one of which something is given. Where there is none, or more of them,
// all are tried, a certain one first.
func (w *writer) arm(given []bool, otherwise int) int {
	first, n := otherwise, 0
	for i, has := range given {
		if has && n == 0 {
			first = i
		}
		if has {
			n++
		}
	}
	if n == 1 {
		return first
	}
	switch k := w.pick(len(given)); {
	case k == 0:
		return first
	case k <= first:
		return k - 1
	default:
		return k
	}
}
