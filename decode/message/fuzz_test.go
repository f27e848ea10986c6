package message_test

import (
	"bytes"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/report"
)

// FuzzMessage reads any bytes as JSON: it never panics, and what it makes a packet of is that packet's own content, so that
// the packet's JSON makes the same packet.
func FuzzMessage(f *testing.F) {
	p := compile(f, game)
	for _, row := range refusedJSON {
		f.Add([]byte(row.json))
	}
	for _, row := range refusedValues {
		f.Add([]byte(row.line()))
	}
	for _, row := range derived {
		f.Add([]byte(row.line()))
	}
	m, e, d, j := message.New(p), decode.NewEncoder(p), decode.New(p), report.NewJSON(p)
	var t1 decode.Trace
	f.Fuzz(func(t *testing.T, line []byte) {
		if m.FromJSON(line) != nil {
			return
		}
		packet, err := m.Encode(e, nil)
		if err != nil {
			if bytes.ContainsAny([]byte(err.Error()), "\x00\x1b\n\r") {
				t.Fatalf("an error that a terminal obeys: %q", err)
			}
			return
		}
		if err := d.Decode(packet, m.From, &t1); err != nil {
			t.Fatalf("%s\nencodes to %x, which is refused: %v", line, packet, err)
		}
		back := j.Append(nil, &report.Packet{N: 1, Trace: &t1})
		if p.HasSecret() && bytes.Contains(back, []byte("‹secret")) {
			m.FromTrace(&t1)
		} else if err := m.FromJSON(back); err != nil {
			t.Fatalf("%s: %v", back, err)
		}
		again, err := m.Encode(e, nil)
		if err != nil || !bytes.Equal(again, packet) {
			t.Fatalf("%s\nencodes to %x, which is %s and encodes to %x, %v", line, packet, back, again, err)
		}
	})
}
