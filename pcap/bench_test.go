package pcap

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/pcapgo"
)

// benchPackets is the number of packets in a benchmark's capture: large enough
// that the file does not stay in the buffer.
const benchPackets = 20_000

// benchPayload makes packets of 155 bytes with their record header.
var benchPayload = repeat(155 - 16 - 14 - 20 - 8)

func benchClassic() []byte {
	b := fileHeader(le, magicMicro, uint32(LinkEthernet))
	for i := range uint32(benchPackets) {
		b = append(b, honestRecord(le, 1_600_000_000+i/1000, i%1000, etherUDP(benchPayload))...)
	}
	return b
}

func benchNG() []byte {
	b := cat(shb(le), idb(le, LinkEthernet, 0))
	for i := range uint64(benchPackets) {
		b = append(b, epb(le, 0, 1_600_000_000_000_000+i, etherUDP(benchPayload))...)
	}
	return b
}

// drain runs one pass per benchPackets iterations; open starts a pass and
// returns what reads one packet.
func drain(b *testing.B, file []byte, open func() func() error) {
	b.SetBytes(int64(len(file) / benchPackets))
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; {
		next := open()
		for ; n < b.N; n++ {
			if err := next(); err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpackets/s")
}

func BenchmarkReader(b *testing.B) {
	for _, f := range []struct {
		name string
		file []byte
	}{{"pcap", benchClassic()}, {"pcapng", benchNG()}} {
		b.Run(f.name, func(b *testing.B) {
			r := NewReader(nil)
			drain(b, f.file, func() func() error {
				r.Reset(bytes.NewReader(f.file))
				return func() error { _, _, err := r.ZeroCopyReadPacketData(); return err }
			})
		})
	}
}

func BenchmarkDatagrams(b *testing.B) {
	for _, f := range []struct {
		name string
		file []byte
	}{{"pcap", benchClassic()}, {"pcapng", benchNG()}} {
		b.Run(f.name, func(b *testing.B) {
			r := NewReader(nil)
			d := NewDatagrams(r)
			drain(b, f.file, func() func() error {
				r.Reset(bytes.NewReader(f.file))
				d.Reset(r)
				return func() error { _, err := d.Next(); return err }
			})
		})
	}
}

// BenchmarkCompressed reads compressed captures; MB/s are of the capture. Half of
// each payload is noise, as bit-packed packets are.
func BenchmarkCompressed(b *testing.B) {
	file := cat(shb(le), idb(le, LinkEthernet, 0))
	noise := rand.NewPCG(1, 2)
	for i := range uint64(benchPackets) {
		payload := bytes.Clone(benchPayload)
		for at := 0; at+8 <= len(payload)/2; at += 8 {
			le.PutUint64(payload[at:], noise.Uint64())
		}
		file = append(file, epb(le, 0, 1_600_000_000_000_000+i, etherUDP(payload))...)
	}
	for _, f := range []struct {
		name   string
		packed []byte
	}{{"gzip", gzipped(file)}, {"zstd", zstded(file)}} {
		b.Run(f.name, func(b *testing.B) {
			r := NewReader(nil)
			d := NewDatagrams(r)
			drain(b, file, func() func() error {
				r.Reset(bytes.NewReader(f.packed))
				d.Reset(r)
				return func() error { _, err := d.Next(); return err }
			})
		})
	}
}

// BenchmarkFragments reassembles datagrams of three fragments; the packets are
// the fragments.
func BenchmarkFragments(b *testing.B) {
	data := udp(repeat(1480*2 + 500))
	file := cat(shb(le), idb(le, LinkRaw, 0))
	for i := range benchPackets {
		off := i % 3 * 1480
		end := min(off+1480, len(data))
		p, _ := sent{id: uint32(i / 3), off: off, more: end < len(data), data: data[off:end]}.packet()
		file = append(file, epb(le, 0, uint64(i), p)...)
	}
	r := NewReader(nil)
	d := NewDatagrams(r)
	b.ReportAllocs()
	b.SetBytes(int64(len(file)))
	packets := uint64(0)
	for b.Loop() {
		r.Reset(bytes.NewReader(file))
		d.Reset(r)
		for err := error(nil); err == nil; {
			_, err = d.Next()
		}
		counts := d.Counts()
		packets += counts.Packets
	}
	b.ReportMetric(float64(packets)/b.Elapsed().Seconds()/1e6, "Mpackets/s")
}

// BenchmarkWorstFragments is the dearest flood: each fragment has its place
// after all that wait of its datagram, but for the last.
func BenchmarkWorstFragments(b *testing.B) {
	one := floods()["eight bytes, after all but the last"]
	loop := &packets{link: LinkRaw}
	for i := range 8000 {
		p, _ := one(i).packet()
		loop.list = append(loop.list, p)
	}
	d := NewDatagrams(loop)
	b.ReportAllocs()
	for b.Loop() {
		loop.at = 0
		d.Next()
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(len(loop.list)), "ns/packet")
}

// BenchmarkWriter copies a capture's datagrams.
func BenchmarkWriter(b *testing.B) {
	file := benchNG()
	r := NewReader(nil)
	d := NewDatagrams(r)
	w := NewWriter(io.Discard, Section{})
	drain(b, file, func() func() error {
		r.Reset(bytes.NewReader(file))
		d.Reset(r)
		return func() error {
			if _, err := d.Next(); err != nil {
				return err
			}
			return w.WriteDatagram(d)
		}
	})
}

// BenchmarkGopacket is the peer: pcapgo's readers alone.
func BenchmarkGopacket(b *testing.B) {
	peer := func(src gopacket.ZeroCopyPacketDataSource) func() error {
		return func() error { _, _, err := src.ZeroCopyReadPacketData(); return err }
	}
	classic, ng := benchClassic(), benchNG()
	b.Run("pcap", func(b *testing.B) {
		drain(b, classic, func() func() error {
			r, err := pcapgo.NewReader(bytes.NewReader(classic))
			if err != nil {
				b.Fatal(err)
			}
			return peer(r)
		})
	})
	b.Run("pcapng", func(b *testing.B) {
		drain(b, ng, func() func() error {
			r, err := pcapgo.NewNgReader(bytes.NewReader(ng), pcapgo.DefaultNgReaderOptions)
			if err != nil {
				b.Fatal(err)
			}
			return peer(r)
		})
	})
}
