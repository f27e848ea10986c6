package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/pcap/relay"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/scan"
)

// pieced has messages in pieces of any size.
const pieced = `protocol pieced
order msb
packet {
    id    uint16
    index uint8
    count uint8
    data  bytes(rest, max 1000) @fragment(Game, id, index index, count count)
}
message Game max 20000 { data bytes(rest, max 20000) }
`

// side is a capture that a test makes.
type side struct {
	t   *testing.T
	buf bytes.Buffer
	w   *pcap.Writer
	n   int64
}

func newSide(t *testing.T) *side {
	s := &side{t: t}
	s.w = pcap.NewWriter(&s.buf, pcap.Section{})
	return s
}

func (s *side) saw(src, dst netip.AddrPort, payload []byte) {
	s.t.Helper()
	s.n++
	if err := s.w.WriteUDP(1767225600e9+s.n*int64(time.Microsecond), src, dst, payload); err != nil {
		s.t.Fatal(err)
	}
}

// pieces cuts a message.
func pieces(id uint16, message string, size int) (list [][]byte) {
	count := max(1, (len(message)+size-1)/size)
	for i := range count {
		data := message[min(len(message), i*size):min(len(message), (i+1)*size)]
		list = append(list, append([]byte{byte(id >> 8), byte(id), byte(i), byte(count)}, data...))
	}
	return list
}

// compared is what diff says of two captures, as JSON and text.
type compared struct {
	lines   []map[string]any
	summary string
	differ  bool
}

func (c *compared) number(path ...string) int {
	v := c.lines[len(c.lines)-1][path[0]]
	for _, key := range path[1:] {
		v = v.(map[string]any)[key]
	}
	return int(v.(float64))
}

func (c *compared) count(kind string) (n int) {
	for _, line := range c.lines {
		if line["kind"] == kind {
			n++
		}
	}
	return n
}

func compare(t *testing.T, source string, a, b *side) *compared {
	t.Helper()
	d, err := decode.Load("pieced.pks", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c := report.Captures{Decoders: scan.Always(d), Files: [2]string{"a.pcap", "b.pcap"}, Out: &out, JSON: true, ByMessages: true}
	c.Open = func(n int, take func(pcap.PacketSource) error) error {
		s := [2]*side{a, b}[n]
		if err := s.w.Flush(); err != nil {
			return err
		}
		return take(pcap.NewReader(bytes.NewReader(s.buf.Bytes())))
	}
	if err := c.Match(); err != nil {
		t.Fatal(err)
	}
	if err := c.Show(); err != nil {
		t.Fatal(err)
	}
	out.Write(c.AppendSummaryJSON(nil))
	r := &compared{summary: string(c.AppendSummary(nil, false)), differ: c.Differ()}
	for line := range strings.Lines(out.String()) {
		one := map[string]any{}
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		r.lines = append(r.lines, one)
	}
	return r
}

// A relay between clients and a server that puts messages together and sends them on in pieces of another size, under
// other numbers, from other addresses: no packet of one side is on the other, and every message is. What the relay loses,
// sends twice or holds back is told, in both directions.
func TestMessagesOfARelay(t *testing.T) {
	server, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:0")))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	type kept struct {
		text [2]strings.Builder
		next uint16
		n    [2]int
	}
	lost, doubled := 0, 0
	through, err := relay.Listen(netip.MustParseAddrPort("127.0.0.1:0"), server.LocalAddr().(*net.UDPAddr).AddrPort(), func(p *relay.Packet) error {
		k, _ := (*p.Kept).(*kept)
		if k == nil {
			k = &kept{next: 7000}
			*p.Kept = k
		}
		way := 0
		if !p.FromClient {
			way = 1
		}
		k.text[way].Write(p.Data[4:])
		if p.Data[2]+1 < p.Data[3] {
			return nil
		}
		message := k.text[way].String()
		k.text[way].Reset()
		times := 1
		switch k.n[way]++; {
		case k.n[way]%10 == 4:
			times = 0
			lost++
		case k.n[way]%10 == 7:
			times = 2
			doubled++
		}
		for range times {
			k.next++
			for _, piece := range pieces(k.next, message, 33) {
				if err := p.Forward(piece); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- through.Run() }()
	near, far := newSide(t), newSide(t)
	const clients, rounds = 3, 40
	serves, buf := server.LocalAddr().(*net.UDPAddr).AddrPort(), make([]byte, 2000)
	read := func(conn *net.UDPConn) (netip.AddrPort, []byte) {
		if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		n, from, err := conn.ReadFromUDPAddrPort(buf)
		if err != nil {
			t.Fatal(err)
		}
		return netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), buf[:n]
	}
	for c := range clients {
		conn, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(through.Addr()))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		me := conn.LocalAddr().(*net.UDPAddr).AddrPort()
		for i := range rounds {
			times := 1
			switch (i + 1) % 10 {
			case 4:
				times = 0
			case 7:
				times = 2
			}
			question := strings.Repeat(fmt.Sprintf("client %d says %d. ", c, i), 1+i%9)
			for _, p := range pieces(uint16(i), question, 50) {
				near.saw(me, through.Addr(), p)
				if _, err := conn.Write(p); err != nil {
					t.Fatal(err)
				}
			}
			var relayed netip.AddrPort
			for range times * len(pieces(0, question, 33)) {
				from, p := read(server)
				relayed = from
				far.saw(from, serves, p)
			}
			if times == 0 {
				continue
			}
			answer := strings.Repeat(fmt.Sprintf("the server tells client %d %d. ", c, i), 1+i%7)
			for _, p := range pieces(uint16(i), answer, 70) {
				far.saw(serves, relayed, p)
				if _, err := server.WriteToUDPAddrPort(p, relayed); err != nil {
					t.Fatal(err)
				}
			}
			answers := i - (i+7)/10 + 1 // number of this answer: one in ten questions is lost
			times = 1
			switch answers % 10 {
			case 4:
				times = 0
			case 7:
				times = 2
			}
			for range times * len(pieces(0, answer, 33)) {
				_, p := read(conn)
				near.saw(through.Addr(), me, p)
			}
		}
	}
	through.Close()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	questions := clients * rounds
	answers := questions - questions/10
	got := compare(t, pieced, near, far)
	same, onlyA, onlyB := got.number("messages", "same"), got.number("messages", "only_a"), got.number("messages", "only_b")
	if lost == 0 || doubled == 0 || same != questions+answers-lost || onlyA+onlyB != lost+doubled || got.count("only_message") != lost+doubled || got.count("paired") != 2*clients || !got.differ {
		t.Errorf("%d questions, %d answers, %d lost, %d doubled; %d same, %d and %d in one only\n%s", questions, answers, lost, doubled, same, onlyA, onlyB, got.summary)
	}
	again := 0
	for _, line := range got.lines {
		if line["kind"] == "only_message" && line["again"] == true {
			again++
		}
	}
	if again != doubled || strings.Count(got.summary, "messages of theirs alone") != 2*clients {
		t.Errorf("%d came again, want %d\n%s", again, doubled, got.summary)
	}
	if alike := compare(t, pieced, near, near); alike.differ || alike.number("messages", "same") != alike.number("messages", "a") {
		t.Errorf("a capture and itself: %s", alike.summary)
	}
}

// Messages are matched whatever their order, however often they come, and whatever is lost; those that many flows carry
// say nothing, and take no time. What is said does not depend on chance.
func TestMessagesOfHostileFlows(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	end := func(side, n int) netip.AddrPort {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(side), byte(n >> 8), byte(n)}), uint16(4000+side))
	}
	server := end(9, 9)
	for _, row := range []struct {
		name    string
		message func(flow, i int) string
		paired  int
	}{
		{"each its own", func(flow, i int) string { return fmt.Sprint("flow ", flow, " number ", i, strings.Repeat("!", i%90)) }, 40},
		{"all equal", func(int, int) string { return "heartbeat" }, 0},
		{"equal but for one", func(flow, i int) string { return fmt.Sprint("beat ", i) }, 0},
	} {
		a, b := newSide(t), newSide(t)
		want, late := 0, 0
		held := map[int]string{}
		send := func(flow, i int, m string) {
			for _, p := range pieces(uint16(300+i), m, 25) {
				b.saw(end(2, flow), server, p)
			}
		}
		for i := range 60 {
			order := r.Perm(40)
			for _, flow := range order {
				m := row.message(flow, i)
				for _, p := range pieces(uint16(i), m, 40) {
					a.saw(end(1, flow), server, p)
				}
				if i%8 == 5 {
					continue // lost
				}
				want++
				if i%8 == 2 { // held back until the next one has passed
					held[flow] = m
					late++
					continue
				}
				send(flow, i, m)
				if m, ok := held[flow]; ok {
					send(flow, i-1, m)
					delete(held, flow)
				}
			}
		}
		x, y := compare(t, pieced, a, b), compare(t, pieced, a, b)
		if fmt.Sprint(x) != fmt.Sprint(y) {
			t.Errorf("%s: it says another thing each time", row.name)
		}
		if x.count("paired") != row.paired {
			t.Errorf("%s: %s", row.name, x.summary)
		}
		if row.paired > 0 && (x.number("messages", "same") != want || x.number("messages", "reordered") != late) || row.paired == 0 && !strings.Contains(x.summary, "others carry the same") {
			t.Errorf("%s: want %d\n%s", row.name, want, x.summary)
		}
	}
}
