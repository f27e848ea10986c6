package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/fuzz"
)

// Packets that the generator makes of MAVLink are frames for node-mavlink, too, with the same values.
func TestMavlinkReadByNode(t *testing.T) {
	node := need.Program(t, need.Node, "node")
	if out, err := exec.Command(node, "-e", `require("node-mavlink")`).CombinedOutput(); err != nil {
		need.Skip(t, need.Node, "no node-mavlink: "+strings.SplitN(string(out), "\n", 2)[0])
	}
	d := loadDecoder(t, "mavlink")
	var packets [][]byte
	var input bytes.Buffer
	for p, err := range fuzz.NewGenerator(d).Packets(1, need.Rounds[int64](500, 50), nil) {
		if err != nil {
			t.Fatal(err)
		}
		packets = append(packets, bytes.Clone(p.Data))
		if len(p.Data) == 0 {
			input.WriteByte('-')
		}
		fmt.Fprintf(&input, "%x\n", p.Data)
	}
	read := exec.Command(node, "mavlink_read.js")
	read.Stdin = &input
	out, err := read.Output()
	if err != nil {
		t.Fatal(err)
	}
	var theirs, ours []said
	for line := range strings.Lines(string(out)) {
		words := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		frame, err := strconv.ParseInt(words[0], 10, 64)
		if err != nil || len(words) < 3 {
			t.Fatalf("%q", line)
		}
		theirs = append(theirs, said{frame, words[1], decimal(words[2])})
	}
	g := exhibit{name: "mavlink"}
	compared := g.paths(theirs)
	// Its texts end at a NUL and are in an encoding of its own.
	delete(compared, "messages[].payload.text")
	theirs = dropped(theirs, "messages[].payload.text")
	var trace decode.Trace
	for i, data := range packets {
		if err := d.Decode(data, decode.FromUnknown, &trace); err != nil {
			t.Fatal(err)
		}
		ours = append(ours, g.fieldsOf(int64(i+1), &trace, compared)...)
	}
	if len(theirs) < 10*len(packets) {
		t.Errorf("%d fields of %d packets", len(theirs), len(packets))
	}
	sameFields(t, theirs, ours, 0, nil)
}

// decimal brings a number of JavaScript to the form of plain.
func decimal(text string) string {
	if text != "Infinity" && text != "-Infinity" && !strings.Contains(text, "e") {
		return text
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

func dropped(list []said, path string) (kept []said) {
	for _, s := range list {
		if s.path != path {
			kept = append(kept, s)
		}
	}
	return kept
}

// What is written without a length is as short as MAVLink 2 wants it: without the zeros at its end, but with the first byte.
func TestMavlinkTrims(t *testing.T) {
	d := loadDecoder(t, "mavlink")
	for _, row := range []struct {
		fields string
		length int
	}{{"0", 1}, {"1", 1}, {"256", 2}, {"1000000000", 4}} {
		m := message.New(d.Plan())
		line := `{"fields":{"messages":[{"magic":253,"signed":false,"compat":0,"seq":0,"sysid":1,"compid":1,"msgid":30,"payload":{"time_boot_ms":` +
			row.fields + `,"roll":0,"pitch":0,"yaw":0,"rollspeed":0,"pitchspeed":0,"yawspeed":0}}]}}`
		if err := m.FromJSON([]byte(line)); err != nil {
			t.Fatal(err)
		}
		packet, err := m.Encode(decode.NewEncoder(d), nil)
		if err != nil || len(packet) < 2 || int(packet[1]) != row.length || len(packet) != 12+row.length {
			t.Errorf("%s: want %d bytes of payload, got %x, %v", row.fields, row.length, packet, err)
		}
		var trace decode.Trace
		if err := d.Decode(packet, decode.FromUnknown, &trace); err != nil || len(trace.Notes) > 0 {
			t.Errorf("%x: %v, %d notes", packet, err, len(trace.Notes))
		}
	}
}
