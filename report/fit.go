package report

import "github.com/pktscope/pktscope/report/saved"

// MaxFinding is the most bytes of the file of one finding: a few packets of the greatest size, in hexadecimal, and
// fuzz.MaxBefore ordinary ones.
const MaxFinding = 16 << 20

// What the findings of one result may take, in bytes of JSON: its rules and names must fit saved.MaxObject, too. Of one
// that does not fit any more some frames of its stack are left.
const (
	maxSavedFindings = saved.MaxObject / 8 * 3
	framesLeft       = 4
)

// FitFindings leaves packets and reports out of findings of one result, from the first on that does not fit with those
// before it; fuzz --findings writes each as a whole.
func FitFindings(lists ...[]SavedFinding) {
	size := 0
	for _, list := range lists {
		for i := range list {
			f := &list[i]
			if size += f.weight(); size > maxSavedFindings {
				size -= f.weight()
				f.Packet, f.Report, f.Before, f.Replay, f.Dialogue, f.LeftOut = "", "", nil, "", nil, true
				f.Stack = f.Stack[:min(len(f.Stack), framesLeft)]
			}
		}
	}
}

// weight is about how many bytes of JSON a finding has at the most, but for its names.
func (s *SavedFinding) weight() int {
	const escaped, around = 6, 64 // \u0001; keys and quotes
	n := len(s.Packet) + len(s.Replay) + escaped*len(s.Report)
	if s.Dialogue != nil {
		n += escaped * len(s.Dialogue.Text)
		for _, name := range s.Dialogue.Names {
			n += escaped*len(name.Value) + len(name.Name) + around
		}
	}
	for _, b := range s.Before {
		n += len(b.Packet) + around
	}
	for _, frame := range s.Stack {
		n += len(frame.Function) + len(frame.File) + around
	}
	return n
}
