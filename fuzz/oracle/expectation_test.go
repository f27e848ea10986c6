package oracle

import (
	"testing"

	"github.com/pktscope/pktscope/decode/reject"
)

// An Expectation is held to every part of the answer.
func TestExpectationCheck(t *testing.T) {
	want := Expectation{Verdict: MustReject, Kind: reject.OutOfRange, Path: "a", Bit: 3, Width: 7}
	for _, wrong := range []Answer{
		{}, {reject.PastEnd, "a", 3, 7}, {reject.OutOfRange, "b", 3, 7}, {reject.OutOfRange, "a", 4, 7}, {reject.OutOfRange, "a", 3, 8},
	} {
		if want.Check(wrong) == nil {
			t.Errorf("%v passed for %v", wrong, want)
		}
	}
	right := Answer{Kind: reject.OutOfRange, Path: "a", Bit: 3, Width: 7}
	if err := want.Check(right); err != nil {
		t.Error(err)
	}
	accept := Expectation{Verdict: MustAccept}
	if accept.Check(right) == nil || accept.Check(Answer{}) != nil {
		t.Error("must-accept took a reject, or refused an accept")
	}
	if err := (Expectation{}).Check(right); err != nil {
		t.Error(err)
	}
}
