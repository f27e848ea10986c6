//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/pcap"
)

// What live has from all interfaces is, byte for byte, what tcpdump has from them: each packet of lo as it is received,
// those of a veth as they leave and as they arrive, over IPv4 and IPv6, and of an interface that came later.
func TestLiveAny(t *testing.T) {
	need.Program(t, need.Root, "tcpdump")
	if !waitingIsKept {
		t.Skip("libpcap has linux-sll of all interfaces, which does not name them")
	}
	vethPair(t)
	ip := func(line string) {
		t.Helper()
		if out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
			need.Skip(t, need.Root, fmt.Sprintf("ip %s: %v: %s", line, err, out))
		}
	}
	dir := t.TempDir()
	theirs := exec.Command("tcpdump", "-i", "any", "-y", "LINUX_SLL2", "-U", "-w", dir+"/theirs.pcap", "udp port 4124")
	said, err := theirs.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := theirs.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = theirs.Process.Kill(); _ = theirs.Wait() }()
	lines := bufio.NewScanner(said)
	for lines.Scan() && !strings.Contains(lines.Text(), "listening on any") {
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	ours := &running{t: t, cmd: exec.Command("pktscope", "live", "-i", "any", "-p", "rtype", "-w", dir+"/ours.pcapng")}
	ours.begin("capturing")

	send := func(src, dst string) {
		t.Helper()
		from := net.UDPAddr{IP: net.ParseIP(src), Port: 4124}
		c, err := net.DialUDP("udp", &from, &net.UDPAddr{IP: net.ParseIP(dst), Port: 9})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Write([]byte("from " + src + " to " + dst)); err != nil {
			t.Fatal(err)
		}
	}
	send("127.0.0.1", "127.0.0.1")
	send("::1", "::1")
	ip("addr add 10.9.0.1/24 dev v0")
	ip("neigh add 10.9.0.2 lladdr 02:00:00:00:00:02 dev v0")
	send("10.9.0.1", "10.9.0.2") // out of v0 and into v1
	ip("link add w0 type veth peer name w1")
	ip("link set w0 addrgenmode none up")
	ip("link set w1 addrgenmode none up")
	ip("addr add 10.8.0.1/24 dev w0")
	ip("neigh add 10.8.0.2 lladdr 02:00:00:00:00:08 dev w0")
	send("10.8.0.1", "10.8.0.2")

	const packets = 6 // and tcpdump has those of lo twice
	read := func(name string) (frames []string) {
		f, err := os.Open(dir + "/" + name)
		if err != nil {
			return nil
		}
		defer f.Close()
		for r := pcap.NewReader(f); ; {
			packet, _, err := r.ReadPacketData()
			if err != nil { // the end of what is written so far
				return frames
			}
			const outgoing, loopback = 4, "\x03\x04"
			if data := string(packet); r.LinkType() != pcap.LinkSLL2 || len(data) < 20 {
				t.Fatalf("%s: link %v, %x", name, r.LinkType(), data)
			} else if data[10] != outgoing || data[8:10] != loopback {
				frames = append(frames, data)
			}
		}
	}
	eventually(t, "tcpdump to have all", func() bool { return len(read("theirs.pcap")) == packets })
	eventually(t, "live to have all", func() bool { return len(read("ours.pcapng")) >= packets })
	ours.interrupt()
	ours.end(exitDone)
	want, got := read("theirs.pcap"), read("ours.pcapng")
	if fmt.Sprintf("%x", got) != fmt.Sprintf("%x", want) {
		t.Errorf("want %x\ngot %x", want, got)
	}
}
