//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// million is how many R-Type packets BenchmarkMillion reads: 155 MB.
const million = 1_000_000

// BenchmarkMillion runs the whole program over a million R-Type packets, and in the same run tshark with a Lua dissector
// on the first of them, where it is installed. Compare the packets/s of one run; the megabytes are the most that was
// resident.
func BenchmarkMillion(b *testing.B) {
	dir := b.TempDir()
	capture, program := filepath.Join(dir, "million.pcap"), filepath.Join(dir, "pktscope")
	command(b, "go", "run", "../../corpus/gen", "-packets", fmt.Sprint(million), "-o", capture)
	command(b, "go", "build", "-o", program, ".")

	b.Run("decode-only-rejects", func(b *testing.B) { measure(b, million, program, "decode", "-q", "--only", "rejects", capture) })
	b.Run("decode-lines", func(b *testing.B) { measure(b, million, program, "decode", "-q", capture) })
	b.Run("decode-filter", func(b *testing.B) {
		measure(b, million, program, "decode", "-q", "-Y", `case == "Snapshot" && body.player_count > 2`, capture)
	})
	b.Run("decode-csv", func(b *testing.B) {
		measure(b, million, program, "decode", "-q", "-T", "csv", "-e", "pkt.n", "-e", "case", "-e", "sequence_num", capture)
	})
	b.Run("decode-json", func(b *testing.B) { measure(b, million, program, "decode", "-q", "-T", "json", capture) })
	b.Run("stats", func(b *testing.B) { measure(b, million, program, "stats", "-q", capture) })
	b.Run("budget", func(b *testing.B) { measure(b, million, program, "budget", "-q", capture) })
	b.Run("tshark-lua", func(b *testing.B) {
		const some = 50_000
		path, err := exec.LookPath("tshark")
		if err != nil {
			b.Skip("tshark is not installed")
		}
		measure(b, some, path, "-n", "-r", capture, "-c", fmt.Sprint(some), "-X", "lua_script:testdata/rtype.lua", "-Y", "rtype.bad")
	})
}

// measure times a program that reads so many packets.
func measure(b *testing.B, packets int, program string, args ...string) {
	var resident int64
	for b.Loop() {
		c := exec.Command(program, args...)
		c.Stdout = nil // the null device
		var stderr bytes.Buffer
		c.Stderr = &stderr
		if err := c.Run(); err != nil {
			b.Fatalf("%v: %s", err, stderr.Bytes())
		}
		if u, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
			resident = max(resident, u.Maxrss)
		}
	}
	b.ReportMetric(float64(packets)*float64(b.N)/b.Elapsed().Seconds(), "packets/s")
	b.ReportMetric(float64(resident)/1024, "MB-resident")
}

func command(b *testing.B, name string, args ...string) {
	b.Helper()
	c := exec.Command(name, args...)
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		b.Fatalf("%s: %v", name, err)
	}
}
