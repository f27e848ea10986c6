package plan

import (
	"github.com/pktscope/pktscope/decode/reject"
)

// Form is how a value reads: what a program gets of it, and its shape in text and JSON.
type Form uint8

// The forms.
const (
	FormUint  Form = iota + 1 // an unsigned integer
	FormInt                   // a signed one
	FormFloat                 // a float, sent as such or as a step of a range
	FormBool
	FormCase  // a case of an enum, or a number that is not listed
	FormFlags // bits with names
	FormHex   // bits that are no number: a checksum, a check, reserved bits
	FormText
	FormBytes
)

var formNames = [...]string{FormUint: "an unsigned integer", FormInt: "a signed integer", FormFloat: "a float", FormBool: "a bool",
	FormCase: "a case of an enum", FormFlags: "flags", FormHex: "bits", FormText: "text", FormBytes: "bytes"}

// String names a form as messages do: "a float".
func (f Form) String() string { return formNames[f] }

// Writes is who knows a leaf's code when a packet is written.
type Writes uint8

// Who knows a code.
const (
	Given    Writes = iota + 1 // the caller's values; where a count or length is missing, what it sizes
	Constant                   // the schema: Want, or with Any what the caller likes
	Sealed                     // nobody before all other bits are written
	Computed                   // an expression of the schema
)

// LeafKind is how a leaf's code becomes a value.
type LeafKind uint8

// The kinds of leaves.
const (
	LeafUint      LeafKind = iota // the code itself
	LeafInt                       // two's complement
	LeafBool                      // 0 or 1
	LeafRanged                    // code + Base
	LeafFloat                     // IEEE bits
	LeafQuantized                 // a step of a quantized float
	LeafEnum                      // a case of Enum
	LeafFlags                     // bits of Enum
	LeafChecksum                  // a checksum
	LeafCheck                     // a serialize check
	LeafReserved                  // bits that must be zero, or any
	leafKinds
)

// LeafKinds is how many kinds there are: a table of them has a row for each.
const LeafKinds = int(leafKinds)

// LeafRow is what holds for all leaves of a kind.
type LeafRow struct {
	Word string // what it is, as messages name it
	Form Form   // FormUint is FormInt for a leaf whose values can be negative
	// Writes of what is not Given is judged by the kind alone.
	Writes Writes
	// judge decides a code before its type and its rule do.
	judge func(l *LeafInfo, code uint64) (reject.Kind, reject.NoteKind)
	// interval is the codes that the type accepts, if they are one interval.
	interval func(l *LeafInfo) (lo, span uint64, ok bool)
	// declares is the kind of Declares.
	declares func(l *LeafInfo, width int) reject.Kind
}

var leafRows = [leafKinds]LeafRow{
	LeafUint:      {"integer", FormUint, Given, anyCode, allCodes, declares(reject.None)},
	LeafInt:       {"integer", FormUint, Given, anyCode, allCodes, declares(reject.None)},
	LeafBool:      {"bool", FormBool, Given, anyCode, allCodes, declaresBool},
	LeafRanged:    {"integer", FormUint, Given, anyCode, allCodes, declares(reject.OutOfRange)},
	LeafFloat:     {"float", FormFloat, Given, anyCode, allCodes, declares(reject.None)},
	LeafQuantized: {"quantized float", FormFloat, Given, anyCode, allCodes, declares(reject.OutOfRange)},
	LeafEnum:      {"enum", FormCase, Given, judgeCase, caseInterval, declares(reject.UnknownCase)},
	LeafFlags:     {"flags", FormFlags, Given, judgeFlags, flagsInterval, declares(reject.ReservedNonzero)},
	LeafChecksum:  {"checksum", FormHex, Sealed, anyCode, allCodes, declares(reject.None)},
	LeafCheck:     {"check", FormHex, Constant, judgeCheck, allCodes, declares(reject.CheckMismatch)},
	LeafReserved:  {"reserved bits", FormHex, Constant, judgeReserved, allCodes, declares(reject.ReservedNonzero)},
}

func anyCode(*LeafInfo, uint64) (reject.Kind, reject.NoteKind) { return reject.None, reject.NoteNone }

func allCodes(l *LeafInfo) (lo, span uint64, ok bool) { return 0, l.TypeSpan, true }

func judgeCase(l *LeafInfo, code uint64) (reject.Kind, reject.NoteKind) {
	return l.listed(l.Cases.has(code), reject.UnknownCase)
}

func judgeFlags(l *LeafInfo, code uint64) (reject.Kind, reject.NoteKind) {
	return l.listed(code&^l.Enum.Mask == 0, reject.ReservedNonzero)
}

// listed is the judgement of a code that the enum lists or not.
func (l *LeafInfo) listed(yes bool, otherwise reject.Kind) (reject.Kind, reject.NoteKind) {
	switch {
	case yes:
		return reject.None, reject.NoteNone
	case l.Enum.Open:
		return reject.None, reject.UnlistedValue
	}
	return otherwise, reject.NoteNone
}

func judgeCheck(l *LeafInfo, code uint64) (reject.Kind, reject.NoteKind) {
	if code != l.Want {
		return reject.CheckMismatch, reject.NoteNone
	}
	return reject.None, reject.NoteNone
}

func judgeReserved(l *LeafInfo, code uint64) (reject.Kind, reject.NoteKind) {
	switch {
	case code == 0:
		return reject.None, reject.NoteNone
	case l.Any:
		return reject.None, reject.IgnoredBits
	}
	return reject.ReservedNonzero, reject.NoteNone
}

// Declares is what the type refuses codes with, also where no code of the width is refused; None of a type that allows
// all.
func (l *LeafInfo) Declares(width int) reject.Kind { return leafRows[l.Kind].declares(l, width) }

// declares gives a kind, but for open enums and for bits that may be any.
func declares(kind reject.Kind) func(*LeafInfo, int) reject.Kind {
	return func(l *LeafInfo, _ int) reject.Kind {
		if l.Any || l.Enum != nil && l.Enum.Open {
			return reject.None
		}
		return kind
	}
}

// declaresBool: only a bool that is sent in more than a bit has other codes.
func declaresBool(_ *LeafInfo, width int) reject.Kind {
	if width > 1 {
		return reject.OutOfRange
	}
	return reject.None
}

func caseInterval(l *LeafInfo) (lo, span uint64, ok bool) {
	list := l.Cases.List
	n := len(list)
	if l.Enum.Open || n == 0 || list[n-1].Code-list[0].Code != uint64(n-1) {
		return 0, 0, false
	}
	return list[0].Code, uint64(n - 1), true
}

func flagsInterval(l *LeafInfo) (lo, span uint64, ok bool) {
	m := l.Enum.Mask
	return 0, m, !l.Enum.Open && m&(m+1) == 0 && m <= l.TypeSpan
}

// Row is the row of a kind.
func (l LeafKind) Row() *LeafRow { return &leafRows[l] }

// Writes is who knows the leaf's code when a packet is written.
func (l *LeafInfo) Writes() Writes {
	if l.Let != nil {
		return Computed
	}
	return leafRows[l.Kind].Writes
}

// Form is how the leaf's value reads.
func (l *LeafInfo) Form() Form { return l.form }

// settle fills in what follows from the rest of a leaf and is asked for every value.
func (l *LeafInfo) settle() {
	l.form = leafRows[l.Kind].Form
	if l.form == FormUint && l.IsSigned() {
		l.form = FormInt
	}
	l.wide = l.isWide()
}
