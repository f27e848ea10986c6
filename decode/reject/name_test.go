package reject_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode/reject"
)

func TestNameOf(t *testing.T) {
	for rule, want := range map[string]string{
		"check#1":                           "packet",
		"body<B>.check#12":                  "body<B>",
		"body<B>.list[].reserved#2":         "body<B>.list[]",
		"body<B>.list[].x":                  "body<B>.list[].x",
		"body<0..1>.align#1: past-end":      "body<0..1>: past-end",
		"check#1: past-end: the plan #1":    "packet: past-end: the plan #1",
		"body.x: over-budget: check#1 says": "body.x: over-budget: check#1 says",
		"packet":                            "packet",
		"require@12":                        "require@12",
		"":                                  "",
	} {
		if got := reject.NameOf(rule); got != want {
			t.Errorf("%q: got %q, want %q", rule, got, want)
		}
	}
}
