package plan

import "github.com/pktscope/pktscope/decode/schema"

// The phase is the position modulo 8, -1 where it is not known.

// Phase is the phase behind a step that begins at one.
func Phase(s Step, at int) int { return s.after(at) }

// PhaseBehind is the phase behind steps of which the first begins at one.
func PhaseBehind(steps []Step, at int) int {
	for _, s := range steps {
		at = s.after(at)
	}
	return at
}

// ElementPhase is the phase at the start of every element of a list of which the first begins at one.
func ElementPhase(body []Step, at int) int {
	if at < 0 || PhaseBehind(body, at) != at {
		return -1
	}
	return at
}

func moved(at, bits int) int {
	if at < 0 {
		return -1
	}
	return (at + bits) % 8
}

// after: most steps have no bits.
func (b *Base) after(at int) int { return at }

func (s *Run) after(at int) int      { return moved(at, int(s.Bits)) }
func (s *Reserved) after(at int) int { return moved(at, s.Bits) }
func (s *Align) after(int) int       { return 0 }
func (s *Number) after(int) int      { return -1 }

func (s *Blob) after(at int) int {
	if s.Packed {
		return at // bytes, or units of four
	}
	return 0
}

func (s *Window) after(at int) int {
	switch {
	case s.Unit == 1:
		return -1
	case s.Packed:
		return at
	}
	return 0
}

func (s *If) after(at int) int { return join(PhaseBehind(s.Then, at), PhaseBehind(s.Else, at)) }

func (s *Switch) after(at int) int {
	end := PhaseBehind(s.Arms[0].Steps, at)
	for _, arm := range s.Arms[1:] {
		end = join(end, PhaseBehind(arm.Steps, at))
	}
	return end
}

func (s *Group) after(at int) int { return PhaseBehind(s.Body, at) }

// after a list: it is left at its head or behind its last element.
func (s *List) after(at int) int {
	if s.Kind != ListCount {
		for _, inner := range s.Body {
			if _, ok := inner.(*Number); ok {
				return -1
			}
		}
	}
	return ElementPhase(s.Body, at)
}

// after a subset: behind its last element come the flags of empty slots, or the index that ends it.
func (s *Subset) after(at int) int {
	if s.Kind == schema.SubsetIndex {
		return ElementPhase(s.Body, at)
	}
	return -1
}
