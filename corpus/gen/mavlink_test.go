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
