package gogen

import (
	"fmt"
	"strings"
)

// The test file of a generated package: a fuzz target and a benchmark, both of which begin with valid packets where the
// caller gave some. Zeros would be refused by the first checksum or constant, and nothing after it be fuzzed or
// measured.

// Seed is a packet that the protocol accepts.
type Seed struct {
	Data []byte
	From uint8 // who sends it: 0 unknown, 1 the client, 2 the server
}

var senders = [...]string{"FromUnknown", "FromClient", "FromServer"}

// tests is the fuzz test and the benchmark beside the code.
func (g *gen) tests(name string, seeds []Seed) []byte {
	var b strings.Builder
	b.WriteString("package " + name + `

// FuzzDecode holds that no datagram makes a PacketReader panic, and that what it accepts is written back as it was, but
// for up to seven bits after the last field.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{}, uint8(0))
	f.Add(make([]byte, 64), uint8(1))
`)
	if len(seeds) > 0 {
		b.WriteString("for _, s := range accepted { f.Add([]byte(s.data), uint8(s.from)) }\n")
	}
	b.WriteString(`	f.Fuzz(func(t *testing.T, data []byte, from uint8) {
		var r PacketReader
		var v, again Packet
		side := From(from % 3)
		if err := r.Decode(data, side, &v); err != nil {
			if err.Error() == "" {
				t.Error("a reject without words")
			}
			return
		}
		out, err := v.Append(nil, side)
		if err != nil {
			t.Fatalf("accepted, but not written back: %v", err)
		}
		if n := r.Bits() / 8; !bytes.Equal(out[:n], data[:n]) && !sealed {
			t.Fatalf("%x is written back as %x", data, out)
		}
		if err := r.Decode(out, side, &again); err != nil {
			t.Fatalf("what was written is refused: %v", err)
		}
	})
}

// sealed: the packet has a checksum, which covers bits after the last field, too.
const sealed = ` + fmt.Sprint(len(g.p.Checksums) > 0) + "\n")
	if len(seeds) == 0 {
		b.WriteString(`
// BenchmarkDecode reads a datagram of zeros, accepted or not; give it one of your own.
func BenchmarkDecode(b *testing.B) {
	var r PacketReader
	var v Packet
	data := make([]byte, min(MaxDatagram, (MaxBits+7)/8))
	b.ReportAllocs()
	for b.Loop() {
		_ = r.Decode(data, FromUnknown, &v)
	}
}
`)
		return []byte(b.String())
	}
	b.WriteString(`
// accepted are valid packets, made at random.
var accepted = [...]struct {
	data string
	from From
}{
`)
	for _, s := range seeds {
		fmt.Fprintf(&b, "{%s, %s},\n", hexadecimal(s.Data), senders[s.From%3])
	}
	b.WriteString(`}

// BenchmarkDecode reads the accepted packets in turn: a time is that of their average.
func BenchmarkDecode(b *testing.B) {
	var r PacketReader
	var v Packet
	var all [len(accepted)][]byte
	size := 0
	for i, s := range accepted {
		all[i] = []byte(s.data)
		size += len(s.data)
	}
	b.SetBytes(int64(size / len(all)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s := i % len(all)
		if err := r.Decode(all[s], accepted[s].from, &v); err != nil {
			b.Fatal(err)
		}
	}
}
`)
	return []byte(b.String())
}

// hexadecimal is a Go string of any bytes.
func hexadecimal(data []byte) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range data {
		fmt.Fprintf(&b, `\x%02x`, c)
	}
	b.WriteByte('"')
	return b.String()
}
