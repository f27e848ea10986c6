package report_test

import (
	"bytes"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/report/scan"
)

// FuzzMessageJSON reads any bytes as the JSON of a packet: what a packet is made of has JSON that makes the same
// packet.
func FuzzMessageJSON(f *testing.F) {
	l := builtinLaws(f, "rtype")
	for _, s := range corpus.Seeds("rtype") {
		if l.decoder.Decode(s.Data, decode.FromUnknown, &l.t) == nil {
			f.Add(l.json.Append(nil, &scan.Packet{Envelope: decode.Envelope{N: 1}, Trace: &l.t}))
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if err := l.asLine(line); err != nil {
			t.Fatal(err)
		}
		if l.message.FromJSON(line) != nil {
			return
		}
		packet, err := l.message.Encode(l.encoder, nil)
		if err != nil {
			return
		}
		if err := l.decoder.Decode(packet, l.message.From, &l.t); err != nil {
			t.Fatalf("%s\nencodes to %x, which is refused: %v", line, packet, err)
		}
		back := l.json.Append(nil, &scan.Packet{Envelope: decode.Envelope{N: 1}, Trace: &l.t})
		if err := l.message.FromJSON(back); err != nil {
			t.Fatalf("%s: %v", back, err)
		}
		again, err := l.message.Encode(l.encoder, nil)
		if err != nil || !bytes.Equal(again, packet) {
			t.Fatalf("%s\nencodes to %x, which is %s and encodes to %x, %v", line, packet, back, again, err)
		}
	})
}
