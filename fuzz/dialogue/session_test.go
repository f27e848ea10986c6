package dialogue_test

import (
	"bytes"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz/dialogue"
	"github.com/pktscope/pktscope/fuzz/zoo/door"
)

// memory is a Conn to a server in this process, which answers at once.
type memory struct {
	answer func(packet []byte) [][]byte
	from   netip.AddrPort
	peer   netip.AddrPort
	waits  [][]byte
	sent   [][]byte
}

var serverAt = netip.MustParseAddrPort("127.0.0.1:41000")

func (m *memory) Send(packet []byte) error {
	m.sent = append(m.sent, bytes.Clone(packet))
	m.waits = append(m.waits, m.answer(packet)...)
	return nil
}

func (m *memory) Receive(wait time.Duration) ([]byte, netip.AddrPort, error) {
	if len(m.waits) == 0 {
		time.Sleep(wait)
		return nil, netip.AddrPort{}, nil
	}
	first := m.waits[0]
	m.waits = m.waits[1:]
	return first, m.from, nil
}

func (m *memory) Follow(to netip.AddrPort) error { m.peer = to; return nil }
func (m *memory) Peer() netip.AddrPort           { return m.peer }

// atDoor is a conn to a door.
func atDoor(s *door.Server) *memory {
	return &memory{from: serverAt, peer: serverAt, answer: func(p []byte) [][]byte {
		if a := s.Handle(p, "client", time.Now()); a != nil {
			return [][]byte{a}
		}
		return nil
	}}
}

func load(t *testing.T, src string) (*decode.Decoder, *dialogue.Dialogue) {
	t.Helper()
	d, err := decode.Load("door.pks", []byte(door.Schema))
	if err != nil {
		t.Fatal(err)
	}
	talk, err := dialogue.Load("door.pkd", []byte(src), d)
	if err != nil {
		t.Fatal(err)
	}
	return d, talk
}

func begin(t *testing.T, talk *dialogue.Dialogue, conn dialogue.Conn, token string) *dialogue.Session {
	t.Helper()
	v := talk.NewValues()
	if err := v.Set("Token", token); err != nil {
		t.Fatal(err)
	}
	values, err := v.Of(0)
	if err != nil {
		t.Fatal(err)
	}
	return talk.NewSession(conn, values)
}

// A session is let in, keeps itself in, is lost after two seconds of silence, and is let in again.
func TestSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, talk := load(t, door.Dialogue)
		conn := atDoor(&door.Server{})
		s := begin(t, talk, conn, door.Token)
		if err := s.Join(2); err != nil || s.State() != "Joined" {
			t.Fatal(err)
		}
		if got := conn.sent[1]; len(got) != 7 || !bytes.Equal(got[:3], []byte{3, 0, 1}) { // seq is next(uint16): 0, 1
			t.Errorf("the answer is %x", got)
		}
		for range 20 { // 20 s of listening: the heartbeat keeps the session
			if err := s.Listen(time.Second); err != nil {
				t.Fatal(err)
			}
		}
		beats := 0
		for _, p := range conn.sent {
			if p[0] == 5 {
				beats++
			}
		}
		if beats < 20 {
			t.Errorf("%d heartbeats", beats)
		}
		if yes, err := s.Look(t.Context(), time.Second); !yes || err != nil {
			t.Error("the session is lost", err)
		}
		time.Sleep(3 * time.Second)
		if yes, err := s.Look(t.Context(), time.Second); yes || err != nil {
			t.Error("the session is there after 3 s of silence", err)
		}
		again := begin(t, talk, conn, door.Token)
		if err := again.Join(2); err != nil {
			t.Error(err)
		}
		if said, err := again.End(); !said || err != nil {
			t.Error(said, err)
		}
	})
}

// Who is not let in is told after the time, with what the server said; no secret is in it.
func TestNotLetIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, talk := load(t, door.Dialogue)
		begun := time.Now()
		err := begin(t, talk, atDoor(&door.Server{}), "5ec7e75ec7e75ec7").Join(2)
		var refused *dialogue.Refused
		if !errors.As(err, &refused) || time.Since(begun) != 2*time.Second ||
			err.Error() != "no Challenge within 2s: the server's last packet is Nack { kind = Nack, seq = 19, body.reason = 1 }" {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		silent := &memory{peer: serverAt, answer: func([]byte) [][]byte { return nil }}
		err = begin(t, talk, silent, door.Token).Join(2)
		if err == nil || err.Error() != "no Challenge within 2s: the server sent nothing" || len(silent.sent) != 20 {
			t.Errorf("%d packets: %v", len(silent.sent), err)
		}
		noise := &memory{from: serverAt, peer: serverAt, answer: func([]byte) [][]byte { return [][]byte{{99}} }}
		if err = begin(t, talk, noise, door.Token).Join(2); err == nil || !strings.Contains(err.Error(), "the server's last packet is 1 byte that door refuses") {
			t.Error(err)
		}
	})
}

// A session start ends after MaxStart, however many lines may wait.
func TestStartIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := "dialogue d\nparam Token bytes(8) @secret\n" + strings.Repeat("expect BeatAck within 9s\n", 60) + "state A\n"
		_, talk := load(t, src)
		n := 0
		conn := &memory{from: serverAt, peer: serverAt}
		s := begin(t, talk, tick{conn, &n}, door.Token)
		begun := time.Now()
		if err := s.Join(1); err == nil || time.Since(begun) > dialogue.MaxStart {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
	})
}

// tick is a server that sends a packet each second.
type tick struct {
	*memory
	n *int
}

func (c tick) Receive(wait time.Duration) ([]byte, netip.AddrPort, error) {
	if wait < time.Second {
		time.Sleep(wait)
		return nil, netip.AddrPort{}, nil
	}
	time.Sleep(time.Second)
	return []byte{6, 0, 0}, serverAt, nil
}

// A server that answers from another port is talked to there, and from its own port the answer is not the one.
func TestNewPort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, err := protocols.Load("tftp")
		if err != nil {
			t.Fatal(err)
		}
		talk, err := dialogue.Load("put.pkd", []byte(`dialogue put
send Wrq { filename = "f", mode = "octet" } every 500ms within 2s
expect Ack { block == 0 } from new port
state Writing
attack Data { block = last Ack.block + 1 }
`), d)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range []struct {
			port  uint16
			block byte
			ok    bool
		}{{41001, 0, true}, {41000, 0, false}, {41001, 1, false}} {
			conn := &memory{from: netip.AddrPortFrom(serverAt.Addr(), row.port), peer: serverAt, answer: func([]byte) [][]byte {
				return [][]byte{{0, 4, 0, row.block}}
			}}
			s := talk.NewSession(conn, nil)
			if err := s.Join(1); (err == nil) != row.ok || row.ok && conn.peer.Port() != 41001 {
				t.Errorf("%+v: %v, talks to %v", row, err, conn.peer)
			}
			if !row.ok {
				continue
			}
			// Hostile packets have the block that the server waits for, and nothing else of them changes.
			for hostile, want := range map[string]string{
				"\x00\x03\x00\x09data": "\x00\x03\x00\x01data", "\x00\x03\x00": "\x00\x03\x00", "\x00\x04\x00\x09": "\x00\x04\x00\x09", "\xff\xff\x00\x09": "\xff\xff\x00\x09",
			} {
				if got := s.Patch([]byte(hostile)); string(got) != want {
					t.Errorf("%q: got %q, want %q", hostile, got, want)
				}
			}
		}
	})
}

// Automatic values are in hostile packets too, unless that field is what is broken; checksums that were right stay so,
// and one that was broken stays broken.
func TestPatch(t *testing.T) {
	d, err := decode.Load("sum.pks", []byte(`protocol sum
order msb
max datagram 64
enum Kind : uint8 { A = 1, B = 2 }
packet {
    sum  crc32
    kind Kind
    seq  uint16 in 0..999
    body switch kind { A: { x uint8 in 0..9 }, B: empty }
}
`))
	if err != nil {
		t.Fatal(err)
	}
	talk, err := dialogue.Load("d.pkd", []byte("dialogue d\nautomatic { seq = next(uint16) % 1000 + 0 }\nsend B\nstate S\nattack A { x = 7 }\n"), d)
	if err != nil {
		t.Fatal(err)
	}
	s := talk.NewSession(&memory{answer: func([]byte) [][]byte { return nil }}, nil)
	sealed := func(p ...byte) []byte {
		p = append(make([]byte, 4), p...)
		d.Plan().Seals().Repair(p, -1)
		return p
	}
	var trace decode.Trace
	for i, row := range []struct {
		hostile []byte
		seq     uint16
		x       byte
		verdict string
	}{
		{sealed(1, 0, 99, 3), 0, 7, ""},
		{sealed(1, 0xff, 0xff, 3), 0xffff, 3, "out-of-range"}, // seq is broken: it stays
		{sealed(1, 0, 99, 10), 2, 10, "out-of-range"},         // x is
		{append([]byte{1, 2, 3, 4}, 1, 0, 99, 3), 99, 3, "crc-mismatch"},
	} {
		got := s.Patch(row.hostile)
		err := d.Decode(got, decode.Client, &trace)
		if seq := uint16(got[5])<<8 | uint16(got[6]); seq != row.seq || got[7] != row.x {
			t.Errorf("row %d: seq %d, x %d in %x", i, seq, got[7], got)
		}
		if r := trace.Reject(); (r == nil) != (row.verdict == "") || r != nil && r.Kind.String() != row.verdict {
			t.Errorf("row %d: %v", i, err)
		}
	}
}

// A reader that answers nothing has what the dialogue sends; a value that only a server says is an error.
func TestPreamble(t *testing.T) {
	_, talk := load(t, "dialogue d\nparam Token bytes(8) @secret\nautomatic { seq = next(uint16) }\nsend Hello { token = Token }\nexpect Challenge\nstate A\nsend Move { x = 1, y = 2 }\nstate B\n")
	v := talk.NewValues()
	if err := v.Set("Token", door.Token); err != nil {
		t.Fatal(err)
	}
	packets, err := talk.Preamble(v, nil)
	if err != nil || len(packets) != 2 || string(packets[0]) != "\x01\x00\x00door twc" || string(packets[1]) != "\x07\x00\x01\x01\x02" {
		t.Errorf("%q, %v", packets, err)
	}
	_, talk = load(t, door.Dialogue)
	v = talk.NewValues()
	if err := v.Set("Token", door.Token); err != nil {
		t.Fatal(err)
	}
	if _, err = talk.Preamble(v, nil); err == nil || !strings.Contains(err.Error(), "a reader says nothing: 8:1: Answer: cookie has no value yet") {
		t.Error(err)
	}
}
