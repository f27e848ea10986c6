//lint:file-ignore U1000 what a generated package uses of this is copied into it

package runtime

import "strconv"

// From is who sent a datagram.
type From uint8

// The sides.
const (
	FromUnknown From = iota
	FromClient
	FromServer
)

// RejectKind is why a packet was refused: a stable word. A RejectKind is an error, so that errors.Is(err,
// RejectPastEnd) works.
type RejectKind uint8

// The kinds.
const (
	RejectNone            RejectKind = iota
	RejectPastEnd                    // an operation needed more bits than were left
	RejectOutOfRange                 // a value, count, size or index outside what is allowed
	RejectUnknownCase                // an enum value or switch tag that is no case
	RejectReservedNonzero            // reserved or undefined bits were set
	RejectConstMismatch              // an == or != that did not hold
	RejectCheckMismatch              // a serialize check that is not there
	RejectCRCMismatch                // the checksum, or the protocol id that it starts from
	RejectNonzeroPadding             // a set bit in alignment padding
	RejectBadString                  // text that breaks its type's rules
	RejectNotFinite                  // NaN or an infinity where none may be
	RejectNonUnit                    // a smallest-three quaternion whose squares sum past 1
	RejectNonCanonical               // an overlong encoding
	RejectNotIncreasing              // an index or relative value not larger than the one before
	RejectTrailingBytes              // whole bytes left over
	RejectDatagramSize               // larger than the protocol allows
	RejectRuleBroken                 // a relation that does not hold
)

var kindWords = [...]string{
	"none", "past-end", "out-of-range", "unknown-case", "reserved-nonzero", "const-mismatch", "check-mismatch",
	"crc-mismatch", "nonzero-padding", "bad-string", "not-finite", "non-unit", "non-canonical", "not-increasing",
	"trailing-bytes", "datagram-size", "rule-broken",
}

// String gives the word.
func (r RejectKind) String() string {
	if int(r) >= len(kindWords) {
		return "unknown-kind"
	}
	return kindWords[r]
}

// Error gives the word.
func (r RejectKind) Error() string { return r.String() }

// PacketReject is why one datagram was refused, or why values cannot be written: the first failure.
type PacketReject struct {
	Kind  RejectKind
	Bit   int // of the datagram, from 0
	Width int // bits
	path  string
	at    [loopDepth]int
}

// Is reports whether target is r's Kind, for errors.Is.
func (p *PacketReject) Is(target error) bool {
	k, ok := target.(RejectKind)
	return ok && k == p.Kind
}

// Path is the refused field's path, "" for the packet as a whole.
func (p *PacketReject) Path() string { return string(p.AppendPath(nil)) }

// AppendPath appends the path.
func (p *PacketReject) AppendPath(b []byte) []byte {
	n := 0
	for i := 0; i < len(p.path); i++ {
		b = append(b, p.path[i])
		if p.path[i] == '[' && n < len(p.at) {
			b = strconv.AppendInt(b, int64(p.at[n]), 10)
			n++
		}
	}
	return b
}

// Error is the reject in one line.
func (p *PacketReject) Error() string {
	b := p.AppendPath(nil)
	if len(b) == 0 {
		b = append(b, "packet"...)
	}
	b = append(b, ": "...)
	b = append(b, p.Kind.String()...)
	b = append(b, " at bit "...)
	b = strconv.AppendInt(b, int64(p.Bit), 10)
	b = append(b, ", width "...)
	return string(strconv.AppendInt(b, int64(p.Width), 10))
}

// leaf is what the search for a run's first failure needs of a field.
type leaf struct {
	off   uint32 // bits from the start of its run
	width uint8
	swap  bool       // its bytes run the other way
	kind  RejectKind // of a code outside lo..lo+count-1, where check is nil
	lo    uint64
	count uint64
	span  uint64 // the highest code of its type
	check func(code uint64) RejectKind
	path  string
}

func (l *leaf) judge(code uint64) RejectKind {
	switch {
	case l.check != nil:
		return l.check(code)
	case code-l.lo < l.count:
		return RejectNone
	case code > l.span && l.kind == RejectConstMismatch:
		return RejectOutOfRange
	}
	return l.kind
}

// anything judges a field of which every code is accepted.
func anything(uint64) RejectKind { return RejectNone }
