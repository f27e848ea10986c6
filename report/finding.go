package report

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report/rejects"
)

// Findings as files: one JSON object each, which can be sent again.

// Origin is what a finding is about.
type Origin struct {
	Protocol string
	Target   string
	// As in Audit.
	Replay  []string
	Kept    func(f *fuzz.Finding) string
	Plan    *plan.Plan
	Version string
}

// AppendFinding appends a finding as one JSON object and a newline, as ParseFinding reads it.
func AppendFinding(b []byte, o *Origin, f *fuzz.Finding) []byte {
	audit := &Audit{Target: o.Target, Replay: o.Replay, Kept: o.Kept, Plan: o.Plan}
	finding := savedFinding(f, audit.withheld(), rejects.NewRules(o.Plan))
	finding.Replay = audit.replayCommand(f)
	out, err := json.MarshalIndent(NewSavedFile(newHeader("", o.Version, o.Protocol, o.Target, o.Plan), &finding), "", "  ")
	if err != nil {
		panic("pktscope: internal error: a finding that JSON cannot hold: " + err.Error())
	}
	return append(syntax.AppendEscapedJSON(b, out), '\n')
}

// ParseFinding reads what is needed to send a finding's packets again. The file may be a stranger's.
func ParseFinding(data []byte) (*fuzz.Finding, error) {
	var in SavedFinding
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, fmt.Errorf("no finding: %w", err)
	}
	f := &fuzz.Finding{State: in.State, Spoken: in.Dialogue.spoken()}
	if f.State != "" && f.Spoken != nil {
		return f, nil // its packet is made anew
	}
	if in.Seal {
		f.Seal, f.Rule = true, in.Rule
		return f, nil
	}
	for i, s := range append(slices.Clone(in.Before), SavedPacket{in.From, in.Packet, in.Secret || in.Packet == "" && in.Bytes > 0}) {
		packet, err := hex.DecodeString(s.Packet)
		from, ok := senders[s.From]
		switch {
		case s.Packet == "" && in.LeftOut:
			return nil, errors.New("the packet is left out, because the result had more than fits; --findings writes it")
		case s.Secret && (s.Packet == "" || !f.InState()):
			return nil, errors.New("a packet is left out, because it holds a secret: give --replay the capture beside, which has it")
		case err != nil:
			return nil, errors.New("packet: want pairs of hexadecimal digits")
		case !ok:
			return nil, fmt.Errorf("from: want client, server or unknown, got %.16q", s.From)
		case len(packet) > fuzz.MaxPacket || i > fuzz.MaxBefore:
			return nil, fmt.Errorf("want at most %d packets of %d bytes", fuzz.MaxBefore+1, fuzz.MaxPacket)
		}
		f.Before = append(f.Before, decode.Packet{Data: packet, From: from})
	}
	last := f.Before[len(f.Before)-1]
	f.Packet, f.From, f.Before = last.Data, last.From, f.Before[:len(f.Before)-1]
	return f, nil
}

var senders = map[string]decode.Direction{
	decode.Client.String(): decode.Client, decode.Server.String(): decode.Server, decode.FromUnknown.String(): decode.FromUnknown,
}
