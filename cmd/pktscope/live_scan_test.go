//go:build linux

package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
)

// A packet that comes alone is shown before another one comes, in every view; how soon is in the log.
func TestLiveShowsAtOnce(t *testing.T) {
	vethPair(t)
	in := newInjector(t, "v0")
	frames := sessionFrames(t, 5, false)
	for _, args := range [][]string{nil, {"-T", "json"}, {"-x"}, {"-c", "1000"}, {"-T", "json", "-w", t.TempDir() + "/a.pcapng"}} {
		r := &running{t: t, cmd: exec.Command("pktscope", append([]string{"live", "-i", "v1"}, args...)...)}
		pipe, err := r.cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		r.begin("capturing on")
		lines := bufio.NewReader(pipe)
		var worst time.Duration
		for _, frame := range frames {
			start := time.Now()
			if err := in.send(frame); err != nil {
				t.Fatal(err)
			}
			if _, err := lines.ReadString('\n'); err != nil { // r is killed when this hangs
				t.Fatal(err)
			}
			worst = max(worst, time.Since(start))
			if len(args) > 0 && args[0] == "-x" {
				for lines.Buffered() > 0 {
					_, _ = lines.ReadString('\n')
				}
				break // how many lines follow is not known
			}
		}
		t.Logf("%v: shown after at most %v", args, worst.Round(100*time.Microsecond))
		r.interrupt()
		_, _ = lines.WriteTo(new(bytes.Buffer))
		r.end(exitDone)
	}
}

// inFragments splits the IPv4 packet of a frame.
func inFragments(frame []byte, size int) (list [][]byte) {
	const link, ip = 14, 20
	payload := frame[link+ip:]
	for at := 0; at < len(payload); at += size {
		part := payload[at:min(at+size, len(payload))]
		f := append([]byte(nil), frame[:link+ip]...)
		flags := uint16(at / 8)
		if at+len(part) < len(payload) {
			flags |= 0x2000 // more to come
		}
		binary.BigEndian.PutUint16(f[link+2:], uint16(ip+len(part)))
		binary.BigEndian.PutUint16(f[link+4:], 0x1234)
		binary.BigEndian.PutUint16(f[link+6:], flags)
		binary.BigEndian.PutUint16(f[link+10:], 0)
		sum := uint32(0)
		for i := link; i < link+ip; i += 2 {
			sum += uint32(binary.BigEndian.Uint16(f[i:]))
		}
		for sum > 0xffff {
			sum = sum&0xffff + sum>>16
		}
		binary.BigEndian.PutUint16(f[link+10:], ^uint16(sum))
		list = append(list, append(f, part...))
	}
	return list
}

// Small packets, large ones, and some in fragments keep their order, whoever decodes them, and -w keeps all fragments.
func TestLiveKeepsOrder(t *testing.T) {
	vethPair(t)
	in := newInjector(t, "v0")
	small := sessionFrames(t, 40, false)
	var frames [][]byte
	large, err := pcap.AppendUDP(nil, netip.MustParseAddrPort("10.0.0.1:5000"), netip.MustParseAddrPort("10.0.0.2:4124"), bytes.Repeat([]byte("large"), scan.DefaultBatched/2))
	if err != nil {
		t.Fatal(err)
	}
	datagrams := 0
	for i := range 20 {
		frames = append(append(frames, small[2*i:2*i+2]...), inFragments(large, 1480)...)
		datagrams += 3
	}
	dir := t.TempDir()
	b := pcapHeader()
	b[20] = 1 // Ethernet
	for i, frame := range frames {
		for _, v := range []int{1767362841, i, len(frame), len(frame)} {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
		b = append(b, frame...)
	}
	if err := os.WriteFile(dir+"/file.pcap", b, 0o600); err != nil {
		t.Fatal(err)
	}
	want, err := exec.Command("pktscope", "decode", "-T", "json", dir+"/file.pcap").Output()
	if err != nil || bytes.Count(want, []byte("\n")) != datagrams {
		t.Fatalf("decode: %v, %d lines", err, bytes.Count(want, []byte("\n")))
	}
	for _, args := range [][]string{{"-a", "packets:60"}, {"-c", "60"}} {
		kept := dir + "/kept" + args[0] + ".pcapng"
		r := capture(t, append(args, "-i", "v1", "-T", "json", "-w", kept)...)
		for _, frame := range frames {
			if err := in.send(frame); err != nil {
				t.Fatal(err)
			}
		}
		if rest := r.end(exitDone); !strings.Contains(rest, "60 packets written") {
			t.Errorf("stderr: %s", rest)
		}
		sameBut(t, r.stdout.String(), string(want))
		if n := packetsIn(t, kept); n != len(frames) {
			t.Errorf("%v: kept %d packets of %d", args, n, len(frames))
		}
	}
}

// Ctrl-C ends it when nobody reads its output, too: the third one at the latest.
func TestLiveStuckOutput(t *testing.T) {
	vethPair(t)
	in := newInjector(t, "v0")
	frames := sessionFrames(t, 600, false)
	for _, args := range [][]string{{"-T", "json"}, {"-T", "json", "-c", "1000000"}} {
		r := &running{t: t, cmd: exec.Command("pktscope", append([]string{"live", "-i", "v1"}, args...)...)}
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer read.Close()
		r.cmd.Stdout = write
		r.begin("capturing on")
		write.Close()
		for _, frame := range frames { // 300 bytes of JSON each, and a pipe has 64 KiB
			if err := in.send(frame); err != nil {
				t.Fatal(err)
			}
		}
		r.interruptUntilGone()
	}
}
