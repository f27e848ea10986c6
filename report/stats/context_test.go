package stats

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/examples"
	"github.com/pktscope/pktscope/decode"
	display "github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/flow"
	"github.com/pktscope/pktscope/decode/keys"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
)

// listed is a source of datagrams.
type listed struct {
	list []pcap.Datagram
	next int
}

func (l *listed) Next() (*pcap.Datagram, error) {
	if l.next == len(l.list) {
		return nil, io.EOF
	}
	l.next++
	return &l.list[l.next-1], nil
}

func (*listed) Waiting(func()) bool             { return false }
func (*listed) Records() iter.Seq[*pcap.Record] { return func(func(*pcap.Record) bool) {} }
func (*listed) Counts() pcap.Counts             { return pcap.Counts{} }

// messagesOf counts what packets bring, by section, under "" the packets; and how often the scan met what.
func messagesOf(t testing.TB, o scan.Options, list []pcap.Datagram) (map[string]*Stats, flow.Counts) {
	t.Helper()
	c := NewCounter(o.Decoders)
	counts, err := scan.Run(&listed{list: list}, o, c.Stage())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*Stats{}
	for i, one := range c.All() {
		if _, name, _ := strings.Cut(one.Protocol(), "."); c.Has(i) {
			all[name] = one
		}
	}
	return all, counts.Messages
}

// load reads a schema in which a text is replaced by another.
func load(t testing.TB, source []byte, old, with string) *decode.Decoder {
	t.Helper()
	if strings.Count(string(source), old) != 1 {
		t.Fatalf("%q is not in the schema", old)
	}
	d, err := decode.Load("test.pks", []byte(strings.Replace(string(source), old, with, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func example(t testing.TB, name string) []byte {
	t.Helper()
	source, ok := examples.Source(name)
	if !ok {
		t.Fatal(name)
	}
	return source
}

// reliable is the example with the size of the fragments of reliablePackets.
func reliable(t testing.TB) *scan.Decoders {
	return scan.Always(load(t, example(t, "reliable"), "param FragmentSize = 1024", "port 40000\nparam FragmentSize = 64"))
}

// reliableName is a pair of files without its ending; PKTSCOPE_RELIABLE names a longer one.
func reliableName() string {
	return cmp.Or(os.Getenv("PKTSCOPE_RELIABLE"), "../../decode/flow/testdata/reliable")
}

// reliablePackets are what a receiver of the reliable library got of 20,000 messages: see flow's test of this name.
func reliablePackets(t testing.TB) (list []pcap.Datagram) {
	t.Helper()
	all, err := os.ReadFile(reliableName() + ".bin")
	if err != nil {
		t.Fatal(err)
	}
	client, server := addr("10.0.0.2:50000"), addr("10.0.0.1:40000")
	for n := int64(1); len(all) > 0; n++ {
		end := 2 + int(binary.LittleEndian.Uint16(all))
		list = append(list, pcap.Datagram{N: n, Time: 1e18 + n*1e5, Src: client, Dst: server, Payload: all[2:end], Size: end - 2})
		all = all[end:]
	}
	return list
}

// byHand counts packets of the reliable library without a schema: a message is whole when all its numbers came. distinct
// are those that the library, which delivers a sequence once, has of them.
func byHand(list []pcap.Datagram) (whole, distinct uint64, c Context) {
	type id struct {
		sequence uint16
		last     byte
	}
	came, sequences := map[id]map[byte]bool{}, map[uint16]bool{}
	for i := range list {
		p := list[i].Payload
		if p[0]&1 == 0 {
			whole++
			sequences[binary.LittleEndian.Uint16(p[1:])] = true
			continue
		}
		c.Pieces++
		k := id{binary.LittleEndian.Uint16(p[1:]), p[4]}
		if came[k] == nil {
			came[k] = map[byte]bool{}
		}
		if came[k][p[3]] {
			c.Resent++
		}
		if came[k][p[3]] = true; len(came[k]) == int(p[4])+1 {
			came[k][255] = true // delivered: no other piece is new
			whole++
			sequences[k.sequence] = true
		}
	}
	for k, pieces := range came {
		if len(pieces) <= int(k.last) {
			c.End++ // or evicted, or missing
		}
	}
	return whole, uint64(len(sequences)), c
}

// incompleteAs makes the reasons one.
func incompleteAs(c Context) Context {
	c.End, c.Missing, c.Evicted = c.Incomplete(), 0, 0
	return c
}

// What is counted of messages is what the packets of three libraries say: as they were captured, with one in nine lost,
// doubled, and in another order.
func TestMessagesOfReliable(t *testing.T) {
	packets := reliablePackets(t)
	truth, err := os.ReadFile(reliableName() + ".truth.txt")
	if err != nil {
		t.Fatal(err)
	}
	delivered := uint64(bytes.Count(truth, []byte("\n")))
	var lost, doubled, shuffled []pcap.Datagram
	r := rand.New(rand.NewPCG(1, 2))
	for i := range packets {
		if i%9 != 4 {
			lost = append(lost, packets[i])
		}
		if doubled = append(doubled, packets[i]); i%9 == 4 {
			doubled = append(doubled, packets[i])
		}
	}
	shuffled = slices.Clone(packets)
	for i := 0; i+5 < len(shuffled); i += 5 {
		r.Shuffle(5, func(a, b int) {
			one, other := &shuffled[i+a], &shuffled[i+b]
			one.Payload, other.Payload, one.Size, other.Size = other.Payload, one.Payload, other.Size, one.Size
		})
	}
	for _, row := range []struct {
		name string
		list []pcap.Datagram
	}{{"as captured", packets}, {"lost", lost}, {"doubled", doubled}, {"shuffled", shuffled}} {
		all, met := messagesOf(t, scan.Options{Decoders: reliable(t)}, row.list)
		s := all["Message"].Summary()
		whole, distinct, want := byHand(row.list)
		if s.Total.Accepted.Packets != whole || s.Total.Rejected.Packets != 0 || len(s.Context) != 1 || incompleteAs(s.Context[0].Context) != want {
			t.Errorf("%s: %d messages, %+v; want %d, %+v", row.name, s.Total.Accepted.Packets, s.Context, whole, want)
		}
		if s.Peers.N != 1 || s.Peers.Listed[0].Context[0] != s.Context[0] {
			t.Errorf("%s: %+v", row.name, s.Peers)
		}
		if met.Accepted != int64(whole) || met.Incomplete() != int64(want.End) {
			t.Errorf("%s: the scan met %+v", row.name, met)
		}
		if row.name == "as captured" {
			// What is more than the library delivered are whole packets that came twice.
			if distinct != delivered || delivered < 4000 {
				t.Errorf("%d different messages, the library delivered %d", distinct, delivered)
			}
		}
	}
}

// sumOf is a summary as a scan counts.
func sumOf(all map[string]*Stats) (n flow.Counts) {
	for _, one := range all {
		s := one.Summary()
		c := ContextOf(s.Context)
		if s.Messages {
			n.Accepted += int64(s.Total.Accepted.Packets + c.Unread)
			n.Refused += int64(s.Total.Rejected.Packets + c.UnreadRejected)
		}
		n.Pieces, n.Resent, n.Conflicting = n.Pieces+int64(c.Pieces), n.Resent+int64(c.Resent), n.Conflicting+int64(c.Conflicting)
		n.Lost[flow.Missing] += int64(c.Missing)
		n.Lost[flow.Evicted] += int64(c.Evicted)
		n.Lost[flow.End] += int64(c.End)
		n.Sealed[decode.NoKey] += int64(c.NoKey)
		n.Sealed[decode.WrongKey] += int64(c.WrongKey)
		n.Sealed[decode.AuthFailed] += int64(c.AuthFailed)
	}
	return n
}

// Whatever is done to the packets, the sections together have what the scan met, and the peers have what the sections
// have.
func TestMessagesAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	forged := reliablePackets(t)[:6000]
	for i := range forged {
		p := bytes.Clone(forged[i].Payload)
		if r.IntN(5) == 0 {
			p[r.IntN(min(len(p), 6))] ^= 1 << r.IntN(8)
		}
		forged[i].Payload = p
		if r.IntN(50) == 0 {
			forged[i].Src = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 9, 0, byte(r.IntN(40))}), 7)
		}
	}
	private := keysFile(t, "606abe6ec91910ea9a6562f66f2b30e44371d62cd19927266b3c60f4b715aba1")
	netcode := capture(t, "../scan/testdata/netcode.pcap")
	flipped := slices.Clone(netcode)
	for i := range flipped {
		if i%5 == 3 {
			p := bytes.Clone(flipped[i].Payload)
			p[len(p)-1-i%16] ^= 1
			flipped[i].Payload = p
		}
	}
	many := []byte("protocol many\norder msb\nstruct One {\n n uint8\n kind bytes(1) @message(Kind)\n}\npacket { list [rest, max 700]One }\nmessage Kind max 1 { k uint8 in 0..200 }\n")
	crowd := load(t, many, "many", "crowd")
	var crowds []pcap.Datagram
	for i := range int64(20) {
		p := make([]byte, 1200) // 600 messages in a packet
		for k := range p {
			p[k] = byte(r.IntN(256))
		}
		crowds = append(crowds, pcap.Datagram{N: i, Time: 1e18 + i, Src: addr("10.0.0.1:5"), Dst: addr("10.0.0.2:6"), Payload: p, Size: len(p)})
	}
	enet, _ := protocols.Source("enet")
	for _, row := range []struct {
		name string
		d    *scan.Decoders
		list []pcap.Datagram
	}{
		{"forged", reliable(t), forged},
		{"netcode", scan.Always(load(t, example(t, "netcode"), "\nport", "\nport")).Open(private), netcode},
		{"without a key", scan.Always(load(t, example(t, "netcode"), "\nport", "\nport")).Open(keysFile(t, "")), netcode},
		{"flipped", scan.Always(load(t, example(t, "netcode"), "\nport", "\nport")).Open(private), flipped},
		{"enet", scan.Always(load(t, enet, "max datagram 4096\n", "max datagram 4096\nport 40010\n")), capture(t, "../scan/testdata/enet.pcap")},
		{"more than are looked at", scan.Always(crowd), crowds},
	} {
		all, met := messagesOf(t, scan.Options{Decoders: row.d, Flow: flow.Limits{Memory: 1 << 20, Timeout: time.Second}}, row.list)
		got := sumOf(all)
		if got.Sealed[decode.Opened] = met.Sealed[decode.Opened]; got != met || met.Messages()+met.Unopened() == 0 {
			t.Errorf("%s: the sections have %+v, the scan met %+v", row.name, got, met)
		}
		for name, one := range all {
			s := one.Summary()
			var of Context
			var tally Tally
			for i := range s.Peers.Listed {
				c := ContextOf(s.Peers.Listed[i].Context)
				of.Merge(&c)
				tally.Merge(&s.Peers.Listed[i].Sent)
				tally.Merge(&s.Peers.Listed[i].Got)
			}
			if of != ContextOf(s.Context) || tally != s.Total || s.Messages != (name != "") || s.Messages && s.Total.Accepted.OverheadBits != 0 {
				t.Errorf("%s, %s: the peers have %+v %+v, all %+v %+v", row.name, name, tally, of, s.Total, s.Context)
			}
		}
	}
}

func keysFile(t testing.TB, private string) *keys.File {
	t.Helper()
	if private != "" {
		private = "private " + private
	}
	f, err := keys.Read("keys", strings.NewReader(private))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// An echo server sends back all that the client sent.
func TestMessagesOfEcho(t *testing.T) {
	enet, _ := protocols.Source("enet")
	d := scan.Always(load(t, enet, "max datagram 4096\n", "max datagram 4096\nport 40010\n"))
	all, _ := messagesOf(t, scan.Options{Decoders: d}, capture(t, "../scan/testdata/enet.pcap"))
	delete(all, "")
	for name, one := range all {
		s := one.Summary()
		if len(s.Directions) != 2 || s.Directions[0].Tally != s.Directions[1].Tally || s.Total.Packets() == 0 || ContextOf(s.Context).Pieces == 0 {
			t.Errorf("%s: %s", name, text(t, s.Directions))
		}
	}
	if len(all) != 1 {
		t.Errorf("%d sections", len(all))
	}
}

// Who sends one piece each takes no more memory than other strangers, drives nobody out who is there, and is in the sums.
func TestMessagesOfStrangers(t *testing.T) {
	const strangers = 20000
	server := addr("10.0.0.1:40000")
	piece := func(n int64, src netip.AddrPort, id, last byte) pcap.Datagram {
		p := slices.Concat([]byte{1, byte(n), byte(n >> 8), id, last, 0, byte(n), byte(n >> 8), 0, 0}, make([]byte, 64))
		if id > 0 {
			p = slices.Concat([]byte{1, 9, 0, id, last}, make([]byte, 64))
		}
		if id == 0 {
			p = p[:5+5+64]
			copy(p[6:8], p[1:3])
			p[5] = 0x1e
			p = slices.Concat(p[:10], make([]byte, 4), p[10:])
		}
		return pcap.Datagram{N: n, Time: 1e18 + n*1e4, Src: src, Dst: server, Payload: p, Size: len(p)}
	}
	honest := reliablePackets(t)[:400]
	list := slices.Clone(honest[:200])
	for i := range int64(strangers) {
		src := netip.AddrPortFrom(netip.AddrFrom4([4]byte{172, 16, byte(i >> 8), byte(i)}), 9)
		list = append(list, piece(i, src, 1, 9))
	}
	for _, d := range honest[200:] {
		d.Time = list[len(list)-1].Time
		list = append(list, d)
	}
	all, met := messagesOf(t, scan.Options{Decoders: reliable(t)}, list)
	s := all["Message"].Summary()
	alone, _ := messagesOf(t, scan.Options{Decoders: reliable(t)}, honest)
	want := alone["Message"].Summary()
	c := ContextOf(s.Context)
	if mine := s.Peers.Listed[0]; mine.Peer != honest[0].Src || mine.Sent != want.Total || ContextOf(mine.Context).Pieces != ContextOf(want.Context).Pieces {
		t.Errorf("the peer that was there has %s, without strangers %s", text(t, mine), text(t, want.Context))
	}
	if len(s.Peers.Listed) > mostOfPeers || !s.Peers.About || c.Incomplete() != strangers+ContextOf(want.Context).Incomplete() || c.Incomplete() != uint64(met.Incomplete()) {
		t.Errorf("%d peers, %d incomplete; the scan met %+v", len(s.Peers.Listed), c.Incomplete(), met)
	}
}

// With a filter the messages are those of the packets that it is true of, the incomplete ones as well.
func TestMessagesOfAFilter(t *testing.T) {
	d := reliable(t)
	list := slices.Clone(reliablePackets(t)[:4000])
	other := addr("10.0.0.3:50000")
	var mine, mixed []pcap.Datagram
	for i := range list {
		if i%9 == 4 {
			continue // lost
		}
		mine = append(mine, list[i])
		copied := list[i]
		copied.Src = other
		mixed = append(mixed, list[i], copied)
	}
	program, err := display.Compile(d.All()[0].Plan(), `pkt.src_ip == "10.0.0.2"`)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := messagesOf(t, scan.Options{Decoders: d}, mine)
	got, _ := messagesOf(t, scan.Options{Decoders: d, Filters: []*display.Program{program}}, mixed)
	a, b := want["Message"].Summary(), got["Message"].Summary()
	if a.Total != b.Total || fmt.Sprint(a.Context) != fmt.Sprint(b.Context) || ContextOf(a.Context).Incomplete() == 0 || b.Peers.N != 1 {
		t.Errorf("%+v %+v, want %+v %+v", b.Total, b.Context, a.Total, a.Context)
	}
}

// messageTraffic is the messages of two captures and of forged packets for the laws of merging, with what is known of
// them beside.
func messageTraffic(t testing.TB) (list []traffic) {
	forged := reliablePackets(t)[:3000]
	r := rand.New(rand.NewPCG(5, 6))
	for i := range forged {
		p := bytes.Clone(forged[i].Payload)
		if i%7 == 3 {
			p[r.IntN(min(len(p), 6))] ^= 1 << r.IntN(8)
		}
		forged[i].Payload = p
		forged[i].Src = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 9, 0, byte(i % 3)}), 7)
	}
	netcode := load(t, example(t, "netcode"), "\nport", "\nport")
	enet, _ := protocols.Source("enet")
	for _, one := range []struct {
		name, section string
		d             *scan.Decoders
		list          []pcap.Datagram
	}{
		{"forged messages", "Message", reliable(t), forged},
		{"without a key", "Game", scan.Always(netcode).Open(keysFile(t, "")), capture(t, "../scan/testdata/netcode.pcap")[:300]},
		{"enet", "Message", scan.Always(load(t, enet, "max datagram 4096\n", "max datagram 4096\nport 40010\n")), capture(t, "../scan/testdata/enet.pcap")},
	} {
		section, err := one.d.All()[0].Section(one.section)
		if err != nil {
			t.Fatal(err)
		}
		sampled := &counter{plan: section.Plan()}
		stage := NewCounter(one.d).Stage()
		stage.Drain = func(b *Batch) error {
			sampled.batch = *b
			return nil
		}
		if _, err := scan.Run(&listed{list: one.list}, scan.Options{Decoders: one.d, Workers: 1}, stage); err != nil {
			t.Fatal(err)
		}
		sampled.batch.records = slices.DeleteFunc(sampled.batch.records, func(r record) bool { return r.plan != sampled.plan })
		if len(sampled.batch.contexts) == 0 {
			t.Fatal("nothing is known of messages")
		}
		list = append(list, traffic{one.name, sampled})
	}
	return list
}
