package decode_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/decode"
)

// acceptsAsRead holds that Accepts says of a packet what Read does.
func acceptsAsRead(t *testing.T, name string, d *decode.Decoder, packet []byte, read, judged *decode.Trace) {
	t.Helper()
	for _, from := range []decode.Direction{decode.FromUnknown, decode.Client, decode.Server} {
		p := decode.Packet{Data: packet, From: from}
		d.Read(&p, read)
		want := !read.Rejected() && len(read.Notes) == 0
		if got := d.Accepts(&p, judged); got != want {
			t.Errorf("%s: % x from %v: accepted %t, and read: %v, %d notes", name, packet, from, got, read.Reject(), len(read.Notes))
		}
	}
}

// What the tables refuse is not accepted, nor is it at any of its truncations what Read would refuse; and so it is with
// single bits turned over.
func TestAcceptsRefusals(t *testing.T) {
	var read, judged decode.Trace
	for _, row := range refusals {
		d := protocol(t, row.order, row.decls, row.body)
		packet := unhex(t, row.packet)
		for n := range len(packet) + 1 {
			acceptsAsRead(t, row.name, d, packet[:n], &read, &judged)
		}
		for bit := range 8 * len(packet) {
			other := slices.Clone(packet)
			other[bit/8] ^= 1 << (bit % 8)
			acceptsAsRead(t, row.name, d, other, &read, &judged)
		}
	}
}

// Words and what is beside them: runs that a word guards in part, in all orders, alone, as elements, at the datagram's
// end and in less than eight bytes; values that others are read by; and sums of leaves.
func TestAcceptsShapes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, body := range []string{
		"a bits(3)\nb int(0..4)\nc bits(7)\nd bool\ne int(-3..3)",
		"n int(0..3)\nv [n]{ a bits(5), b int(0..6), c bits(3), d int(1..9) }\nalign",
		"n int(0..3)\nv [n]{ a uint16 in 0..300, b uint8, c uint16 in 0..40000, d uint32, e int8 in -100..100 }\nalign",
		"a uint64 in 0..18446744073709551614\nb bits(1)\nc uint64 in 5..18446744073709551615\nd bits(7)",
		"t uint8 in {1, 2, 4..200}\nif t > 3 { x uint16 in 3..60000 } else { y int(0..200) }\nalign",
		"n uint8 in 0..200\nm uint8 in 0..n\nz bits(8)",
		"q quat smallest3(4)\nr bits(2)",
		"n uint8 in 0..3\nt bytes(n)\nk varint(32)\nreserved(4) any\ng bits(4)",
	} {
		for _, order := range []string{"msb", "lsb", "bousk"} {
			d, err := decode.Load("t.pks", []byte("protocol t\norder "+order+"\npacket {\n"+body+"\n}\n"))
			if err != nil {
				t.Fatalf("%s: %v", order, err)
			}
			var read, judged decode.Trace
			accepted := 0
			packet := make([]byte, 24)
			for range 1000 {
				for i := range packet {
					some, others := random.Uint32(), random.Uint32()
					packet[i] = byte(some & others) // rather small numbers
				}
				for n := range len(packet) {
					acceptsAsRead(t, body, d, packet[:n], &read, &judged)
					if !read.Rejected() {
						accepted++
					}
				}
			}
			if accepted < 100 {
				t.Errorf("%s: of\n%s\n%d packets were accepted: too few to say anything", order, body, accepted)
			}
		}
	}
}

// The packets of flat97, and each of them with a bit turned over; nothing is allocated for either.
func TestAcceptsFlat97(t *testing.T) {
	d, packets := flat97(t)
	var read, judged decode.Trace
	for bit := range 8 * flat97Size {
		packet := slices.Clone(packets[bit%len(packets)])
		acceptsAsRead(t, "flat97", d, packet, &read, &judged)
		packet[bit/8] ^= 1 << (bit % 8)
		acceptsAsRead(t, "flat97, a bit turned over", d, packet, &read, &judged)
	}
	short := decode.Packet{Data: packets[0][:flat97Size-1]}
	whole := decode.Packet{Data: packets[0]}
	if n := testing.AllocsPerRun(100, func() {
		if !d.Accepts(&whole, &judged) || d.Accepts(&short, &judged) {
			t.Error("the whole packet is accepted, and the short one is not")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A datagram above the schema's most, and a Trace that records its path, are for Read.
func TestAcceptsLeavesToRead(t *testing.T) {
	d := protocol(t, "msb", "max datagram 4", "b bytes(rest, max 4)")
	var judged decode.Trace
	for _, row := range []struct {
		p    decode.Packet
		want bool
	}{
		{decode.Packet{Data: make([]byte, 4)}, true},
		{decode.Packet{Data: make([]byte, 5)}, false},
		{decode.Packet{Data: make([]byte, 4), Size: 5}, false},
	} {
		if got := d.Accepts(&row.p, &judged); got != row.want {
			t.Errorf("%d bytes of %d: %t", len(row.p.Data), row.p.Size, got)
		}
	}
	judged.RecordPath()
	if d.Accepts(&decode.Packet{Data: make([]byte, 4)}, &judged) {
		t.Error("accepted with its path, of which Accepts knows nothing")
	}
}

// BenchmarkAccepts judges what BenchmarkFlat97 decodes.
func BenchmarkAccepts(b *testing.B) {
	d, packets := flat97(b)
	var t decode.Trace
	b.SetBytes(flat97Size)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if !d.Accepts(&decode.Packet{Data: packets[i%len(packets)]}, &t) {
			b.Fatal("refused")
		}
	}
}
