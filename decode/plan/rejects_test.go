package plan

import "testing"

// A step refuses something, but for those that only lead to others or mark a place.
func TestRejectsOfEveryStep(t *testing.T) {
	p := &Plan{Operands: make([]Operand, 1)}
	silent := []Step{&If{}, &Let{}, &Group{}, &Open{}}
	others := []Step{&Run{}, &Number{}, &Blob{}, &Checksum{}, &Unit{}, &Align{}, &Reserved{}, &Require{}, &Switch{}, &List{}, &Subset{}, &Window{}}
	for _, s := range silent {
		if itself, behind := s.Rejects(p); len(itself)+len(behind) > 0 {
			t.Errorf("%T refuses %v, %v", s, itself, behind)
		}
	}
	for _, s := range others {
		itself, behind := s.Rejects(p)
		if _, closes := s.(*Window); len(itself) == 0 || closes != (len(behind) > 0) {
			t.Errorf("%T refuses %v, %v", s, itself, behind)
		}
	}
}
