package report

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/stats"
)

// crowded is statistics with more of everything than a screen has, under names that a terminal would obey.
func crowded() *stats.Summary {
	const evil = "\x1b[31mevil\u202e"
	s := &stats.Summary{Header: saved.Header{Protocol: evil}, First: time.Unix(1e9, 0).UTC(), Seconds: 12345.678}
	s.Total.Accepted = stats.Count{Packets: 123456789, PayloadBits: 98765432101, OverheadBits: 12345678901}
	s.Total.Rejected.Packets = 4321
	spread := stats.Spread{N: 5000, Mean: 50.123, P50: 50.1, P90: 51.2, P99: 1234.5, Max: 98765.4}
	for i := range 40 {
		row := stats.CaseRow{Case: fmt.Sprint(evil, i), Direction: "client", Share: 0.123, PerSecond: 12.34}
		row.Accepted.Packets, row.Rejected.Packets = 1234567, 89
		if i%2 == 0 {
			row.Direction, row.Every = "server", &stats.Every{Nominal: 50, Rate: 19.96, Interval: spread, Jitter: spread}
		}
		s.Cases = append(s.Cases, row)
		sequence := stats.SequenceRow{Field: fmt.Sprint(evil, "<Case>.sequence", i), Direction: "server"}
		sequence.SequenceCounts = stats.SequenceCounts{Received: 123456, Lost: 789, Duplicated: 12, Strays: 3, Restarts: 1}
		s.Sequences = append(s.Sequences, sequence)
		s.Acks = append(s.Acks, stats.AckRow{Of: evil, Field: evil, Latency: stats.Latency{Spread: spread}})
		s.Rejects = append(s.Rejects, stats.KindRow{Kind: "out-of-range", Packets: 123})
		peer := stats.PeerRow{Peer: netip.MustParseAddrPort("[2001:db8:1234:5678:9abc:def0:1234:5678]:65535"), Silent: 3, Longest: 2345.6, QuietAtEnd: 1e6,
			Sequences: []stats.SequenceRow{sequence}, Rejects: s.Rejects, Acks: s.Acks[:1]}
		peer.Sent.Accepted.Packets, peer.Sent.Rejected.Packets, peer.Got.Accepted.Packets = 123456, 78, 91011
		s.Peers.Listed = append(s.Peers.Listed, peer)
	}
	s.Peers.N, s.Peers.About, s.Peers.More, s.Peers.Rest = 100_000, true, 99_960, &stats.Tally{}
	s.Directions = []stats.DirectionRow{{Direction: "client", Tally: s.Total, Share: 1}}
	s.Silences = &stats.SilenceList{Timeout: 2000, N: 99, More: 59}
	for _, p := range s.Peers.Listed {
		s.Silences.Longest = append(s.Silences.Longest, stats.Silence{Sender: p.Peer, Length: 2345.6})
	}
	s.Series.Width = 32
	for i := range stats.MaxBuckets {
		s.Series.Buckets = append(s.Series.Buckets, stats.Bucket{Packets: uint64(i), Rejected: uint64(i % 3)})
	}
	return s
}

// No line is wider than the terminal, none has what a terminal would obey, and the first screen fits 24 lines with the
// prompt below it.
func TestStatisticsFit(t *testing.T) {
	s := crowded()
	for _, by := range []string{"all", "case", "direction", "peer"} {
		for columns := 1; columns < 200; columns += need.Rounds(1, 7) {
			for _, colour := range []bool{false, true} {
				text := string(AppendStatistics(nil, s, StatisticsOptions{By: by, Columns: columns, Colour: colour}))
				plain := text
				for _, code := range []string{"\x1b[0m", "\x1b[22m", "\x1b[0;22m", "\x1b[1m", "\x1b[2m", "\x1b[31;1m", "\x1b[33m", "\x1b[35m", "\x1b[36m", "\x1b[0;22;0m", "\x1b[0;0;22m", "\x1b[0;22;0;0m"} {
					if colour {
						plain = strings.ReplaceAll(plain, code, "")
					}
				}
				if strings.ContainsAny(plain, "\x1b\u202e") {
					t.Fatalf("%s, %d columns: %q", by, columns, plain)
				}
				lines := strings.Split(strings.TrimSuffix(plain, "\n"), "\n")
				for _, line := range lines {
					if n := utf8.RuneCountInString(line); n > max(columns, 40) || strings.HasSuffix(line, " ") {
						t.Fatalf("%s, %d columns: %d in %q", by, columns, n, line)
					}
				}
				if by == "all" && columns >= 80 && len(lines) > 23 {
					t.Errorf("%d columns: %d lines:\n%s", columns, len(lines), plain)
				}
			}
		}
		// Where there is no terminal nothing is cut, and no column left out.
		if text := string(AppendStatistics(nil, s, StatisticsOptions{By: by})); strings.Contains(text, "…") || strings.Contains(text, "more kinds") ||
			(by == "all" || by == "case") && !strings.Contains(text, "  bytes\n") || !strings.Contains(text, "rejected") {
			t.Errorf("%s without a limit:\n%s", by, text)
		}
	}
}

func TestStatisticsOfNothing(t *testing.T) {
	for _, by := range []string{"all", "case", "direction", "peer"} {
		got := string(AppendStatistics(nil, &stats.Summary{Header: saved.Header{Protocol: "p"}}, StatisticsOptions{By: by, Columns: 80}))
		want := "p: 0 packets\n0 accepted  0 rejected\npayload 0 bit; IP and UDP 0 bit\n"
		if got != want {
			t.Errorf("%s: %q", by, got)
		}
	}
}

func TestSpan(t *testing.T) {
	for _, row := range []struct {
		ms   float64
		want string
	}{{0, "0 ms"}, {0.0001, "0.1 µs"}, {0.5144, "514 µs"}, {1, "1 ms"}, {26.27, "26.3 ms"}, {999, "999 ms"}, {0.99999, "1 ms"}, {999.999, "1 s"}, {5468.027, "5.468 s"}, {7.2e6, "2 h"}} {
		if got := span(row.ms); got != row.want {
			t.Errorf("%g ms: want %s, got %s", row.ms, row.want, got)
		}
	}
}

func TestUnit(t *testing.T) {
	for _, row := range []struct {
		n    float64
		want string
	}{{0, "0 "}, {0.03409, "0.03409 "}, {249.7, "249.7 "}, {999.9, "999.9 "}, {999.96, "1 k"}, {1234567, "1.235 M"}, {1e15, "1000 T"}} {
		if got := unit(row.n); got != row.want {
			t.Errorf("%g: want %q, got %q", row.n, row.want, got)
		}
	}
}

func TestSpark(t *testing.T) {
	if got := spark([]float64{0, 1, 4, 8}, 8); got != "·▂▅█" {
		t.Error(got)
	}
}
