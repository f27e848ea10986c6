package oracle

// Outcome is how a packet ended in a target.
type Outcome uint8

// The outcomes.
const (
	Accepted Outcome = iota
	Refused
	Survived // it gives no verdict, and is still there
	Crashed
	Hung
	Exhausted // it took memory without measure, and was stopped
	LockedOut // it lets in others, and who sent the packet not any more
)

var outcomeWords = [...]string{"accept", "reject", "survived", "crash", "hang", "leak", "locked-out"}

// Answered reports whether the target is still there.
func (o Outcome) Answered() bool { return o <= Survived }

// Is reports whether an outcome is the one that is wanted, as far as the target says.
func (o Outcome) Is(want Outcome) bool { return o == want || o == Survived && want.Answered() }

// Deserved is the outcome of a packet that is refused or not.
func Deserved(rejected bool) Outcome {
	if rejected {
		return Refused
	}
	return Accepted
}

// String gives the word.
func (o Outcome) String() string { return outcomeWords[o] }
