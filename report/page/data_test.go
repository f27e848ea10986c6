package page

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
)

// held checks the data of a page's list: whatever a packet is, its fields add up to its bits, and every number points
// somewhere.
func (d *dataOf) held(t *testing.T, what string) {
	t.Helper()
	for _, p := range d.Packets {
		bits := 0
		shape, values := d.shape(p), p[11].([]any)
		if len(shape) != len(values) {
			t.Fatalf("%s: packet %v has %d fields and %d values", what, p[1], len(shape), len(values))
		}
		for i, slot := range shape {
			if d.Slots[slot][5].(float64) != 2 { // else it is in a masked piece
				bits += int(d.Slots[slot][2].(float64))
			}
			if v := int(values[i].(float64)); v < 0 && -1-v >= len(d.Texts) {
				t.Fatalf("%s: packet %v has text %d of %d", what, p[1], -1-v, len(d.Texts))
			}
		}
		payload := d.payload(t, p)
		if more := int(p[13].(float64)); more == 0 && len(payload) < maxPayload && bits != 8*len(payload) {
			t.Fatalf("%s: packet %v: fields of %d bits in %d bytes", what, p[1], bits, len(payload))
		}
	}
}

// Every valid packet at every truncation, and with every bit of its first bytes turned.
func TestDataOfTruncations(t *testing.T) {
	need.OneGoroutine(t)
	for _, name := range corpus.Protocols() {
		m := newMaker(builtin(t, name), 0)
		n := int64(0)
		send := func(payload []byte) {
			n++
			m.send(n, "10.0.0.2:5000", "10.0.0.1:4124", payload)
		}
		seeds := corpus.Seeds(name)
		for _, seed := range seeds[:min(len(seeds), need.Rounds(20, 6))] {
			data := seed.Data[:min(len(seed.Data), 60)]
			send(seed.Data)
			for size := range data {
				send(data[:size])
			}
			for bit := range 8 * min(len(data), 16) {
				data[bit/8] ^= 1 << (bit % 8)
				send(data)
				data[bit/8] ^= 1 << (bit % 8)
			}
		}
		page := write(t, m.report(t))
		held(t, page)
		readData(t, page).held(t, name)
	}
}

func TestDataOfAnySchema(t *testing.T) {
	need.OneGoroutine(t)
	for seed := range uint64(20) {
		s, _ := schema.Load("any.pks", []byte(anyschema.Source(anyschema.Seeded(seed), 3+int(seed)%30)), nil)
		if s == nil {
			continue
		}
		p, _ := plan.Compile(s)
		if p == nil {
			continue
		}
		m := newMaker(p, 0)
		random := rand.New(rand.NewPCG(seed, 2))
		g := fuzz.NewGenerator(decode.New(p))
		for n := range uint64(4) {
			data := make([]byte, random.IntN(40))
			for i := range data {
				data[i] = byte(random.Uint32())
			}
			m.send(int64(2*n+1), "10.0.0.2:5000", "10.0.0.1:4124", data)
			if pkt, err := g.Random(seed, n); err == nil && len(pkt.Data) < 2000 {
				m.send(int64(2*n+2), "10.0.0.2:5000", "10.0.0.1:4124", pkt.Data)
			}
		}
		page := write(t, m.report(t))
		held(t, page)
		readData(t, page).held(t, "seed")
	}
}

// The largest packets: what is left out is said.
func TestLongPackets(t *testing.T) {
	m := newMaker(compile(t, "protocol t\norder lsb\npacket { n uint16, all [n]bool }\n"), 0)
	data := make([]byte, 2+65528/8)
	data[0], data[1] = 0xf8, 0xff
	m.send(1, "10.0.0.2:5000", "10.0.0.1:4124", data)
	page := write(t, m.report(t))
	d := readData(t, page)
	if got := int(d.Packets[0][13].(float64)); got != 65528+1-maxPieces || len(d.payload(t, d.Packets[0])) != maxPayload {
		t.Errorf("%d fields left out, %d bytes", got, len(d.payload(t, d.Packets[0])))
	}
	if !bytes.Contains(page, []byte("Of 1 long packet only the first 4,096 fields and 8,192 bytes are here.")) {
		t.Error("the page does not say so")
	}
}

// Refused packets stay when there are too many; the others go evenly, and the page says which.
func TestCollectorKeepsTheRefused(t *testing.T) {
	m := newMaker(compile(t, "protocol t\norder msb\npacket { n uint8 in 0..9 }\n"), 100)
	for n := range int64(1000) {
		payload := []byte{byte(n % 10)}
		if n%25 == 0 {
			payload[0] = 200
		}
		m.send(n+1, "10.0.0.2:5000", "10.0.0.1:4124", payload)
	}
	list := m.collector.packets()
	refused, last := 0, int64(0)
	for _, k := range list {
		if k.payload[0] == 200 {
			refused++
		} else if last > 0 && k.packet.N-last > 40 {
			t.Errorf("none is kept between %d and %d", last, k.packet.N)
		}
		if k.payload[0] != 200 {
			last = k.packet.N
		}
	}
	if refused != 40 || len(list) > 100 || len(list) < 60 {
		t.Errorf("%d packets, %d refused", len(list), refused)
	}
	page := string(write(t, m.report(t)))
	if !strings.Contains(page, "of 1,000 packets are listed, among them all that were refused. Left out evenly over the capture, the most frequent first: every 16th of accepted (60 of 960).") {
		_, page, _ = strings.Cut(page, `id="packets"`)
		t.Errorf("%.400s", page)
	}
}

// Refused ones in any number leave a fifth of the room to the others, and no sender's choice of cases makes the memory
// grow.
func TestCollectorIsBounded(t *testing.T) {
	p := compile(t, "protocol t\norder msb\npacket { tag uint16, body switch tag { 1: { x uint8 }, default: { y uint8 in 0..9 } } }\n")
	m := newMaker(p, 1000)
	for n := range int64(30000) {
		payload := []byte{byte(n >> 8), byte(n), byte(n % 16)}
		m.add(&pcap.Datagram{
			N: n + 1, Time: 1e18 + n, Src: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}), uint16(n)),
			Dst: netip.MustParseAddrPort("10.0.0.1:4124"), Payload: payload, Size: 3,
		}, "a.pcap")
	}
	c := m.collector
	if len(c.packets()) > 1000 || len(c.groups) > maxGroups+2 || c.sizes[0] < 200 || c.sizes[1] < 200 {
		t.Errorf("%d packets (%v), %d groups", len(c.packets()), c.sizes, len(c.groups))
	}
	sum := 0
	for _, g := range c.groups {
		for _, k := range g.list {
			sum += len(k.payload)
		}
	}
	if sum != c.payload || c.sizes[0]+c.sizes[1] != len(c.packets()) {
		t.Errorf("%d bytes counted as %d, %d packets as %v", sum, c.payload, len(c.packets()), c.sizes)
	}
	refused := uint64(0)
	for _, r := range m.rejects.Result().Rows {
		refused += r.Packets
	}
	if want := m.stats.Summary().Total.Rejected.Packets; refused != want {
		t.Errorf("%d packets were refused for a reason, want %d", refused, want)
	}
}

// The bytes of the packets are bounded, too.
func TestCollectorBoundsBytes(t *testing.T) {
	m := newMaker(compile(t, "protocol t\norder msb\npacket { all bytes(rest, max 65507) }\n"), 0)
	data := make([]byte, 65507)
	for n := range int64(1200) {
		m.send(n+1, "10.0.0.2:5000", "10.0.0.1:4124", data)
	}
	if m.collector.payload > maxBytes || len(m.collector.packets()) < 500 {
		t.Errorf("%d packets of %d bytes", len(m.collector.packets()), m.collector.payload)
	}
	page := write(t, m.report(t))
	if len(page) > MaxData+4<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
}

// A packet that is read by what its flow held is so on the page.
func TestDataSteered(t *testing.T) {
	src := "protocol quiet\norder msb\nport 4433\nstate { size int(0..20) once }\npacket { long bool8, if long { n int(0..20), reserved(3), let state.size = n } else { id bytes(state.size), mark uint8 == 7 } }"
	d, err := decode.Load("quiet.pks", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[int64]float64{2: 0, 3: 3} {
		held, err := d.Hold(1, decode.Param{Name: "size", Value: big.NewInt(value)})
		if err != nil {
			t.Fatal(err)
		}
		m := newMaker(d.Plan(), 0)
		data := []byte{0, 1, 2, 7}
		m.send(1, "10.0.0.2:5000", "10.0.0.1:4433", []byte{1, 2 << 3})
		p := scan.Packet{Trace: &m.trace, Envelope: decode.Envelope{N: 2, Src: netip.MustParseAddrPort("10.0.0.2:5000"), Dst: netip.MustParseAddrPort("10.0.0.1:4433")}}
		d.ReadHeld(&decode.Packet{Data: data, From: decode.Client}, held, decode.Client, p.Trace)
		look := NewLook(&p)
		m.collector.Take(&look, &p, data, len(data))
		list := readData(t, write(t, m.report(t))).Packets
		if len(list) != 2 || list[1][9] != want {
			t.Errorf("with %d: verdict %v, want %v", value, list[1][9], want)
		}
	}
}
