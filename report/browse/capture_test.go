package browse

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/gopacket"

	"github.com/pktscope/pktscope/corpus/examples"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/keys"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/scan"
)

// many is a capture of so many records: packets of the protocol, others on no port, and some in two fragments, between
// which others come.
func many(t testing.TB, records int) []byte {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	client, server := ends()
	var frames, waiting [][]byte
	for i := 0; len(frames) < records; i++ {
		payload := make([]byte, 8+r.IntN(40))
		binary.BigEndian.PutUint64(payload, uint64(i))
		dst := server
		if r.IntN(4) == 0 {
			dst = client // on no port
		}
		frame, err := pcap.AppendUDP(nil, client, dst, payload)
		if err != nil {
			t.Fatal(err)
		}
		if r.IntN(10) > 0 {
			frames = append(frames, frame)
		} else {
			a, b := halves(frame, uint16(i))
			frames, waiting = append(frames, a), append(waiting, b)
		}
		if len(waiting) > 0 && r.IntN(30) == 0 { // several wait, and for a while none does
			frames, waiting = append(frames, waiting...), nil
		}
	}
	var b bytes.Buffer
	w := pcap.NewWriter(&b, pcap.Section{})
	id, err := w.AddInterface(pcap.Interface{Link: pcap.LinkEthernet})
	for i, f := range frames {
		if err == nil && i%7000 == 6999 {
			id, err = w.AddInterface(pcap.Interface{Link: pcap.LinkEthernet, Name: fmt.Sprint(i)})
		}
		if err == nil {
			err = w.WritePacket(id, gopacket.CaptureInfo{Timestamp: time.Unix(1_700_000_000, int64(i)*1e6), CaptureLength: len(f), Length: len(f)}, f)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// halves are the two fragments of a frame with IPv4.
func halves(frame []byte, id uint16) (a, b []byte) {
	const head, cut = 14 + 20, 8
	a, b = bytes.Clone(frame[:head+cut]), append(bytes.Clone(frame[:head]), frame[head+cut:]...)
	for i, f := range [][]byte{a, b} {
		ip := f[14:]
		binary.BigEndian.PutUint16(ip[2:], uint16(len(ip)))
		binary.BigEndian.PutUint16(ip[4:], id)
		binary.BigEndian.PutUint16(ip[6:], []uint16{1 << 13, cut / 8}[i])
	}
	return a, b
}

const countedSchema = "protocol t\norder msb\nport 4124\npacket { n uint64\n tail bytes(rest, max 100) }\n"

// The index has the packets that a scan meets, and each can be read again by itself.
func TestIndex(t *testing.T) {
	data := many(t, 40_000)
	d, err := decode.Load("t.pks", []byte(countedSchema))
	if err != nil {
		t.Fatal(err)
	}
	decoders := scan.ByPort(d)
	want, _ := matching(t, data, scan.Options{Decoders: decoders})
	text := map[int64]string{}
	_, err = scan.Run(scan.From(pcap.NewReader(bytes.NewReader(data))), scan.Options{Decoders: decoders, Workers: 1}, scan.Stage[int]{
		New: func() func(*int, *scan.Packet) {
			return func(_ *int, p *scan.Packet) { text[p.N] = fmt.Sprintf("%x", p.Payload) }
		},
		Drain: func(*int) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	packed := new(bytes.Buffer)
	z := gzip.NewWriter(packed)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	z.Close()
	unpacked := NewGrowingStore(scratch(t))
	unpacked.Fill(packed, pcap.DefaultExpansion)
	for name, store := range map[string]*Store{"file": stored(data), "gzip": unpacked} {
		c := indexed(t, store, decoders)
		if c.index.all.size() != int64(len(want)) || len(c.index.pages) < len(want)/pagePackets || len(c.index.heads) < 5 {
			t.Fatalf("%s: %d packets, want %d; %d pages, %d heads", name, c.index.all.size(), len(want), len(c.index.pages), len(c.index.heads))
		}
		warm := 0
		for i := range c.index.pages {
			if p := c.index.part(i); p.Warm < p.From {
				warm++
			}
		}
		if warm < 20 {
			t.Errorf("%s: fragments wait at %d of %d pages", name, warm, len(c.index.pages))
		}
		r := rand.New(rand.NewPCG(5, 6))
		for i := range need.Rounds(1500, len(c.index.pages)+100) {
			n := want[r.IntN(len(want))]
			if i < len(c.index.pages) { // the first of each page
				n = c.index.all.from(c.index.part(i).Base + 1)
			}
			got := ""
			if found, err := c.packet(context.Background(), n, func(p *scan.Packet) { got = fmt.Sprintf("%x", p.Payload) }); !found || err != nil || got != text[n] {
				t.Fatalf("%s: packet %d: %t %v %s, want %s", name, n, found, err, got, text[n])
			}
		}
	}
}

// A capture whose interfaces never end has no more places than there is room for what has to be read before each; its
// packets are read from the last of them.
func TestIndexOfManyInterfaces(t *testing.T) {
	var b bytes.Buffer
	w := pcap.NewWriter(&b, pcap.Section{})
	client, server := ends()
	id, n := 0, 12_000
	for i := range n {
		frame, err := pcap.AppendUDP(nil, client, server, []byte{byte(i >> 8), byte(i)})
		if err == nil && i%8 == 0 {
			id, err = w.AddInterface(pcap.Interface{Link: pcap.LinkEthernet, Name: fmt.Sprintf("%0200d", i)})
		}
		if err == nil {
			err = w.WritePacket(id, gopacket.CaptureInfo{Timestamp: time.Unix(int64(i), 0), CaptureLength: len(frame), Length: len(frame)}, frame)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	c := indexed(t, stored(b.Bytes()), loaded(t, "protocol t\norder msb\npacket { n uint16 }\n"))
	if pages := len(c.index.pages); pages >= n/pagePackets/2 || pages < 3 || c.index.all.size() != int64(n) {
		t.Errorf("%d pages, %d packets", pages, c.index.all.size())
	}
	for _, i := range []int{0, 255, 256, 2000, 2600, 5000, n - 1} {
		var payload []byte
		if _, err := c.packet(context.Background(), int64(i+1), func(p *scan.Packet) { payload = bytes.Clone(p.Payload) }); err != nil || !bytes.Equal(payload, []byte{byte(i >> 8), byte(i)}) {
			t.Errorf("packet %d: %x, %v", i+1, payload, err)
		}
	}
}

// A packet is shown with the messages that decode shows of it, put together and opened.
func TestMessages(t *testing.T) {
	const dir = "../scan/testdata/"
	data, err := os.ReadFile(dir + "netcode.pcap")
	if err != nil {
		t.Fatal(err)
	}
	d, file := netcode(t)
	decoders := scan.Always(d).Open(file)
	want, messages := map[int64]*packet{}, 0
	_, err = scan.Run(scan.From(pcap.NewReader(bytes.NewReader(data))), scan.Options{Decoders: decoders}, scan.Stage[int]{
		New: func() func(*int, *scan.Packet) {
			return func(_ *int, p *scan.Packet) {
				want[p.N] = newPacket(p)
				messages += len(want[p.N].parts) - 1
			}
		},
		Drain: func(*int) error { return nil },
	})
	if err != nil || messages < 400 {
		t.Fatalf("%d messages, %v", messages, err)
	}
	c := indexed(t, stored(data), decoders)
	for n, one := range want {
		if testing.Short() && n%19 != 0 {
			continue
		}
		var got *packet
		if _, err := c.packet(context.Background(), n, func(p *scan.Packet) { got = newPacket(p) }); err != nil || !reflect.DeepEqual(got, one) {
			t.Fatalf("packet %d: %v\n%+v\nwant\n%+v", n, err, got, one)
		}
	}
}

// netcode is the protocol and the keys of netcode.pcap.
func netcode(t testing.TB) (*decode.Decoder, *keys.File) {
	t.Helper()
	source, _ := examples.Source("netcode")
	d, err := decode.Load("netcode.pks", source)
	if err != nil {
		t.Fatal(err)
	}
	f, err := keys.Read("keys", strings.NewReader("private 606abe6ec91910ea9a6562f66f2b30e44371d62cd19927266b3c60f4b715aba1")) // the library's own, for tests
	if err != nil {
		t.Fatal(err)
	}
	return d, f
}

// The tree has the fields of report.Pieces, each in the groups of its path, and the ruler all bits.
func TestPacketTree(t *testing.T) {
	data := testCapture(t)
	decoders := rtype(t)
	groups := 0
	_, err := scan.Run(scan.From(pcap.NewReader(bytes.NewReader(data))), scan.Options{Decoders: decoders, Workers: 1}, scan.Stage[int]{
		New: func() func(*int, *scan.Packet) {
			return func(_ *int, p *scan.Packet) {
				if !need.OneIn(int(p.N), 4) {
					return
				}
				x := newPacket(p)
				pieces := 0
				report.NewPieces(p.Trace.Plan).Visit(p, func(*report.Piece) bool { pieces++; return true })
				leaves := 0
				for i, f := range x.fields {
					switch {
					case f.words:
					case f.group(i):
						groups++
						for _, in := range x.fields[i+1 : f.end] {
							if in.path != "" && !strings.HasPrefix(in.path, f.path) || in.depth <= f.depth || in.width > 0 && (in.bit < f.bit || in.bit+in.width > f.bit+f.width) {
								t.Fatalf("packet %d: %+v in %+v", p.N, in, f)
							}
						}
					default:
						leaves++
					}
				}
				if leaves != pieces {
					t.Fatalf("packet %d: %d fields, want %d", p.N, leaves, pieces)
				}
				bit := 0
				for _, r := range x.ruler(0, 8) {
					if r.first != bit {
						t.Fatalf("packet %d: a row at %d, want %d", p.N, r.first, bit)
					}
					bit = r.end
				}
				for b := range p.Kept() {
					if i := x.at(0, b); i < 0 || x.fields[i].bit > b || x.fields[i].bit+x.fields[i].width <= b {
						t.Fatalf("packet %d: bit %d is of field %d", p.N, b, i)
					}
				}
				if bit != p.Kept() {
					t.Fatalf("packet %d: %d bits in rows, want %d", p.N, bit, p.Kept())
				}
			}
		},
		Drain: func(*int) error { return nil },
	})
	if err != nil || groups < need.Rounds(10_000, 2_000) {
		t.Errorf("%d groups, %v", groups, err)
	}
}

// A packet of 65,000 bytes of bools has no more lines than a screen's memory has room for.
func TestLargePacket(t *testing.T) {
	decoders := loaded(t, "protocol t\norder msb\npacket { all [65000]Eight }\nstruct Eight { a bool\n b bool\n c bool\n d bool\n e bool\n f bool\n g bool\n h bool }\n")
	c := indexed(t, stored(made(t, make([]byte, 65_000))), decoders)
	var x *packet
	if _, err := c.packet(context.Background(), 1, func(p *scan.Packet) { x = newPacket(p) }); err != nil {
		t.Fatal(err)
	}
	if n := len(x.fields); n > maxFields+10 || x.fields[n-1].kind != "more" || x.fields[0].name != "all" || x.fields[0].end != n-1 {
		t.Errorf("%d fields, the last is %+v, the first %+v", n, x.fields[n-1], x.fields[0])
	}
}

// A file that is cut, or grew shorter, is shown as far as it goes.
func TestCutFile(t *testing.T) {
	data := testCapture(t)
	s := begin(t, Options{Name: "a", Store: stored(data[:100_000]), Scan: scan.Options{Decoders: rtype(t)}}, 80, 24)
	s.sees("ends early", "cut in header of packet 1014")
	s = begin(t, Options{Name: "a", Store: NewStore(bytes.NewReader(data[:100_000]), 200_000), Scan: scan.Options{Decoders: rtype(t)}}, 80, 24)
	s.sees("ends early", "fields of packet 1 ")
	s.keys(end)
	s.sees("accept")
	s = begin(t, Options{Name: "a", Store: stored([]byte("no capture at all")), Scan: scan.Options{Decoders: rtype(t)}}, 80, 24)
	s.sees("byte 0: no magic: want a pcap or pcapng file")
}

// A capture of 200 MB has its first screen at once, and takes little memory while the index grows.
func TestLargeCapture(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: 200 MB are written")
	}
	const size = 200 << 20
	f := largeCapture(t, size)
	began := time.Now()
	o := Options{Name: "large", Store: NewStore(f, size), Scan: scan.Options{Decoders: rtype(t)}}
	s := begin(t, o, 80, 24)
	s.sees("fields of packet 1 ", "     7 ")
	first := time.Since(began)
	var most, peak uint64
	s.until("all packets", func(lines []string) bool {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most, peak = max(most, m.HeapInuse), max(peak, m.Sys)
		return !strings.Contains(lines[0], "reading")
	})
	all := time.Since(began)
	s.keys(end)
	s.sees("accept")
	t.Logf("first screen %v, all of it %v, heap %d MiB at most, %d MiB of the system", first, all, most>>20, peak>>20)
	if most > 100<<20 {
		t.Errorf("the heap had %d MiB", most>>20)
	}
}

// largeCapture repeats the capture of the tests up to a size.
func largeCapture(t testing.TB, size int64) *os.File {
	t.Helper()
	f := scratch(t)
	data := testCapture(t)
	const head = 24
	records := bytes.Repeat(data[head:], 20)
	if _, err := f.Write(data[:head]); err != nil {
		t.Fatal(err)
	}
	for n := int64(head); n < size; {
		m, err := f.Write(records[:min(int64(len(records)), size-n)])
		if err != nil {
			t.Fatal(err)
		}
		n += int64(m)
	}
	return f
}
