package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/examples"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
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
		{"x", "nosuch", 1, nil, `-protocol: want course, gaffer, packets or rtype, got "nosuch"`},
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
			t.Errorf("%q: left %d files after", row.want, len(left))
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
	src, builtIn := protocols.Source(name)
	if !builtIn {
		src, _ = examples.Source(name)
	}
	d, err := decode.LoadFS(protocols.Dir(), name+".pks", src)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// This command and the decoder know the wire from different places. What one writes the other accepts, and what one
// broke the other refuses: the kind, the path and the bit.
func TestDecoderAgrees(t *testing.T) {
	need.OneGoroutine(t)
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

// messages are the cases of a protocol's packets by their tags; a protocol with one kind of packet has none.
func messages(d *decode.Decoder) map[uint64]string {
	labels := map[uint64]string{}
	if p := d.Plan(); len(p.Switches) > 0 {
		for _, e := range p.Switches[0].Entries {
			labels[e.Lo] = p.Switches[0].Item.Arms[e.Arm].Label
		}
	}
	return labels
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
			t.Fatalf("packet %d: time %d after %d", n+1, dg.Time, last)
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
	for tag, label := range messages(d) {
		if cases[tag] == 0 {
			t.Errorf("no packet of case %s", label)
		}
	}
	t.Logf("cases %v, rejects %v", cases, kinds)
}

// The committed captures, as the decoder judges them: how many packets are accepted, and how many refused for what.
func TestCommittedVerdicts(t *testing.T) {
	for name, want := range map[string]map[string]int{
		"rtype": {
			"accepted": 1766, "note wrong-direction": 2, "past-end": 11, "out-of-range": 11, "unknown-case": 4,
			"reserved-nonzero": 3, "bad-string": 2, "trailing-bytes": 2, "datagram-size": 1,
		},
		"packets": {
			"accepted": 214, "past-end": 9, "out-of-range": 4, "unknown-case": 2, "crc-mismatch": 4, "check-mismatch": 4,
			"nonzero-padding": 1, "trailing-bytes": 1, "datagram-size": 1,
		},
		"gaffer": {
			"accepted": 268, "note non-canonical": 3, "past-end": 8, "out-of-range": 11, "not-increasing": 4, "non-unit": 1,
			"crc-mismatch": 4, "check-mismatch": 2, "nonzero-padding": 1, "trailing-bytes": 1,
		},
		"course": {
			"accepted": 215, "note trailing-bits": 1, "past-end": 12, "out-of-range": 10, "trailing-bytes": 3,
		},
	} {
		d := loadDecoder(t, name)
		var trace decode.Trace
		got := map[string]int{}
		for datagrams := pcap.NewDatagrams(pcap.NewReader(bytes.NewReader(corpus.Capture(name)))); ; {
			dg, err := datagrams.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Decode(dg.Payload, decode.DirectionOf(d.Plan().Schema, dg.Src.Port(), dg.Dst.Port()), &trace); err != nil {
				got[trace.Reject().Kind.String()]++
				continue
			}
			got["accepted"]++
			for _, note := range trace.Notes {
				got["note "+note.Kind.String()]++
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: want %v, got %v", name, want, got)
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
	directions := map[string]decode.Direction{corpus.Client: decode.Client, corpus.Server: decode.Server, corpus.Unknown: decode.FromUnknown}
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
		for tag, label := range messages(d) {
			if !seen[tag] {
				missing = append(missing, label)
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

// The wire of the course, from its chapter: the test packet's bytes.
func TestCourseChapter(t *testing.T) {
	want := []byte{0x05, 0xA2, 0xDA, 0x9D, 0x7B, 0x00}
	if got := chapterPacket.append(nil); !bytes.Equal(got, want) {
		t.Errorf("want % x, got % x", want, got)
	}
}

// The balls obey: they stay in their yard and on its floor, no faster than the wire can say, each turned by a rotation
// of length one; and between the kicks some come to rest.
func TestBalls(t *testing.T) {
	w := newBalls(rand.New(rand.NewPCG(committedSeed, 0)))
	rests, wakes := 0, 0
	for n := range 1200 {
		if n%150 == 149 {
			w.kick()
		}
		before := w.list
		w.step()
		for i := range w.list {
			b := &w.list[i]
			if p := b.position; math.Abs(p[0]) > yard || p[1] < radius || p[1] > 40 || math.Abs(p[2]) > yard {
				t.Fatalf("step %d: ball %d is at %v", n, i, p)
			}
			if s := squares(b.rotation[:]); math.Abs(s-1) > 1e-9 {
				t.Fatalf("step %d: ball %d is turned by %v", n, i, b.rotation)
			}
			for k := range 3 {
				if math.Abs(b.linear[k]) > 10 || math.Abs(b.angular[k]) > 20 {
					t.Fatalf("step %d: ball %d moves at %v, turns at %v", n, i, b.linear, b.angular)
				}
			}
			switch {
			case b.atRest && !before[i].atRest:
				rests++
			case !b.atRest && n > 0:
				wakes++
			case b.atRest && (b.linear != vector{} || b.position != before[i].position):
				t.Fatalf("step %d: ball %d moves at rest", n, i)
			}
		}
	}
	if rests < 8 || wakes == 0 {
		t.Errorf("%d came to rest, %d steps were moves", rests, wakes)
	}
}
