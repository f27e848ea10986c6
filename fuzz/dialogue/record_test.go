package dialogue_test

import (
	"bytes"
	"net/netip"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz/dialogue"
	"github.com/pktscope/pktscope/fuzz/zoo/door"
	"github.com/pktscope/pktscope/pcap"
)

// taped is a conn whose packets are recorded.
type taped struct {
	*memory
	r  *dialogue.Recorder
	at netip.AddrPort
}

func (c taped) Send(packet []byte) error {
	c.r.Add(c.at, serverAt, packet, time.Now().UnixNano())
	return c.memory.Send(packet)
}

func (c taped) Receive(wait time.Duration) ([]byte, netip.AddrPort, error) {
	p, from, err := c.memory.Receive(wait)
	if p != nil {
		c.r.Add(serverAt, c.at, p, time.Now().UnixNano())
	}
	return p, from, err
}

// What was recorded of three clients is a dialogue that lets a fourth one in: the cookie is a copy, the sequence counts,
// and the token is a param, of which nothing is written.
func TestRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, talk := load(t, door.Dialogue)
		r, err := dialogue.NewRecorder(d)
		if err != nil {
			t.Fatal(err)
		}
		var server door.Server
		for port := range uint16(3) {
			conn := taped{atDoor(&server), r, netip.AddrPortFrom(serverAt.Addr(), 50000+port)}
			name := conn.at.String()
			conn.answer = func(p []byte) [][]byte {
				if a := server.Handle(p, name, time.Now()); a != nil {
					return [][]byte{a}
				}
				return nil
			}
			s := begin(t, talk, conn, door.Token)
			if err := s.Join(2); err != nil {
				t.Fatal(err)
			}
			for i := range byte(30) {
				if err := s.Listen(100 * time.Millisecond); err != nil {
					t.Fatal(err)
				}
				if err := s.Send([]byte{7, 0, 0, i * 7 % 100, i}); err != nil {
					t.Fatal(err)
				}
			}
		}
		text, err := r.AppendText(nil, "door")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"param Token bytes(8) @secret\n", "seq = next(uint16) // counts, ", "send Hello {\n    token = Token // constant in each of 3 flows\n}",
			"expect Challenge // came next, 3 of 3\n", "cookie = last Challenge.cookie // copied, 3 of 3\n", "expect Welcome // came next, 3 of 3\nstate Joined\nkeep Beat every 200ms\n",
			"attack Move\n", "identity fresh\n",
		} {
			if !strings.Contains(string(text), want) {
				t.Errorf("want %q in\n%s", want, text)
			}
		}
		if strings.Contains(string(text), door.Token) || strings.Contains(string(text), "twc") {
			t.Errorf("the token is in\n%s", text)
		}
		again, err := dialogue.Load("recorded.pkd", text, d)
		if err != nil {
			t.Fatal(err)
		}
		if err := begin(t, again, atDoor(&server), door.Token).Join(1); err != nil {
			t.Error(err)
		}
	})
}

// Of libenet's own clients the copies are found: the number that the server gave the client, and in each acknowledgement
// the sequence and the time of what it acknowledges. With the server's times changed the time is no copy any more.
func TestRecordENet(t *testing.T) {
	source, err := os.ReadFile("testdata/enet_first.pks")
	if err != nil {
		t.Fatal(err)
	}
	d, err := decode.Load("enet_first.pks", source)
	if err != nil {
		t.Fatal(err)
	}
	for _, changed := range []bool{false, true} {
		file, err := os.Open("testdata/enet.pcap")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		r, err := dialogue.NewRecorder(d)
		if err != nil {
			t.Fatal(err)
		}
		n := byte(0)
		for datagrams := pcap.NewDatagrams(pcap.NewReader(file)); ; n++ {
			one, err := datagrams.Next()
			if err != nil {
				break
			}
			if changed && one.Src.Port() == 40010 && one.Payload[0]&0x80 != 0 {
				one.Payload[2] ^= n | 1
			}
			r.Add(one.Src, one.Dst, one.Payload, one.Time)
		}
		text, err := r.AppendText(nil, "enet")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := dialogue.Load("enet.pkd", text, d); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		wants := []string{
			"peer = last VerifyConnect.to.peer // copied, 67 of 67\n", "    peer = 4095 // constant, 2 of 2\n", "to.connect_id = fresh(uint32)",
			"    received = its_sequence // of what it answers, 31 of 31\n", "\non Reliable { channel -> its_channel, ", "\non Fragment { ", "\non VerifyConnect { ",
		}
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("changed %v: want %q in\n%s", changed, want, text)
			}
		}
		if copied := strings.Contains(string(text), "    received_time = its_sent_time // of what it answers, 31 of 31\n"); copied == changed {
			t.Errorf("changed %v: the time is a copy: %v\n%s", changed, copied, text)
		}
	}
}

// A client's address in two captures is two clients: what is constant in each is no constant of both.
func TestRecordCaptures(t *testing.T) {
	d, talk := load(t, door.Dialogue)
	r, err := dialogue.NewRecorder(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{door.Token, "646f6f7220747764"} {
		var file bytes.Buffer
		w := pcap.NewWriter(&file, pcap.Section{})
		s := begin(t, talk, atDoor(&door.Server{}), token)
		hello, err := s.Packet(1)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.WriteUDP(1e9, netip.MustParseAddrPort("127.0.0.1:50000"), serverAt, hello, ""); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := r.AddAll(pcap.NewDatagrams(pcap.NewReader(&file))); err != nil {
			t.Fatal(err)
		}
	}
	text, err := r.AppendText(nil, "door")
	if err != nil || !strings.Contains(string(text), "recorded of 2 flows") || !strings.Contains(string(text), "token = Token // constant in each of 2 flows") {
		t.Errorf("%v\n%s", err, text)
	}
}

// Of the R-Type capture every line that claims something is right; what changes without a rule is marked.
func TestRecordRType(t *testing.T) {
	file, err := os.Open("../../corpus/rtype.pcap")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := dialogue.NewRecorder(rtype(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.AddAll(pcap.NewDatagrams(pcap.NewReader(file))); err != nil {
		t.Fatal(err)
	}
	text, err := r.AppendText(nil, "rtype")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dialogue.Load("rtype.pkd", text, rtype(t)); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	for _, never := range []string{"last ", "first ", "fresh("} {
		if strings.Contains(string(text), never) {
			t.Errorf("%q in\n%s", never, text)
		}
	}
	if !strings.Contains(string(text), "param Token bytes(32) @secret") || !strings.Contains(string(text), "send JoinGame {") {
		t.Errorf("%s", text)
	}
}

// Nothing to record is an error, and so is a protocol without cases.
func TestRecordNothing(t *testing.T) {
	r, err := dialogue.NewRecorder(rtype(t))
	if err != nil {
		t.Fatal(err)
	}
	r.Add(serverAt, serverAt, []byte{1}, 0)
	if _, err := r.AppendText(nil, "x"); err == nil || !strings.Contains(err.Error(), "no flow has a packet of a client that rtype accepts") {
		t.Error(err)
	}
	d, err := decode.Load("n.pks", []byte("protocol n\norder msb\nmax datagram 4\npacket { a uint8 }\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dialogue.NewRecorder(d); err == nil {
		t.Error("want an error")
	}
}

// Whatever was captured is a dialogue that can be read, or an error.
func FuzzRecord(f *testing.F) {
	source, err := os.ReadFile("testdata/enet_first.pks")
	if err != nil {
		f.Fatal(err)
	}
	d, err := decode.Load("enet_first.pks", source)
	if err != nil {
		f.Fatal(err)
	}
	file, err := os.Open("testdata/enet.pcap")
	if err != nil {
		f.Fatal(err)
	}
	defer file.Close()
	var seed []byte
	for datagrams, n := pcap.NewDatagrams(pcap.NewReader(file)), 0; n < 60; n++ {
		one, err := datagrams.Next()
		if err != nil {
			f.Fatal(err)
		}
		if len(one.Payload) < 100 {
			from := byte(one.Src.Port() & 7)
			if one.Src.Port() == 40010 {
				from = 8 | byte(one.Dst.Port()&7)
			}
			seed = append(append(seed, from, byte(len(one.Payload))), one.Payload...)
		}
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := dialogue.NewRecorder(d)
		if err != nil {
			t.Fatal(err)
		}
		server, at := netip.MustParseAddrPort("127.0.0.1:40010"), int64(0)
		for len(data) > 2 {
			client := netip.AddrPortFrom(server.Addr(), 50000+uint16(data[0]&7))
			src, dst, n := client, server, min(int(data[1]), len(data)-2)
			if data[0]&8 != 0 {
				src, dst = dst, src
			}
			at += int64(data[0]) << 20
			r.Add(src, dst, data[2:2+n], at)
			data = data[2+n:]
		}
		text, err := r.AppendText(nil, "enet")
		if err != nil {
			return
		}
		if f, diags := dialogue.Parse("enet.pkd", text); f == nil || syntax.HasErrors(diags) {
			t.Fatalf("%v\n%s", diags, text)
		}
	})
}
