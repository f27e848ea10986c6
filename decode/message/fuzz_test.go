package message_test

import (
	"bytes"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
)

// FuzzMessage reads any bytes as JSON: it never panics, and what it makes a packet of is that packet's own content, so
// that the packet's trace makes the same packet. What the packet's JSON makes, package report holds.
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
	m, e, d := message.New(p), decode.NewEncoder(decode.New(p)), decode.New(p)
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
		m.FromTrace(&t1)
		again, err := m.Encode(e, nil)
		if err != nil || !bytes.Equal(again, packet) {
			t.Fatalf("%s\nencodes to %x, whose trace encodes to %x, %v", line, packet, again, err)
		}
	})
}
