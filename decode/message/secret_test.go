package message_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
)

// An error names neither a secret size nor how much was given of what it sizes; the mask of a secret without bits is
// one, too.
func TestErrorsHideSecretSizes(t *testing.T) {
	for _, row := range []struct{ items, fields, want string }{
		{"n uint8 @secret\n list [n]uint8", `{"n":19,"list":[1,2,3]}`, "list: ‹secret› elements given, want ‹secret› (n)"},
		{"n uint8\n list [n]uint8", `{"n":19,"list":[1,2,3]}`, "list: 3 elements given, want 19 (n)"},
		{"n uint8 @secret\n data bytes(n)", `{"n":19,"data":"abcdef"}`, "data: ‹secret› bytes given, want ‹secret› (n)"},
		{"n uint8 @secret\n data bytes(n)", `{"n":1,"data":"abc"}`, "data: want hex, got ‹secret› digits, half a byte too many"},
		{"s {} @secret\n a uint8", `{"s":"‹secret 0 B›","a":1}`,
			"s: masked: JSON does not hold what is @secret; put the value here, or take the packet from a capture (decode -w)"},
	} {
		p := compile(t, "protocol t\norder msb\npacket {\n"+row.items+"\n}\n")
		m := message.New(p)
		err := m.FromJSON([]byte(`{"fields":` + row.fields + `}`))
		if err == nil {
			if _, err = m.Encode(decode.NewEncoder(decode.New(p)), nil); err == nil {
				err = m.Unused()
			}
		}
		if err == nil || err.Error() != row.want {
			t.Errorf("%s: want %s, got %v", row.items, row.want, err)
		}
	}
}
