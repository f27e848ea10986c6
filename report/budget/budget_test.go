package budget

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
)

var captures = map[string]string{
	"rtype": session, "gaffer": "../../corpus/gaffer.pcap", "packets": "../../corpus/packets.pcap", "course": "../../corpus/course.pcap",
}

// Every bit of every packet is somebody's.
func TestFieldsAreAllBits(t *testing.T) {
	for name, file := range captures {
		p := builtIn(t, name)
		b := counted(p, capture(t, p, file), 0)
		sum := uint64(0)
		for _, f := range b.Fields() {
			sum += f.Bits
			if f.P50 > f.P99+f.P99/32 || f.P99 > f.Max+f.Max/32 || f.Max == 0 {
				t.Errorf("%s: %s: p50 %d, p99 %d, max %d", name, f.Path, f.P50, f.P99, f.Max)
			}
			if f.Width > 0 && f.Bits != uint64(f.Width)*f.Times {
				t.Errorf("%s: %s: %d bits for %d times %d", name, f.Path, f.Bits, f.Times, f.Width)
			}
			if f.Known && (f.Entropy < 0 || f.Width > 0 && f.Entropy > float64(f.Width) || f.Distinct.Value < 1) {
				t.Errorf("%s: %s: entropy %v of %v values in %d bits", name, f.Path, f.Entropy, f.Distinct, f.Width)
			}
		}
		if total := b.Total(); sum != 8*total.Bytes || total.Packets == 0 {
			t.Errorf("%s: %d bits in fields, want %d", name, sum, 8*total.Bytes)
		}
		packets := uint64(0)
		for _, c := range b.Cases() {
			packets += c.Packets
		}
		if len(b.Cases()) > 0 && packets != b.Packets() {
			t.Errorf("%s: %d packets in cases, want %d", name, packets, b.Packets())
		}
	}
}

// Fields are in the order of the steps: the index that ends a list comes after those of its elements, which one step
// reads.
func TestFieldsAreInWireOrder(t *testing.T) {
	p := compile(t, "a.pks", "protocol a\norder msb\npacket {\n    s subset(sentinel) [3]bits(6)\n    b subset(bitmap) [3]bits(5)\n    c uint8\n}\n")
	b := counted(p, packetsOf([]byte{1<<6 | 33, 3<<6 | 0b010<<3 | 0b00<<1 | 1, 0b1<<7 | 7<<2, 9 << 2}), 0)
	var got []string
	for _, f := range b.Fields() {
		got = append(got, f.Path)
	}
	if want := "s[].index s.end s[].value b.present b[].value c (rest of the last byte)"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s; %d packets", got, want, b.Packets())
	}
}

// What comes several times in a packet takes as many times its width there, however often it comes in all.
func TestFieldsOfLists(t *testing.T) {
	b := counted(compile(t, "a.pks", "protocol a\norder msb\npacket {\n    n uint8\n    x [n]uint16\n}\n"),
		packetsOf([]byte{0}, []byte{3, 0, 1, 0, 2, 0, 3}, []byte{1, 0, 1}), 0)
	f := fieldOf(t, b, "x[]")
	if f.Times != 4 || f.Bits != 4*16 || f.Width != 16 || f.P50 != 16 || f.Max != 3*16 {
		t.Errorf("got %+v", f)
	}
}

// A secret that says how large a window is also says how much of it is padding. So padding is not shown apart, though
// every field is of a size that is known.
func TestPaddingOfASecret(t *testing.T) {
	b := counted(compile(t, "a.pks", "protocol a\norder msb\npacket {\n    n bits(3) @secret\n    within(n + 8 bits) { x uint8 }\n    y uint8\n}\n"),
		packetsOf([]byte{0, 0, 0}, []byte{5 << 5, 0, 0}), 0)
	if b.Packets() != 2 {
		t.Fatalf("%d packets", b.Packets())
	}
	for _, f := range b.Fields() {
		if f.Class == Padding {
			t.Errorf("%s of %d bits is shown", f.Path, f.Bits)
		}
	}
	fieldOf(t, b, "(masked)")
}

// Ten slices, each saved and read again, merge to the bytes of the whole: counts, histograms and samples alike.
func TestTenSlicesAreTheWhole(t *testing.T) {
	for name, file := range captures {
		p := builtIn(t, name)
		packets := capture(t, p, file)
		whole := counted(p, packets, 100).AppendJSON(nil)
		var merged *Budget
		for i := range 10 {
			i = (7*i + 3) % 10 // in another order
			part := counted(p, packets[i*len(packets)/10:(i+1)*len(packets)/10], 100)
			list, err := Read(bytes.NewReader(part.AppendJSON(nil)))
			if err != nil || len(list) != 1 {
				t.Fatalf("%s: slice %d: %v, %d budgets", name, i, err, len(list))
			}
			if merged == nil {
				merged = list[0]
			} else if err := merged.Merge(list[0]); err != nil {
				t.Fatal(err)
			}
		}
		if got := merged.AppendJSON(nil); !bytes.Equal(got, whole) {
			t.Errorf("%s: merged\n%.600s\nwhole\n%.600s", name, got, whole)
		}
	}
}

func TestMergeRefuses(t *testing.T) {
	one := compile(t, "a.pks", "protocol a\norder msb\npacket { x uint16 }\n")
	other := compile(t, "a.pks", "protocol a\norder msb\npacket { y uint16 }\n")
	const withParam = "protocol a\norder msb\nparam N = 3 in 1..9\npacket { x int(0..N) }\n"
	for name, b := range map[string]*Budget{"schema": New(other, 0), "limit": New(one, 9), "param": New(compile(t, "a.pks", withParam), 0)} {
		if err := New(one, 0).Merge(b); err == nil || !strings.Contains(err.Error(), "different") {
			t.Errorf("another %s: %v", name, err)
		}
	}
	full := New(one, 0)
	full.all.packets, full.all.bytes = 1, saved.MaxCount/8
	b := counted(one, packetsOf([]byte{1, 2}), 0)
	before := b.AppendJSON(nil)
	if err := b.Merge(full); err == nil {
		t.Error("more packets than can be counted were merged")
	}
	if !bytes.Equal(b.AppendJSON(nil), before) {
		t.Error("a refused merge left something after")
	}
}

// Refused and cut packets are counted apart; a cut packet that breaks a rule in what is there is refused.
func TestOnlyWholeAcceptedPackets(t *testing.T) {
	p := compile(t, "a.pks", "protocol a\norder msb\npacket {\n    x uint8 in 0..9\n    y uint8\n}\n")
	packets := packetsOf([]byte{1, 2}, []byte{10, 2}, []byte{1}, []byte{1}, []byte{1, 2}, []byte{11})
	packets[3].Cut, packets[4].Cut, packets[5].Cut = true, true, true
	b := counted(p, packets, 0)
	refused, refusedBytes := b.Refused()
	cut, cutBytes := b.Cut()
	if b.Packets() != 1 || refused != 3 || refusedBytes != 2+1+1 || cut != 2 || cutBytes != 1+2 {
		t.Errorf("%d accepted, %d refused in %d, %d cut in %d", b.Packets(), refused, refusedBytes, cut, cutBytes)
	}
	if text := string(New(p, 0).AppendText(nil, TextOptions{})); text != "a: 0 packets, 0 bytes\n" {
		t.Errorf("of nothing: %q", text)
	}
}

// A stranger who sends every value there is takes no more memory than who sends a few.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	p := builtIn(t, "rtype")
	packets := capture(t, p, session)
	b := counted(p, packets, 0)
	d := decode.New(p)
	var trace decode.Trace
	packet := scan.Packet{Trace: &trace}
	at := 0
	allocs := testing.AllocsPerRun(len(packets), func() {
		c := &packets[at%len(packets)]
		_ = d.Decode(c.payload, c.from, &trace)
		packet.Envelope = c.Envelope
		b.Add(&packet)
		at++
	})
	if allocs != 0 {
		t.Errorf("%v allocations a packet", allocs)
	}
}

// A secret's value is in no view and in no part.
func TestSecretsHaveNoValues(t *testing.T) {
	p := compile(t, "a.pks", `protocol a
order msb
packet {
    key   uint32 @secret
    small uint8 @secret
    f     float32 @secret
    name  char(8) @secret
    plain uint32
}
`)
	var packets []captured
	for range 200 {
		packets = append(packets, packetsOf([]byte("\x49\x96\x02\xd2\x63\x42\xf6\xe9\x79hunter2\x00\x01\x02\x03\x04"))...)
	}
	b := counted(p, packets, 0)
	list, err := Read(bytes.NewReader(b.AppendJSON(nil)))
	if err != nil {
		t.Fatal(err)
	}
	views := [][]byte{b.AppendText(nil, TextOptions{}), b.AppendText(nil, TextOptions{All: true}), b.AppendJSON(nil), b.appendState(nil), list[0].AppendText(nil, TextOptions{All: true})}
	for i, view := range views {
		for _, secret := range []string{"1234567890", "123.45", "hunter2", "\x49\x96\x02\xd2", "\xd2\x85\xd8\xcc\x04"} { // the last: as a uvarint
			if bytes.Contains(view, []byte(secret)) {
				t.Errorf("view %d holds %q", i, secret)
			}
		}
		if i < 3 && !bytes.Contains(view, []byte("16909060")) {
			t.Errorf("view %d does not hold the value that is no secret:\n%s", i, view)
		}
	}
	for i := range p.Leaves {
		if v := &b.values[i]; p.Nodes[p.Info[i].Node].Secret && (v.seen || v.direct != nil || v.sample.used > 0 || v.digits > 0) {
			t.Errorf("leaf %d keeps values", i)
		}
	}
	for _, s := range b.Suggestions() {
		if s.Field != "plain" {
			t.Errorf("suggested %s", s.Declaration())
		}
	}
}

// What a stranger named, a file or a constant of a schema, shows and does nothing.
func TestNamesAreEscaped(t *testing.T) {
	p := compile(t, "\x1b[2J.pks", "protocol a\norder msb\npacket {\n    n uint8\n    x [n]uint8 @budget(1 bits) // \u202e\n}\n")
	packets := packetsOf([]byte{1, 2})
	packets[0].File = "a\x1b[2J\u202e.pcap"
	b := counted(p, packets, 1)
	for _, view := range []string{string(b.AppendText(nil, TextOptions{Files: true})), string(b.AppendText(nil, TextOptions{All: true, Files: true})), string(b.AppendJSON(nil))} {
		if strings.ContainsAny(view, "\x1b\u202e") || !strings.Contains(view, "2J") {
			t.Errorf("%q", view)
		}
	}
	list, err := Read(bytes.NewReader(b.AppendJSON(nil)))
	if err != nil || list[0].Broken()[0].File != packets[0].File || !bytes.Equal(list[0].Plan().Schema.File.Src, p.Schema.File.Src) {
		t.Errorf("read again, names are others: %v", err)
	}
}

func BenchmarkAdd(b *testing.B) {
	p := builtIn(b, "rtype")
	packets := capture(b, p, session)
	var traces []decode.Trace
	bytes := int64(0)
	for i := range packets {
		var t decode.Trace
		if decode.New(p).Decode(packets[i].payload, packets[i].from, &t) == nil {
			traces = append(traces, t)
			bytes += int64(len(packets[i].payload))
		}
	}
	sum := New(p, 0)
	packet := scan.Packet{Envelope: packets[0].Envelope}
	b.SetBytes(bytes / int64(len(traces)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		packet.Trace = &traces[i%len(traces)]
		sum.Add(&packet)
	}
}
