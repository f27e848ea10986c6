package results

// Fails reports whether the set has what a word of `report --fail-on` names, or what the words before it name: "none"
// and "" nothing, "finding" a mistake of a target or a broken budget, "untested" a part of a protocol that an audit left
// untested, "reject" a packet of a capture that was refused, "note" one that was odd.
func (s *Set) Fails(on string) bool {
	if on == "none" || on == "" {
		return false
	}
	for _, p := range s.Problems() {
		switch {
		case p.Source == FromUntested && on == "finding", p.Level != Error && (on == "finding" || on == "untested"):
		default:
			return true
		}
	}
	if on == "note" {
		for _, one := range s.Statistics {
			if len(one.Summary().Notes) > 0 {
				return true
			}
		}
	}
	return false
}
