package pcap

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/gopacket"

	"github.com/pktscope/pktscope/corpus/need"
)

// A sent is a fragment as the tests send it: bytes off..off+len(data) of the
// datagram id, at a time in seconds. missing is how many of its bytes the snap
// length cut.
type sent struct {
	id      uint32
	v6      bool
	off     int
	more    bool
	data    []byte
	missing int
	at      float64
}

// packet is the fragment as raw IP, and its length on the wire.
func (s sent) packet() ([]byte, int) {
	var b []byte
	if s.v6 {
		bits := uint16(s.off)
		if s.more {
			bits |= 1
		}
		b = ip6(protocolFragment, fragment6(protocolUDP, bits, s.data))
		be.PutUint32(b[44:], s.id)
	} else {
		bits := uint16(s.off / 8)
		if s.more {
			bits |= 0x2000
		}
		b = ip4(protocolUDP, nil, s.data, func(h []byte) { be.PutUint16(h[4:], uint16(s.id)); be.PutUint16(h[6:], bits) })
	}
	return b[:len(b)-s.missing], len(b)
}

// timed is a source of fragments.
type timed struct {
	packets
	times []int64
}

func (t *timed) ZeroCopyReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	data, ci, err := t.packets.ZeroCopyReadPacketData()
	if err == nil {
		ci.Timestamp = time.Unix(0, t.times[t.at-1])
	}
	return data, ci, err
}

func sourceOf(list []sent) *timed {
	t := &timed{packets: packets{link: LinkRaw}}
	for _, s := range list {
		b, wire := s.packet()
		t.list, t.wire, t.times = append(t.list, b), append(t.wire, wire), append(t.times, int64(s.at*1e9))
	}
	return t
}

// outcome is what came of fragments: the datagrams as "n:payload", with a
// tilde if cut, and the counts that are not zero.
func outcome(t testing.TB, list []sent) string {
	t.Helper()
	d := NewDatagrams(sourceOf(list))
	var out []string
	for {
		dg, err := d.Next()
		if err == io.EOF {
			break
		}
		s := fmt.Sprintf("%d:%s", dg.N, dg.Payload)
		if dg.Cut {
			s += "~"
		}
		if dg.Cut != (len(dg.Payload) < dg.Size) || len(dg.Payload) > dg.Size {
			t.Errorf("datagram %d: %d of %d bytes, cut %v", dg.N, len(dg.Payload), dg.Size, dg.Cut)
		}
		out = append(out, s)
		var from []int64
		for rec := range d.Records() {
			from = append(from, rec.N)
			if want, _ := list[rec.N-1].packet(); !bytes.Equal(want, rec.Data) {
				t.Errorf("record %d of datagram %d is not the packet sent", rec.N, dg.N)
			}
		}
		if !slices.IsSorted(from) || from[len(from)-1] != dg.N {
			t.Errorf("datagram %d of records %v", dg.N, from)
		}
	}
	counts := d.Counts()
	sum := counts.Datagrams
	for cause, n := range counts.All() {
		if sum += n; n > 0 {
			out = append(out, fmt.Sprintf("%s=%d", cause, n))
		}
	}
	if sum != counts.Packets || d.frags.waiting != 0 || len(d.frags.byKey) != 0 || d.frags.oldest != nil || d.frags.newest != nil {
		t.Errorf("at the end: %+v, %d fragments wait for %d datagrams", counts, d.frags.waiting, len(d.frags.byKey))
	}
	return fmt.Sprint(out)
}

// whole is a UDP datagram of which the tests send pieces: 8+24 bytes.
var whole = udp([]byte("abcdefghijklmnopqrstuvwx"))

func frag(off, end int) sent {
	return sent{id: 1, off: off, more: end < len(whole), data: whole[off:end]}
}

func at(seconds float64, s sent) sent { s.at = seconds; return s }
func cutBy(n int, s sent) sent        { s.missing = n; return s }
func of(id uint32, s sent) sent       { s.id = id; return s }
func with(data []byte, s sent) sent   { s.data = data; return s }
func final(s sent) sent               { s.more = false; return s }
func followed(s sent) sent            { s.more = true; return s }

// fragmentRows hold for IPv4 and IPv6 alike.
func fragmentRows() []struct {
	name string
	list []sent
	want string
} {
	const all = "abcdefghijklmnopqrstuvwx"
	other := udp([]byte("ABCDEFGHIJKLMNOPQRSTUVWX"))
	return []struct {
		name string
		list []sent
		want string
	}{
		// What is refused.
		{"overlap in front", []sent{frag(0, 16), frag(8, 32)}, "[fragment-overlap=2]"},
		{"overlap after", []sent{frag(8, 32), frag(0, 16)}, "[fragment-overlap=2]"},
		{"overlap within", []sent{frag(0, 24), frag(8, 16), frag(24, 32)}, "[fragment-overlap=3]"},
		{"overlap around", []sent{frag(8, 16), frag(0, 24), frag(24, 32)}, "[fragment-overlap=3]"},
		{"overlap of two", []sent{frag(0, 8), frag(16, 24), frag(0, 24), frag(24, 32)}, "[fragment-overlap=4]"},
		{"overlap of the last", []sent{frag(24, 32), frag(16, 32), frag(0, 16)}, "[fragment-overlap=3]"},
		{"a copy with other bytes", []sent{frag(0, 16), with(other[8:24], frag(8, 24)), frag(16, 32)}, "[fragment-overlap=3]"},
		{"a copy that says it is the last", []sent{frag(8, 16), final(frag(8, 16)), frag(0, 8)}, "[fragment-overlap=3]"},
		{"a copy of the last that is not", []sent{frag(16, 32), followed(frag(16, 32)), frag(0, 16)}, "[fragment-overlap=3]"},
		{"two ends, the second before", []sent{frag(24, 32), final(frag(8, 16)), frag(0, 8)}, "[fragment-overlap=3]"},
		{"two ends, the second after", []sent{final(frag(8, 16)), frag(24, 32), frag(0, 8)}, "[fragment-overlap=3]"},
		{"an end before what is there", []sent{frag(16, 24), final(frag(8, 16))}, "[fragment-overlap=2]"},
		{"something after the end", []sent{final(frag(8, 16)), frag(16, 24), frag(0, 8)}, "[fragment-overlap=3]"},
		{"what follows an overlap", []sent{frag(0, 16), frag(8, 24), frag(0, 16), frag(16, 32)}, "[fragment-overlap=4]"},
		{"never ending", []sent{frag(0, 8), frag(8, 16), frag(16, 24)}, "[fragment-incomplete=3]"},
		{"never beginning", []sent{frag(24, 32), frag(8, 16)}, "[fragment-incomplete=2]"},
		{"too late", []sent{frag(0, 16), at(30.5, frag(16, 32))}, "[fragment-incomplete=2]"},
		{"too late for another", []sent{frag(0, 16), at(30.5, of(2, frag(16, 32)))}, "[fragment-incomplete=2]"},
		{"a clock that goes back", []sent{at(100, frag(0, 16)), at(69, frag(16, 32))}, "[fragment-incomplete=2]"},
		{"of two datagrams", []sent{frag(0, 16), of(2, frag(16, 32))}, "[fragment-incomplete=2]"},
		{"udp length 7", []sent{with(udpLen(7, whole[8:16]), frag(0, 16)), frag(16, 32)}, "[malformed-udp=2]"},
		{"headers cut", []sent{cutBy(9, frag(0, 16)), frag(16, 32)}, "[cut-header=2]"},

		// Datagrams.
		{"in order", []sent{frag(0, 16), frag(16, 32)}, "[2:" + all + " fragment=1]"},
		{"backwards", []sent{frag(24, 32), frag(16, 24), frag(8, 16), frag(0, 8)}, "[4:" + all + " fragment=3]"},
		{"hole last", []sent{frag(0, 8), frag(24, 32), frag(16, 24), frag(8, 16)}, "[4:" + all + " fragment=3]"},
		{"copies", []sent{frag(0, 16), frag(0, 16), frag(24, 32), frag(24, 32), frag(16, 24)}, "[5:" + all + " fragment=4]"},
		{"header in two", []sent{{id: 1, data: whole[:8], more: true}, frag(8, 32)}, "[2:" + all + " fragment=1]"},
		{"in time", []sent{at(5, frag(0, 16)), at(35, frag(16, 32))}, "[2:" + all + " fragment=1]"},
		{"a clock that goes back a little", []sent{at(100, frag(0, 16)), at(71, frag(16, 32))}, "[2:" + all + " fragment=1]"},
		{"two at once", []sent{frag(0, 16), of(2, frag(16, 32)), frag(16, 32), of(2, frag(0, 16))}, "[3:" + all + " 4:" + all + " fragment=2]"},
		{"the same again", []sent{frag(0, 16), frag(16, 32), frag(0, 16), frag(16, 32)}, "[2:" + all + " 4:" + all + " fragment=2]"},
		{"again after the time", []sent{frag(0, 16), at(31, frag(0, 16)), at(31, frag(16, 32))}, "[3:" + all + " fragment=1 fragment-incomplete=1]"},
		{"after an overlap and the time", []sent{frag(0, 16), frag(8, 24), at(31, frag(0, 16)), at(31, frag(16, 32))}, "[4:" + all + " fragment=1 fragment-overlap=2]"},
		{"the last one cut", []sent{frag(0, 16), cutBy(3, frag(16, 32))}, "[2:abcdefghijklmnopqrstu~ fragment=1]"},
		{"the first one cut", []sent{cutBy(3, frag(0, 16)), frag(16, 32)}, "[2:abcde~ fragment=1]"},
		{"one cut to nothing", []sent{frag(0, 16), cutBy(8, frag(16, 24)), frag(24, 32)}, "[3:abcdefgh~ fragment=2]"},
	}
}

func TestFragments(t *testing.T) {
	for _, row := range fragmentRows() {
		for _, v6 := range []bool{false, true} {
			list := slices.Clone(row.list)
			for i := range list {
				list[i].v6 = v6
			}
			if got := outcome(t, list); got != row.want {
				t.Errorf("%s, v6 %v: want %s, got %s", row.name, v6, row.want, got)
			}
		}
	}
}

// TestFragmentsOfVLANs: two networks behind one port number their datagrams alike. A tag of identifier 0 has only a
// priority, and is no network of its own.
func TestFragmentsOfVLANs(t *testing.T) {
	tagged := func(s sent, ids ...uint16) []byte {
		b := etherHeader()
		for _, id := range ids {
			b = be.AppendUint16(be.AppendUint16(b, etherTypeVLAN), 0xe000|id)
		}
		ip, _ := s.packet()
		return cat(be.AppendUint16(b, etherTypeIPv4), ip)
	}
	first, last := frag(0, 16), frag(16, 32)
	other := with([]byte("QRSTUVWXqrstuvwx"), last)
	for _, row := range []struct {
		name string
		list [][]byte
		want string
	}{
		{"two", [][]byte{tagged(first, 5), tagged(first, 6), tagged(last, 5), tagged(other, 6)}, "[3:ijklmnopqrstuvwx 4:QRSTUVWXqrstuvwx]"},
		{"one and none", [][]byte{tagged(first), tagged(first, 6), tagged(other, 6), tagged(last)}, "[3:QRSTUVWXqrstuvwx 4:ijklmnopqrstuvwx]"},
		{"two of an outer one", [][]byte{tagged(first, 5, 1), tagged(first, 5, 2), tagged(last, 5, 1), tagged(other, 5, 2)}, "[3:ijklmnopqrstuvwx 4:QRSTUVWXqrstuvwx]"},
		{"one of two outer ones", [][]byte{tagged(first, 1, 5), tagged(first, 2, 5), tagged(last, 1, 5), tagged(other, 2, 5)}, "[3:ijklmnopqrstuvwx 4:QRSTUVWXqrstuvwx]"},
		{"one in the other", [][]byte{tagged(first, 5), tagged(last, 5, 5)}, "[]"},
		{"a priority", [][]byte{tagged(first, 0), tagged(last)}, "[2:ijklmnopqrstuvwx]"},
	} {
		d := NewDatagrams(&packets{link: LinkEthernet, list: row.list})
		got := []string{}
		for dg, err := d.Next(); err == nil; dg, err = d.Next() {
			got = append(got, fmt.Sprintf("%d:%s", dg.N, dg.Payload[max(0, len(dg.Payload)-16):]))
		}
		if want := row.want; fmt.Sprint(got) != want {
			t.Errorf("%s: want %s, got %s", row.name, row.want, got)
		}
	}
}

// TestReassembledHeaders: what IPv6 has before UDP within the fragments.
func TestReassembledHeaders(t *testing.T) {
	for _, row := range []struct {
		name  string
		next  byte
		inner []byte
		want  string
	}{
		{"destination options", protocolDestination, ext(protocolUDP, 1, whole), "[3:abcdefghijklmnopqrstuvwx fragment=2]"},
		{"routing and options", protocolRouting, ext(protocolDestination, 0, ext(protocolUDP, 0, whole)), "[3:abcdefghijklmnopqrstuvwx fragment=2]"},
		{"atomic fragment", protocolDestination, ext(protocolFragment, 0, fragment6(protocolUDP, 0, whole)), "[3:abcdefghijklmnopqrstuvwx fragment=2]"},
		{"fragment of a fragment", protocolDestination, ext(protocolFragment, 0, fragment6(protocolUDP, 1, whole)), "[malformed-ip=3]"},
		{"hop-by-hop", protocolDestination, ext(protocolHopByHop, 0, ext(protocolUDP, 0, whole)), "[malformed-ip=3]"},
		{"options beyond the datagram", protocolDestination, cat([]byte{protocolUDP, 255}, repeat(38)), "[malformed-ip=3]"},
		{"tcp after options", protocolDestination, ext(6, 0, whole), "[not-udp=3]"},
		{"no room for udp", protocolDestination, ext(protocolUDP, 1, whole[:7]), "[malformed-udp=3]"},
	} {
		src := &packets{link: LinkRaw}
		for off := 0; off < 24; off += 8 {
			end, more := off+8, uint16(1)
			if off == 16 {
				end, more = len(row.inner), 0
			}
			src.list = append(src.list, ip6(protocolFragment, fragment6(row.next, uint16(off)|more, row.inner[off:end])))
		}
		d := NewDatagrams(src)
		var out []string
		for {
			dg, err := d.Next()
			if err != nil {
				break
			}
			out = append(out, fmt.Sprintf("%d:%s", dg.N, dg.Payload))
		}
		counts := d.Counts()
		for cause, n := range counts.All() {
			if n > 0 {
				out = append(out, fmt.Sprintf("%s=%d", cause, n))
			}
		}
		if got := fmt.Sprint(out); got != row.want {
			t.Errorf("%s: want %s, got %s", row.name, row.want, got)
		}
	}
}

// TestLargestDatagram: 65,507 bytes of payload over IPv4 and 65,527 over IPv6,
// in the smallest pieces and in those of Ethernet; one byte more is refused.
func TestLargestDatagram(t *testing.T) {
	for _, row := range []struct {
		v6   bool
		size int
	}{{false, 65535 - 20}, {true, 65535}} {
		data := make([]byte, row.size)
		for i := range data {
			data[i] = byte(i * i >> 3)
		}
		be.PutUint16(data[4:], uint16(row.size))
		for _, piece := range []int{48, 1480, 8184} {
			var list []sent
			for off := 0; off < len(data); off += piece {
				end := min(off+piece, len(data))
				list = append(list, sent{id: 7, v6: row.v6, off: off, more: end < len(data), data: data[off:end]})
			}
			d := NewDatagrams(sourceOf(list))
			dg, err := d.Next()
			if err != nil || !bytes.Equal(dg.Payload, data[8:]) || dg.LengthMismatch || dg.N != int64(len(list)) {
				t.Fatalf("v6 %v in pieces of %d: %v", row.v6, piece, err)
			}
			wire := 0
			for rec := range d.Records() {
				wire += rec.Info.Length
			}
			if dg.WireLen != wire {
				t.Errorf("wire length: want %d, got %d", wire, dg.WireLen)
			}
			last := &list[len(list)-1]
			last.data = append(bytes.Clone(last.data), 'x')
			if got, want := outcome(t, list), fmt.Sprintf("[malformed-ip=1 fragment-incomplete=%d]", len(list)-1); got != want {
				t.Errorf("one byte more: want %s, got %s", want, got)
			}
		}
	}
}

// floods are endless fragments of one kind each.
func floods() map[string]func(i int) sent {
	largest := make([]byte, 65520)
	first := cat(udpLen(65000, nil), repeat(1472))
	return map[string]func(i int) sent{
		// Each of another source claims 64 KiB.
		"first fragments": func(i int) sent { return sent{id: uint32(i), v6: true, more: true, data: first} },
		"last fragments":  func(i int) sent { return sent{id: uint32(i), v6: true, off: 64000, data: first} },
		"ipv4":            func(i int) sent { return sent{id: uint32(i), more: true, data: first} },
		"largest": func(i int) sent {
			return sent{id: uint32(i), v6: true, more: true, data: largest}
		},
		"eight bytes, backwards": func(i int) sent {
			return sent{id: uint32(i / 8190), v6: true, off: 8 * (8190 - i%8190), more: true, data: first[:8]}
		},
		"eight bytes, after all but the last": func(i int) sent {
			off := 8 * (i % 4000)
			if off == 0 {
				off = 8 * 4001
			}
			return sent{id: uint32(i / 4000), v6: true, off: off, more: true, data: first[:8]}
		},
		"overlaps": func(i int) sent {
			return sent{id: uint32(i / 2), v6: true, off: i % 2 * 8, more: true, data: first[:16]}
		},
		"copies": func(i int) sent { return sent{id: uint32(i / 10), v6: true, more: true, data: first} },
	}
}

// TestFragmentFloods: 100,000 fragments of any kind stay within the bounds, and
// none is lost from the counts.
func TestFragmentFloods(t *testing.T) {
	need.OneGoroutine(t)
	for name, one := range floods() {
		n := need.Rounds(100_000, 6_000)
		src := &flood{one: one, left: n}
		d := NewDatagrams(src)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		src.check = func() {
			r := &d.frags
			if r.waiting > maxFragments || len(r.byKey) > maxPending || r.buffers.held > maxFragmentBytes {
				t.Fatalf("%s: %d fragments of %d datagrams in %d bytes", name, r.waiting, len(r.byKey), r.buffers.held)
			}
		}
		if dg, err := d.Next(); err != io.EOF {
			t.Fatalf("%s: %v, %v", name, dg, err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 8<<20 {
			t.Errorf("%s: want at most 8 MiB in all, got %d", name, grown)
		}
		counts := d.Counts()
		if lost := counts.Of(FragmentIncomplete) + counts.Of(FragmentOverlap); counts.Packets != uint64(n) || lost != uint64(n) || counts.Of(Fragment) != 0 {
			t.Errorf("%s: %+v", name, counts)
		}
		runtime.KeepAlive(d)
	}
}

type flood struct {
	one   func(int) sent
	left  int
	at    int
	check func()
}

func (f *flood) LinkType() LinkType { return LinkRaw }

func (f *flood) ZeroCopyReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	f.check()
	if f.at == f.left {
		return nil, gopacket.CaptureInfo{}, io.EOF
	}
	b, wire := f.one(f.at).packet()
	f.at++
	return b, gopacket.CaptureInfo{Timestamp: time.Unix(1, 0), CaptureLength: len(b), Length: wire}, nil
}

// TestEvictionIsOldestFirst: of one datagram more than there is room for, the
// one that began first is lost, however much came of it since.
func TestEvictionIsOldestFirst(t *testing.T) {
	var list []sent
	for id := range uint32(maxPending + 1) {
		list = append(list, of(id, frag(0, 8)), of(0, frag(8, 16)))
	}
	list = list[:len(list)-1]
	for id := range uint32(maxPending) {
		list = append(list, of(id+1, frag(8, 32)))
	}
	d := NewDatagrams(sourceOf(list))
	for want := int64(maxPending*2 + 2); ; want++ {
		dg, err := d.Next()
		if err == io.EOF {
			break
		}
		if dg.N != want {
			t.Fatalf("want datagram %d next, got %d", want, dg.N)
		}
	}
	if counts := d.Counts(); counts.Datagrams != maxPending {
		t.Errorf("want all %d but the oldest, got %d", maxPending, counts.Datagrams)
	}
}

// TestFragmentsEndWithTheirSection: interfaces and comments are gone with it.
func TestFragmentsEndWithTheirSection(t *testing.T) {
	one, _ := frag(0, 16).packet()
	two, _ := frag(16, 32).packet()
	section := cat(shb(le), idb(le, LinkRaw, 0))
	d := NewDatagrams(readerOf(cat(section, epb(le, 0, 1, one), section, epb(le, 0, 1, two))))
	if dg, err := d.Next(); err != io.EOF {
		t.Errorf("got %v, %v", dg, err)
	}
	d.Reset(readerOf(cat(section, epb(le, 0, 1, one, opt(le, optComment, 'o', 'n', 'e')), epb(le, 0, 1, two, opt(le, optComment, 't', 'w', 'o')))))
	if _, err := d.Next(); err != nil {
		t.Fatal(err)
	}
	var comments []string
	for rec := range d.Records() {
		comments = append(comments, rec.Comments()...)
	}
	if fmt.Sprint(comments) != "[one two]" {
		t.Errorf("comments: %v", comments)
	}
}

// TestFragmentsNoAllocations: reassembly allocates nothing once it has what it
// needs.
func TestFragmentsNoAllocations(t *testing.T) {
	var list []sent
	for id := range uint32(20) {
		list = append(list, of(id, frag(16, 24)), of(id, frag(0, 16)), of(id, frag(24, 32)), of(id, frag(0, 16)), of(id, frag(8, 24)))
	}
	src := sourceOf(list)
	d := NewDatagrams(src)
	run := func() {
		src.at = 0
		for {
			if _, err := d.Next(); err != nil {
				return
			}
		}
	}
	run()
	if n := testing.AllocsPerRun(100, run); n != 0 {
		t.Errorf("want 0 allocations, got %v", n)
	}
}
