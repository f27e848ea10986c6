package protocols_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
)

// stunVectors are the messages of RFC 5769, and what it says is in them.
var stunVectors = []struct{ name, packet, fields string }{
	{"2.1 request", "000100582112a442b7e7a701bc34d686fa87dfae" +
		"802200105354554e207465737420636c69656e74" + "002400046e0001ff" + "80290008932ff9b151263b36" +
		"000600096576746a3a68367659202020" + "000800149aeaa70cbfd8cb56781ef2b5b2d3f249c1b571a2" + "80280004e57a3bcf",
		`method=1 class=0 text="STUN test client" priority=1845494271 tie_breaker=10605970187446795062 text="evtj:h6vY" fingerprint=0xe57a3bcf`},
	{"2.2 response, IPv4", "0101003c2112a442b7e7a701bc34d686fa87dfae" +
		"8022000b7465737420766563746f7220" + "002000080001a147e112a643" +
		"000800142b91f599fd9e90c38c7489f92af9ba53f06be7d7" + "80280004c07d4c96",
		`method=1 class=2 text="test vector" port=32853 address=192.0.2.1 fingerprint=0xc07d4c96`},
	{"2.3 response, IPv6", "010100482112a442b7e7a701bc34d686fa87dfae" +
		"8022000b7465737420766563746f7220" + "002000140002a1470113a9faa5d3f179bc25f4b5bed2b9d9" +
		"00080014a382954e4be67bf11784c97c8292c275bfe3ed41" + "80280004c8fb0b4c",
		`method=1 class=2 text="test vector" port=32853 fingerprint=0xc8fb0b4c`},
	{"2.4 request with long-term credentials", "000100602112a44278ad3433c6ad72c029da412e" +
		"00060012e3839ee38388e383aae38383e382afe382b90000" +
		"0015001c662f2f3439396b39353464364f4c33346f4c394653547679363473410014000b6578616d706c652e6f726700" +
		"00080014f67024656dd64a3e02b8e0712e85c9a28ca89666",
		`method=1 class=0 text="マトリックス" text="f//499k954d6OL34oL9FSTvy64sA" text="example.org"`},
}

func TestStunVectors(t *testing.T) {
	d, err := protocols.Load("stun")
	if err != nil {
		t.Fatal(err)
	}
	encoder := decode.NewEncoder(d)
	var trace decode.Trace
	for _, row := range stunVectors {
		packet, err := hex.DecodeString(row.packet)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Decode(packet, decode.FromUnknown, &trace); err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		var got []string
		for f := range trace.Fields() {
			switch name := f.Name(); name {
			case "method", "class", "text", "priority", "tie_breaker", "port", "address", "fingerprint":
				got = append(got, fmt.Sprintf("%s=%s", name, f.Value()))
			}
		}
		if got := strings.Join(got, " "); got != row.fields {
			t.Errorf("%s: want %s, got %s", row.name, row.fields, got)
		}
		if again, err := encoder.Append(nil, decode.Replay(&trace), decode.FromUnknown); err != nil || !bytes.Equal(again, packet) {
			t.Errorf("%s: encodes to %x, %v", row.name, again, err)
		}
		for bit := 8 * 8; strings.Contains(row.fields, "fingerprint") && bit < 8*20; bit++ { // of the id
			packet[bit/8] ^= 1 << (bit % 8)
			if err := d.Decode(packet, decode.FromUnknown, &trace); !errors.Is(err, reject.CRCMismatch) {
				t.Errorf("%s, bit %d changed: want crc-mismatch, got %v", row.name, bit, err)
			}
			packet[bit/8] ^= 1 << (bit % 8)
		}
	}
}
