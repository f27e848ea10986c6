package stats

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/report/saved"
)

// Parts of older versions are read as they were meant, merge, and are refused twice: of 2, from before there were
// segments, of 3, from before silences named their files, of 4, from before there were messages, of 5, from before
// there was a timeline: with them, there is none of the whole; and of 6, from before flows of two ends were told apart.
func TestReadsOldParts(t *testing.T) {
	for _, one := range []struct{ part, capture, file string }{
		{"part-2.json", "../../corpus/rtype.pcap", ""}, {"part-3.json", session + ".pcap", ""}, {"part-4.json", session + ".pcap", "rtype-session.pcap"},
		{"part-5.json", session + ".pcap", "rtype-session.pcap"}, {"part-6.json", session + ".pcap", "rtype-session.pcap"},
	} {
		t.Run(one.part, func(t *testing.T) { readsOldPart(t, "testdata/"+one.part, one.capture, one.file) })
	}
}

func readsOldPart(t *testing.T, name, of, file string) {
	line, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	list, err := Read(bytes.NewReader(line))
	if err != nil || len(list) != 1 {
		t.Fatal(err)
	}
	c := builtin(t, "rtype")
	c.file = file
	c.datagrams(capture(t, of))
	want, got := c.stats.Summary(), list[0].Summary()
	want.Schema, got.Schema = nil, nil
	if text(t, got) != text(t, want) {
		t.Error(firstDifference(text(t, want), text(t, got)))
	}
	again, err := Read(bytes.NewReader(line))
	if err != nil {
		t.Fatal(err)
	}
	if err := list[0].Union(again[0]); err == nil || err.Error() != "the same captures are counted twice" {
		t.Error(err)
	}
	list[0].list[0].schema = nil
	c = builtin(t, "rtype")
	c.file = file
	c.stats.KeepTime()
	c.datagrams(capture(t, of))
	if err := list[0].Union(NewSegments(saved.Whole(8), c.stats)); err != nil || list[0].Packets() != 2*want.Total.Packets() {
		t.Errorf("%v, %d packets", err, list[0].Packets())
	}
	if timed := list[0].Summary().Timeline != nil; timed != strings.HasSuffix(name, "6.json") {
		t.Errorf("the whole has a timeline: %v", timed)
	}
}
