package message_test

import (
	"encoding/hex"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
)

// A size that is left out follows from the way that the packet goes, as far as fields of the same element say, before the
// size or after it.
func TestSizeOfTheWayTaken(t *testing.T) {
	const name = "name switch set { 4: bytes(size) latin1, 106: bytes(size) utf8, default: bytes(size) }"
	for _, row := range []struct{ packet, fields, want string }{
		{"set uint8, size uint8, " + name, `{"set":106,"name":"é"}`, "6a02c3a9"},
		{"set uint8, size uint8, " + name, `{"set":4,"name":"é"}`, "0401e9"},
		{"set uint8, size uint8, " + name, `{"set":5,"name":"010203"}`, "0503010203"},
		{"set uint8, align(32), size uint8, " + name, `{"set":4,"name":"é"}`, "0400000001e9"},
		{"set varint(7), size varint(7), " + name, `{"set":4,"name":"é"}`, "0401e9"},
		{"size uint8, set uint8, " + name, `{"set":4,"name":"é"}`, "0104e9"},
		{"size uint8, set uint8, " + name, `{"name":"é"}`, "size: missing, and 1 or 2 could follow from name"},
		{"_all [2]{ set uint8, size uint8, " + name + " }", `{"_all":[{"set":4,"name":"é"},{"set":106,"name":"é"}]}`, "0401e96a02c3a9"},
		{"_all [2]{ size uint8, set uint8, " + name + " }", `{"_all":[{"size":1,"set":4,"name":"é"},{"set":106,"name":"é"}]}`, "0104e9" + "026ac3a9"},
		{"set uint8, _all [2]{ ids [2]uint16, size uint8, " + name + " }", `{"set":4,"_all":[{"ids":[1,4],"name":"é"},{"ids":[1,2],"name":"éé"}]}`, "04" + "0001000401e9" + "0001000202e9e9"},
		{"set uint8, size uint8, _n N(set, size)\n}\nstruct N(set in 0..255, size in 0..255) { " + name, `{"set":106,"_n":{"name":"é"}}`, "6a02c3a9"},
		{"set uint8, let twice = set * 2, size uint8, if twice == 8 { name bytes(size) latin1 } else { name bytes(size) utf8 }", `{"set":4,"name":"é"}`, "0401e9"},
		{"set uint8, let _twice = set * 2, size uint8, if _twice == 8 { name bytes(size) latin1 } else { name bytes(size) utf8 }", `{"size":1,"set":4,"name":"é"}`, "0401e9"},
		{"far bool8, if far { set uint8 } else { let set = 106 }, size uint8, " + name, `{"far":false,"name":"é"}`, "0002c3a9"},
		{"far bool8, if far { set uint8 } else { let set = 106 }, size uint8, " + name, `{"far":true,"set":4,"name":"é"}`, "010401e9"},
		{"set uint8, far bool8, if far { let _set = set } else { let _set = set * 2 }, size uint8, name switch _set { 8: bytes(size) latin1, 106: bytes(size) utf8 }", `{"set":53,"far":false,"size":2,"name":"é"}`, "350002c3a9"},
		{"a uint8, b uint8, far bool8, if far { let _set = a } else { let _set = b }, size uint8, name switch _set { 4: bytes(size) latin1, 106: bytes(size) utf8 }", `{"a":4,"b":106,"far":false,"size":2,"name":"é"}`, "046a0002c3a9"},
		{"a uint8, b uint8, far bool8, if far { let _set = a } else { let _set = b }, size uint8, name switch _set { 4: bytes(size) latin1, 106: bytes(size) utf8 }", `{"a":4,"b":106,"far":false,"name":"é"}`, "size: missing, and 1 or 2 could follow from name"},
	} {
		p := compile(t, "protocol p\norder msb\npacket {\n"+row.packet+"\n}\n")
		m := message.New(p)
		packet, err := writeLine(t, m, decode.NewEncoder(decode.New(p)), []byte(`{"fields":`+row.fields+`}`))
		got := hex.EncodeToString(packet)
		if err != nil {
			got = err.Error()
		}
		if got != row.want {
			t.Errorf("%s: %s\nwant %s\n got %s", row.packet, row.fields, row.want, got)
		}
	}
}
