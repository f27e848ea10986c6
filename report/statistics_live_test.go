package report

import (
	"net/netip"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/stats"
)

func liveSummary(packets, rejected uint64) *stats.Summary {
	row := stats.CaseRow{Case: "Input\x1b[2J", Direction: "client"}
	row.Accepted = stats.Count{Packets: packets, PayloadBits: 80 * packets, OverheadBits: 20 * packets}
	row.Rejected = stats.Count{Packets: rejected}
	return &stats.Summary{Header: saved.Header{Protocol: "game"}, Total: row.Tally, Cases: []stats.CaseRow{row},
		Sequences: []stats.SequenceRow{{Field: "sequence", Direction: "client"}},
		Silences:  &stats.SilenceList{Timeout: 10000}}
}

func TestAppendLive(t *testing.T) {
	before, now := liveSummary(100, 0), liveSummary(160, 6)
	now.Sequences[0].SequenceCounts = stats.SequenceCounts{Received: 99, Lost: 1}
	now.Rejects = []stats.KindRow{{Kind: "out-of-range", Packets: 6}}
	now.Peers.Listed = []stats.PeerRow{{Peer: netip.MustParseAddrPort("10.0.0.7:99")}, {Peer: netip.MustParseAddrPort("10.0.0.8:99"), QuietAtEnd: 12345}}
	got := string(AppendLive(nil, before, now, LiveOptions{Columns: 80, Passed: 2 * time.Second}))
	for _, want := range []string{"game: 33 packets/s, 3 kbit/s; since the start 166 packets, 6 rejected\n", "lost: C→S sequence 1 (1.0%)\n",
		"rejected: 6 out-of-range\n", "silent over 10 s: 10.0.0.8:99 for 12.35 s\n", "33    3 k      166         6           3\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "\x1b") {
		t.Errorf("a name of the schema reached the terminal: %q", got)
	}
	// The first time there is nothing before, and no time has passed.
	first := string(AppendLive(nil, nil, before, LiveOptions{Columns: 80}))
	for _, want := range []string{"game: 0 packets/s, 0 bit/s; since the start 100 packets, 0 rejected\n", "lost: nothing\n", "silent over 10 s: nobody\n"} {
		if !strings.Contains(first, want) {
			t.Errorf("no %q in:\n%s", want, first)
		}
	}
}

// No line is wider than the terminal, and the rows of cases are as many as were asked for.
func TestAppendLiveFits(t *testing.T) {
	sum := crowded()
	for columns := 40; columns < 140; columns += 7 {
		for _, line := range strings.Split(string(AppendLive(nil, nil, sum, LiveOptions{Columns: columns, Cases: 2, Passed: time.Second})), "\n") {
			if n := utf8.RuneCountInString(line); n > columns {
				t.Errorf("%d of %d columns: %q", n, columns, line)
			}
		}
	}
	few := strings.Count(string(AppendLive(nil, nil, sum, LiveOptions{Columns: 80, Cases: 1})), "\n")
	all := strings.Count(string(AppendLive(nil, nil, sum, LiveOptions{Columns: 80})), "\n")
	if want := len(sum.Cases) - 2; all-few != want { // one row is left, and a line that says so
		t.Errorf("%d lines with one case, %d with all %d", few, all, len(sum.Cases))
	}
}
