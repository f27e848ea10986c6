package dialogue_test

import (
	"net/netip"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pktscope/pktscope/decode"
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
