//go:build linux

package main

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/pcap"
)

// secondPair adds w0 and w1 to the namespace of vethPair, and t0, which gives packets from IP on.
func secondPair(t *testing.T) (tunnel *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		need.Skip(t, need.Root, fmt.Sprint("no tunnel: ", err))
	}
	tunnel = os.NewFile(uintptr(fd), "tunnel")
	t.Cleanup(func() { tunnel.Close() })
	request, err := unix.NewIfreq("t0")
	if err != nil {
		t.Fatal(err)
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		need.Skip(t, need.Root, fmt.Sprint("no tunnel: ", err))
	}
	for _, line := range []string{"link add w0 type veth peer name w1", "link set w0 addrgenmode none up", "link set w1 addrgenmode none up",
		"link set t0 addrgenmode none up"} {
		if out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
			need.Skip(t, need.Root, fmt.Sprintf("ip %s: %v: %s", line, err, out))
		}
	}
	for _, name := range []string{"w0", "w1", "t0"} {
		eventually(t, name+" to run", func() bool {
			ifc, err := net.InterfaceByName(name)
			return err == nil && ifc.Flags&net.FlagRunning != 0
		})
	}
	return tunnel
}

// shark is what tshark says of each packet of a capture.
func shark(t *testing.T, file string, fields ...string) (rows [][]string) {
	t.Helper()
	args := []string{"-n", "-r", file, "-T", "fields"}
	for _, f := range fields {
		args = append(args, "-e", f)
	}
	out, err := exec.Command(need.Program(t, need.Tshark, "tshark"), args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows
}

// What comes through several interfaces is one capture: in the order in which it was sent, each packet with its
// interface, and with an interface that had none. tshark and capinfos are asked.
func TestLiveSeveral(t *testing.T) {
	vethPair(t)
	tunnel := secondPair(t)
	file := t.TempDir() + "/all.pcapng"
	const n = 300
	r := capture(t, "-i", "v1", "-i", "w1", "-i", "lo", "-i", "t0", "-p", "rtype", "-T", "json", "-w", file)
	v, w := newInjector(t, "v0"), newInjector(t, "w0")
	var want []string
	for i, frame := range sessionFrames(t, n, false) {
		var err error
		name := []string{"v1", "w1", "t0", "w1"}[i*i%7%4]
		switch name {
		case "v1":
			err = v.send(frame)
		case "w1":
			err = w.send(frame)
		default:
			_, err = tunnel.Write(frame[14:])
		}
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, name)
		time.Sleep(time.Millisecond) // the kernel hands over what came in 10 ms, of each interface at another time
	}
	count := func(name string) (n int) {
		for _, one := range want {
			if one == name {
				n++
			}
		}
		return n
	}
	r.interrupt()
	rest := r.end(exitDone)
	for _, name := range []string{"v1", "w1", "lo", "t0"} {
		if line := fmt.Sprintf("\n%s: %d packets, 0 of them dropped by the kernel\n", name, count(name)); !strings.Contains("\n"+rest, line) {
			t.Errorf("stderr lacks %q: %s", line, rest)
		}
	}
	if !strings.Contains(rest, fmt.Sprintf("\n%d packets: ", n)) {
		t.Errorf("the sum is not of %d packets: %s", n, rest)
	}
	rows := shark(t, file, "frame.interface_name", "frame.interface_id", "frame.time_epoch", "udp.payload")
	if len(rows) != n {
		t.Fatalf("tshark has %d packets, want %d", len(rows), n)
	}
	ids := map[string]string{"v1": "0", "w1": "1", "lo": "2", "t0": "3"}
	sent := sessionFrames(t, n, false)
	for i, row := range rows {
		payload := fmt.Sprintf("%x", sent[i][42:])
		if row[0] != want[i] || row[1] != ids[want[i]] || row[3] != payload {
			t.Fatalf("packet %d: want %s, %s, %s, got %q", i+1, want[i], ids[want[i]], payload, row)
		}
		if i > 0 && row[2] < rows[i-1][2] {
			t.Errorf("packet %d at %s is before %s", i+1, row[2], rows[i-1][2])
		}
	}
	info, err := exec.Command(need.Program(t, need.Tshark, "capinfos"), file).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"Strict time order:   True", "Number of interfaces in file: 4",
		fmt.Sprintf("Number of packets = %d", count("v1")), fmt.Sprintf("Number of packets = %d", count("w1")), "Number of packets = 0",
		fmt.Sprintf("Number of packets = %d", count("t0")), "Name = lo", "Encapsulation = Raw IP", "Filter string = port 4124"} {
		if !strings.Contains(string(info), line) {
			t.Errorf("capinfos lacks %q:\n%s", line, info)
		}
	}
	decoded, err := exec.Command("pktscope", "decode", "-p", "rtype", "-T", "json", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	sameBut(t, r.stdout.String(), string(decoded))
}

// Each interface has its own account: what was sent into it was written or dropped by the kernel, to the last packet.
// The program stands still meanwhile, so that there are drops.
func TestLiveSeveralAccounts(t *testing.T) {
	vethPair(t)
	secondPair(t)
	file := t.TempDir() + "/all.pcapng"
	frames := sessionFrames(t, 64, false)
	r := capture(t, "-i", "v1", "-i", "w1", "-p", "rtype", "-B", "1", "-w", file)
	r.signal(unix.SIGSTOP)
	sent := map[string]int{"v0": 40_000, "w0": 25_000} // a ring of 1 MiB has no room for them
	var senders sync.WaitGroup
	for name, n := range sent {
		in := newInjector(t, name)
		senders.Go(func() {
			for i := range n {
				if err := in.send(frames[i%len(frames)]); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	senders.Wait()
	lost := map[string]int{}
	eventually(t, "the packets to arrive", func() bool {
		arrived := interfaceCounters(t)
		for name, n := range sent {
			lost[name] = int(arrived[name].drops[0] + arrived[name[:1]+"1"].drops[1])
			if int(arrived[name[:1]+"1"].packets)+lost[name] < n {
				return false
			}
		}
		return true
	})
	r.signal(unix.SIGCONT)
	r.interrupt()
	rest := r.end(exitDone)
	written := map[string]int{}
	for _, row := range shark(t, file, "frame.interface_name") {
		written[row[0]]++
	}
	all, drops := 0, 0
	for name, n := range sent {
		to := name[:1] + "1"
		received, dropped := int(countIn(t, rest, to+`: (\d+) packets, `)), int(countIn(t, rest, to+`: \d+ packets, (\d+) of them`))
		t.Logf("%s: sent %d, lost by the interface %d, received %d, dropped %d, written %d", to, n, lost[name], received, dropped, written[to])
		if received != n-lost[name] || received != written[to]+dropped || dropped == 0 || written[to] == 0 {
			t.Errorf("%s: sent %d - %d is not %d received, or %d written + %d dropped", to, n, lost[name], received, written[to], dropped)
		}
		all, drops = all+received, drops+dropped
	}
	if line := fmt.Sprintf("dropped by the kernel: %d of %d packets", drops, all); !strings.Contains(rest, line) {
		t.Errorf("want %q in %s", line, rest)
	}
}

// One of several interfaces vanishes: the capture ends with what all had until then. What cannot be one capture is
// refused before anything is opened, and several files of a ring each have all interfaces.
func TestLiveSeveralEnds(t *testing.T) {
	vethPair(t)
	secondPair(t)
	dir := t.TempDir()
	r := capture(t, "-i", "v1", "-i", "w1", "-p", "rtype", "-w", dir+"/a.pcapng", "-b", "filesize:4")
	v, w := newInjector(t, "v0"), newInjector(t, "w0")
	const n = 200
	for i, frame := range sessionFrames(t, n, false) {
		in := v
		if i < n/2 {
			in = w
		}
		if err := in.send(frame); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("ip", "link", "del", "w0").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	rest := r.end(exitTrouble)
	if !strings.Contains(rest, `v1, w1: interface "w1" went down`) || waitingIsKept && !strings.Contains(rest, fmt.Sprintf("%d packets written", n)) {
		t.Errorf("stderr: %s", rest)
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) < 3 {
		t.Fatalf("%v, %v", list, err)
	}
	for _, one := range list {
		f, err := os.Open(dir + "/" + one.Name())
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		read := pcap.NewReader(f)
		for err == nil {
			_, _, err = read.ZeroCopyReadPacketData()
		}
		if read.Interfaces() != 2 || read.Interface(0).Name != "v1" || read.Interface(1).Name != "w1" {
			t.Errorf("%s has %d interfaces", one.Name(), read.Interfaces())
		}
	}
	for _, row := range []struct{ args, want string }{
		{"-i v1 -i lo -i v1", `interface "v1" is named twice`},
		{"-i any -i v1", `interface "any" has all interfaces: name no other beside it`},
		{"-i v1 -i any", `interface "any" has all interfaces: name no other beside it`},
		{"-i v1 -i gone", `interface "gone": no such interface`},
		{strings.Repeat("-i v1 ", 33), "want 1..32 interfaces, got 33"},
	} {
		out, err := exec.Command("pktscope", append([]string{"live"}, strings.Fields(row.args)...)...).CombinedOutput()
		if err == nil || !strings.HasPrefix(string(out), "pktscope: "+row.want) || strings.Count(string(out), "\n") != 1 {
			t.Errorf("%s: want %q, got %v, %s", row.args, row.want, err, out)
		}
	}
}

// The kernel is asked for the ports of --port, and for the ranges of a schema; who sent a packet follows from them.
func TestLivePorts(t *testing.T) {
	vethPair(t)
	in := newInjector(t, "v0")
	schema := t.TempDir() + "/game.pks"
	if err := os.WriteFile(schema, []byte("protocol game\norder msb\nport 5005, 4000..4003\npacket { n uint16 }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server, client := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddrPort("10.0.0.2:9")
	for _, row := range []struct {
		args, filter string
		ports        []uint16 // of those sent, which arrive
	}{
		{"", "port 4000-4003 or port 5005", []uint16{4000, 4001, 4003, 5005}},
		{"--port 5004-5006,4001,7000", "port 4001 or port 5004-5006 or port 7000", []uint16{4001, 5004, 5005, 5006, 7000}},
	} {
		r := &running{t: t, cmd: exec.Command("pktscope", append([]string{"live", "-i", "v1", "-p", schema}, strings.Fields(row.args)...)...)}
		r.cmd.Stdout = &r.stdout
		r.begin("capturing on v1 (" + row.filter + ")")
		var want []string
		for _, port := range []uint16{3999, 4000, 4001, 4003, 4004, 5003, 5004, 5005, 5006, 5007, 6999, 7000, 7001} {
			from, to, arrow := netip.AddrPortFrom(server, port), client, "S→C"
			if port%2 == 1 {
				from, to, arrow = client, from, "C→S"
			}
			frame, err := pcap.AppendUDP(nil, from, to, []byte{0, 1})
			if err != nil {
				t.Fatal(err)
			}
			if err := in.send(frame); err != nil {
				t.Fatal(err)
			}
			if slices.Contains(row.ports, port) {
				want = append(want, fmt.Sprintf("%s %s %s", from, arrow, to))
			}
		}
		r.interrupt()
		if rest := r.end(exitDone); !strings.Contains(rest, fmt.Sprintf("%d packets: ", len(want))) {
			t.Errorf("%s: stderr %s", row.args, rest)
		}
		lines := strings.Split(strings.TrimSuffix(r.stdout.String(), "\n"), "\n")
		if len(lines) != len(want) {
			t.Fatalf("%s: want %q, got %s", row.args, want, r.stdout.String())
		}
		for i, line := range lines {
			if !strings.Contains(line, want[i]+" ") {
				t.Errorf("%s: want %s, got %s", row.args, want[i], line)
			}
		}
	}
}

// --follow shows and keeps one peer's packets, both ways; all are counted.
func TestLiveFollow(t *testing.T) {
	vethPair(t)
	dir := t.TempDir()
	in := newInjector(t, "v0")
	const n = 400
	all := capture(t, "-i", "v1", "-p", "rtype", "-w", dir+"/all.pcapng")
	r := capture(t, "-i", "v1", "-p", "rtype", "--follow", "10.0.0.3", "-T", "csv", "-e", "pkt.src_ip", "-e", "pkt.dst_ip", "-w", dir+"/one.pcapng")
	for _, frame := range sessionFrames(t, n, false) {
		if err := in.send(frame); err != nil {
			t.Fatal(err)
		}
	}
	all.interrupt()
	all.end(exitDone)
	r.interrupt()
	rest := r.end(exitDone)
	want, err := exec.Command(need.Program(t, need.Tshark, "tshark"), "-n", "-r", dir+"/all.pcapng", "-Y", "ip.addr == 10.0.0.3", "-T", "fields", "-e", "udp.payload").Output()
	if err != nil || len(want) == 0 {
		t.Fatalf("%v, %q", err, want)
	}
	got, err := exec.Command("tshark", "-n", "-r", dir+"/one.pcapng", "-T", "fields", "-e", "udp.payload").Output()
	if err != nil || string(got) != string(want) {
		t.Errorf("%v: kept\n%s\nwant\n%s", err, got, want)
	}
	matched := strings.Count(string(want), "\n")
	if line := fmt.Sprintf("matched: %d of %d packets\n", matched, n); !strings.Contains(rest, line) {
		t.Errorf("want %s in %s", line, rest)
	}
	ways := map[string]int{}
	for line := range strings.Lines(r.stdout.String()) {
		ways[strings.TrimSpace(line)]++
	}
	up, down := ways["10.0.0.3,10.0.0.1"], ways["10.0.0.1,10.0.0.3"]
	if up == 0 || down == 0 || up+down != matched || len(ways) != 3 { // with the head
		t.Errorf("shown are %v", ways)
	}
}
