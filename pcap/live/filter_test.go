package live

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/bpf"

	"github.com/pktscope/pktscope/pcap"
)

func TestParseFilterRefuses(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"", "filter is empty"},
		{" \t", "filter is empty"},
		{"4124", `filter, term 1: want "port N", "port N-M", "host ADDRESS" or "udp", got "4124"`},
		{"tcp", `filter, term 1: want "port N"`},
		{"port", `filter, term 1: want something after "port"`},
		{"port x", `filter, term 1: port "x": want 0..65535`},
		{"port 65536", `filter, term 1: port "65536": want 0..65535`},
		{"port -1", `filter, term 1: port "-1"`},
		{"port 5-4", `filter, term 1: port "5-4"`},
		{"port 4-", `filter, term 1: port "4-"`},
		{"port 1 and port 2", `filter, after term 1: want "or" and another term, got "and port"`},
		{"port 1 port 2", `filter, after term 1: want "or" and another term, got "port 2"`},
		{"udp port 1", `filter, term 1: "udp" is all of UDP, and each term is of UDP alone: leave it out`},
		{"port 2 or udp and port 1", `filter, term 2: "udp" is all of UDP, and each term is of UDP alone: leave it out`},
		{"port 1 or", `filter, after term 1: want "or" and another term, got "or"`},
		{"port 1 or or port 2", `filter, term 2: want "port N"`},
		{"host localhost", `filter, term 1: host "localhost": want an IPv4 or IPv6 address`},
		{"host fe80::1%eth0", `filter, term 1: host "fe80::1%eth0"`},
		{"host ::ffff:10.0.0.1", `filter, term 1: host "::ffff:10.0.0.1"`},
		{"host 10.0.0.0/33", `filter, term 1: host "10.0.0.0/33"`},
		{strings.Repeat("udp or ", 128) + "udp", "filter: want at most 128 terms, got more"},
	} {
		f, err := ParseFilter(row.text)
		if f != nil || err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%q: want %q, got %v", row.text, row.want, err)
		}
	}
}

// flows are datagrams of the tests: from, to.
var flows = [][2]string{
	{"10.0.0.1:5000", "10.0.0.2:4124"}, {"10.0.0.2:4124", "10.0.0.1:5000"}, {"10.9.0.1:1", "192.168.0.9:65535"},
	{"[fd00::1]:5000", "[fd00::2]:4124"}, {"[fd00::2]:4124", "[fd00::1]:5000"}, {"[fd00:0:0:1::1]:0", "[2001:db8::9]:65535"},
	{"10.0.0.1:4123", "10.0.0.3:4125"}, {"[fd00::1]:4123", "[fd00::3]:4125"},
}

var filterTexts = []string{
	"udp", "port 4124", "port 0", "port 65535", "port 4124-4125", "port 4120-4123 or port 65535", "port 0-65535",
	"host 10.0.0.1", "host 10.0.0.3 or port 5000", "host 10.0.0.0/8", "host 10.8.0.0/15", "host 0.0.0.0/0",
	"host fd00::1", "host fd00::/64", "host fd00::/62", "host 2001:db8::/33", "host ::/0", "host fd00::3 or host 192.168.0.9",
	"port 1 or port 2 or port 3 or host 1.2.3.4 or host ::1",
}

func vm(t *testing.T, f *Filter, link pcap.LinkType) *bpf.VM {
	t.Helper()
	raw, err := f.assemble(link)
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) > MaxCode {
		t.Fatalf("%v: %d instructions", f, len(raw))
	}
	code, ok := bpf.Disassemble(raw)
	if !ok {
		t.Fatalf("%v: unknown instructions", f)
	}
	machine, err := bpf.NewVM(code)
	if err != nil {
		t.Fatal(err)
	}
	return machine
}

func kept(t *testing.T, machine *bpf.VM, frame []byte) bool {
	t.Helper()
	n, err := machine.Run(frame)
	if err != nil {
		t.Fatal(err)
	}
	return n > 0
}

// tagged puts VLAN tags into an Ethernet frame.
func tagged(frame []byte, types ...uint16) []byte {
	out := slices.Clone(frame[:12])
	for _, v := range types {
		out = append(binary.BigEndian.AppendUint16(out, v), 0x60, 42)
	}
	return append(out, frame[12:]...)
}

// The kernel's code and Match say the same of every whole datagram, however it is tagged, with options and without;
// what the code keeps of a frame that is cut, it keeps of the whole frame.
func TestFilterCodeIsMatch(t *testing.T) {
	verdicts := map[bool]int{}
	for _, text := range filterTexts {
		f, err := ParseFilter(text)
		if err != nil {
			t.Fatal(err)
		}
		if f.String() != text {
			t.Errorf("%q is shown as %q", text, f)
		}
		ethernet, raw := vm(t, f, pcap.LinkEthernet), vm(t, f, pcap.LinkRaw)
		for _, flow := range flows {
			src, dst := netip.MustParseAddrPort(flow[0]), netip.MustParseAddrPort(flow[1])
			frame, err := pcap.AppendUDP(nil, src, dst, []byte("payload"))
			if err != nil {
				t.Fatal(err)
			}
			want := f.Match(src, dst)
			verdicts[want]++
			frames := [][]byte{frame, tagged(frame, 0x8100), tagged(frame, 0x88a8, 0x8100), tagged(frame, 0x9100, 0x8100, 0x8100)}
			if src.Addr().Is4() {
				options := slices.Insert(slices.Clone(frame), 14+20, 1, 1, 1, 1, 1, 1, 1, 0)
				options[14] = 0x47
				frames = append(frames, options)
			}
			for _, one := range frames {
				if got := kept(t, ethernet, one); got != want {
					t.Errorf("%q, %v, %x: want %v, got %v", text, flow, one, want, got)
				}
				for n := range one {
					if kept(t, ethernet, one[:n]) && !want {
						t.Errorf("%q keeps %x, the beginning of what it refuses", text, one[:n])
					}
				}
			}
			if got := kept(t, raw, frame[14:]); got != want {
				t.Errorf("%q, %v, raw: want %v, got %v", text, flow, want, got)
			}
			// The same datagram as TCP is none.
			tcp := slices.Clone(frame)
			tcp[map[bool]int{true: 14 + 9, false: 14 + 6}[src.Addr().Is4()]] = 6
			if kept(t, ethernet, tcp) || kept(t, raw, tcp[14:]) {
				t.Errorf("%q keeps TCP of %v", text, flow)
			}
		}
	}
	if verdicts[true] < 20 || verdicts[false] < 20 {
		t.Errorf("the rows are lopsided: %v", verdicts)
	}
}

// Fragments have ports in the first only: all pass a filter with a port; one of hosts tells them apart.
func TestFilterKeepsFragments(t *testing.T) {
	for _, row := range []struct {
		filter, src, dst string
		at               int // of the byte that makes it a fragment
		value            byte
		want             bool
	}{
		{"port 9", "10.0.0.1:1", "10.0.0.2:2", 14 + 6, 0x40, false}, // do not fragment
		{"port 9", "10.0.0.1:1", "10.0.0.2:2", 14 + 6, 0x20, true},  // more fragments
		{"port 9", "10.0.0.1:1", "10.0.0.2:2", 14 + 7, 1, true},     // offset
		{"udp", "10.0.0.1:1", "10.0.0.2:2", 14 + 7, 1, true},
		{"host 10.0.0.3", "10.0.0.1:1", "10.0.0.2:2", 14 + 7, 1, false},
		{"host 10.0.0.2", "10.0.0.1:1", "10.0.0.2:2", 14 + 7, 1, true},
		{"port 9", "[fd00::1]:1", "[fd00::2]:2", 14 + 6, 44, true}, // a fragment header
		{"port 9", "[fd00::1]:1", "[fd00::2]:2", 14 + 6, 0, true},
		{"port 9", "[fd00::1]:1", "[fd00::2]:2", 14 + 6, 43, true},
		{"port 9", "[fd00::1]:1", "[fd00::2]:2", 14 + 6, 60, true},
		{"port 9", "[fd00::1]:1", "[fd00::2]:2", 14 + 6, 58, false}, // ICMP
		{"udp", "[fd00::1]:1", "[fd00::2]:2", 14 + 6, 44, true},
		{"host fd00::3", "[fd00::1]:1", "[fd00::2]:2", 14 + 6, 44, false},
		{"host fd00::1", "[fd00::1]:1", "[fd00::2]:2", 14 + 6, 44, true},
	} {
		f, err := ParseFilter(row.filter)
		if err != nil {
			t.Fatal(err)
		}
		frame, err := pcap.AppendUDP(nil, netip.MustParseAddrPort(row.src), netip.MustParseAddrPort(row.dst), []byte("payload"))
		if err != nil {
			t.Fatal(err)
		}
		frame[row.at] = row.value
		if row.at == 14+6 && row.value != 44 && strings.HasPrefix(row.src, "[") {
			for next := range 256 { // of the extension header
				frame[14+40] = byte(next)
				want := row.want && (next == 17 || next == 44 || next == 43 || next == 60)
				if got := kept(t, vm(t, f, pcap.LinkEthernet), frame); got != want {
					t.Errorf("%q, header %d before %d: want %v, got %v", row.filter, row.value, next, want, got)
				}
			}
			frame[14+40] = 17
		}
		for _, one := range [][]byte{frame, tagged(frame, 0x8100)} {
			if got := kept(t, vm(t, f, pcap.LinkEthernet), one); got != row.want {
				t.Errorf("%q, byte %d = %d: want %v, got %v", row.filter, row.at, row.value, row.want, got)
			}
		}
		if got := kept(t, vm(t, f, pcap.LinkRaw), frame[14:]); got != row.want {
			t.Errorf("%q, raw, byte %d = %d: want %v, got %v", row.filter, row.at, row.value, row.want, got)
		}
	}
}

func TestPortFilter(t *testing.T) {
	if f := PortFilter(4124, 4126); f.String() != "port 4124 or port 4126" || f.all {
		t.Errorf("got %v", f)
	}
	var many []uint16
	for p := range uint16(1024) {
		many = append(many, 27000+p)
	}
	if f := PortFilter(append(many, 65535)...); f.String() != "port 27000-28023 or port 65535" || f.all {
		t.Errorf("got %v", f)
	}
	var spread []uint16
	for p := range uint16(maxTerms + 1) {
		spread = append(spread, 2*p)
	}
	for _, ports := range [][]uint16{nil, spread} {
		if f := PortFilter(ports...); f.String() != "udp" || !f.all {
			t.Errorf("%d ports: got %v", len(ports), f)
		}
	}
	most := PortFilter(spread[:maxTerms]...)
	for range maxTerms {
		most.hosts = append(most.hosts, netip.MustParsePrefix("fd00::1/127")) // more than ParseFilter lets through
	}
	if n := len(most.program(pcap.LinkEthernet)); n > MaxCode {
		t.Errorf("the longest program has %d instructions", n)
	}
}

// portsOf4124 is `tcpdump -ddd -y EN10MB udp port 4124`, for IPv4 and IPv6.
const portsOf4124 = `20
40 0 0 12
21 0 6 34525
48 0 0 20
21 0 15 17
40 0 0 54
21 12 0 4124
40 0 0 56
21 10 11 4124
21 0 10 2048
48 0 0 23
21 0 8 17
40 0 0 20
69 6 0 8191
177 0 0 14
72 0 0 14
21 2 0 4124
72 0 0 16
21 0 1 4124
6 0 0 262144
6 0 0 0
`

func TestReadCode(t *testing.T) {
	f, err := ReadCode(strings.NewReader(portsOf4124))
	if err != nil {
		t.Fatal(err)
	}
	want := PortFilter(4124)
	for _, flow := range flows {
		src, dst := netip.MustParseAddrPort(flow[0]), netip.MustParseAddrPort(flow[1])
		frame, err := pcap.AppendUDP(nil, src, dst, []byte("payload"))
		if err != nil {
			t.Fatal(err)
		}
		if got := kept(t, vm(t, f, pcap.LinkEthernet), frame); got != want.Match(src, dst) {
			t.Errorf("%v: got %v", flow, got)
		}
		if !f.Match(src, dst) {
			t.Errorf("%v: what code keeps is not asked again", flow)
		}
	}
	// Cut anywhere it is refused, but after the last digit.
	for n := range len(portsOf4124) - 2 {
		if _, err := ReadCode(strings.NewReader(portsOf4124[:n])); err == nil {
			t.Errorf("taken when cut to %d bytes", n)
		}
	}
}

func TestReadCodeRefuses(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"", "filter code, line 1: want the number of instructions, got the end"},
		{"(000) ldh [12]\n", `filter code, line 1: want the number of instructions, 1..4096, got "(000) ldh [12]"; is it of`},
		{"0\n", "filter code, line 1: want the number of instructions, 1..4096, got \"0\""},
		{"4097\n", "filter code, line 1:"},
		{"99999999999999999999\n", "filter code, line 1:"},
		{"-1\n", "filter code, line 1:"},
		{"2\n6 0 0 0\n", "filter code, line 3: want an instruction, got the end"},
		{"1\n6 0 0\n", "filter code, line 2: want four numbers"},
		{"1\n6 0 0 0 0\n", "filter code, line 2: want four numbers"},
		{"1\n65536 0 0 0\n", "filter code, line 2: want four numbers"},
		{"1\n6 256 0 0\n", "filter code, line 2: want four numbers"},
		{"1\n6 0 0 4294967296\n", "filter code, line 2: want four numbers"},
		{"1\n6 0 0 0\n\n6 0 0 0\n", "filter code, line 4: want the end"},
		{strings.Repeat("1", 300), "filter code, line 1: bufio.Scanner: token too long"},
	} {
		f, err := ReadCode(strings.NewReader(row.text))
		if f != nil || err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%q: want %q, got %v", row.text, row.want, err)
		}
	}
}

func FuzzParseFilter(f *testing.F) {
	for _, text := range filterTexts {
		f.Add(text)
	}
	frame, err := pcap.AppendUDP(nil, netip.MustParseAddrPort(flows[0][0]), netip.MustParseAddrPort(flows[0][1]), []byte("x"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		filter, err := ParseFilter(text)
		if err != nil {
			return
		}
		again, err := ParseFilter(filter.String())
		if err != nil || again.String() != filter.String() {
			t.Fatalf("%q: %v, %v", filter, again, err)
		}
		want := filter.Match(netip.MustParseAddrPort(flows[0][0]), netip.MustParseAddrPort(flows[0][1]))
		if got := kept(t, vm(t, filter, pcap.LinkEthernet), frame); got != want {
			t.Errorf("%q: want %v, got %v", text, want, got)
		}
	})
}
