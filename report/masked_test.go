package report_test

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/report"
)

// A finding in a state of a dialogue keeps its packets with zeros in place of what is secret, and a right checksum; one
// whose secret may be in what was not read keeps no byte of it, and so does one without a dialogue.
func TestMaskedPackets(t *testing.T) {
	p := planOf(t, "protocol door\norder msb\npacket { sum crc32, kind uint8 in 1..3, half bits(4), token bits(12) @secret, last uint8 in 0..9 }\n")
	d := decode.New(p)
	whole := append(make([]byte, 4), 2, 0xfa, 0xbc, 5)
	p.RepairChecksum(whole)
	var trace decode.Trace
	if err := d.Decode(whole, decode.Client, &trace); err != nil {
		t.Fatal(err)
	}
	want := append(make([]byte, 4), 2, 0xf0, 0, 5)
	p.RepairChecksum(want)
	broken := bytes.Clone(whole)
	broken[7] = 99 // refused after the secret
	p.RepairChecksum(broken)
	for _, row := range []struct {
		packet []byte
		spoken *fuzz.Spoken
		want   []byte // nil: it cannot be read again
	}{
		{whole, &fuzz.Spoken{Text: "dialogue d\n", State: "Start"}, want},
		{whole[:7], &fuzz.Spoken{Text: "dialogue d\n", State: "Start"}, nil},
		{broken, &fuzz.Spoken{Text: "dialogue d\n", State: "Start"}, nil},
		{whole, &fuzz.Spoken{Text: "dialogue d\n"}, nil},
		{whole, nil, nil},
	} {
		f := &fuzz.Finding{Kind: oracle.FoundCrash, Packet: row.packet, From: decode.Client, Spoken: row.spoken, Count: 1}
		text := report.AppendFinding(nil, &report.Origin{Protocol: "door", Plan: p, Version: "x"}, f)
		if bytes.Contains(text, []byte(hex.EncodeToString(row.packet[5:7]))) {
			t.Errorf("%x: %s", row.packet, text)
		}
		again, err := report.ParseFinding(text)
		if (err == nil) != (row.want != nil) || err == nil && !bytes.Equal(again.Packet, row.want) {
			t.Errorf("%x: %+v, %v: %s", row.packet, again, err, text)
		}
	}
}
