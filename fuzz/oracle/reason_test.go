package oracle_test

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

func TestParseReason(t *testing.T) {
	for _, row := range []struct{ line, want string }{
		{``, "no JSON object"},
		{`7`, "no JSON object"},
		{`{"kind":7}`, "no JSON object"},
		{`{"kind":"too long"}`, "kind \"too long\", which is none"},
		{`{"kind":"none"}`, "which is none"},
		{`{"kind":"over-budget"}`, "which is none"},
		{`{"why":"bad"}`, `unknown field "why"`},
		{`{"bit":-1}`, "has -1"},
		{`{"bit":1e99}`, "no JSON object"},
		{`{} {}`, "more than one"},
		{`{}]`, "more than one"},
	} {
		if r, err := oracle.ParseReason([]byte(row.line)); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: want %q, got %v, %v", row.line, row.want, r, err)
		}
	}
	if r, err := oracle.ParseReason([]byte(`{}`)); r != nil || err != nil {
		t.Errorf("{}: got %v, %v", r, err)
	}
	truth := oracle.Answer{Kind: reject.OutOfRange, Path: "body.health", Bit: 301, Width: 7}
	for _, row := range []struct {
		line, text string
		is         bool
	}{
		{`{"kind":"out-of-range"}`, "reject: out-of-range", true},
		{`{"path":"body.health"}`, `reject: at "body.health"`, true},
		{`{"bit":301}`, "reject: bit 301", true},
		{`{"width":7}`, "reject: 7 bits", true},
		{`{"kind":"out-of-range","path":"body.health","bit":301,"width":7}`, `reject: out-of-range at "body.health", bit 301, 7 bits`, true},
		{`{"kind":"past-end","path":"body.health","bit":301,"width":7}`, `reject: past-end at "body.health", bit 301, 7 bits`, false},
		{`{"kind":"out-of-range","path":""}`, `reject: out-of-range at ""`, false},
		{`{"kind":"out-of-range","bit":0}`, "reject: out-of-range, bit 0", false},
		{`{"kind":"out-of-range","width":8}`, "reject: out-of-range, 8 bits", false},
	} {
		r, err := oracle.ParseReason([]byte(row.line))
		if err != nil || r.Is(truth) != row.is || r.String() != row.text {
			t.Errorf("%s: %v, %v", row.line, r, err)
		}
	}
}
