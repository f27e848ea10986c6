//go:build linux

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What is left running on a game server stays as large as it was: 20,000 packets/s for PKTSCOPE_SOAK (such as 10m,
// which is more than a minute; skipped without), with statistics and a ring of files. The memory that it has after a
// minute is what it has at the end, and every packet is accounted for.
//
//	PKTSCOPE_SOAK=10m go test -run LiveSoak -v -timeout 30m ./cmd/pktscope
func TestLiveSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("PKTSCOPE_SOAK"))
	if err != nil || length <= time.Minute {
		t.Skip("no PKTSCOPE_SOAK of more than a minute")
	}
	const rate = 20_000
	vethPair(t)
	in := newInjector(t, "v0")
	frames := sessionFrames(t, 600, false)
	dir := t.TempDir()
	r := startCapture(t, length+10*time.Minute, "-i", "v1", "--stats", "1s", "-w", dir+"/a.pcapng", "-b", "filesize:20MB", "-b", "files:3")
	first := readCounters(t)
	start, sent, minutes := time.Now(), 0, 0
	afterOne := 0
	for passed := time.Duration(0); passed < length; passed = time.Since(start) {
		for due := int(passed.Seconds() * rate); sent < due; sent++ {
			if err := in.send(frames[sent%len(frames)]); err != nil {
				t.Fatal(err)
			}
		}
		if m := int(passed.Minutes()); m > minutes {
			rss := residentSize(t, r.cmd.Process.Pid)
			if minutes = m; m == 1 {
				afterOne = rss
			}
			t.Logf("after %d min: %d kB resident, %d packets sent", m, rss, sent)
		}
		time.Sleep(time.Millisecond)
	}
	atEnd := residentSize(t, r.cmd.Process.Pid)
	rate1 := float64(sent) / time.Since(start).Seconds()
	r.interrupt()
	rest := r.end(exitDone)
	decoded, dropped := countIn(t, rest, `(\d+) packets?: `), uint64(0)
	if strings.Contains(rest, "dropped by the kernel") {
		dropped = countIn(t, rest, `(?s).*dropped by the kernel: (\d+) of`)
	}
	lost := readCounters(t).dropped - first.dropped
	t.Logf("%.0f packets/s for %v: %d sent, %d dropped by the interface, %d decoded, %d dropped by the kernel; resident after a minute %d kB, at the end %d kB",
		rate1, length, sent, lost, decoded, dropped, afterOne, atEnd)
	if uint64(sent)-lost != decoded+dropped {
		t.Error("packets are missing")
	}
	if atEnd > afterOne+afterOne/10 {
		t.Error("it grew by more than a tenth")
	}
}

// residentSize is what a process has in memory, in kB.
func residentSize(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "VmRSS:")
	n, err := strconv.Atoi(strings.Fields(rest + " ")[0])
	if !ok || err != nil {
		t.Fatalf("no VmRSS: %v", err)
	}
	return n
}
