package main

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/pcap"
)

// openTestView is the view of `decode` with some flags, which writes nowhere.
func openTestView(t testing.TB, set func(*viewFlags)) *view {
	t.Helper()
	var flags viewFlags
	cmd := &cobra.Command{Use: "decode"}
	flags.add(cmd)
	set(&flags)
	p := &program{stdout: os.Stdout, stderr: os.Stderr, colour: "never", out: newOutput(io.Discard)}
	v, err := p.openView(cmd, &flags, false)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// show shows a capture on so many goroutines.
func (v *view) show(t testing.TB, reader *pcap.Reader, workers int) {
	t.Helper()
	v.scan.Workers = workers
	if err := scanCapture(reader, "a.pcap", v.scan, v.stage(), &v.counts); err != nil {
		t.Fatal(err)
	}
}

func session(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/rtype-session.pcap")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// What is not shown costs no allocation: 4994 packets, 3 of them shown.
func TestViewAllocates(t *testing.T) {
	if need.Race {
		t.Skip("a race build allocates more")
	}
	v := openTestView(t, func(f *viewFlags) { f.only = "notes" })
	data := session(t)
	r := bytes.NewReader(data)
	reader := pcap.NewReader(r)
	of := func(data []byte) float64 {
		return testing.AllocsPerRun(5, func() {
			r.Reset(data)
			reader.Reset(r)
			v.show(t, reader, 1)
		})
	}
	none := of(data[:24]) // what a scan makes, of a file header alone
	const most = 36       // 3 lines with a note
	if n := of(data) - none; n > most {
		t.Errorf("%v allocations for 4994 packets, beside %v of a scan: want at most %d", n, none, most)
	} else {
		t.Logf("%v beside %v", n, none)
	}
}

// The way of a packet through `decode --only rejects`: file format, layers, decoding, choosing, and the 40 lines shown.
func BenchmarkOnlyRejects(b *testing.B) {
	benchmarkView(b, func(f *viewFlags) { f.only = "rejects" })
}

// The same way with every packet shown as JSON.
func BenchmarkJSON(b *testing.B) {
	benchmarkView(b, func(f *viewFlags) { f.format = "json" })
}

func benchmarkView(b *testing.B, set func(*viewFlags)) {
	v := openTestView(b, set)
	data := session(b)
	r := bytes.NewReader(data)
	reader := pcap.NewReader(r)
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		r.Reset(data)
		reader.Reset(r)
		v.show(b, reader, 1)
	}
	b.ReportMetric(float64(v.counts.Packets)/b.Elapsed().Seconds(), "packets/s")
}
