package report_test

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/coverage"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/report"
)

// One @secret hides the packets that hold it, and those that broke where it could have been; the others of the protocol
// show, with the command that sends them again.
func TestOnlyPacketsWithSecretsAreWithheld(t *testing.T) {
	p := planOf(t, `protocol game
order msb
packet {
    sum  crc32
    kind uint8 in 1..3
    body switch kind {
        1: { skin uint8 in 0..3, token bytes(2) @secret }
        2: { x uint8 in 0..9, y uint8 }
        3: { after uint8 }
    }
    tail uint8 in 0..3
}
`)
	packet := func(text string) []byte {
		b, err := hex.DecodeString("00000000" + text)
		if err != nil {
			t.Fatal(err)
		}
		p.RepairChecksum(b)
		return b
	}
	valid := packet("02010200")
	for _, row := range []struct {
		name, packet string
		broken       bool // the checksum
		secret       bool
	}{
		{"a secret", "0101beef01", false, true},
		{"a secret, refused after it", "0101beef09", false, true},
		{"a secret, cut", "0101be", false, true},
		{"refused before the secret", "0109beef01", false, true},
		{"cut before the secret", "01", false, true},
		{"its kind is not known", "", false, true},
		{"its checksum is wrong", "02010200", true, true}, // what kind it is of is not believed
		{"another kind", "02010200", false, false},
		{"another kind, refused", "02ff0200", false, false},
		{"another kind, cut", "0201", false, false},
		{"another kind, too long", "0201020000", false, false},
		{"a third kind", "030201", false, false},
		{"no kind at all", "0901", false, true},
	} {
		for _, before := range []bool{false, true} {
			data := packet(row.packet)
			if row.broken {
				data[0] ^= 1
			}
			f := fuzz.Finding{Kind: oracle.FoundCrash, Rule: "x", Path: "x", Packet: data, Count: 1}
			if before {
				f.Before, f.Packet = []decode.Packet{{Data: data, From: decode.FromUnknown}}, valid
			}
			shape := hex.EncodeToString(data)
			kept := func(*fuzz.Finding) string { return "found/it's.pcapng" }
			again := []string{"pktscope", "audit", "-p", "my game.pks", "--target", "exec:x"}
			audit := &report.Audit{Protocol: "game", Result: &fuzz.AuditResult{Findings: []fuzz.Finding{f}}, Plan: p, Replay: again}
			campaign := &report.Campaign{Protocol: "game", State: &fuzz.CampaignState{Coverage: coverage.New(p), Findings: []*fuzz.Finding{&f}}, Plan: p, Replay: again}
			for _, dir := range []bool{false, true} {
				origin := &report.Origin{Protocol: "game", Plan: p, Replay: again}
				if audit.Kept, campaign.Kept = nil, nil; dir {
					audit.Kept, campaign.Kept, origin.Kept = kept, kept, kept
				}
				var saved, summed bytes.Buffer
				if err := audit.WriteJSON(&saved); err != nil {
					t.Fatal(err)
				}
				if err := campaign.WriteJSON(&summed); err != nil {
					t.Fatal(err)
				}
				file := report.AppendFinding(nil, origin, &f)
				texts := map[string]string{"audit": string(audit.AppendText(nil, false)), "campaign": string(campaign.AppendText(nil, false))}
				saves := map[string]string{"saved audit": saved.String(), "saved campaign": summed.String(), "file": string(file)}
				for form, text := range texts {
					if before && !row.secret { // the command alone has what is sent before
						shape := "--hex " + shape
						if !strings.Contains(text, shape) {
							t.Errorf("%s, %s: no %s in\n%s", row.name, form, shape, text)
						}
					} else if strings.Contains(text, shape) == row.secret {
						t.Errorf("%s, before %v, %s: shown %v:\n%s", row.name, before, form, !row.secret, text)
					}
					want := "--hex " + hex.EncodeToString(f.Packet)
					switch {
					case row.secret && dir:
						want = `pktscope fuzz -p 'my game.pks' --target exec:x --replay 'found/it'\''s.pcapng'`
					case row.secret:
						want = "--findings DIR keeps"
					}
					if !strings.Contains(text, want) {
						t.Errorf("%s, before %v, %s: want %q in\n%s", row.name, before, form, want, text)
					}
				}
				for form, text := range saves {
					if strings.Contains(text, shape) == row.secret || strings.Contains(strings.ReplaceAll(text, " ", ""), `"secret":true`) != row.secret {
						t.Errorf("%s, before %v, %s: shown %v:\n%s", row.name, before, form, !row.secret, text)
					}
				}
				if _, err := report.ParseFinding(file); (err != nil) != row.secret || err != nil && !strings.Contains(err.Error(), "capture beside") {
					t.Errorf("%s, before %v: read back: %v", row.name, before, err)
				}
			}
		}
	}
}
