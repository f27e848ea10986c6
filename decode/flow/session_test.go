package flow_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/flow"
)

// chained has every form of pieces, and messages in messages.
const chained = `protocol chained
order msb
max datagram 400
flow by address, room
packet {
    room uint8
    kind uint8
    body switch kind {
        0: bytes(rest, max 300) @message(Outer)
        1: { id uint8, index uint8, count uint16, data bytes(rest, max 100) @fragment(Outer, id, index index, count count) }
        2: { parts [rest, max 40]{ id uint8, start uint16, more bool8, size uint8, data bytes(size) @fragment(Outer, id, offset start, last !more) } }
        3: { id uint32, start uint32, total uint32, data bytes(rest, max 100) @fragment(Inner, id, offset start, total total) }
        4: { odd bits(3), data bytes(2) @message(Inner), align, token bytes(rest, max 9) @secret @message(Inner) }
        5: { few bits(1), fill bits(7), number uint8, data bytes(rest, max 9) @fragment(Few, few, index number, count 2) }
    }
}
message Outer max 300 { kind uint8, body switch kind {
    0: empty
    1: { id uint8, index uint8, data bytes(rest, max 280) @fragment(Inner, id, index index, count 2) }
    2: { all [rest, max 200]{ one bytes(1) @message(Inner) } }
} }
message Inner max 250 { a uint8 in 1..200, rest_of bytes(rest, max 249) @message(Last) }
message Last max 250 { data bytes(rest, max 250) }
message Few max 18 { data bytes(rest, max 18) }
`

func load(t testing.TB) *decode.Decoder {
	t.Helper()
	d, err := decode.Load("chained.pks", []byte(chained))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var ends = [2]netip.AddrPort{netip.MustParseAddrPort("10.0.0.2:50000"), netip.MustParseAddrPort("10.0.0.1:40000")}

// told is what a session says of a packet.
func told(d *decode.Decoder, s *flow.Session, t *decode.Trace) string {
	var b strings.Builder
	if r := t.Reject(); r != nil {
		fmt.Fprintf(&b, "%s; ", r.Kind)
	}
	for i := range t.Notes {
		fmt.Fprintf(&b, "%s; ", t.Notes[i].Kind)
	}
	for _, m := range s.Messages() {
		fmt.Fprintf(&b, "%d:%s", m.Outer, d.Schema().Sections[m.Section].Name)
		if m.Trace != nil {
			fmt.Fprintf(&b, " %x", m.Trace.Payload)
		}
		for _, p := range m.Pieces {
			fmt.Fprintf(&b, " %d@%d+%d", p.Record, p.At, p.N)
		}
		fmt.Fprintf(&b, " %s", m.Verdict())
		if m.Lost != "" {
			fmt.Fprintf(&b, " %s", m.Lost)
		}
		if m.Secret {
			b.WriteString(" secret")
		}
		b.WriteString("; ")
	}
	return strings.TrimSuffix(b.String(), "; ")
}

func TestSession(t *testing.T) {
	d := load(t)
	s := flow.New(d, flow.Limits{})
	var trace decode.Trace
	for n, row := range []struct {
		packet string
		from   int // which of the ends
		ms     int64
		want   string
	}{
		{"\x00\x00\x02\x05\x00", 0, 1, "-1:Outer 020500 1@0+3 accept; 0:Inner 05 1@0+1 accept; 1:Last  1@0+0 accept; 0:Inner 00 1@0+1 reject"},
		{"\x00\x01\x07\x00\x00\x02\x01", 0, 1, ""},
		{"\x01\x01\x07\x01\x00\x02\x33", 0, 1, ""}, // another flow
		{"\x00\x01\x07\x01\x00\x02\x33", 1, 1, ""}, // the other direction
		{"\x00\x01\x07\x00\x00\x02\x01", 0, 1, "duplicate-fragment"},
		{"\x00\x01\x07\x00\x00\x02\x02", 0, 1, "conflicting-fragment"},
		{"\x00\x01\x07\x02\x00\x02\x33", 0, 1, "fragment"}, // index 2 of 2
		{"\x00\x01\x07\x01\x00\x02\x09\x00\x05", 0, 1, "-1:Outer 01090005 2@0+1 8@1+3 accept"},
		{"\x00\x01\x08\x01\x00\x02\x09\x01\x06\x07", 0, 1, ""},
		{"\x00\x01\x08\x00\x00\x02\x01", 0, 1,
			"-1:Outer 0109010607 10@0+1 9@1+4 accept; 0:Inner 050607 8@0+1 10@1+2 accept; 1:Last 0607 10@0+2 accept"},
		{"\x00\x01\x08\x00\x00\x02\x01", 0, 1, "duplicate-message"},
		{"\x00\x02\x01\x00\x01\x01\x02\x02\x03\x01\x00\x00\x01\x01\x02", 0, 1, ""}, // two pieces in one packet, none the last
		{"\x00\x02\x01\x00\x03\x00\x01\x04", 0, 1, "-1:Outer 02020304 12@0+1 12@1+2 13@3+1 accept; " +
			"0:Inner 02 13@0+1 accept; 1:Last  13@0+0 accept; 0:Inner 03 13@0+1 accept; 3:Last  13@0+0 accept; 0:Inner 04 13@0+1 accept; 5:Last  13@0+0 accept"},
		{"\x00\x03\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\xfb\x01", 0, 1, "fragment"}, // 251 bytes in all
		{"\x00\x03\x00\x00\x00\x01\x00\x00\x00\x05\x00\x00\x00\x05\x01", 0, 1, "fragment"},
		{"\x00\x03\x00\x00\x00\x01\x00\x00\x00\x03\x00\x00\x00\x05\x01", 0, 1, ""},
		{"\x00\x01\x09\x00\x08\x00\x01", 0, 1, ""}, // of 2,048 pieces: too many to keep, and no reject
		{"\x00\x04\x20\x40\x00\x01", 0, 1, "-1:Inner 4000 18@0+2 accept; 0:Last 00 18@0+1 accept; -1:Inner 01 18@0+1 accept secret; 2:Last  18@0+0 accept secret"},
		// Ids that come round: of two one is remembered.
		{"\x00\x05\x00\x00a", 0, 1, ""}, {"\x00\x05\x00\x01b", 0, 1, "-1:Few 6162 19@0+1 20@1+1 accept"},
		{"\x00\x05\x80\x00a", 0, 1, ""}, {"\x00\x05\x80\x01b", 0, 1, "-1:Few 6162 21@0+1 22@1+1 accept"},
		{"\x00\x05\x00\x00c", 0, 1, ""}, {"\x00\x05\x00\x01d", 0, 1, "-1:Few 6364 23@0+1 24@1+1 accept"},
		{"\x00\x00\x00", 0, 20_000, "-1:Outer 00 25@0+1 accept; -1:Outer 3@-1+1 needs-context missing 1 of 2 secret; -1:Outer 4@-1+1 needs-context missing 1 of 2 secret; " +
			"-1:Inner 16@-1+1 needs-context missing 4 of 5 bytes secret"},
	} {
		e := decode.Envelope{N: int64(n + 1), Src: ends[row.from], Dst: ends[1-row.from], Time: row.ms * int64(time.Millisecond)}
		_ = s.Decode(&decode.Packet{Data: []byte(row.packet)}, &e, &trace)
		if got := told(d, s, &trace); got != row.want {
			t.Errorf("packet %d:\nwant %s\ngot  %s", n+1, row.want, got)
		}
	}
	s.Flush()
	if got, want := told(d, s, &decode.Trace{}), ""; got != want {
		t.Errorf("at the end: %s, want %s", got, want)
	}
}

// Whether a second piece is what a secret one was is not said: who sends guesses would be told which is right.
func TestSecretPiecesAreNotCompared(t *testing.T) {
	for _, secret := range []bool{false, true} {
		src := "protocol c\norder msb\nmessage Text max 100 { text bytes(rest, max 100) }\n" +
			"packet { id uint8, index uint8 in 0..1, data bytes(rest, max 100) @fragment(Text, id, index index, count 2) }\n"
		if secret {
			src = strings.Replace(src, "count 2)", "count 2) @secret", 1)
		}
		d, err := decode.Load("c.pks", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		s, want := flow.New(d, flow.Limits{}), map[bool]string{false: "conflicting-fragment", true: "duplicate-fragment"}[secret]
		var trace decode.Trace
		for n, packet := range []string{"\x01\x00ab", "\x01\x00cd"} {
			e := decode.Envelope{N: int64(n + 1), Src: ends[0], Dst: ends[1]}
			_ = s.Decode(&decode.Packet{Data: []byte(packet)}, &e, &trace)
		}
		if got := told(d, s, &trace); got != want {
			t.Errorf("secret %t: want %s, got %s", secret, want, got)
		}
	}
}

// However many messages a packet brings, so many are kept and the others counted.
func TestSessionMany(t *testing.T) {
	d := load(t)
	s := flow.New(d, flow.Limits{})
	var trace decode.Trace
	packet := append([]byte{0, 0, 2}, make([]byte, 200)...)
	for i := range packet[3:] {
		packet[3+i] = byte(1 + i%200)
	}
	for range 3 {
		if err := s.Decode(&decode.Packet{Data: packet}, &decode.Envelope{}, &trace); err != nil {
			t.Fatal(err)
		}
		if len(s.Messages()) != flow.MaxMessages || s.Left() != 401-flow.MaxMessages {
			t.Errorf("%d messages, %d more", len(s.Messages()), s.Left())
		}
	}
	if c := s.Counts(); c.Accepted != 3*401 || c.Refused != 0 {
		t.Errorf("%+v", c)
	}
}

// A session allocates nothing in a steady state.
func TestSessionAllocates(t *testing.T) {
	d := load(t)
	s := flow.New(d, flow.Limits{})
	var trace decode.Trace
	e := decode.Envelope{Src: ends[0], Dst: ends[1]}
	packet := append([]byte{0, 1, 0, 0, 0, 4}, make([]byte, 60)...)
	id := byte(0)
	round := func() {
		id++
		for i := range byte(4) {
			packet[2], packet[3] = id, 3-i
			_ = s.Decode(&decode.Packet{Data: packet}, &e, &trace)
		}
	}
	for range 300 {
		round()
	}
	if n := testing.AllocsPerRun(300, round); n != 0 {
		t.Errorf("%v allocations in four pieces", n)
	}
}

// FuzzSession: whatever comes, from whomever, the bounds hold; no packet is refused that is accepted by itself, but for
// numbers of its own; and of a packet alone the session says what it says among others, but for what others brought.
func FuzzSession(f *testing.F) {
	f.Add([]byte("\x07\x00\x00\x00\x01\x07\x00\x00\x02\x01\x08\x10\x00\x00\x01\x07\x01\x00\x02\x09\x00"))
	f.Add([]byte("\x08\x21\x00\x02\x01\x00\x01\x00\x01\x04\x08\x21\x01\x02\x01\x00\x00\x01\x01\x02"))
	for _, script := range steeredScripts() {
		f.Add(script)
	}
	d, quic := load(f), loadQuicish(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 0 && data[0] == steeredScript {
			holdSteered(t, quic, data[1:])
			return
		}
		s := flow.New(d, flow.Limits{Flows: 32, Memory: 1 << 20, Timeout: time.Millisecond})
		var trace, by decode.Trace
		now, n := int64(0), int64(0)
		for len(data) >= 3 {
			size, from, wait := int(data[0]), data[1], data[2]
			size = min(size, len(data)-3)
			packet := data[3 : 3+size]
			data = data[3+size:]
			now += int64(wait) * int64(time.Microsecond) * 4
			if wait == 255 {
				now -= int64(time.Second)
			}
			n++
			e := decode.Envelope{N: n, Time: now, Dst: ends[1]}
			e.Src = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, from}), uint16(from)*7)
			if from&1 == 1 {
				e.Src, e.Dst = e.Dst, e.Src
			}
			err := s.Decode(&decode.Packet{Data: packet}, &e, &trace)
			own := d.Decode(packet, decode.FromUnknown, &by)
			broken := false
			if own == nil {
				for i := range by.Fragments {
					f := &by.Fragments[i]
					if size := int(by.Records[f.Record].N); f.Whole() || f.Bytes() {
						broken = broken || f.Broken(size)
					} else { // that it has more pieces than are kept refuses nothing
						broken = broken || size > f.Max() || !f.Ends() && f.At >= f.Of
					}
				}
			}
			if (err == nil) != (own == nil && !broken) {
				t.Fatalf("packet %d: %v, by itself %v, broken %t", n, err, own, broken)
			}
			if err != nil && len(s.Messages()) != 0 {
				t.Fatalf("packet %d was refused and brought messages", n)
			}
			for i, m := range s.Messages() {
				if m.Outer >= i || m.Outer < -1 || len(m.Pieces) == 0 {
					t.Fatalf("packet %d: message %d of %d, with %d pieces", n, i, m.Outer, len(m.Pieces))
				}
				at := 0
				for _, p := range m.Pieces {
					if p.Record < 1 || p.Record > n || m.Trace != nil && p.At != at || m.Trace == nil && p.At != -1 {
						t.Fatalf("packet %d: message %d: piece %+v", n, i, p)
					}
					at += p.N
				}
				if m.Trace != nil && at != len(m.Trace.Payload) {
					t.Fatalf("packet %d: message %d: pieces of %d bytes, %d in all", n, i, at, len(m.Trace.Payload))
				}
			}
		}
		before := s.Counts()
		s.Flush()
		after := s.Counts()
		if after.Messages() < before.Messages() {
			t.Fatal("a flush took messages away")
		}
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
	})
}
