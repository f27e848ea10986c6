package results_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/examples"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
)

// The sections of a protocol are saved as protocols by themselves: each line fits the JSON Schema, is read again and
// merged, and a reject of a message is a problem that names the message's rule.
func TestMessagesAreSaved(t *testing.T) {
	source, _ := examples.Source("reliable")
	text := strings.Replace(string(source), "protocol reliable\n", "protocol reliable\nport 40000\n", 1)
	text, _, _ = strings.Cut(text, "message Message")
	text += "message Message max 20000 {\n    first uint8 in 1..9\n    data bytes(rest, max 20000)\n}\n"
	d, err := decode.Load("reliable.pks", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("../scan/testdata/netcode.pcap") // of which few are of this protocol
	if err != nil {
		t.Fatal(err)
	}
	counter := results.NewCounter(scan.Always(d), 0, "test")
	counts, err := scan.Run(scan.From(pcap.NewReader(bytes.NewReader(b))), scan.Options{File: "x.pcap", Decoders: scan.Always(d)}, counter.Stage())
	if err != nil || counts.Messages.Refused == 0 {
		t.Fatal(err, counts.Messages)
	}
	set := &results.Set{}
	if err := counter.AddTo(set, saved.Whole(1)); err != nil {
		t.Fatal(err)
	}
	out := savedAgain(t, set)
	if again := savedAgain(t, read(t, out)); !bytes.Equal(again, out) {
		t.Error("what was read is not what was saved")
	}
	valid, sections := validator(t), 0
	for line := range bytes.Lines(out) {
		if err := valid(line); err != nil {
			t.Errorf("%v in %.2000s", err, line)
		}
		if bytes.Contains(line, []byte(`"protocol":"reliable.Message"`)) {
			sections++
			wrong := bytes.Replace(line, []byte(`"messages":true`), []byte(`"messages":1`), 1)
			if bytes.Contains(line, []byte(`"kind":"stats"`)) && valid(wrong) == nil {
				t.Error("messages that are a number are valid")
			}
		}
	}
	if sections != 2 {
		t.Errorf("%d lines are of the section, want its statistics and its rejects", sections)
	}
	found := false
	for _, p := range set.Problems() {
		found = found || p.Protocol == "reliable.Message" && p.Rule == "first"
	}
	if !found {
		t.Errorf("no problem is the message's first byte: %+v", set.Problems())
	}
}
