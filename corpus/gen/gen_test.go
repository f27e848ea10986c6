package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/pcap"
)

// The files under corpus/ are what the command makes, byte for byte.
func TestCommitted(t *testing.T) {
	for name, write := range committed(committedSeed) {
		var made bytes.Buffer
		if err := write(&made); err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(file, made.Bytes()) {
			t.Errorf("corpus/%s is not what `go run ./corpus/gen` makes", name)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	rows := []struct {
		out, protocol string
		packets       int
		args          []string
		want          string
	}{
		{"", "rtype", 10, nil, "-packets goes with -o: the committed files have their own lengths"},
		{"x", "rtype", -1, nil, "-packets: want 0 or more, got -1"},
		{"x", "nosuch", 1, nil, `-protocol: want rtype or packets, got "nosuch"`},
		{"", "rtype", 0, []string{"x"}, `want no arguments, got ["x"]`},
	}
	for _, row := range rows {
		dir := t.TempDir()
		out := row.out
		if out != "" {
			out = filepath.Join(dir, out)
		}
		err := run(dir, out, row.protocol, row.packets, 1, row.args)
		if err == nil || err.Error() != row.want {
			t.Errorf("want %q, got %v", row.want, err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%q: left %d files behind", row.want, len(left))
		}
	}
}

func TestRunWrites(t *testing.T) {
	dir := t.TempDir()
	if err := run(dir, "", "rtype", 0, committedSeed, nil); err != nil {
		t.Fatal(err)
	}
	for name := range committed(committedSeed) {
		made, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || len(made) == 0 {
			t.Errorf("%s: %d bytes, %v", name, len(made), err)
		}
	}
	path := filepath.Join(dir, "short.pcap")
	if err := run(dir, path, "rtype", 100, committedSeed, nil); err != nil {
		t.Fatal(err)
	}
	// A shorter session of the same seed is the beginning of the longer one.
	short, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(corpus.Capture("rtype"), short) {
		t.Errorf("100 packets, %d bytes, do not begin the committed session: %v", len(short), err)
	}
}

// broken is a writer with room for n bytes.
type broken struct{ n int }

var errFull = errors.New("full")

func (w *broken) Write(b []byte) (int, error) {
	if w.n -= len(b); w.n < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// A session ends where it cannot be written any more.
func TestWriteFails(t *testing.T) {
	for _, room := range []int{0, 23, 24, 100, 5000} {
		if err := writeCapture(&broken{room}, playRType, 1000, 1); err != errFull {
			t.Errorf("room for %d bytes: got %v", room, err)
		}
	}
}

func loadDecoder(t testing.TB, name string) *decode.Decoder {
	t.Helper()
	src, _ := protocols.Source(name)
	s, diags := schema.Load(name+".pks", src, nil)
	if s == nil {
		t.Fatalf("%s: %v", name, diags)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		t.Fatalf("%s: %v", name, diags)
	}
	return decode.New(p)
}

// This command and the decoder know the wire from different places. What one writes the other accepts, and what one
// broke the other refuses: the kind, the path and the bit.
func TestDecoderAgrees(t *testing.T) {
	for name, session := range sessions {
		for _, seed := range []uint64{committedSeed, 2, 3} {
			t.Run(fmt.Sprintf("%s/%d", name, seed), func(t *testing.T) {
				const n = 6000
				var file bytes.Buffer
				if err := writeCapture(&file, session.play, n, seed); err != nil {
					t.Fatal(err)
				}
				var want []verdict
				session.play(seed, &sink{left: n, put: func(p *packet) error {
					want = append(want, p.want)
					return nil
				}})
				compare(t, loadDecoder(t, name), &file, want)
			})
		}
	}
}

func compare(t *testing.T, d *decode.Decoder, file io.Reader, want []verdict) {
	var trace decode.Trace
	cases := map[uint64]int{}
	kinds := map[reject.Kind]int{}
	datagrams := pcap.NewDatagrams(pcap.NewReader(file))
	last := int64(0)
	for n := 0; ; n++ {
		dg, err := datagrams.Next()
		if err == io.EOF {
			if n != len(want) {
				t.Fatalf("want %d packets, got %d", len(want), n)
			}
			break
		}
		if err != nil || dg.Cut || dg.LengthMismatch {
			t.Fatalf("packet %d: %v, %+v", n+1, err, dg)
		}
		if dg.Time <= last {
			t.Fatalf("packet %d: time %d behind %d", n+1, dg.Time, last)
		}
		last = dg.Time
		from := decode.DirectionOf(d.Plan().Schema, dg.Src.Port(), dg.Dst.Port())
		var got verdict
		if err := d.Decode(dg.Payload, from, &trace); err != nil {
			r := trace.Reject()
			got = verdict{kind: r.Kind.String(), path: r.Path(), bit: r.Bit}
			kinds[r.Kind]++
		} else {
			cases[trace.Tag]++
			for _, note := range trace.Notes {
				got.note += note.Kind.String()
			}
		}
		if got != want[n] {
			t.Errorf("packet %d, % x: want %+v, got %+v", n+1, dg.Payload, want[n], got)
		}
	}
	sw := d.Plan().Switches[0]
	for _, e := range sw.Entries {
		if cases[e.Lo] == 0 {
			t.Errorf("no packet of case %s", sw.Item.Arms[e.Arm].Label)
		}
	}
	t.Logf("cases %v, rejects %v", cases, kinds)
}

// The committed session has every kind of hostile packet in it, and every kind of reject that R-Type knows.
func TestSessionShowsAll(t *testing.T) {
	for name, list := range map[string][]string{
		"rtype":   {"past-end", "out-of-range", "unknown-case", "reserved-nonzero", "bad-string", "trailing-bytes", "datagram-size"},
		"packets": {"past-end", "out-of-range", "crc-mismatch", "check-mismatch", "nonzero-padding", "trailing-bytes", "datagram-size"},
	} {
		session := sessions[name]
		seen := map[string]int{}
		session.play(committedSeed, &sink{left: session.committed, put: func(p *packet) error {
			seen[p.want.kind+p.want.note]++
			return nil
		}})
		for _, kind := range list {
			if seen[kind] == 0 {
				t.Errorf("%s: no %s in the committed session: %v", name, kind, seen)
			}
		}
	}
}

// The frames are right for other readers too: checksums over every header add up to all ones.
func TestChecksums(t *testing.T) {
	playRType(1, &sink{left: 500, put: func(p *packet) error {
		frame := appendFrame(nil, p.from, p.to, 7, p.payload)
		ip, length := frame[14:], 8+len(p.payload)
		udp := ip[len(ip)-length:]
		if len(p.from.addr) == 4 && fold(sum(0, ip[:20])) != 0xFFFF {
			t.Fatalf("IPv4 header % x does not add up", ip[:20])
		}
		if s := sum(sum(sum(uint32(length)+ipUDP, p.from.addr), p.to.addr), udp); fold(s) != 0xFFFF {
			t.Fatalf("UDP % x does not add up", udp)
		}
		return nil
	}})
}

// Every seed is accepted without a note, and every message has one.
func TestSeedsAccepted(t *testing.T) {
	directions := map[string]decode.Direction{corpus.Client: decode.Client, corpus.Server: decode.Server, corpus.Unknown: decode.Unknown}
	for _, name := range corpus.Protocols() {
		d := loadDecoder(t, name)
		var trace decode.Trace
		seen := map[uint64]bool{}
		for _, s := range corpus.Seeds(name) {
			if err := d.Decode(s.Data, directions[s.From], &trace); err != nil || len(trace.Notes) > 0 {
				t.Errorf("%s %s: %v, %d notes", name, s.Name, err, len(trace.Notes))
			}
			seen[trace.Tag] = true
		}
		var missing []string
		sw := d.Plan().Switches[0]
		for _, e := range sw.Entries {
			if !seen[e.Lo] {
				missing = append(missing, sw.Item.Arms[e.Arm].Label)
			}
		}
		if missing != nil {
			t.Errorf("%s: no seed of %s", name, strings.Join(missing, ", "))
		}
	}
}

func BenchmarkRType(b *testing.B) {
	b.ReportAllocs()
	n := &counter{}
	for b.Loop() {
		if err := writeCapture(n, playRType, 100_000, 1); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(n.bytes / int64(b.N))
	b.ReportMetric(float64(b.N)*100_000/b.Elapsed().Seconds(), "packets/s")
}

type counter struct{ bytes int64 }

func (c *counter) Write(b []byte) (int, error) {
	c.bytes += int64(len(b))
	return len(b), nil
}
