package scan_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net/netip"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/batch"
	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
)

const session = "../../cmd/pktscope/testdata/rtype-session.pcap"

var (
	client = netip.MustParseAddrPort("10.0.0.2:50000")
	server = netip.MustParseAddrPort("10.0.0.1:4124")
)

// made is a source of datagrams that a test makes.
type made struct {
	n, next int
	payload func(i int) []byte
	ended   error
	waiting func(i int) bool // before datagram i; nil where it never waits
	send    func()
	now     pcap.Datagram
	record  pcap.Record
}

func (m *made) Next() (*pcap.Datagram, error) {
	if m.waiting != nil && m.waiting(m.next) {
		m.send()
	}
	if m.next == m.n {
		return nil, m.ended
	}
	data := m.payload(m.next)
	m.next++
	m.now = pcap.Datagram{N: int64(m.next), Src: client, Dst: server, Payload: data, Size: len(data)}
	m.record = pcap.Record{N: int64(m.next), Data: data}
	return &m.now, nil
}

func (m *made) Waiting(send func()) bool {
	m.send = send
	return m.waiting != nil
}

func (m *made) Counts() pcap.Counts {
	return pcap.Counts{Packets: uint64(m.next), Datagrams: uint64(m.next)}
}

func (m *made) Records() iter.Seq[*pcap.Record] {
	return func(yield func(*pcap.Record) bool) { yield(&m.record) }
}

// lines renders a line for each packet into *to.
func lines(to *bytes.Buffer) scan.Stage[[]byte] {
	return scan.Stage[[]byte]{
		New: func() func(*[]byte, *scan.Packet) {
			return func(b *[]byte, p *scan.Packet) {
				*b = fmt.Appendf(*b, "%d %s %d %d\n", p.N, p.Verdict(), p.Bits(), len(p.Raw))
			}
		},
		Drain: func(b *[]byte) error {
			to.Write(*b)
			*b = (*b)[:0]
			return nil
		},
	}
}

// However many workers decode, and whether there is a Large, packets come in order and the counts are the same.
func TestOrder(t *testing.T) {
	data, err := os.ReadFile(session)
	if err != nil {
		t.Fatal(err)
	}
	all := scan.Builtins()
	var want bytes.Buffer
	counts, err := scan.Run(scan.From(pcap.NewReader(bytes.NewReader(data))), scan.Options{Decoders: all, Workers: 1}, lines(&want))
	if err != nil || counts.Packets == 0 || counts.Matched != counts.Packets || int64(bytes.Count(want.Bytes(), []byte("\n"))) != counts.Packets {
		t.Fatalf("%v, %+v", err, counts.Tally)
	}
	for workers := 2; workers < 6; workers++ {
		for _, batched := range []int{0, -1, 40} {
			var got bytes.Buffer
			s := lines(&got)
			if batched != 0 {
				one := s.New()
				s.Large = func(p *scan.Packet) error {
					var b []byte
					one(&b, p)
					return s.Drain(&b)
				}
			}
			o := scan.Options{Decoders: all, Workers: workers, Batched: batched}
			if again, err := scan.Run(scan.From(pcap.NewReader(bytes.NewReader(data))), o, s); err != nil || !reflect.DeepEqual(again, counts) {
				t.Errorf("%d workers: %v, %+v, want %+v", workers, err, again.Tally, counts.Tally)
			}
			if !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Errorf("%d workers, batched %d: not the same lines", workers, batched)
			}
		}
	}
}

// What came before an error of the source is drained before the error comes out, also when it is in the middle of a
// batch.
func TestSourceBreaks(t *testing.T) {
	broken := errors.New("byte 40: cut")
	for workers := 1; workers < 4; workers++ {
		var got bytes.Buffer
		src := &made{n: 1000, payload: func(i int) []byte { return []byte{byte(i), 1} }, ended: broken}
		counts, err := scan.Run(src, scan.Options{Decoders: scan.Builtins(), Workers: workers}, lines(&got))
		if !errors.Is(err, broken) || bytes.Count(got.Bytes(), []byte("\n")) != 1000 || counts.Packets != 1000 || counts.Captured != 1000 {
			t.Errorf("%d workers: %v, %+v", workers, err, counts.Tally)
		}
	}
}

// An error of Drain or Large ends the scan, and what is drained by then is counted; ErrStop is no fault. With one
// worker nothing is read beyond it.
func TestStop(t *testing.T) {
	full := errors.New("no space left on device")
	all := scan.Builtins()
	synctest.Test(t, func(t *testing.T) { // a goroutine that is left in the bubble fails the test
		for workers := 1; workers < 4; workers++ {
			for _, row := range []struct{ give, want error }{{batch.ErrStop, nil}, {fmt.Errorf("write: %w", full), full}} {
				src := &made{n: 1 << 30, payload: func(i int) []byte { return []byte{byte(i)} }, ended: io.EOF}
				drained := 0
				s := lines(new(bytes.Buffer))
				s.Drain = func(*[]byte) error {
					if drained++; drained == 5 {
						return row.give
					}
					return nil
				}
				counts, err := scan.Run(src, scan.Options{Decoders: all, Workers: workers}, s)
				if !errors.Is(err, row.want) || drained != 5 || workers == 1 && (src.next != 5 || counts.Packets != 5) {
					t.Errorf("%d workers: %v after %d batches, %d read, %d counted", workers, err, drained, src.next, counts.Packets)
				}
			}
		}
	})
}

// What a source has returned when it begins to wait is drained without anything that comes after it.
func TestWaiting(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var got bytes.Buffer
	s := lines(&got)
	drained, write := make(chan struct{}, 1), s.Drain
	seen := 0
	s.Drain = func(b *[]byte) error {
		seen += bytes.Count(*b, []byte("\n"))
		_ = write(b)
		drained <- struct{}{}
		return nil
	}
	src := &made{n: 500, payload: func(i int) []byte { return []byte{byte(i)} }, ended: io.EOF}
	waited, sent := 0, 0
	src.waiting = func(i int) bool {
		if i == sent || random.IntN(3) > 0 {
			return false
		}
		src.send()
		<-drained
		if sent = i; seen != i {
			t.Fatalf("%d of %d were drained before the source waited", seen, i)
		}
		waited++
		return false
	}
	if _, err := scan.Run(src, scan.Options{Decoders: scan.Builtins(), Workers: 2}, s); err != nil || waited < 50 {
		t.Errorf("%v, waited %d times", err, waited)
	}
}

// While Drain stands still a source that waits is read on, one packet after the other fills up what no worker has
// begun.
func TestQueue(t *testing.T) {
	const packets = 60 * 256
	src := &made{n: packets, payload: func(i int) []byte { return []byte{byte(i)} }, ended: io.EOF}
	all := make(chan struct{})
	src.waiting = func(i int) bool {
		if i == packets {
			close(all)
		}
		return true
	}
	var got bytes.Buffer
	s := lines(&got)
	drain := s.Drain
	s.Drain = func(b *[]byte) error {
		<-all
		return drain(b)
	}
	counts, err := scan.Run(src, scan.Options{Decoders: scan.Builtins(), Workers: 2}, s)
	if err != nil || counts.Matched != packets || bytes.Count(got.Bytes(), []byte("\n")) != packets {
		t.Errorf("%v, %+v", err, counts.Tally)
	}
}

// Only and filters say what is handed on; everything is counted.
func TestAskedFor(t *testing.T) {
	all := scan.Builtins()
	programs := make([]*filter.Program, len(all.All()))
	for i, d := range all.All() {
		programs[i], _ = filter.Compile(d.Plan(), `pkt.n > 1000 && pkt.direction == "client"`)
	}
	for _, row := range []struct {
		name string
		o    scan.Options
		ok   func(p *scan.Packet) bool
	}{
		{"rejects", scan.Options{Only: scan.Rejects}, func(p *scan.Packet) bool { return p.Verdict() == decode.Refused }},
		{"notes", scan.Options{Only: scan.Notes}, func(p *scan.Packet) bool { return p.Notes() > 0 }},
		{"filter", scan.Options{Filters: programs}, func(p *scan.Packet) bool { return p.N > 1000 }},
		{"a filter that fits no protocol", scan.Options{Filters: make([]*filter.Program, len(all.All()))}, func(*scan.Packet) bool { return false }},
	} {
		f, err := os.Open(session)
		if err != nil {
			t.Fatal(err)
		}
		row.o.Decoders = all
		n := int64(0)
		counts, err := scan.Run(scan.From(pcap.NewReader(f)), row.o, scan.Stage[int64]{
			New: func() func(*int64, *scan.Packet) {
				return func(b *int64, p *scan.Packet) {
					if !row.ok(p) {
						t.Errorf("%s: packet %d", row.name, p.N)
					}
					*b++
				}
			},
			Drain: func(b *int64) error {
				n += *b
				*b = 0
				return nil
			},
		})
		f.Close()
		if err != nil || counts.Matched != n || counts.Packets < 4000 || (n == 0) != (row.name[0] == 'a') {
			t.Errorf("%s: %v, %d, %+v", row.name, err, n, counts.Tally)
		}
	}
}

// A port chooses the decoder, the receiver's first; on no port of them a datagram is counted and passed over.
func TestByPort(t *testing.T) {
	ports := func(list string) *decode.Decoder {
		return load(t, "protocol t\norder msb\n"+list+"packet { n uint8 }\n")
	}
	a, b, none := ports("port 1000\n"), ports("port 1000, 2000\n"), ports("")
	at := func(port uint16) netip.AddrPort { return netip.AddrPortFrom(client.Addr(), port) }
	for _, row := range []struct {
		c        *scan.Decoders
		src, dst uint16
		want     int
	}{
		{scan.ByPort(a, b, none), 1000, 2000, 1}, {scan.ByPort(a, b, none), 2000, 1000, 0}, {scan.ByPort(a, b, none), 1000, 7, 0}, {scan.ByPort(a, b, none), 7, 8, -1},
		{scan.Always(b), 7, 8, 0},
	} {
		if got := row.c.Index(at(row.src), at(row.dst)); got != row.want {
			t.Errorf("%d → %d: %d, want %d", row.src, row.dst, got, row.want)
		}
	}
	src := &made{n: 3, payload: func(int) []byte { return []byte{1} }, ended: io.EOF}
	counts, err := scan.Run(src, scan.Options{Decoders: scan.ByPort(a)}, lines(new(bytes.Buffer)))
	if err != nil || counts.NoPort != 3 || !counts.Unmatched(scan.ByPort(a)) || counts.Unmatched(scan.Always(a)) {
		t.Errorf("%v, %+v", err, counts.Tally)
	}
}

// The largest flows of a capture that has no datagram of a protocol at hand are named, among more of them than there is
// room for, with one worker or several; none where there is one datagram of a protocol.
func TestStrangeFlows(t *testing.T) {
	var file bytes.Buffer
	w := pcap.NewWriter(&file, pcap.Section{})
	send := func(src, dst string) {
		if err := w.WriteUDP(1, netip.MustParseAddrPort(src), netip.MustParseAddrPort(dst), []byte{1}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20_000 {
		send(fmt.Sprintf("10.%d.%d.%d:9", i>>16, i>>8&255, i&255), "11.0.0.1:9")
		if i%10 == 0 {
			send("12.0.0.1:7777", "12.0.0.2:50000")
		}
		if i%20 == 0 {
			send("12.0.0.3:50000", "12.0.0.1:7777")
			send("12.0.0.1:7777", "12.0.0.3:50000")
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	d := scan.Builtins()
	run := func(workers int) scan.Counts {
		t.Helper()
		counts, err := scan.Run(scan.From(pcap.NewReader(bytes.NewReader(file.Bytes()))), scan.Options{Decoders: d, Workers: workers}, lines(new(bytes.Buffer)))
		if err != nil {
			t.Fatal(err)
		}
		return counts
	}
	for _, workers := range []int{1, 3} {
		counts := run(workers)
		one, other := "12.0.0.1:7777 ↔ 12.0.0.2:50000 (2000)", "12.0.0.1:7777 ↔ 12.0.0.3:50000 (2000)"
		if got := counts.Strange.Text(2); got != one+", "+other+", and others; the counts are what was seen at least" || !counts.Unmatched(d) {
			t.Errorf("%d workers: %s", workers, got)
		}
		if all := strings.Count(counts.Strange.Text(1<<20), "↔"); all >= 1024 {
			t.Errorf("%d flows", all)
		}
	}
	send("10.0.0.1:9", "10.0.0.2:53")
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if counts := run(3); counts.Strange.Text(5) != "" || counts.Unmatched(d) || counts.Packets != 1 {
		t.Errorf("%v", counts.Strange.Text(5))
	}
}

// The packets that a datagram came in, and its payload, stay until its batch is drained.
func TestRecords(t *testing.T) {
	type kept struct {
		n    int64
		data []byte
		in   []pcap.Record
	}
	for workers := 1; workers < 4; workers++ {
		src := &made{n: 5000, ended: io.EOF}
		var buf [2]byte
		src.payload = func(i int) []byte {
			buf[0], buf[1] = byte(i>>8), byte(i)
			return buf[:]
		}
		n := 0
		_, err := scan.Run(src, scan.Options{Decoders: scan.Builtins(), Workers: workers, Records: true}, scan.Stage[[]kept]{
			New: func() func(*[]kept, *scan.Packet) {
				return func(b *[]kept, p *scan.Packet) { *b = append(*b, kept{p.N, p.Payload, p.Records()}) }
			},
			Drain: func(b *[]kept) error {
				for _, k := range *b {
					want := []byte{byte(n >> 8), byte(n)}
					if n++; k.n != int64(n) || !bytes.Equal(k.data, want) || len(k.in) != 1 || !bytes.Equal(k.in[0].Data, want) || k.in[0].N != k.n {
						t.Fatalf("packet %d: %+v", n, k)
					}
				}
				*b = (*b)[:0]
				return nil
			},
		})
		if err != nil || n != src.n {
			t.Errorf("%d workers: %v, %d packets", workers, err, n)
		}
	}
}

// Two stages that are joined see the same packets as each alone, and each the large ones in its own way.
func TestJoin(t *testing.T) {
	for _, large := range []bool{false, true} {
		var a, b bytes.Buffer
		one := lines(&a)
		if large {
			take := one.New()
			one.Large = func(p *scan.Packet) error {
				var b []byte
				take(&b, p)
				return one.Drain(&b)
			}
		}
		src := &made{n: 3000, payload: func(i int) []byte { return make([]byte, 1+i%7) }, ended: io.EOF}
		o := scan.Options{Decoders: scan.Builtins(), Workers: 3, Batched: 4}
		if _, err := scan.Run(src, o, scan.Join(one, lines(&b))); err != nil || bytes.Count(a.Bytes(), []byte("\n")) != 3000 || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("large %v: %v, %d and %d bytes", large, err, a.Len(), b.Len())
		}
	}
}

// What a scan allocates does not depend on the number of packets.
func TestAllocs(t *testing.T) {
	if testing.Short() {
		t.Skip("counts allocations of a second of work")
	}
	var packets [][]byte
	f, err := os.Open(session)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for datagrams := pcap.NewDatagrams(pcap.NewReader(f)); ; {
		d, err := datagrams.Next()
		if err != nil {
			break
		}
		packets = append(packets, slices.Clone(d.Payload))
	}
	all := scan.Builtins()
	mallocs := func(n int) uint64 {
		src := &made{n: n, payload: func(i int) []byte { return packets[i%len(packets)] }, ended: io.EOF}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := scan.Run(src, scan.Options{Decoders: all, Workers: 2}, scan.Stage[int64]{
			New:   func() func(*int64, *scan.Packet) { return func(b *int64, p *scan.Packet) { *b += p.N } },
			Drain: func(*int64) error { return nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	few, many := mallocs(20_000), mallocs(400_000)
	if many > few+2000 { // buffers grow until each has met the largest packets
		t.Errorf("%d allocations for 20,000 packets, %d for 400,000", few, many)
	}
}
