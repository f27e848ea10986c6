package reject

// Kind is why a packet was refused: a stable kebab-case word. A Kind is itself an error, so that
// errors.Is(err, reject.PastEnd) works on what Decode returns.
type Kind uint8

// The kinds, in the order of the table in wire.md.
const (
	None            Kind = iota
	PastEnd              // an operation needed more bits than were left
	OutOfRange           // a value, count, size or index outside what is allowed
	UnknownCase          // an enum value or switch tag that is no case
	ReservedNonzero      // reserved or undefined bits were set
	ConstMismatch        // an `==` or `!=` that did not hold
	CheckMismatch        // a serialize check that is not there
	CRCMismatch          // the checksum, or the protocol id that it starts from
	NonzeroPadding       // a set bit in alignment padding
	BadString            // text that breaks its type's rules
	NotFinite            // NaN or an infinity where `finite` or a range was said
	NonUnit              // a smallest-three quaternion whose squares sum past 1
	NonCanonical         // an overlong encoding
	NotIncreasing        // an index or relative value not larger than the one before
	TrailingBytes        // whole bytes left over
	DatagramSize         // larger than `max datagram`
	RuleBroken           // a `require` that does not hold
	Fragment             // a piece of a message that, by its own numbers, is part of none
	OverBudget           // the tripwire: cannot happen in a verified plan

	kinds
)

var kindWords = [kinds]string{
	"none", "past-end", "out-of-range", "unknown-case", "reserved-nonzero", "const-mismatch", "check-mismatch",
	"crc-mismatch", "nonzero-padding", "bad-string", "not-finite", "non-unit", "non-canonical", "not-increasing",
	"trailing-bytes", "datagram-size", "rule-broken", "fragment", "over-budget",
}

// String gives the word.
func (k Kind) String() string {
	if k >= kinds {
		return "unknown-kind"
	}
	return kindWords[k]
}

// Error gives the word: a Kind is the error that every Reject of its kind is.
func (k Kind) Error() string { return k.String() }

// Kinds lists all kinds in table order.
func Kinds() []Kind {
	all := make([]Kind, 0, kinds-1)
	for k := PastEnd; k < kinds; k++ {
		all = append(all, k)
	}
	return all
}

// NoteKind is what was odd about an accepted packet: a stable kebab-case word.
type NoteKind uint8

// The notes.
const (
	NoteNone            NoteKind = iota
	TrailingBits                 // set bits among the up to seven after the last field
	IgnoredBits                  // set bits in an `any`
	NonCanonicalRaw              // an accepted code that is not the one a writer makes ("non-canonical")
	UnlistedValue                // a value that an open enum or flags does not list
	WrongDirection               // sent by the other side than `@from` says
	LengthMismatch               // the UDP length disagrees with the IP length
	OddTime                      // what the capture says of when the packet came is no time of its format
	DuplicateFragment            // a piece of a message whose bytes other packets brought
	ConflictingFragment          // a piece that disagrees with those that other packets brought, which count
	DuplicateMessage             // a piece of a message that is whole
	OutOfOrder                   // a message whose pieces came in another order
	ConflictingState             // a packet or message that sets a register of its flow to another value than it has

	noteKinds
)

var noteWords = [noteKinds]string{
	"none", "trailing-bits", "ignored-bits", "non-canonical", "unlisted-value", "wrong-direction", "length-mismatch", "odd-time",
	"duplicate-fragment", "conflicting-fragment", "duplicate-message", "out-of-order",
	"conflicting-state",
}

// OfCapture is the message of a note about what the capture says beside the datagram's bytes, which has no bit; "" of
// others.
func (n NoteKind) OfCapture() string {
	if n == LengthMismatch {
		return "the UDP length disagrees with the IP length; the shorter one counts"
	} else if n == OddTime {
		return "the capture's time has a second or more as its fraction, or is before 1970, or is not within 1677 to 2262"
	}
	return ""
}

// String gives the word.
func (n NoteKind) String() string {
	if n >= noteKinds {
		return "unknown-note"
	}
	return noteWords[n]
}
