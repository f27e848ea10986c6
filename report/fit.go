package report

// What the findings of one result may take, in bytes of JSON: who reads it takes 64 MiB, in which its rules are, too. Of one
// that does not fit any more some frames of its stack are left.
const (
	maxSavedFindings = 24 << 20
	framesLeft       = 4
)

// FitFindings leaves packets and reports out of findings of one result, from the first on that does not fit with those before
// it; fuzz --findings writes each as a whole.
func FitFindings(lists ...[]SavedFinding) {
	size := 0
	for _, list := range lists {
		for i := range list {
			f := &list[i]
			if size += f.weight(); size > maxSavedFindings {
				size -= f.weight()
				f.Packet, f.Report, f.Before, f.Replay, f.LeftOut = "", "", nil, "", true
				f.Stack = f.Stack[:min(len(f.Stack), framesLeft)]
			}
		}
	}
}

// weight is about how many bytes of JSON a finding has at the most, but for its names.
func (f *SavedFinding) weight() int {
	const escaped, around = 6, 64 // \u0001; keys and quotes
	n := len(f.Packet) + len(f.Replay) + escaped*len(f.Report)
	for _, b := range f.Before {
		n += len(b.Packet) + around
	}
	for _, frame := range f.Stack {
		n += len(frame.Function) + len(frame.File) + around
	}
	return n
}
