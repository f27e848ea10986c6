package fuzz_test

import (
	"encoding/hex"
	"testing"

	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz"
)

func TestHeartbeat(t *testing.T) {
	for name, want := range map[string]string{"packets": "", "gaffer": "", "rtype": "HeartBeat"} {
		d, err := protocols.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		packet, word, ok := fuzz.Heartbeat(d)
		if word != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", name, word, ok)
		}
		if name == "rtype" && (len(packet) < 2 || hex.EncodeToString(packet[:2]) != "0001") {
			t.Errorf("%s: %x", name, packet)
		}
	}
}
