//go:build linux

package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pktscope/pktscope/corpus/need"
)

// BenchmarkLiveLossless looks for the highest rate that `live` takes without a drop, and the one that `tcpdump -w
// /dev/null` takes with a buffer of the same size, over the same veth pair in the same run: a second at each of some
// rates, until one drops. What the sender can do is the limit of both. Beside it stands what a packet cost the program
// at that rate, of all processors together.
//
//	go test -run '^$' -bench LiveLossless -benchtime 1x -v ./cmd/pktscope
func BenchmarkLiveLossless(b *testing.B) {
	if _, err := exec.LookPath("tcpdump"); err != nil {
		need.Skip(b, need.Tshark, fmt.Sprint("no tcpdump to compare with: ", err))
	}
	vethPair(b)
	in := newBatchInjector(b, "v0", sessionFrames(b, 64, false))
	const ours = `dropped by the kernel: (\d+) of`
	programs := []struct {
		name string
		args []string
		drop string // where its last words tell the drops
	}{
		{"live", []string{"pktscope", "live", "-i", "v1", "--only", "rejects"}, ours},
		{"live-text", []string{"pktscope", "live", "-i", "v1"}, ours},
		{"live-json", []string{"pktscope", "live", "-i", "v1", "-T", "json"}, ours},
		{"live-stats", []string{"pktscope", "live", "-i", "v1", "--stats", "1s"}, ours},
		{"live-w", []string{"pktscope", "live", "-i", "v1", "-w", "/dev/null"}, ours},
		// -Z root: else it gives /dev/null to the user that it becomes.
		{"tcpdump", []string{"tcpdump", "-Z", "root", "-i", "v1", "-B", "16384", "-w", "/dev/null", "udp port 4124"}, `(\d+) packets dropped by kernel`},
	}
	for range b.N {
		for _, p := range programs {
			best := 0.0
			for _, rate := range []int{50e3, 100e3, 150e3, 200e3, 300e3, 400e3, 600e3} {
				r := &running{t: b, cmd: exec.Command(p.args[0], p.args[1:]...)}
				r.begin(map[bool]string{true: "capturing on", false: "listening on"}[p.args[0] == "pktscope"])
				got, sent := in.sendAt(b, rate)
				if p.args[0] == "tcpdump" {
					time.Sleep(200 * time.Millisecond) // it does not read what waits when it is interrupted
				}
				r.interrupt()
				rest := r.end(exitDone)
				drops := uint64(0)
				if all := regexp.MustCompile(p.drop).FindAllStringSubmatch(rest, -1); all != nil {
					drops, _ = strconv.ParseUint(all[len(all)-1][1], 10, 64)
				}
				used := r.cmd.ProcessState.UserTime() + r.cmd.ProcessState.SystemTime()
				b.Logf("%s: %.0f packets/s, %d dropped, %.0f ns of CPU a packet; %s", p.name, got, drops, float64(used)/float64(sent), strings.SplitN(rest, "\n", 2)[0])
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

// batchInjector sends frames 64 at a time: sendmmsg(2), which the sender of one packet a call would be too slow
// without.
type batchInjector struct {
	*injector
	headers []batchHeader
}

// batchHeader is struct mmsghdr.
type batchHeader struct {
	hdr  unix.Msghdr
	sent uint32
}

func newBatchInjector(b *testing.B, name string, frames [][]byte) *batchInjector {
	in := &batchInjector{newInjector(b, name), make([]batchHeader, len(frames))}
	if err := unix.Bind(in.fd, &in.to); err != nil {
		b.Fatal(err)
	}
	for i := range frames {
		iov := &unix.Iovec{Base: &frames[i][0]}
		iov.SetLen(len(frames[i]))
		in.headers[i].hdr.Iov = iov
		in.headers[i].hdr.SetIovlen(1)
	}
	return in
}

// sendAt sends for a second at a rate, and returns the rate that it came to and how many there were.
func (bi *batchInjector) sendAt(b *testing.B, rate int) (got float64, sent int) {
	b.Helper()
	for start := time.Now(); ; time.Sleep(200 * time.Microsecond) {
		for due := int(time.Since(start).Seconds() * float64(rate)); sent < due; {
			n, _, errno := unix.Syscall6(unix.SYS_SENDMMSG, uintptr(bi.fd), uintptr(unsafe.Pointer(&bi.headers[0])), uintptr(min(len(bi.headers), due-sent)), 0, 0, 0)
			if errno != 0 && errno != unix.ENOBUFS && errno != unix.EINTR {
				b.Fatal(errno)
			} else if errno == 0 {
				sent += int(n)
			}
			if time.Since(start) >= time.Second {
				break
			}
		}
		if passed := time.Since(start); passed >= time.Second {
			return float64(sent) / passed.Seconds(), sent
		}
	}
}
