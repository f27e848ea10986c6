package report_test

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/coverage"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/report"
)

// A finding's file may be a stranger's.
func TestParseFindingRefuses(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"nothing", "", "no finding"},
		{"no JSON", "packet", "no finding"},
		{"another shape", `{"packet": 5}`, "no finding"},
		{"no sender", `{"packet": "00"}`, `from: want client, server or unknown, got ""`},
		{"an odd digit", `{"packet": "000", "from": "client"}`, "pairs of hexadecimal digits"},
		{"no digits", `{"packet": "zz", "from": "client"}`, "pairs of hexadecimal digits"},
		{"left out", `{"bytes": 2, "from": "client"}`, "the capture beside, which has it"},
		{"too long", `{"packet": "` + strings.Repeat("00", fuzz.MaxPacket+1) + `", "from": "client"}`, "at most"},
		{"too many", `{"packet": "00", "from": "client", "before": [` + strings.Repeat(`{"from": "client", "packet": "00"},`, fuzz.MaxBefore) + `{"from": "client", "packet": "00"}]}`, "at most"},
	} {
		if _, err := report.ParseFinding([]byte(row.text)); err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: want %q, got %v", row.name, row.want, err)
		}
	}
}

// hostileFinding is in words that a terminal would obey.
var hostileFinding = fuzz.Finding{
	Kind: oracle.FoundAcceptedMalformed, Rule: "x", Reject: reject.OutOfRange, Path: "a\x1b[2Jb", Bit: 3, Width: 4, Want: "\u202e", Got: "accept",
	Report: "one\n\x1b[31mtwo", Packet: []byte{0xca, 0xfe}, From: decode.Client, Count: 3, Before: []decode.Packet{{Data: []byte{0xba, 0xbe}, From: decode.Server}},
}

func TestFindingReadsBack(t *testing.T) {
	f, err := report.ParseFinding(report.AppendFinding(nil, &report.Origin{Protocol: "x"}, &hostileFinding))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(f.Packet, hostileFinding.Packet) || f.From != decode.Client || len(f.Before) != 1 || !bytes.Equal(f.Before[0].Data, hostileFinding.Before[0].Data) || f.Before[0].From != decode.Server {
		t.Errorf("got %+v", f)
	}
	if secret := report.AppendFinding(nil, &report.Origin{Protocol: "x", Plan: planOf(t, "protocol s\norder lsb\npacket { k bytes(2) @secret }\n")}, &hostileFinding); bytes.Contains(secret, []byte("cafe")) || bytes.Contains(secret, []byte("babe")) {
		t.Errorf("the packet shows: %s", secret)
	}
}

// What is shown of a campaign obeys nothing in a finding, fits the terminal, and has no packet that holds a secret.
func TestCampaignIsShown(t *testing.T) {
	d, err := protocols.Load("packets")
	if err != nil {
		t.Fatal(err)
	}
	state := &fuzz.CampaignState{Execs: 1234567, Valid: 1200000, Queue: 20, Kept: 30, Coverage: coverage.New(d.Plan()), Findings: []*fuzz.Finding{&hostileFinding}}
	c := &report.Campaign{Protocol: "p\x1b", Target: "t\x1b", Seed: 7, Workers: 2, Passed: 3723 * time.Second, State: state, Plan: planOf(t, "protocol s\norder lsb\npacket { k bytes(2) @secret }\n"), Replay: []string{"pktscope", "audit"}}
	if got, want := c.Line(), "1:02:03  1,234,567 packets, 331/s; useful 322/s; coverage 0.0%; corpus 30; findings 1"; got != want {
		t.Errorf("want %q, got %q", want, got)
	}
	for _, width := range []int{1, 20, 79} {
		for _, line := range c.Screen(width, false) {
			if utf8.RuneCountInString(line) > width || strings.ContainsAny(line, "\x1b\n\u202e") {
				t.Errorf("%d cells: %q", width, line)
			}
		}
	}
	var json bytes.Buffer
	if err := c.WriteJSON(&json); err != nil {
		t.Fatal(err)
	}
	text := c.AppendText(nil, false)
	for _, shown := range [][]byte{text, json.Bytes(), c.AppendReplay(nil, false)} {
		if bytes.ContainsAny(shown, "\x1b\u202e") && !bytes.HasPrefix(shown, []byte("{")) || bytes.Contains(shown, []byte("cafe")) {
			t.Errorf("%s", shown)
		}
	}
	if !bytes.Contains(text, []byte("1 finding\n")) || !bytes.Contains(text, []byte("takes 1 packet before it")) {
		t.Errorf("%s", text)
	}
	c.Plan = nil
	if text := c.AppendText(nil, false); !bytes.Contains(text, []byte("pktscope audit --from client --hex babe --hex cafe\n")) {
		t.Errorf("no command that shows it again:\n%s", text)
	}
}
