package pcap

import (
	"bytes"
	"crypto/md5"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/gopacket/pcapgo"

	"github.com/pktscope/pktscope/corpus/need"
)

// The peers that users have: what we write opens in tshark and tcpdump and holds
// the same packets, and what editcap, mergecap, gzip and zstd write reads the
// same here.

// tool is the path of a program, or skips the test.
func tool(t *testing.T, name string) string {
	t.Helper()
	return need.Program(t, need.Tshark, name)
}

// run runs a program; it returns what it printed and complained.
func run(t *testing.T, stdin []byte, name string, args ...string) (stdout []byte, stderr string) {
	t.Helper()
	cmd := exec.Command(tool(t, name), args...)
	var out, complaints bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &complaints
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, complaints.String())
	}
	// What it says of being root is not about the file.
	lines := slices.DeleteFunc(strings.Split(complaints.String(), "\n"), func(s string) bool {
		return s == "" || strings.HasPrefix(s, "Running as user")
	})
	return out.Bytes(), strings.Join(lines, "\n")
}

// written are captures as our Writer makes them, one link type each, since
// libpcap opens no others.
func written(t *testing.T) map[string][]byte {
	t.Helper()
	file := func(fill func(w *Writer) error) []byte {
		var b bytes.Buffer
		w := NewWriter(&b, Section{Hardware: "hw", OS: "os", Application: "pktscope", Comments: []string{"of a section"}})
		if err := errors.Join(fill(w), w.Flush()); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	udp := file(func(w *Writer) (err error) {
		for i := range 200 {
			src, dst := "10.0.0.1:4124", "10.0.0.2:4125"
			if i%2 == 1 {
				src, dst = "[2001:db8::1]:4124", "[2001:db8::2]:4125"
			}
			var comments []string
			if i%3 == 0 {
				comments = []string{"packet " + strconv.Itoa(i), "möre"}
			}
			err = errors.Join(err, w.WriteUDP(1_700_000_000_123456789+int64(i)*1_000_000_007, netip.MustParseAddrPort(src), netip.MustParseAddrPort(dst), repeat(i*i), comments...))
		}
		return err
	})
	cooked := file(func(w *Writer) error {
		id, err := w.AddInterface(Interface{Link: LinkSLL, SnapLen: 262144, Name: "any", Description: "all of them", Comments: []string{"an interface"}})
		for i := range 50 {
			data := cat(sll(1, 0x0800), ip4(protocolUDP, nil, udpLen(8+i, repeat(i))))
			ci := captured(int64(i), len(data))
			ci.Length += i % 2 * 40
			err = errors.Join(err, w.WritePacket(id, ci, data))
		}
		return err
	})
	// The packets of both, copied: two sections, as of two files.
	copied := file(func(w *Writer) error {
		return errors.Join(copyAll(w, readerOf(udp)), copyAll(w, readerOf(udp)))
	})
	return map[string][]byte{"udp": udp, "cooked": cooked, "copied": copied}
}

// sums are time, lengths and MD5 of each packet, as tshark prints them.
func sums(seen []packetSeen) string {
	var b strings.Builder
	for _, p := range seen {
		fmt.Fprintf(&b, "%d.%09d\t%d\t%d\t%x\n", p.ns/1e9, p.ns%1e9, p.wire, len(p.data), md5.Sum([]byte(p.data)))
	}
	return b.String()
}

func tsharkSums(t *testing.T, path string) string {
	t.Helper()
	out, complaints := run(t, nil, "tshark", "-n", "-r", path, "-o", "frame.generate_md5_hash:TRUE",
		"-T", "fields", "-e", "frame.time_epoch", "-e", "frame.len", "-e", "frame.cap_len", "-e", "frame.md5_hash")
	if complaints != "" {
		t.Errorf("tshark complains: %s", complaints)
	}
	return string(out)
}

func save(t *testing.T, name string, file []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTsharkReadsOurs(t *testing.T) {
	for name, file := range written(t) {
		if testing.Short() && name != "udp" {
			continue // each is a tshark
		}
		seen, err := readAll(readerOf(file))
		if err != io.EOF {
			t.Fatal(err)
		}
		path := save(t, "ours.pcapng", file)
		if got, want := tsharkSums(t, path), sums(seen); got != want {
			t.Errorf("%s: want\n%.300s\ngot\n%.300s", name, want, got)
		}
		if name != "udp" {
			continue
		}
		out, _ := run(t, nil, "tshark", "-n", "-r", path, "-o", "udp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE",
			"-Y", "udp.checksum.status != 1 || ip.checksum.status == 0 || _ws.malformed || !udp")
		if len(out) > 0 {
			t.Errorf("tshark finds checksums wrong: %.300s", out)
		}
		out, _ = run(t, nil, "tshark", "-n", "-r", path, "-Y", "frame.number == 4", "-T", "fields", "-e", "frame.comment", "-e", "udp.srcport", "-e", "udp.length")
		if got := strings.TrimSpace(string(out)); got != "packet 3,möre\t4124\t17" {
			t.Errorf("comments: got %q", got)
		}
	}
}

func TestTcpdumpReadsOurs(t *testing.T) {
	for name, file := range written(t) {
		seen, err := readAll(readerOf(file))
		if err != io.EOF {
			t.Fatal(err)
		}
		out, complaints := run(t, file, "tcpdump", "-r", "-", "--time-stamp-precision=nano", "-w", "-")
		if strings.Count(complaints, "\n") > 0 || !strings.HasPrefix(complaints, "reading from file -, link-type") {
			t.Errorf("%s: tcpdump complains: %s", name, complaints)
		}
		peer, err := pcapgo.NewReader(bytes.NewReader(out))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range seen {
			data, ci, err := peer.ReadPacketData()
			if err != nil || string(data) != want.data || ci.Timestamp.UnixNano() != want.ns || ci.Length != want.wire {
				t.Fatalf("%s: packet %d: %v %+v", name, i+1, err, ci)
			}
		}
		if _, _, err := peer.ReadPacketData(); err != io.EOF {
			t.Errorf("%s: tcpdump has more: %v", name, err)
		}
	}
}

// compressors are the programs, where they are there.
var compressors = map[string][]string{
	"plain": nil, "gzip": {"gzip", "-c"}, "gzip -9": {"gzip", "-9", "-c"},
	"zstd": {"zstd", "-q", "-c"}, "zstd -19": {"zstd", "-q", "-19", "-c"}, "zstd --fast": {"zstd", "-q", "--fast", "--no-check", "-c"},
}

// TestEditcapFormats: every format that we claim, as editcap writes it, plain
// and compressed.
func TestEditcapFormats(t *testing.T) {
	tool(t, "editcap")
	for name, file := range written(t) {
		if testing.Short() && name != "udp" {
			continue // of each file, each format is a process, and each compressor another
		}
		want, _ := readAll(readerOf(file))
		in := save(t, "in.pcapng", file)
		for format, precision := range map[string]int64{"pcap": 1000, "nsecpcap": 1, "pcapng": 1} {
			out := filepath.Join(t.TempDir(), "out")
			run(t, nil, "editcap", "-F", format, in, out)
			converted, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			for how, command := range compressors {
				packed := converted
				if command != nil {
					if _, err := exec.LookPath(command[0]); err != nil {
						t.Logf("%s is not installed", command[0])
						continue
					}
					packed, _ = run(t, converted, command[0], command[1:]...)
				}
				got, err := readAll(readerOf(packed))
				if err != io.EOF || len(got) != len(want) {
					t.Fatalf("%s as %s, %s: want %d packets, got %d, %v", name, format, how, len(want), len(got), err)
				}
				for i, p := range want {
					p.ns -= p.ns % precision
					p.iface = got[i].iface // editcap numbers those of two sections on
					if got[i] != p {
						t.Errorf("%s as %s, %s: packet %d: want %v, got %v", name, format, how, i+1, p, got[i])
					}
				}
			}
		}
	}
}

// TestMergecap merges files of different link types: each packet has that of
// its interface, and the order is that of time.
func TestMergecap(t *testing.T) {
	tool(t, "mergecap")
	files := written(t)
	var want []packetSeen
	var paths []string
	for _, name := range []string{"cooked", "udp"} {
		seen, _ := readAll(readerOf(files[name]))
		want = append(want, seen...)
		paths = append(paths, save(t, name, files[name]))
	}
	slices.SortStableFunc(want, func(a, b packetSeen) int { return int(min(max(a.ns-b.ns, -1), 1)) })
	out := filepath.Join(t.TempDir(), "out")
	run(t, nil, "mergecap", append([]string{"-F", "pcapng", "-w", out}, paths...)...)
	merged, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	check := func(file []byte) {
		t.Helper()
		got, err := readAll(readerOf(file))
		if err != io.EOF || len(got) != len(want) {
			t.Fatalf("want %d packets, got %d, %v", len(want), len(got), err)
		}
		for i, p := range want {
			if p.iface = got[i].iface; got[i] != p {
				t.Errorf("packet %d: want %v, got %v", i+1, p, got[i])
			}
		}
	}
	check(merged)
	// And written by us, with its descriptions: tshark sees the same of both.
	var ours bytes.Buffer
	if err := copyAll(NewWriter(&ours, Section{}), readerOf(merged)); err != nil {
		t.Fatal(err)
	}
	check(ours.Bytes())
	describe := func(path string) string {
		text, _ := run(t, nil, "tshark", "-n", "-r", path, "-T", "fields", "-e", "frame.number", "-e", "frame.interface_id", "-e", "frame.interface_name",
			"-e", "frame.interface_description", "-e", "frame.encap_type", "-e", "frame.comment", "-e", "frame.time_epoch")
		return string(text)
	}
	if theirs, got := describe(out), describe(save(t, "ours", ours.Bytes())); got != theirs {
		t.Errorf("tshark sees in mergecap's file\n%.500s\nand in ours\n%.500s", theirs, got)
	}
}

// TestExportedByTshark: PDUs that tshark exports have the payloads of the
// datagrams that they are of.
func TestExportedByTshark(t *testing.T) {
	in := save(t, "in.pcapng", written(t)["udp"])
	want := payloads(t, in)
	total := 0
	for _, layer := range []string{"OSI layer 4", "IP"} {
		out := filepath.Join(t.TempDir(), "out")
		_, complaints := run(t, nil, "tshark", "-n", "-r", in, "-U", layer, "-w", out)
		got := payloads(t, out)
		// Which tap has UDP's payload, and which IP's packets, is a matter of
		// tshark's version; what there is must agree.
		if len(got) == 0 {
			t.Logf("tshark exports nothing as %q: %s", layer, complaints)
		}
		total += len(got)
		for _, p := range got {
			if !slices.Contains(want, p) {
				t.Errorf("%s: a datagram that is not in the capture: %.100s", layer, p)
			}
		}
	}
	if total < len(want)-1 { // the empty one is no PDU
		t.Errorf("want at least %d datagrams, got %d", len(want)-1, total)
	}
}

// payloads are the datagrams of a file.
func payloads(t *testing.T, path string) (list []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := NewDatagrams(NewReader(f))
	for {
		dg, err := d.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprintf("%v>%v %d %s", dg.Src, dg.Dst, dg.Time, dg.Payload))
	}
}

// TestTsharkReassembles: the same datagrams come of the same fragments, in any
// order.
func TestTsharkReassembles(t *testing.T) {
	tool(t, "tshark")
	var list []sent
	data := udp(repeat(3000))
	for id := range uint32(40) {
		v6 := id%2 == 1
		pieces := []sent{}
		for off := 0; off < len(data); off += 504 {
			end := min(off+504, len(data))
			pieces = append(pieces, sent{id: id, v6: v6, off: off, more: end < len(data), data: data[off:end]})
		}
		switch id % 3 {
		case 1:
			slices.Reverse(pieces)
		case 2:
			pieces = append(pieces[3:], pieces[0], pieces[0], pieces[2], pieces[1])
		}
		if id > 35 {
			pieces = pieces[1:] // never whole
		}
		list = append(list, pieces...)
	}
	var file bytes.Buffer
	w := NewWriter(&file, Section{})
	src := sourceOf(list)
	for range list {
		b, ci, _ := src.ZeroCopyReadPacketData()
		if err := w.WriteFrom(src, ci, b); err != nil {
			t.Fatal(err)
		}
	}
	w.Flush()
	var want strings.Builder
	d := NewDatagrams(readerOf(file.Bytes()))
	for {
		dg, err := d.Next()
		if err == io.EOF {
			break
		}
		fmt.Fprintf(&want, "%d\t%d\n", dg.N, len(dg.Payload)+8)
	}
	out, _ := run(t, nil, "tshark", "-n", "-r", save(t, "in", file.Bytes()), "-Y", "udp.length", "-T", "fields", "-e", "frame.number", "-e", "udp.length")
	if string(out) != want.String() || strings.Count(string(out), "\n") != 36 {
		t.Errorf("want\n%s\ntshark\n%s", want.String(), out)
	}
}
