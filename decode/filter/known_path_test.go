package filter

import (
	"testing"

	"github.com/pktscope/pktscope/decode/protocols"
)

// A struct or a list is a path too, and elements may be named.
func TestCheckPath(t *testing.T) {
	d, err := protocols.Load("rtype")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"sequence_num":              "",
		"body":                      "",
		"body.players":              "",
		"body.players[*]":           "",
		"body.players[3].x":         "",
		"body.players[3]":           "",
		"body.player":               `rtype has no field "body.player"; did you mean "body.players"?`,
		"body.players[*].helth":     `rtype has no field "body.players[*].helth"; did you mean "body.players[*].health"?`,
		"quite.another":             `rtype has no field "quite.another"`,
		"":                          `rtype has no field ""`,
		"body.players[*].x.further": `rtype has no field "body.players[*].x.further"`,
	} {
		got := ""
		if err := CheckPath(d.Plan(), path); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
