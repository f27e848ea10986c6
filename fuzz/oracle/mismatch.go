package oracle

// FindingKind is what is wrong with a reader.
type FindingKind uint8

// The kinds of findings.
const (
	FoundCrash FindingKind = iota
	FoundHang
	FoundAcceptedMalformed
	FoundRejectedValid
	FoundRefusedElsewhere // refused, but not for what is wrong, or not where
	FoundWrongValue
	FoundWrongBits // accepted, but another number of bits
	FoundNotCanonical
	FoundSlow
	FoundLeak
	FoundDisagreement // the decoder and the reference of this project
	FoundDifference   // two targets
	FoundWrongState   // a server accepts what its state does not allow
	FoundLockedOut    // a packet makes a server refuse its sender from then on
)

var findingWords = [...]string{
	"crash", "hang", "accepted-malformed", "rejected-valid", "refused-elsewhere", "wrong-value", "wrong-bits", "not-canonical",
	"slow", "leak", "disagreement", "difference", "accepted-in-wrong-state", "locked-out",
}

// String gives the word.
func (f FindingKind) String() string { return findingWords[f] }

// Mismatch is one thing that a reader got wrong about a packet that it answered.
type Mismatch struct {
	Kind FindingKind
	Path string // of the field, "" for the packet
	What string // want and got, in one line
}
