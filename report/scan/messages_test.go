package scan_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/flow"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
)

// enetMessages is the built-in ENet, whose packets are messages, with the port of a capture.
func enetMessages(t *testing.T) *decode.Decoder {
	t.Helper()
	source, _ := protocols.Source("enet")
	d, err := decode.Load("enet.pks", bytes.Replace(source, []byte("max datagram 4096\n"), []byte("max datagram 4096\nport 40010\n"), 1))
	if err != nil || !d.Stateful() || len(d.Schema().Ports) != 1 {
		t.Fatal(err, "ENet has no messages")
	}
	return d
}

// datagrams are those of a capture.
func datagrams(t testing.TB, name string) (list []pcap.Datagram) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	reader := pcap.NewDatagrams(pcap.NewReader(bytes.NewReader(b)))
	for {
		d, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		c := *d
		c.Payload = slices.Clone(d.Payload)
		list = append(list, c)
	}
}

// without yields datagrams but for some.
type without struct {
	list []pcap.Datagram
	next int
	out  func(i int) bool
}

func (w *without) Next() (*pcap.Datagram, error) {
	for w.next < len(w.list) && w.out(w.next) {
		w.next++
	}
	if w.next == len(w.list) {
		return nil, io.EOF
	}
	w.next++
	return &w.list[w.next-1], nil
}

func (*without) Waiting(func()) bool             { return false }
func (*without) Records() iter.Seq[*pcap.Record] { return func(func(*pcap.Record) bool) {} }
func (*without) Counts() pcap.Counts             { return pcap.Counts{} }

// seen is what a scan of records says: the messages of each sender, and every reject, by packet and message.
type seen struct {
	messages map[decode.Direction][]string
	rejects  map[string]bool
	counts   scan.Counts
}

func scanned(t testing.TB, d *decode.Decoder, list []pcap.Datagram, out func(int) bool, workers int) *seen {
	t.Helper()
	s := &seen{messages: map[decode.Direction][]string{}, rejects: map[string]bool{}}
	stage := scan.Stage[[]string]{
		New: func() func(*[]string, *scan.Packet) {
			return func(_ *[]string, p *scan.Packet) {
				if r := p.Reject(); r != nil {
					s.rejects[fmt.Sprint(p.N, r.Kind, r.Bit)] = true
				}
				all, left := p.Messages()
				if left != 0 {
					t.Errorf("packet %d: %d messages more", p.N, left)
				}
				for i := range all {
					m := &all[i]
					if r := m.Reject(); r != nil {
						s.rejects[fmt.Sprint(p.N, m.Section, r.Kind, r.Bit)] = true
					}
					if m.Trace != nil && m.Outer < 0 {
						s.messages[p.From] = append(s.messages[p.From], string(m.Trace.Payload))
					}
				}
			}
		},
		Drain: func(*[]string) error { return nil },
	}
	counts, err := scan.Run(&without{list: list, out: out}, scan.Options{Decoders: scan.Always(d), Workers: workers}, stage)
	if err != nil {
		t.Fatal(err)
	}
	s.counts = counts
	return s
}

func none(int) bool { return false }

// The echo server of an ENet capture sends back every message, up to 5 KB in pieces: so what the client sent is what the
// server sent, byte for byte.
func TestENetMessages(t *testing.T) {
	d, list := enetMessages(t), datagrams(t, "testdata/enet.pcap")
	for _, workers := range []int{1, 4} {
		s := scanned(t, d, list, none, workers)
		client, server := s.messages[decode.Client], s.messages[decode.Server]
		slices.Sort(client)
		slices.Sort(server)
		large := 0
		for _, m := range client {
			large = max(large, len(m))
		}
		if !slices.Equal(client, server) || len(client) < 20 || large < 3000 {
			t.Errorf("the client sent %d messages of up to %d bytes, the server %d", len(client), large, len(server))
		}
		if c := s.counts; c.Refused+c.Messages.Refused+c.Messages.Incomplete() != 0 || c.Messages.Pieces < 10 {
			t.Errorf("%+v", c)
		}
	}
}

// No record that is missing makes a reject that the whole capture does not have: what is kept of packets never refuses
// one. One piece that is missing costs one message.
func TestNoRejectOfWhatIsMissing(t *testing.T) {
	d, list := enetMessages(t), datagrams(t, "testdata/enet.pcap")
	whole := scanned(t, d, list, none, 1)
	incomplete := 0
	for i := range list {
		s := scanned(t, d, list, func(n int) bool { return n == i }, 1)
		for r := range s.rejects {
			if !whole.rejects[r] {
				t.Errorf("without record %d: reject %s", i+1, r)
			}
		}
		if s.counts.Messages.Incomplete() > 1 || s.counts.Messages.Refused != 0 {
			t.Errorf("without record %d: %+v", i+1, s.counts.Messages)
		}
		incomplete += int(s.counts.Messages.Incomplete())
		s = scanned(t, d, list, func(n int) bool { return n >= i }, 1)
		if len(s.rejects) != 0 {
			t.Errorf("the first %d records: %v", i, s.rejects)
		}
	}
	if incomplete < 10 {
		t.Errorf("%d messages were incomplete", incomplete)
	}
}

// A record that comes twice is odd where it has pieces, and no reject.
func TestResentPieces(t *testing.T) {
	d, list := enetMessages(t), datagrams(t, "testdata/enet.pcap")
	var twice []pcap.Datagram
	for _, r := range list {
		twice = append(twice, r, r)
	}
	once, s := scanned(t, d, list, none, 1).counts, scanned(t, d, twice, none, 1).counts
	if s.Refused+s.Messages.Refused+s.Messages.Incomplete() != 0 || s.Messages.Resent != once.Messages.Pieces {
		t.Errorf("%d pieces, %+v", once.Messages.Pieces, s.Messages)
	}
}

// A message is judged by its own section, and a reject of one changes neither its packet's verdict nor other messages.
func TestMessageRejects(t *testing.T) {
	d, err := decode.Load("m.pks", []byte(`protocol m
order msb
port 4124
packet { id uint8, index uint8, count uint8, data bytes(rest, max 9) @fragment(Game, id, index index, count count) }
message Game max 9 { a uint8 in 1..9, b uint8 }
`))
	if err != nil {
		t.Fatal(err)
	}
	session := flow.New(d, flow.Limits{})
	var trace decode.Trace
	for n, row := range []struct {
		packet  string
		packets string // what became of it
		message string
	}{
		{"\x01\x00\x02\x05", "", ""},
		{"\x02\x00\x02\x00", "", ""},
		{"\x01\x02\x02\x00", "fragment at bit 24", ""}, // index 2 of 2
		{"\x02\x01\x02\x07", "", "out-of-range at bit 0"},
		{"\x01\x01\x02\x07", "", "accept"},
		{"\x03\x00\x01\x01", "", "past-end at bit 8"},
		{"\x03\x00\x01\x01", "duplicate-message at bit 24", ""},
	} {
		e := decode.Envelope{N: int64(n + 1), Src: client, Dst: server}
		got, message := "", ""
		if err := session.Decode(&decode.Packet{Data: []byte(row.packet)}, &e, &trace); err != nil {
			r := trace.Reject()
			got = fmt.Sprintf("%s at bit %d", r.Kind, r.Bit)
			if !errors.Is(err, reject.Fragment) || r.Error() != "data: fragment at bit 24 (byte 3): want a piece within its message, got index 2 of 2" {
				t.Errorf("packet %d: %v", n+1, err)
			}
		}
		for i := range trace.Notes {
			got = fmt.Sprintf("%s at bit %d", trace.Notes[i].Kind, trace.Notes[i].Bit)
		}
		for _, m := range session.Messages() {
			message = m.Verdict().String()
			if r := m.Reject(); r != nil {
				message = fmt.Sprintf("%s at bit %d", r.Kind, r.Bit)
			}
		}
		if got != row.packets || message != row.message {
			t.Errorf("packet %d: %s, message %s; want %s, %s", n+1, got, message, row.packets, row.message)
		}
	}
	if c := session.Counts(); c.Accepted != 1 || c.Refused != 2 || c.Resent != 1 || c.Pieces != 6 {
		t.Errorf("%+v", c)
	}
}
