package pcap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
)

// A described is a packet with all that its capture says of it.
type described struct {
	packetSeen
	section  Section
	ifc      Interface
	comments []string
}

// describeAll reads a capture to its end, descriptions included.
func describeAll(r *Reader) (list []described, err error) {
	for {
		data, ci, err := r.ZeroCopyReadPacketData()
		if err != nil {
			return list, err
		}
		list = append(list, described{
			packetSeen{string(data), ci.Timestamp.UnixNano(), ci.Length, ci.InterfaceIndex, r.LinkType()},
			r.Section(), r.Interface(ci.InterfaceIndex), r.Comments(),
		})
	}
}

// copyAll writes what a capture holds.
func copyAll(w *Writer, r *Reader) error {
	for {
		data, ci, err := r.ZeroCopyReadPacketData()
		if err != nil {
			return w.Flush()
		}
		if err := w.WriteFrom(r, ci, data); err != nil {
			return err
		}
	}
}

// richNG has all that is kept, in two sections of different byte order.
func richNG() []byte {
	text := func(o byteOrder, code uint16, s string) []byte { return opt(o, code, []byte(s)...) }
	return cat(
		block(le, blockSection, shbBody(le, 1, -1, cat(text(le, optComment, "a section"), text(le, optComment, ""), text(le, optSectionHW, "hw"),
			text(le, optSectionOS, "os"), text(le, optSectionApp, "app"), opt(le, optEnd)))),
		idb(le, LinkRaw, 0),
		idb(le, LinkEthernet, 262144, text(le, optIfName, "eth0"), text(le, optIfDescription, "the first"), opt(le, optTSResol, 9),
			text(le, optIfFilter, "\x00udp"), text(le, optIfOS, "linux"), text(le, optIfHardware, "card"), text(le, optComment, "an interface"), opt(le, optEnd)),
		epb(le, 1, 1_700_000_000_123456789, etherUDP([]byte("one")), text(le, optComment, "first"), text(le, optComment, "second\nline"), opt(le, optEnd)),
		epb(le, 1, 1_700_000_001_000000001, etherUDP([]byte("two"))),
		block(be, blockSection, shbBody(be, 1, -1, text(be, optSectionApp, "other"))),
		idb(be, LinkEthernet, 60, text(be, optIfName, "eth1")),
		block(be, blockEnhanced, epbBody(be, 0, 1_700_000_002_000_000, 20, 1500, repeat(20), text(be, optComment, "cut"))),
	)
}

func TestDescriptions(t *testing.T) {
	list, err := describeAll(readerOf(richNG()))
	if err != io.EOF {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%+v %+v %q", list[0].section, list[0].ifc, list[0].comments)
	want := `{Hardware:hw OS:os Application:app Comments:[a section ] Interfaces:[]} {Link:ethernet SnapLen:262144 Name:eth0 Description:the first ` +
		`Hardware:card OS:linux Filter:udp Comments:[an interface]} ["first" "second\nline"]`
	if got != want {
		t.Errorf("want %s\n got %s", want, got)
	}
	if list[1].comments != nil {
		t.Errorf("comments without any: %v", list[1].comments)
	}
	if got := fmt.Sprintf("%+v %+v %q", list[2].section, list[2].ifc, list[2].comments); got != `{Hardware: OS: Application:other Comments:[] Interfaces:[]} `+
		`{Link:ethernet SnapLen:60 Name:eth1 Description: Hardware: OS: Filter: Comments:[]} ["cut"]` {
		t.Errorf("second section: %s", got)
	}
	classic, _ := smallClassic()
	if list, _ := describeAll(readerOf(classic)); list[0].ifc.Link != LinkEthernet || list[0].ifc.SnapLen != 65535 {
		t.Errorf("classic: %+v", list[0].ifc)
	}
}

// TestDescriptionsAreBounded: what is beyond is forgotten, never refused, and
// nothing of one section shows in the next.
func TestDescriptionsAreBounded(t *testing.T) {
	long := opt(le, optIfName, repeat(60_000)...)
	file := shb(le)
	for range 10 {
		file = append(file, idb(le, LinkRaw, 0, long)...)
	}
	file = append(file, idb(le, LinkRaw, 0, opt(le, optIfName, 's'))...)
	file = append(file, epb(le, 0, 1, nil)...)
	r := readerOf(cat(file, file))
	for range 2 {
		if _, _, err := r.ReadPacketData(); err != nil {
			t.Fatal(err)
		}
		var sizes []int
		for id := range r.Interfaces() {
			sizes = append(sizes, len(r.Interface(id).Name))
		}
		if want := "[60000 60000 60000 60000 0 0 0 0 0 0 1]"; fmt.Sprint(sizes) != want || len(r.text) > maxText {
			t.Errorf("want %s, got %v, %d bytes", want, sizes, len(r.text))
		}
	}
}

// TestWriteReadsBack: read, write, read is the same, and writing that again is
// the same bytes.
func TestWriteReadsBack(t *testing.T) {
	classic, _ := smallClassic()
	for name, file := range map[string][]byte{"rich": richNG(), "classic": classic} {
		want, err := describeAll(readerOf(file))
		if err != io.EOF {
			t.Fatal(err)
		}
		var one, two bytes.Buffer
		if err := copyAll(NewWriter(&one, Section{}), readerOf(file)); err != nil {
			t.Fatal(err)
		}
		got, err := describeAll(readerOf(one.Bytes()))
		if err != io.EOF || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Errorf("%s: want %+v\n got %+v, %v", name, want, got, err)
		}
		if copyAll(NewWriter(&two, Section{}), readerOf(one.Bytes())); !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Errorf("%s: written twice differs", name)
		}
	}
}

// TestSeveralFiles: one Reader over two files makes two sections.
func TestSeveralFiles(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, Section{})
	r := NewReader(nil)
	classic, _ := smallClassic()
	for _, file := range [][]byte{classic, richNG(), classic} {
		r.Reset(bytes.NewReader(file))
		if err := copyAll(w, r); err != nil {
			t.Fatal(err)
		}
	}
	list, err := describeAll(readerOf(out.Bytes()))
	if err != io.EOF || len(list) != 3+3+3 || list[3].ifc.Name != "eth0" || list[8].ifc.Name != "" || list[8].section.Application != "" {
		t.Errorf("got %+v, %v", list, err)
	}
}

// TestWriteDatagram keeps all the fragments, and nothing else.
func TestWriteDatagram(t *testing.T) {
	list := []sent{frag(16, 24), of(2, frag(0, 8)), frag(0, 16), frag(0, 16), frag(24, 32)}
	file := cat(shb(le), idb(le, LinkRaw, 0))
	for i, s := range list {
		b, _ := s.packet()
		file = append(file, epb(le, 0, uint64(i), b, opt(le, optComment, byte('a'+i)))...)
	}
	d := NewDatagrams(readerOf(file))
	if _, err := d.Next(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := NewWriter(&out, Section{})
	if err := errors.Join(w.WriteDatagram(d), w.Flush()); err != nil {
		t.Fatal(err)
	}
	var comments []string
	kept, _ := describeAll(readerOf(out.Bytes()))
	for _, p := range kept {
		comments = append(comments, p.comments...)
	}
	if fmt.Sprint(comments) != "[a c e]" {
		t.Errorf("want the packets a, c and e, got %v", comments)
	}
	d.Reset(readerOf(out.Bytes()))
	if dg, err := d.Next(); err != nil || string(dg.Payload) != string(whole[8:]) {
		t.Errorf("written fragments: %v, %v", dg, err)
	}
}

// failing takes n bytes.
type failing struct {
	n    int
	took bytes.Buffer
}

var errFull = errors.New("no space left")

func (f *failing) Write(p []byte) (int, error) {
	n := min(len(p), f.n)
	f.n -= n
	f.took.Write(p[:n])
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

// TestWriteErrors fails at every byte: the error tells the bytes and packets
// that are there, and our Reader finds just those.
func TestWriteErrors(t *testing.T) {
	var whole bytes.Buffer
	if err := copyAll(NewWriter(&whole, Section{}), readerOf(richNG())); err != nil {
		t.Fatal(err)
	}
	for n := range whole.Len() {
		f := &failing{n: n}
		w := NewWriter(f, Section{})
		err := copyAll(w, readerOf(richNG()))
		var failed *WriteError
		if !errors.As(err, &failed) || !errors.Is(err, errFull) || failed.Bytes != int64(n) {
			t.Fatalf("at %d: %v", n, err)
		}
		if list, _ := readAll(readerOf(f.took.Bytes())); len(list) != int(failed.Packets) {
			t.Errorf("at %d: error says %d packets, %d are there", n, failed.Packets, len(list))
		}
		if again := w.WriteUDP(1, netip.MustParseAddrPort("1.2.3.4:5"), netip.MustParseAddrPort("1.2.3.4:5"), nil); again != err {
			t.Errorf("error of the next call: want the same, got %v", again)
		}
	}
	if want, got := "capture ends at byte 7, after packet 0: no space left", copyAll(NewWriter(&failing{n: 7}, Section{}), readerOf(richNG())).Error(); got != want {
		t.Errorf("want %q, got %q", want, got)
	}
}

// TestWholeBlocks: every call of Write is whole blocks, of at least writeSize
// unless flushed.
func TestWholeBlocks(t *testing.T) {
	var sizes []int
	w := NewWriter(writerFunc(func(p []byte) (int, error) {
		sizes = append(sizes, len(p))
		for len(p) > 0 {
			size := int(le.Uint32(p[4:]))
			if size > len(p) || le.Uint32(p[size-4:]) != uint32(size) {
				t.Fatalf("block of %d in %d", size, len(p))
			}
			p = p[size:]
		}
		return sizes[len(sizes)-1], nil
	}), Section{})
	id, err := w.AddInterface(Interface{Link: LinkUser0, Name: "made"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		if err := w.WritePacket(id, captured(int64(i), 1000), repeat(1000+i%5)); err != nil {
			t.Fatal(err)
		}
	}
	size := w.Size()
	if err := w.Flush(); err != nil || len(sizes) != 200*1036/writeSize+1 || w.Flush() != nil {
		t.Errorf("writes of %v, %v", sizes, err)
	}
	for _, n := range sizes {
		size -= int64(n)
	}
	if size != 0 {
		t.Errorf("Size is off by %d", size)
	}
}

type writerFunc func([]byte) (int, error)

func (w writerFunc) Write(p []byte) (int, error) { return w(p) }

// TestWriterRefuses: one line, nothing written, and the next packet is.
func TestWriterRefuses(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, Section{Application: "test"})
	id, _ := w.AddInterface(Interface{Link: LinkUser0})
	long := strings.Repeat("x", 65536)
	third := long[:50000]
	good := captured(1, 1)
	for want, err := range map[string]error{
		"capture: want packets of at most 262144 bytes, got 262145":                     w.WritePacket(id, good, repeat(MaxPacket+1)),
		"capture: want comments and names of at most 65535 bytes, got 65536":            w.WritePacket(id, good, nil, long),
		"capture: want at most 131072 bytes of comments and names in a block, got more": w.WritePacket(id, good, nil, third, third, third),
		"datagram from 1.2.3.4:5 to [::1]:5: want addresses of one family":              w.WriteUDP(1, netip.MustParseAddrPort("1.2.3.4:5"), netip.MustParseAddrPort("[::1]:5"), nil),
		"datagram from invalid AddrPort to 1.2.3.4:5: want two addresses":               w.WriteUDP(1, netip.AddrPort{}, netip.MustParseAddrPort("1.2.3.4:5"), nil),
		"datagram from [fe80::1%eth0]:5 to [::1]:5: want addresses without a zone":      w.WriteUDP(1, netip.MustParseAddrPort("[fe80::1%eth0]:5"), netip.MustParseAddrPort("[::1]:5"), nil),
		"datagram from 1.2.3.4:5 to 1.2.3.4:5: want at most 65507 bytes, got 65508":     w.WriteUDP(1, netip.MustParseAddrPort("1.2.3.4:5"), netip.MustParseAddrPort("1.2.3.4:5"), repeat(65508)),
		"datagram from [::1]:5 to [::1]:5: want at most 65527 bytes, got 65528":         w.WriteUDP(1, netip.MustParseAddrPort("[::1]:5"), netip.MustParseAddrPort("[::1]:5"), repeat(65528)),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	if err := errors.Join(w.WritePacket(id, good, []byte("x"), third), w.Flush()); err != nil {
		t.Fatal(err)
	}
	list, err := describeAll(readerOf(out.Bytes()))
	if err != io.EOF || len(list) != 1 || list[0].comments[0] != third || list[0].section.Application != "test" {
		t.Errorf("got %d packets, %v", len(list), err)
	}
}

// TestHostileDescriptionsAreWritten: what has no room is left out, and the
// packets are there.
func TestHostileDescriptionsAreWritten(t *testing.T) {
	full := cat(opt(le, optComment, repeat(65000)...), opt(le, optComment, repeat(65000)...), opt(le, optComment, repeat(maxOptions-2*65004-4)...))
	if len(full) != maxOptions {
		t.Fatal(len(full))
	}
	file := cat(block(le, blockSection, shbBody(le, 1, -1, full)), idb(le, LinkRaw, 4, full), epb(le, 0, 5, []byte("packet"), full))
	var out bytes.Buffer
	if err := copyAll(NewWriter(&out, Section{}), readerOf(file)); err != nil {
		t.Fatal(err)
	}
	list, err := describeAll(readerOf(out.Bytes()))
	if err != io.EOF || len(list) != 1 || list[0].data != "packet" || len(list[0].comments) != 2 || list[0].ifc.SnapLen != 0 {
		t.Errorf("got %d packets, %v", len(list), err)
	}
}

// TestEmptyFile: Flush alone makes a capture of no packets.
func TestEmptyFile(t *testing.T) {
	var out bytes.Buffer
	if err := NewWriter(&out, Section{Comments: []string{"nothing"}}).Flush(); err != nil {
		t.Fatal(err)
	}
	if list, err := readAll(readerOf(out.Bytes())); err != io.EOF || list != nil {
		t.Errorf("got %v, %v", list, err)
	}
}

// TestWriteOtherSources: a source that describes nothing gets an interface for
// each link type.
func TestWriteOtherSources(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, Section{})
	src := &packets{list: [][]byte{[]byte("one"), []byte("two"), []byte("three")}}
	for _, src.link = range []LinkType{LinkRaw, LinkUser0, LinkRaw} {
		data, ci, _ := src.ZeroCopyReadPacketData()
		if err := w.WriteFrom(src, ci, data); err != nil {
			t.Fatal(err)
		}
	}
	w.Flush()
	list, err := readAll(readerOf(out.Bytes()))
	if want := "[{one 1000000000 3 0 101} {two 1000000001 3 1 147} {three 1000000002 5 0 101}]"; err != io.EOF || fmt.Sprint(list) != want {
		t.Errorf("want %s, got %v, %v", want, list, err)
	}
}

// TestAppendUDP: gopacket finds in the frame what was put there, and computes
// the same checksums.
func TestAppendUDP(t *testing.T) {
	for _, row := range []struct {
		src, dst string
		sizes    []int
	}{
		{"10.0.0.1:4124", "255.255.255.255:65535", []int{0, 1, 2, 3, 155, 1472, 65506, 65507}},
		{"[2001:db8::1]:4124", "[ff02::1]:1", []int{0, 1, 2, 3, 155, 1452, 65526, 65527}},
		{"[::ffff:10.0.0.1]:0", "[::ffff:10.0.0.2]:0", []int{7}},
	} {
		src, dst := netip.MustParseAddrPort(row.src), netip.MustParseAddrPort(row.dst)
		for _, size := range row.sizes {
			payload := make([]byte, size)
			for i := range payload {
				payload[i] = byte(i*i>>2) | 0x80
			}
			frame, err := AppendUDP([]byte("before"), src, dst, payload)
			if err != nil {
				t.Fatal(err)
			}
			frame = frame[len("before"):]
			dg, cause := decodeOne(t, LinkEthernet, frame, len(frame))
			if cause != causeNone || dg.Src != src || dg.Dst != dst || !bytes.Equal(dg.Payload, payload) || dg.LengthMismatch {
				t.Fatalf("%s, %d bytes: %v", row.src, size, cause)
			}
			var eth layers.Ethernet
			var ip gopacket.SerializableLayer
			udp := &layers.UDP{SrcPort: layers.UDPPort(src.Port()), DstPort: layers.UDPPort(dst.Port())}
			eth.DecodeFromBytes(frame, gopacket.NilDecodeFeedback)
			if src.Addr().Is4() {
				ip4 := &layers.IPv4{Version: 4, TTL: 64, Protocol: layers.IPProtocolUDP, Flags: layers.IPv4DontFragment, SrcIP: src.Addr().AsSlice(), DstIP: dst.Addr().AsSlice()}
				udp.SetNetworkLayerForChecksum(ip4)
				ip = ip4
			} else {
				ip6 := &layers.IPv6{Version: 6, HopLimit: 64, NextHeader: layers.IPProtocolUDP, SrcIP: src.Addr().AsSlice(), DstIP: dst.Addr().AsSlice()}
				udp.SetNetworkLayerForChecksum(ip6)
				ip = ip6
			}
			buf := gopacket.NewSerializeBuffer()
			err = gopacket.SerializeLayers(buf, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, &eth, ip, udp, gopacket.Payload(payload))
			// gopacket refuses the largest over IPv6, and pads short frames.
			if err == nil && !bytes.Equal(buf.Bytes()[:len(frame)], frame) {
				t.Errorf("%s, %d bytes: gopacket writes another frame", row.src, size)
			} else if err != nil && size < 65000 {
				t.Error(err)
			}
		}
	}
}

// TestChecksumZero: a sum of zero is sent as 0xffff, or it would say that there
// is none.
func TestChecksumZero(t *testing.T) {
	src, dst := netip.MustParseAddrPort("1.2.3.4:5"), netip.MustParseAddrPort("5.6.7.8:9")
	for v := range 65536 {
		frame, _ := AppendUDP(nil, src, dst, []byte{byte(v >> 8), byte(v)})
		check := be.Uint16(frame[14+20+6:])
		if check == 0 {
			t.Fatalf("payload %#04x: checksum 0", v)
		}
		if check == 0xffff {
			return
		}
	}
	t.Error("no payload gives 0xffff")
}

// TestWriterNoAllocations: writing copies and no more.
func TestWriterNoAllocations(t *testing.T) {
	w := NewWriter(io.Discard, Section{})
	src, dst := netip.MustParseAddrPort("1.2.3.4:5"), netip.MustParseAddrPort("5.6.7.8:9")
	payload := repeat(155)
	if n := testing.AllocsPerRun(2000, func() { w.WriteUDP(1, src, dst, payload) }); n != 0 {
		t.Errorf("WriteUDP: want 0 allocations, got %v", n)
	}
	file := benchNG()
	d := NewDatagrams(readerOf(file))
	if n := testing.AllocsPerRun(2000, func() {
		if _, err := d.Next(); err != nil {
			t.Fatal(err)
		}
		w.WriteDatagram(d)
	}); n != 0 {
		t.Errorf("WriteDatagram: want 0 allocations, got %v", n)
	}
	recorder = d
	write := func(one *Record) bool { return w.WriteFrom(d.src, one.Info, one.Data) == nil }
	if n := testing.AllocsPerRun(2000, func() {
		if _, err := d.Next(); err != nil {
			t.Fatal(err)
		}
		recorder.Records()(write)
	}); n != 0 {
		t.Errorf("Records: want 0 allocations, got %v", n)
	}
}

// recorder hides from the compiler whose Records are called, as scans do.
var recorder interface{ Records() iter.Seq[*Record] }

// FuzzWriter: what our Reader reads, written, reads the same.
func FuzzWriter(f *testing.F) {
	f.Add(richNG())
	for _, row := range hostileRows() {
		if len(row.file) < 4096 {
			f.Add(row.file)
		}
	}
	for _, build := range []func() ([]byte, []int){smallClassic, smallNG} {
		file, _ := build()
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		want, _ := describeAll(plain(file))
		for i := range want {
			if want[i].ns < 0 {
				return // refused, and tested as such
			}
			if s := &want[i].ifc.SnapLen; len(want[i].data) > int(*s) {
				*s = 0
			}
		}
		var out bytes.Buffer
		if err := copyAll(NewWriter(&out, Section{}), plain(file)); err != nil {
			t.Fatal(err)
		}
		got, err := describeAll(readerOf(out.Bytes()))
		if err != io.EOF || len(got) != len(want) {
			t.Fatalf("want %d packets, got %d, %v", len(want), len(got), err)
		}
		for i := range got {
			// An interface is described once: by its first packet, which may
			// be within a claim that a later one breaks.
			if g, w := &got[i].ifc.SnapLen, want[i].ifc.SnapLen; w == 0 || *g == 0 {
				*g = w
			}
			if !reflect.DeepEqual(got[i], want[i]) {
				t.Fatalf("packet %d: want %+v, got %+v", i+1, want[i], got[i])
			}
		}
	})
}

// plain is a reader of an input that is not compressed: bombs are for
// FuzzCompressed.
func plain(file []byte) *Reader {
	if len(file) >= 4 && compressionOf(file) != uncompressed {
		file = nil
	}
	return readerOf(file)
}

// The interfaces of a section are in the file before the first packet of each, and packets find theirs by its name.
func TestSectionInterfaces(t *testing.T) {
	var file bytes.Buffer
	w := NewWriter(&file, Section{Application: "x", Interfaces: []Interface{{Link: LinkEthernet, Name: "a"}, {Link: LinkRaw, Name: "b"}, {Link: LinkEthernet, Name: "c"}}})
	if err := w.WriteFrom(named{LinkRaw, "b"}, captured(1, 20), repeat(20)); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteFrom(named{LinkEthernet, "later"}, captured(2, 20), repeat(20)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := NewReader(&file)
	for _, want := range []struct{ id, known int }{{1, 3}, {3, 4}} {
		_, ci, err := r.ZeroCopyReadPacketData()
		if err != nil || ci.InterfaceIndex != want.id || r.Interfaces() != want.known {
			t.Fatalf("want interface %d of %d, got %d of %d, %v", want.id, want.known, ci.InterfaceIndex, r.Interfaces(), err)
		}
	}
	if a, later := r.Interface(0), r.Interface(3); a.Name != "a" || later.Name != "later" {
		t.Errorf("%+v, %+v", a, later)
	}
	file.Reset()
	if err := NewWriter(&file, Section{Interfaces: []Interface{{Link: LinkRaw, Name: "b"}}}).Close(); err != nil {
		t.Fatal(err)
	}
	r = NewReader(&file)
	if _, _, err := r.ZeroCopyReadPacketData(); err != io.EOF || r.Interfaces() != 1 || r.Interface(0).Name != "b" {
		t.Errorf("without packets: %v, %d interfaces", err, r.Interfaces())
	}
}

// named is a source whose packets are of one interface.
type named struct {
	link LinkType
	name string
}

func (n named) LinkType() LinkType { return n.link }

func (n named) Interface(int) Interface { return Interface{Link: n.link, Name: n.name} }

func (n named) ZeroCopyReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	return nil, gopacket.CaptureInfo{}, io.EOF
}

// twoInterfaces is a source that describes its two interfaces.
type twoInterfaces struct{ PacketSource }

func (*twoInterfaces) LinkType() LinkType { return LinkEthernet }
func (*twoInterfaces) Interface(id int) Interface {
	return Interface{Link: LinkEthernet, Name: []string{"a", "b"}[id]}
}

// Each packet has the interface that it came through, also after a packet of the other one, and in a section that
// begins anew after packets of a Reader.
func TestInterfacesOfDescriber(t *testing.T) {
	var file bytes.Buffer
	w, src := NewWriter(&file, Section{}), &twoInterfaces{}
	from := func(list ...int) {
		for _, index := range list {
			info := captured(1, 1)
			info.InterfaceIndex = index
			if err := w.WriteRecords(src, []Record{{Data: []byte{byte(index)}, Info: info}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	from(1, 1, 0, 1)
	r := NewReader(bytes.NewReader(cat(fileHeader(le, 0xa1b2c3d4, 1), honestRecord(le, 1, 0, []byte{7}))))
	data, ci, err := r.ZeroCopyReadPacketData()
	if err == nil {
		err = w.WriteFrom(r, ci, data)
	}
	if err != nil {
		t.Fatal(err)
	}
	from(0, 1)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for r := NewReader(&file); ; {
		data, ci, err := r.ZeroCopyReadPacketData()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(r.Interface(ci.InterfaceIndex).Name, data[0]))
	}
	if want := "[b1 b1 a0 b1 7 a0 b1]"; fmt.Sprint(got) != want {
		t.Errorf("want %s, got %s", want, got)
	}
}
