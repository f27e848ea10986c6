package results_test

import (
	"os"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
)

// A Counter has of one scan what the counters of each kind have of the packets one by one; a protocol without packets
// is not in it, and each result says what it lacks.
func TestCounter(t *testing.T) {
	p := rtype(t)
	other, err := protocols.Load("packets")
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open("../../corpus/rtype.pcap")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	decoders := scan.ByPort(other, decode.New(p))
	counter := results.NewCounter(decoders, 40, "test")
	if _, err := scan.Run(scan.From(pcap.NewReader(f)), scan.Options{Decoders: decoders}, counter.Stage()); err != nil {
		t.Fatal(err)
	}
	var got results.Set
	if err := counter.AddTo(&got, saved.Whole(1), "b.pcap: cut"); err != nil {
		t.Fatal(err)
	}
	want := counted(t, p, session(t))
	if len(got.Statistics) != 1 || len(got.Budgets) != 1 || len(got.Rejects) != 1 {
		t.Fatalf("want a result of each kind, got %d, %d, %d", len(got.Statistics), len(got.Budgets), len(got.Rejects))
	}
	if a, b := got.Statistics[0].Packets(), want.Statistics[0].Packets(); a != b || a == 0 {
		t.Errorf("want %d packets, got %d", b, a)
	}
	if a, b := got.Budgets[0].Packets(), want.Budgets[0].Packets(); a != b {
		t.Errorf("want a budget of %d packets, got %d", b, a)
	}
	if a, b := got.Rejects[0].Rows, want.Rejects[0].Rows; len(a) != len(b) || len(a) == 0 {
		t.Errorf("want %d rows of rejects, got %d", len(b), len(a))
	}
	if lines := got.Incomplete(); !slices.Equal(lines, []string{"b.pcap: cut"}) {
		t.Errorf("want what is cut, once, got %q", lines)
	}
	if lines := [][]string{got.Statistics[0].Incomplete(), got.Budgets[0].Incomplete(), got.Rejects[0].Incomplete}; len(lines[0]) != 1 || len(lines[1]) != 1 || len(lines[2]) != 1 {
		t.Errorf("want each result to say it, got %q", lines)
	}
}
