//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
)

// BenchmarkLiveLossless looks for the highest rate that `live` takes without a drop, and the one that `tcpdump -w
// /dev/null` takes with a buffer of the same size, over the same veth pair in the same run. Each program has a second at
// each rate: the rates rise until one drops packets or the sender can no more, and then close in. Beside a rate is
// what a packet cost the program while it was sent, of all processors together, and what it cost the sender, which with
// a veth pair also does what a network card and the kernel do before packets are ours. Both together, on two cores, can
// be no more than 2 s a second. Where live does not account for every packet the benchmark fails.
//
//	go test -run '^$' -bench LiveLossless -benchtime 1x -v ./cmd/pktscope
func BenchmarkLiveLossless(b *testing.B) {
	if _, err := exec.LookPath("tcpdump"); err != nil {
		need.Skip(b, need.Tshark, fmt.Sprint("no tcpdump to compare with: ", err))
	}
	vethPair(b)
	sender := newRingSender(b, "v0", sessionFrames(b, 64, false))
	live := func(args ...string) []string {
		return append([]string{"pktscope", "live", "-i", "v1", "-B", "64"}, args...)
	}
	for range b.N {
		for _, c := range []contender{
			{"live", live("--only", "rejects")},
			{"live-rings", live("--only", "rejects", "--rings", "2")},
			{"live-text", live()},
			{"live-json", live("-T", "json")},
			{"live-stats", live("--stats", "1s")},
			{"live-w", live("-w", "/dev/null")},
			// -Z root: else it gives /dev/null to the user that it becomes.
			{"tcpdump", []string{"tcpdump", "-Z", "root", "-i", "v1", "-B", "65536", "-w", "/dev/null", "udp port 4124"}},
		} {
			best := c.search(b, sender)
			b.ReportMetric(best.rate, c.name+"-packets/s")
			b.ReportMetric(best.cost, c.name+"-ns/packet")
		}
	}
}

// contender is a program whose highest rate is looked for.
type contender struct {
	name string
	args []string
}

// trial is a second of a contender.
type trial struct {
	rate    float64 // packets/s, that the sender came to
	dropped uint64
	cost    float64 // ns of CPU a packet
}

// search raises the rate by a half until it is too high, and halves what is between three times.
func (c *contender) search(b *testing.B, sender *ringSender) (best trial) {
	low, high := 0, 0 // rates without drops, and with
	for rate := 100_000; ; {
		got := c.try(b, sender, rate)
		if got.dropped == 0 {
			low = rate
			if got.rate > best.rate {
				best = got
			}
			if got.rate < 0.9*float64(rate) {
				return best // the sender can no more
			}
		} else {
			high = rate
		}
		switch {
		case high == 0:
			rate += rate / 2
		case high-low < high/8 || high < 20_000:
			return best
		default:
			rate = (low + high) / 2
		}
	}
}

// try runs the program while packets are sent at a rate for a second.
func (c *contender) try(b *testing.B, sender *ringSender, rate int) trial {
	ours := c.args[0] == "pktscope"
	r := &running{t: b, cmd: exec.Command(c.args[0], c.args[1:]...)}
	r.begin(map[bool]string{true: "capturing on", false: "listening on"}[ours])
	first, before := readCounters(b), processTime(b, r.cmd.Process.Pid)
	got, sent, cost := sender.sendAt(b, rate, time.Second)
	time.Sleep(200 * time.Millisecond) // what waits is read; tcpdump does not after an interrupt
	used := processTime(b, r.cmd.Process.Pid) - before
	lost := readCounters(b).dropped - first.dropped
	r.interrupt()
	rest := r.end(exitDone)
	t := trial{rate: got, cost: float64(used) / float64(sent)}
	last := func(pattern string) (n uint64) {
		if all := regexp.MustCompile(pattern).FindAllStringSubmatch(rest, -1); all != nil {
			n, _ = strconv.ParseUint(all[len(all)-1][1], 10, 64)
		}
		return n
	}
	if ours {
		t.dropped = last(`dropped by the kernel: (\d+) of`)
		if taken := last(`(\d+) packets?: `); taken+t.dropped+lost != uint64(sent) {
			b.Errorf("%s: %d packets sent, but %d taken, %d dropped by the kernel and %d by the interface", c.name, sent, taken, t.dropped, lost)
		}
	} else {
		t.dropped = last(`(\d+) packets dropped by kernel`)
	}
	b.Logf("%s: %.0f packets/s, %d dropped, %.0f ns of CPU a packet; the sender's %.0f", c.name, got, t.dropped, t.cost, float64(cost)/float64(sent))
	return t
}

// processTime is the processor time that the threads of a process have used.
func processTime(t testing.TB, pid int) (sum time.Duration) {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(files) == 0 {
		t.Fatalf("no threads of %d: %v", pid, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // a thread that has ended meanwhile
		}
		ns, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseInt(ns, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sum += time.Duration(n)
	}
	return sum
}
