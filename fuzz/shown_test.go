package fuzz_test

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// A finding about a value has the bits of that, and not those of the field that was changed to make the packet.
func TestWrongValueHasItsOwnBits(t *testing.T) {
	d := compile(t, `protocol bits
order lsb
max datagram 40
packet {
    f    uint8
    w    string(9)
    m    uint8
    o    optional uint8
    n    optional uint8
    list [..3]uint8
    key  string(9) @secret
    z    uint8
}
`)
	packet := []byte("\x01\x01x\x05\x134 pw\a")
	for _, row := range []struct{ fields, what string }{
		{`{"m":6}`, "m, bits 24..31: want"},
		{`{"w":"y"}`, "w, bits 16..23: want"},
		{`{"w.length":2}`, "w.length, bits 8..11: want"},
		{`{"f":2}`, "f, bits 0..7: want"},
		{`{"o":1}`, "o, bits 33..40: want"},
		{`{"n":1}`, "n, bits 41..41: want"}, // what says that there is none
		{`{"list":[1]}`, "list[0], bits 44..51: want"},
		{`{"list":[3,3]}`, "list: want"},
		{`{"list.count":2}`, "list.count, bits 42..43: want"},
		{`{"other":1}`, "other: want"},
		{`[]`, "packet: want"},
		{`{"key":"no"}`, "key: want"}, // its size is a secret,
		{`{"z":1}`, "z: want"},        // and where it ends
	} {
		m := &fuzz.Mutation{Data: packet, Path: "w.length", Bit: 8, Width: 4}
		found := fuzz.NewJudge(d, false).Judge(m, decode.FromUnknown, nil, oracle.Reply{Outcome: oracle.Accepted, Bits: -1, Fields: []byte(row.fields)})
		if len(found) != 1 || !strings.HasPrefix(found[0].What(), row.what) || found[0].Changed != "w.length" {
			t.Errorf("%s: want %q, got %+v", row.fields, row.what, found)
		}
	}
}
