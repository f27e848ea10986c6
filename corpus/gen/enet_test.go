package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz"
)

// What a host of libenet does with packets that the generator makes is what they say, read by the schema: it gives out
// their data, acknowledges their commands, keeps their settings, and grants connections.
func TestENetHost(t *testing.T) {
	program := buildENet(t)
	source, _ := protocols.Source("enet")
	met, differs := besideENet(t, program, string(source), need.Rounds(2500, 500))
	for _, line := range differs {
		t.Error(line)
	}
	t.Log(met)
	least := need.Rounds(20, 10)
	for _, kind := range []string{
		"datagrams", "ignored", "ack", "disconnect", "receive 0", "receive 1", "receive 2", "receive 8",
		"Acknowledge", "Disconnect", "Ping", "Reliable", "Unreliable", "Fragment", "Unsequenced", "BandwidthLimit",
		"Connect", "grants", "ThrottleConfigure", "UnreliableFragment", "VerifyConnect",
	} {
		if met[kind] < least {
			t.Errorf("%d of %s, want %d", met[kind], kind, least)
		}
	}
}

// A mistake in the schema shows in what the host does.
func TestENetHostMinds(t *testing.T) {
	program := buildENet(t)
	source, _ := protocols.Source("enet")
	for _, row := range [][]string{ // what stands there, what stands there then
		{"command  Command\n            channel  uint8", "channel  uint8\n            command  Command"},
		{"channel  uint8\n            sequence uint16", "sequence uint16\n            channel  uint8"},
		{"acknowledge bool\n            unsequenced bool", "unsequenced bool\n            acknowledge bool"},
		{"has_time   bool\n    compressed bool", "compressed bool\n    has_time   bool"},
		{"session    bits(2)\n    peer       bits(12)", "peer       bits(12)\n    session    bits(2)"},
		{"sent_time uint16", "sent_time uint16 le"},
		{"received uint16, received_time uint16", "received_time uint16, received uint16"},
		{"unreliable uint16, length uint16", "length uint16, unreliable uint16"},
		{"group uint16, length uint16", "length uint16, group uint16"},
		{"group uint16,", "group uint16 le,"},
		{"Disconnect:         { user uint32 }", "Disconnect:         { user uint32 le }"},
		{" Reliable:           { length uint16,", " Reliable:           { length uint16 le,"},
		{"{ incoming_bandwidth uint32, outgoing_bandwidth uint32 }", "{ outgoing_bandwidth uint32, incoming_bandwidth uint32 }"},
		{"acceleration uint32, deceleration uint32 }", "deceleration uint32, acceleration uint32 }"},
		{"Unreliable         = 7", "Unreliable         = 9", "Unsequenced        = 9", "Unsequenced        = 7"},
		{"BandwidthLimit     = 10", "BandwidthLimit     = 11", "ThrottleConfigure  = 11", "ThrottleConfigure  = 10"},
		{"Disconnect         = 4", "Disconnect         = 5", "Ping               = 5", "Ping               = 4"},
		{"start  uint16\n    length uint16", "length uint16\n    start  uint16"},
		{"total  uint32 in count..33_554_432", "offset uint32", "offset uint32 in 0..total - 1", "total  uint32 in offset + 1..33_554_432"},
		{"count  uint32 in 1..1_048_576", "number uint32", "number uint32 in 0..count - 1", "count  uint32 in number + 1..1_048_576"},
		{"total  uint32 in count..33_554_432", "total  uint32 in count..33_554_433"},
		{"count  uint32 in 1..1_048_576", "count  uint32 in 1..1_048_577"},
		{"incoming_session   uint8\n    outgoing_session   uint8", "outgoing_session   uint8\n    incoming_session   uint8"},
		{"mtu                uint32\n    window             uint32", "window             uint32\n    mtu                uint32"},
		{"channels           uint32 in 1..255\n    incoming_bandwidth uint32", "incoming_bandwidth uint32\n    channels           uint32 in 1..255"},
		{"interval           uint32", "interval           uint32 le"},
		{"acceleration       uint32\n    deceleration       uint32", "deceleration       uint32\n    acceleration       uint32"},
		{"channels           uint32 in 1..255", "channels           uint32 in 1..256"},
		{"channels           uint32 in 1..255", "channels           uint32 in 0..255"},
		{"{ to Peer, user uint32 }", "{ user uint32, to Peer }"},
		{"length <= total - offset", "length <= total - offset + 1"},
	} {
		t.Run(row[1], func(t *testing.T) {
			for i := 0; i < len(row); i += 2 {
				if strings.Count(string(source), row[i]) != 1 {
					t.Fatalf("the schema has not one %q", row[i])
				}
			}
			_, differs := besideENet(t, program, strings.NewReplacer(row...).Replace(string(source)), 2500)
			if len(differs) == 0 {
				t.Error("the host agrees")
			}
			t.Log(differs)
		})
	}
}

func buildENet(t *testing.T) (path string) {
	t.Helper()
	cc := need.Program(t, need.ENet, "cc", "gcc", "clang")
	look := exec.Command(cc, "-E", "-x", "c", "-")
	look.Stdin = strings.NewReader("#include <enet/enet.h>\n")
	if look.Run() != nil {
		need.Skip(t, need.ENet, "no <enet/enet.h>")
	}
	path = filepath.Join(t.TempDir(), "enet_host")
	if out, err := exec.Command(cc, "-Wall", "-Werror", "-o", path, filepath.Join("testdata", "enet_host.c"), "-lenet").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// besideENet gives count generated packets, each with values that the state of the connection calls for, to a host, and
// tells what it met and in which packet, the first one, it differs from the schema's reading.
func besideENet(t *testing.T, program, source string, count int) (met map[string]int, differs []string) {
	t.Helper()
	d, err := decode.Load("enet.pks", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	host := startENet(t, program)
	var trace, sent decode.Trace
	encoder := decode.NewEncoder(d)
	met = map[string]int{}
	model := host.connect(t)
	n := uint64(0)
	for p, err := range fuzz.NewGenerator(d).Packets(1, int64(count), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Decode(p.Data, decode.FromUnknown, &trace); err != nil {
			t.Fatal(err)
		}
		n++
		made := readENet(&trace)
		fragments, raw := made.fragments()
		if made.numbers["compressed"] == 1 && n%8 != 0 {
			continue // hosts without a compressor ignore them all
		}
		raw = raw && n%3 == 0
		if made.greets() {
			fragments, raw = 0, false
		}
		// Fragments are halves: the other ones come in the same packet, sent again.
		for range 1 + min(fragments, 1) {
			steered := steer{Source: decode.Replay(&trace), codes: map[string]uint64{}}
			p := readENet(&trace)
			steered.packet(&p, model, rand.New(rand.NewPCG(1, n)), raw)
			data, err := encoder.Append(nil, steered, decode.FromUnknown)
			if err != nil {
				t.Fatalf("%x: %v", trace.Payload, err)
			}
			if err := d.Decode(data, decode.FromUnknown, &sent); err != nil {
				t.Fatalf("%x: %v", data, err)
			}
			read := readENet(&sent)
			ours := model.take(&read)
			met["datagrams"]++
			if read.ignored {
				met["ignored"]++
			}
			for _, kind := range read.taken {
				met[kind]++
			}
			theirs := host.ask(t, fmt.Sprintf("%x", data), d, model.back)
			if model.phase != enetConnected { // it has forgotten them
				theirs = slices.DeleteFunc(theirs, func(line string) bool { return strings.HasPrefix(line, "state ") })
			}
			for _, line := range ours {
				met[kindOf(line)]++
			}
			if !slices.Equal(ours, theirs) {
				return met, []string{fmt.Sprintf("packet %d, %x:\nlibenet:  %q\npktscope: %q", n, data, theirs, ours)}
			}
			if model.phase != enetConnected || raw {
				model = host.connect(t)
				break
			}
		}
	}
	return met, nil
}

// kindOf is a line's word, with the flags of what was received.
func kindOf(line string) string {
	words := strings.Fields(line)
	if words[0] == "receive" {
		return words[0] + " " + words[2]
	}
	return words[0]
}

// enetProgram is a running testdata/enet_host.c. It ends with its input, or 20 s after a line of it.
type enetProgram struct {
	in     io.Writer
	out    *bufio.Reader
	stderr *bytes.Buffer
}

func startENet(t *testing.T, program string) *enetProgram {
	t.Helper()
	c := exec.CommandContext(t.Context(), program)
	e := &enetProgram{stderr: &bytes.Buffer{}}
	c.Stderr = e.stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	e.in, e.out = in, bufio.NewReader(out)
	t.Cleanup(func() {
		in.Close()
		if err := c.Wait(); err != nil && t.Context().Err() == nil {
			t.Errorf("%v: %s", err, e.stderr)
		}
	})
	return e
}

// lines says something to the program and reads its answer.
func (e *enetProgram) lines(t *testing.T, say string) (list []string) {
	t.Helper()
	if _, err := io.WriteString(e.in, say+"\n"); err != nil {
		t.Fatal(err)
	}
	for {
		line, err := e.out.ReadString('\n')
		if err != nil {
			t.Fatalf("%v after %q", err, list)
		}
		if line == "done\n" {
			return list
		}
		list = append(list, strings.TrimSuffix(line, "\n"))
	}
}

func (e *enetProgram) connect(t *testing.T) *enetModel {
	t.Helper()
	m := &enetModel{groups: map[uint64]bool{}}
	answer := strings.Join(e.lines(t, "connect"), "\n")
	s := &m.state
	if _, err := fmt.Sscanf(answer, "connected %d %d %d %d\nstate %d %d %d %d %d", &m.to[0], &m.to[1], &m.back[0], &m.back[1], &s[0], &s[1], &s[2], &s[3], &s[4]); err != nil {
		t.Fatalf("%q: %v", answer, err)
	}
	return m
}

// ask gives the host a datagram. What it sends to a peer is read by the schema; of that the acknowledgements count, as
// it sends limits when it likes.
func (e *enetProgram) ask(t *testing.T, datagram string, d *decode.Decoder, back [2]uint64) (list []string) {
	t.Helper()
	var trace decode.Trace
	for _, line := range e.lines(t, datagram) {
		text, ok := strings.CutPrefix(line, "sent ")
		if !ok {
			list = append(list, line)
			continue
		}
		var data []byte
		if _, err := fmt.Sscanf(text, "%x", &data); err != nil {
			t.Fatal(err)
		}
		if err := d.Decode(data, decode.FromUnknown, &trace); err != nil {
			list = append(list, fmt.Sprintf("%s: %v", line, err))
			continue
		}
		p := readENet(&trace)
		if len(p.commands) == 1 && p.commands[0].kind == "VerifyConnect" {
			list = append(list, p.grants())
			continue
		}
		if p.address() != back && p.numbers["peer"] >= back[0] { // others, who are before it, are sent limits
			list = append(list, fmt.Sprintf("to %v", p.address()))
		}
		for _, c := range p.commands {
			if c.kind == "Acknowledge" {
				list = append(list, fmt.Sprintf("ack %d %d %d %d", c.numbers["channel"], c.numbers["sequence"], c.numbers["body.received"], c.numbers["body.received_time"]))
			} else if c.kind != "BandwidthLimit" {
				list = append(list, "command "+c.kind)
			}
		}
	}
	return list
}
