package report_test

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/report"
)

// A packet that was sent to a server is a client's in the text and in the replay, whoever sends such by the schema.
func TestSentToServer(t *testing.T) {
	found := []fuzz.Finding{{Kind: oracle.FoundCrash, Packet: []byte{2, 0}, From: decode.Server, Count: 1}}
	for target, want := range map[string]string{"udp:127.0.0.1:9": "client", "exec:./reader": "server"} {
		a := report.Audit{Protocol: "p", Target: target, Result: &fuzz.AuditResult{Findings: found}, Replay: []string{"pktscope", "audit"}}
		text := string(a.AppendText(nil, false))
		if !strings.Contains(text, "2 bytes from "+want) || !strings.Contains(text, "--from "+want+" --hex 0200") {
			t.Errorf("%s: want %s, got\n%s", target, want, text)
		}
	}
}
