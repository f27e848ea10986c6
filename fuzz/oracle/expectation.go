package oracle

import (
	"fmt"
	"strconv"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
)

// Expected is what a correct reader answers to a packet.
type Expected uint8

// The answers. A mutation has Unknown where its consequences reach beyond the field that it changed.
const (
	Unknown Expected = iota
	MustAccept
	MustReject
)

var expectedWords = [...]string{"unknown", "must-accept", "must-reject"}

// String gives the word.
func (e Expected) String() string { return expectedWords[e] }

// Expectation is a verdict and, of a rejection, why and where. Kind, Path, Bit and Width are valid iff Verdict is
// MustReject; what they mean for each kind is the table in wire.md, "What a reject says". A MustReject of Kind None
// leaves the reason open.
type Expectation struct {
	Verdict Expected
	Kind    reject.Kind
	Path    string
	Bit     int // of the datagram
	Width   int // bits
}

// String is the expectation in one line.
func (e Expectation) String() string {
	if e.Verdict != MustReject {
		return e.Verdict.String()
	}
	if e.Kind == reject.None {
		return e.Verdict.String() + ", whatever the reason"
	}
	return fmt.Sprintf("%s: %s at %q, bit %s, %d bits", e.Verdict, e.Kind, e.Path, bitText(e.Bit), e.Width)
}

// Answer is what a reader answered: Kind is reject.None when it accepted.
type Answer struct {
	Kind  reject.Kind
	Path  string
	Bit   int
	Width int
}

// AnswerOf is what a decoder answered.
func AnswerOf(t *decode.Trace) Answer {
	r := t.Reject()
	if r == nil {
		return Answer{}
	}
	return Answer{r.Kind, r.Path(), r.Bit, r.Width}
}

// String is the answer in one line.
func (a Answer) String() string {
	if a.Kind == reject.None {
		return "accept"
	}
	return fmt.Sprintf("reject: %s at %q, bit %s, %d bits", a.Kind, a.Path, bitText(a.Bit), a.Width)
}

// bitText is a bit's number, where it may be shown.
func bitText(bit int) string {
	if bit == decode.Hidden {
		return reject.Masked
	}
	return strconv.Itoa(bit)
}

// Check returns an error when an answer is not what was expected.
func (e Expectation) Check(got Answer) error {
	switch e.Verdict {
	case Unknown:
		return nil
	case MustAccept:
		if got.Kind == reject.None {
			return nil
		}
	case MustReject:
		if e.Kind == reject.None && got.Kind != reject.None {
			return nil
		}
		if got == (Answer{e.Kind, e.Path, e.Bit, e.Width}) {
			return nil
		}
	}
	return fmt.Errorf("want %v, got %v", e, got)
}
