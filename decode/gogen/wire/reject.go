//lint:file-ignore U1000 what a generated package uses of this is copied into it

package wire

import "strconv"

// Side is who sent a datagram.
type Side uint8

// The sides.
const (
	Unknown Side = iota
	Client
	Server
)

// Kind is why a packet was refused: a stable word. A Kind is an error, so that errors.Is(err, PastEnd) works.
type Kind uint8

// The kinds.
const (
	None            Kind = iota
	PastEnd              // an operation needed more bits than were left
	OutOfRange           // a value, count, size or index outside what is allowed
	UnknownCase          // an enum value or switch tag that is no case
	ReservedNonzero      // reserved or undefined bits were set
	ConstMismatch        // an == or != that did not hold
	CheckMismatch        // a serialize check that is not there
	CRCMismatch          // the checksum, or the protocol id that it starts from
	NonzeroPadding       // a set bit in alignment padding
	BadString            // text that breaks its type's rules
	NotFinite            // NaN or an infinity where none may be
	NonUnit              // a smallest-three quaternion whose squares sum past 1
	NonCanonical         // an overlong encoding
	NotIncreasing        // an index or relative value not larger than the one before
	TrailingBytes        // whole bytes left over
	DatagramSize         // larger than the protocol allows
	RuleBroken           // a relation that does not hold
)

var kindWords = [...]string{
	"none", "past-end", "out-of-range", "unknown-case", "reserved-nonzero", "const-mismatch", "check-mismatch",
	"crc-mismatch", "nonzero-padding", "bad-string", "not-finite", "non-unit", "non-canonical", "not-increasing",
	"trailing-bytes", "datagram-size", "rule-broken",
}

// String gives the word.
func (k Kind) String() string {
	if int(k) >= len(kindWords) {
		return "unknown-kind"
	}
	return kindWords[k]
}

// Error gives the word.
func (k Kind) Error() string { return k.String() }

// Reject is why one datagram was refused, or why values cannot be written: the first failure.
type Reject struct {
	Kind  Kind
	Bit   int // of the datagram, from 0
	Width int // bits
	path  string
	at    [loopDepth]int
}

// Is reports whether target is r's Kind, for errors.Is.
func (r *Reject) Is(target error) bool {
	k, ok := target.(Kind)
	return ok && k == r.Kind
}

// Path is the refused field's path, "" for the packet as a whole.
func (r *Reject) Path() string { return string(r.AppendPath(nil)) }

// AppendPath appends the path.
func (r *Reject) AppendPath(b []byte) []byte {
	n := 0
	for i := 0; i < len(r.path); i++ {
		b = append(b, r.path[i])
		if r.path[i] == '[' && n < len(r.at) {
			b = strconv.AppendInt(b, int64(r.at[n]), 10)
			n++
		}
	}
	return b
}

// Error is the reject in one line.
func (r *Reject) Error() string {
	b := r.AppendPath(nil)
	if len(b) == 0 {
		b = append(b, "packet"...)
	}
	b = append(b, ": "...)
	b = append(b, r.Kind.String()...)
	b = append(b, " at bit "...)
	b = strconv.AppendInt(b, int64(r.Bit), 10)
	b = append(b, ", width "...)
	return string(strconv.AppendInt(b, int64(r.Width), 10))
}

// leaf is what the search for a run's first failure needs of a field.
type leaf struct {
	off   uint32 // bits from the start of its run
	width uint8
	swap  bool // its bytes run the other way
	kind  Kind // of a code outside lo..lo+count-1, where check is nil
	lo    uint64
	count uint64
	span  uint64 // the highest code of its type
	check func(code uint64) Kind
	path  string
}

func (l *leaf) judge(code uint64) Kind {
	switch {
	case l.check != nil:
		return l.check(code)
	case code-l.lo < l.count:
		return None
	case code > l.span && l.kind == ConstMismatch:
		return OutOfRange
	}
	return l.kind
}

// anything judges a field of which every code is accepted.
func anything(uint64) Kind { return None }
