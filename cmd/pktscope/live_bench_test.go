//go:build linux

package main

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkLiveLossless looks for the highest rate that `live` takes without a drop, and the one that `tcpdump -w /dev/null`
// takes, over the same veth pair in the same run: a second at each of some rates, until one drops. What the sender can do is
// the limit of both.
//
//	go test -run '^$' -bench LiveLossless -benchtime 1x ./cmd/pktscope
func BenchmarkLiveLossless(b *testing.B) {
	if _, err := exec.LookPath("tcpdump"); err != nil {
		b.Skip("no tcpdump to compare with: ", err)
	}
	vethPair(b)
	in := newInjector(b, "v0")
	frames := sessionFrames(b, 64, false)
	programs := []struct {
		name string
		args []string
		drop string // where its last words tell the drops
	}{
		{"live", []string{"pktscope", "live", "-i", "v1", "--only", "rejects"}, `dropped by the kernel: (\d+) of`},
		{"live-w", []string{"pktscope", "live", "-i", "v1", "-w", "/dev/null"}, `dropped by the kernel: (\d+) of`},
		{"tcpdump", []string{"tcpdump", "-i", "v1", "-B", "4096", "-w", "/dev/null", "udp port 4124"}, `(\d+) packets dropped by kernel`},
	}
	for range b.N {
		for _, p := range programs {
			best := 0.0
			for _, rate := range []int{25e3, 50e3, 100e3, 150e3, 200e3, 300e3, 400e3, 500e3} {
				r := &running{t: b, cmd: exec.Command(p.args[0], p.args[1:]...)}
				r.begin(map[bool]string{true: "capturing on", false: "listening on"}[p.args[0] == "pktscope"])
				got := sendAt(b, in, frames, rate)
				r.interrupt()
				rest := r.end(exitDone)
				drops := uint64(0)
				if all := regexp.MustCompile(p.drop).FindAllStringSubmatch(rest, -1); all != nil {
					drops, _ = strconv.ParseUint(all[len(all)-1][1], 10, 64)
				}
				b.Logf("%s: %.0f packets/s, %d dropped; %s", p.name, got, drops, strings.SplitN(rest, "\n", 2)[0])
				if drops > 0 {
					break
				}
				best = max(best, got)
				if got < 0.9*float64(rate) {
					break // the sender can no more
				}
			}
			b.ReportMetric(best, p.name+"-packets/s")
		}
	}
}

// sendAt sends for a second at a rate, and returns the rate that it came to.
func sendAt(b *testing.B, in *injector, frames [][]byte, rate int) float64 {
	b.Helper()
	start, sent := time.Now(), 0
	for {
		passed := time.Since(start)
		if passed >= time.Second {
			return float64(sent) / passed.Seconds()
		}
		for due := int(passed.Seconds() * float64(rate)); sent < due; sent++ {
			if err := in.send(frames[sent%len(frames)]); err != nil {
				b.Fatal(err)
			}
			if time.Since(start) >= time.Second {
				break
			}
		}
		time.Sleep(200 * time.Microsecond)
	}
}
