//go:build linux

package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/pcap"
)

// Live from end to end: in a network namespace of the test's own, frames go into one end of a veth pair, and pktscope
// captures at the other.

// vethPair makes a namespace with v0 and v1, on which nobody speaks by himself; they go when the test ends: the
// namespace is the thread's, which dies with the test's goroutine.
func vethPair(t testing.TB) {
	t.Helper()
	need.Program(t, need.Root, "ip")
	runtime.LockOSThread() // never unlocked
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		need.Skip(t, need.Root, fmt.Sprint("no network namespace: ", err))
	}
	for _, line := range []string{"link set lo up", "link add v0 type veth peer name v1",
		"link set v0 addrgenmode none", "link set v1 addrgenmode none", "link set v0 up", "link set v1 up"} {
		if out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
			need.Skip(t, need.Root, fmt.Sprintf("ip %s: %v: %s", line, err, out))
		}
	}
	// What is sent before the kernel has noticed that there is a carrier is lost.
	for _, name := range []string{"v0", "v1"} {
		eventually(t, name+" to run", func() bool {
			ifc, err := net.InterfaceByName(name)
			return err == nil && ifc.Flags&net.FlagRunning != 0
		})
	}
}

// injector sends frames into an interface.
type injector struct {
	fd int
	to unix.SockaddrLinklayer
}

func newInjector(t testing.TB, name string) *injector {
	t.Helper()
	ifc, err := net.InterfaceByName(name)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		need.Skip(t, need.Root, fmt.Sprint("no packet socket: ", err))
	}
	t.Cleanup(func() { unix.Close(fd) })
	return &injector{fd, unix.SockaddrLinklayer{Ifindex: ifc.Index}}
}

// send sends a frame; one that finds the queue full is tried again for a while.
func (i *injector) send(frame []byte) error {
	for try := 0; ; try++ {
		err := unix.Sendto(i.fd, frame, 0, &i.to)
		if err != unix.ENOBUFS && err != unix.EAGAIN || try == 1000 {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain for ", what)
		}
	}
}

// sessionFrames are the first packets of the recorded session as frames over IPv4, or IPv6.
func sessionFrames(t testing.TB, n int, six bool) [][]byte {
	t.Helper()
	f, err := os.Open("testdata/rtype-session.pcap")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var frames [][]byte
	for d := pcap.NewDatagrams(pcap.NewReader(f)); len(frames) < n; {
		one, err := d.Next()
		if err != nil {
			t.Fatal(err)
		}
		src, dst := one.Src, one.Dst
		if six {
			src, dst = asIPv6(src), asIPv6(dst)
		}
		frame, err := pcap.AppendUDP(nil, src, dst, one.Payload)
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, frame)
	}
	return frames
}

func asIPv6(a netip.AddrPort) netip.AddrPort {
	b := [16]byte{0: 0xfd}
	four := a.Addr().As4()
	copy(b[12:], four[:])
	return netip.AddrPortFrom(netip.AddrFrom16(b), a.Port())
}

// withTags puts VLAN tags into a frame.
func withTags(frame []byte, tags ...byte) []byte {
	out := append([]byte(nil), frame[:12]...)
	for i, id := range tags {
		kind := byte(0x81)
		if i < len(tags)-1 {
			kind = 0x88
		}
		out = append(out, kind, map[byte]byte{0x81: 0, 0x88: 0xa8}[kind], 0, id)
	}
	return append(out, frame[12:]...)
}

// sameBut compares JSON lines, but for the file and the time.
func sameBut(t *testing.T, got, want string) {
	t.Helper()
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(want, "\n")
	if len(gotLines) != len(wantLines) {
		t.Fatalf("got %d lines, want %d", len(gotLines), len(wantLines))
	}
	for i := range gotLines {
		if g, w := anonymous(t, gotLines[i]), anonymous(t, wantLines[i]); g != w {
			t.Fatalf("line %d:\ngot  %s\nwant %s", i+1, g, w)
		}
	}
}

func anonymous(t *testing.T, line string) string {
	t.Helper()
	if line == "" {
		return ""
	}
	var v map[string]any
	if err := json.Unmarshal([]byte(line), &v); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	delete(v, "file")
	delete(v, "time")
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A session that is replayed is decoded as from its file, over IPv4, IPv6 and with VLAN tags; other traffic around it
// is left to the kernel. What -w kept is the session again.
func TestLiveIsDecode(t *testing.T) {
	vethPair(t)
	in := newInjector(t, "v0")
	noise, err := pcap.AppendUDP(nil, netip.MustParseAddrPort("10.0.0.1:9"), netip.MustParseAddrPort("10.0.0.2:9"), []byte("noise"))
	if err != nil {
		t.Fatal(err)
	}
	const n = 600
	for _, row := range []struct {
		name string
		six  bool
		tags []byte
	}{{"IPv4", false, nil}, {"IPv6", true, nil}, {"VLAN", false, []byte{42}}, {"IPv6 in two VLANs", true, []byte{7, 42}}}[need.Rounds(0, 3):] {
		frames := sessionFrames(t, n, row.six)
		dir := t.TempDir()
		file, kept := dir+"/file.pcapng", dir+"/kept.pcapng"
		b := pcapHeader()
		b[20] = 1 // Ethernet
		r := capture(t, "-i", "v1", "-B", "32", "-T", "json", "-w", kept, "-a", fmt.Sprintf("packets:%d", n))
		for i, frame := range frames {
			if len(row.tags) > 0 {
				frame = withTags(frame, row.tags...)
			}
			for _, v := range []int{1767362841, i, len(frame), len(frame)} {
				b = binary.LittleEndian.AppendUint32(b, uint32(v))
			}
			b = append(b, frame...)
			for _, one := range [][]byte{frame, noise} {
				if err := in.send(one); err != nil {
					t.Fatal(err)
				}
			}
		}
		rest := r.end(exitDone)
		if strings.Contains(rest, "dropped") || strings.Contains(rest, "skipped") {
			t.Errorf("%s: %s", row.name, rest)
		}
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		want, err := exec.Command("pktscope", "decode", "-T", "json", file).Output()
		if err != nil || bytes.Count(want, []byte("\n")) != n {
			t.Fatalf("decode: %v, %d lines", err, bytes.Count(want, []byte("\n")))
		}
		sameBut(t, r.stdout.String(), string(want))
		again, err := exec.Command("pktscope", "decode", "-T", "json", kept).Output()
		if err != nil {
			t.Fatal(err)
		}
		sameBut(t, string(again), string(want))
		if i := interfaceOf(t, kept); i.Name != "v1" || !strings.Contains(i.Filter, "port 4124") {
			t.Errorf("the capture is of %+v", i)
		}
		t.Logf("%s: %d packets as from the file", row.name, n)
	}
}

// What two senders sent at the highest rate is decoded, or was dropped by the interface or by the kernel, to the last
// packet: also where the program stands still meanwhile, so that there are drops, of one ring or two. PKTSCOPE_SECONDS
// is how long they send (default 0.5).
func TestLiveAccounts(t *testing.T) {
	vethPair(t)
	seconds, _ := strconv.ParseFloat(os.Getenv("PKTSCOPE_SECONDS"), 64)
	if seconds <= 0 || seconds > 600 {
		seconds = need.Rounds(0.5, 0.1)
	}
	const missed = 40_000 // packets, which a ring of 1 MiB has no room for
	for _, row := range []struct {
		stands bool
		rings  string
	}{{false, "1"}, {true, "1"}, {true, "2"}} {
		if row.rings != "1" && !waitingIsKept {
			continue // libpcap has one ring
		}
		stands := row.stands
		args := []string{"-i", "v1", "--only", "rejects", "-T", "json", "--rings", row.rings}
		least := 1
		if stands {
			args, least = append(args, "-B", "1"), missed
		}
		r := capture(t, args...)
		first := readCounters(t)
		var sent [2]uint64
		var senders sync.WaitGroup
		end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
		if stands {
			r.signal(unix.SIGSTOP)
		}
		for s := range sent {
			in, frames := newInjector(t, "v0"), sessionFrames(t, 64, false)
			senders.Go(func() {
				for i := 0; i < least || i%256 != 0 || time.Now().Before(end); i++ {
					if in.send(frames[i%len(frames)]) == nil {
						sent[s]++
					}
				}
			})
		}
		var now counters
		if stands {
			eventually(t, "packets that nobody reads", func() bool {
				now = readCounters(t)
				return now.packets-first.packets >= missed
			})
			r.signal(unix.SIGCONT)
		}
		senders.Wait()
		all := sent[0] + sent[1]
		eventually(t, "the packets to arrive", func() bool {
			now = readCounters(t)
			return now.packets-first.packets+now.dropped-first.dropped >= all
		})
		r.interrupt()
		rest := r.end(exitDone)
		decoded, dropped := countIn(t, rest, `(\d+) packets?: `), uint64(0)
		if strings.Contains(rest, "dropped by the kernel") {
			dropped = countIn(t, rest, `(?s).*dropped by the kernel: (\d+) of`)
		}
		lost := now.dropped - first.dropped
		t.Logf("sent %d in %g s, dropped by the interface %d, decoded %d, dropped by the kernel %d", all, seconds, lost, decoded, dropped)
		if all-lost != decoded+dropped || decoded == 0 || stands && dropped == 0 {
			t.Errorf("sent %d - %d dropped by the interface is not %d decoded + %d dropped by the kernel", all, lost, decoded, dropped)
		}
	}
}

type counters struct{ packets, dropped uint64 } // of v1, and drops of v0

// readCounters reads what v0 and v1 counted.
func readCounters(t testing.TB) counters {
	t.Helper()
	all := interfaceCounters(t)
	return counters{all["v1"].packets, all["v0"].drops[0] + all["v1"].drops[1]}
}

type interfaceCounts struct {
	packets uint64    // received
	drops   [2]uint64 // sending, receiving
}

// interfaceCounters reads what the interfaces of this thread's namespace counted.
func interfaceCounters(t testing.TB) map[string]interfaceCounts {
	t.Helper()
	text, err := os.ReadFile("/proc/thread-self/net/dev")
	if err != nil {
		t.Skip(err)
	}
	all := map[string]interfaceCounts{}
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		f := strings.Fields(rest)
		if len(f) < 12 {
			continue
		}
		at := func(i int) uint64 { n, _ := strconv.ParseUint(f[i], 10, 64); return n }
		all[name] = interfaceCounts{at(1), [2]uint64{at(11), at(3)}}
	}
	return all
}

func countIn(t testing.TB, text, pattern string) uint64 {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no %s in %q", pattern, text)
	}
	n, err := strconv.ParseUint(m[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// interfaceOf is what a capture says of its first interface.
func interfaceOf(t *testing.T, file string) pcap.Interface {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := pcap.NewReader(f)
	if _, _, err := r.ZeroCopyReadPacketData(); err != nil {
		t.Fatal(err)
	}
	return r.Interface(0)
}

// An interface that vanishes ends the capture with a message, and the file is whole.
func TestLiveInterfaceVanishes(t *testing.T) {
	vethPair(t)
	in := newInjector(t, "v0")
	file := t.TempDir() + "/a.pcapng"
	r := capture(t, "-i", "v1", "-w", file)
	for _, frame := range sessionFrames(t, 50, false) {
		if err := in.send(frame); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the first second's flush", func() bool { info, err := os.Stat(file); return err == nil && info.Size() > 0 })
	if out, err := exec.Command("ip", "link", "del", "v0").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	rest := r.end(exitTrouble)
	if !strings.Contains(rest, `interface "v1" went down`) || !strings.Contains(rest, "50 packets written") {
		t.Errorf("stderr: %s", rest)
	}
	if n := packetsIn(t, file); n != 50 {
		t.Errorf("the file has %d packets, want 50", n)
	}
}
