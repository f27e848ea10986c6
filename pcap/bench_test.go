package pcap

import (
	"bytes"
	"io"
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
