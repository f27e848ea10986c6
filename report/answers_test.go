package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report"
)

// What a reader without a verdict survived is not refused, in no form; what it crashes of is not survived.
func TestNothingIsRefusedWithoutAVerdict(t *testing.T) {
	for _, row := range []struct {
		result fuzz.AuditResult
		want   []string
		right  bool
	}{
		{fuzz.AuditResult{Hostile: 1200, SurvivedHostile: 1200, Valid: 3, SurvivedValid: 3}, []string{"1,200 of 1,200 hostile packets survived", "3 of 3 valid packets survived"}, true},
		{fuzz.AuditResult{Hostile: 9, SurvivedHostile: 8, Valid: 3, SurvivedValid: 3}, []string{"8 of 9 hostile packets survived"}, false},
		{fuzz.AuditResult{Hostile: 9, Refused: 4, SurvivedHostile: 5, Valid: 3, SurvivedValid: 1, Accepted: 2}, []string{"4 of 9 hostile packets refused, 5 more survived", "2 of 3 valid packets accepted, 1 more survived"}, true},
	} {
		a := report.Audit{Protocol: "t", Target: "exec+persistent:t", Result: &row.result}
		var saved bytes.Buffer
		if err := a.WriteJSON(&saved); err != nil {
			t.Fatal(err)
		}
		audit := report.SavedAudit{Hostile: row.result.Hostile, Refused: row.result.Refused, SurvivedHostile: row.result.SurvivedHostile,
			Valid: row.result.Valid, Accepted: row.result.Accepted, SurvivedValid: row.result.SurvivedValid}
		if audit.AllRight() != row.right {
			t.Errorf("%+v: all right: %v", row.result, audit.AllRight())
		}
		for _, text := range []string{string(a.AppendText(nil, false)), audit.Sum()} {
			for _, want := range append(row.want, "the reader gives no verdict") {
				if !strings.Contains(text, want) {
					t.Errorf("want %q in %s", want, text)
				}
			}
			if row.result.Refused == 0 && strings.Contains(text, "refused") {
				t.Errorf("%s", text)
			}
		}
		if !strings.Contains(saved.String(), `"survived_hostile":`) || row.result.Refused == 0 && !strings.Contains(saved.String(), `"refused":0,`) {
			t.Errorf("%s", saved.String())
		}
	}
}
