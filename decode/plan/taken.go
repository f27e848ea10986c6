package plan

// Crowded reports whether something can be written after a step that takes the rest of its innermost window, or of the
// packet, and leaves less than so many bits: in the next element of a list, or as padding of a list of bits. The window
// is NoStep for the packet. In a window that is filled with zeros nothing is after.
func (p *Plan) Crowded(s Step, left int) (window StepID, crowded bool) {
	crowded = left < 8
	up := s.At().Up
	for ; up != NoStep; up = p.Steps[up].At().Up {
		if w, ok := p.Steps[up].(*Window); ok {
			return up, crowded && w.Fill == 0
		}
		crowded = crowded || p.Steps[up].Flow() == Repeat
	}
	return up, crowded
}
