//go:build unix

package process_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

func TestValues(t *testing.T) {
	target := persistent(t, "values")
	for _, r := range batch(t, target, "a", "four", packetRefuse, strings.Repeat("x", 5000)) {
		switch {
		case r.Outcome == oracle.Refused && r.Fields == nil && r.Bits == -1:
		case r.Outcome == oracle.Accepted && bytes.HasPrefix(r.Fields, []byte(`{"size":`)) && r.Bits > 0 && r.Bits%8 == 0:
		default:
			t.Errorf("%v %q %d", r.Outcome, r.Fields, r.Bits)
		}
	}
	// Values that come apart from their A are lost once, and then waited for.
	target = persistent(t, "values-late")
	var last oracle.Reply
	for range 3 {
		var err error
		if last, err = target.Send([]byte("four"), decode.FromUnknown); err != nil {
			t.Fatal(err)
		}
	}
	if string(last.Fields) != `{"size":4}` {
		t.Errorf("got %q", last.Fields)
	}
}

// A line end between answers is nothing, wherever values stand.
func TestValuesInLines(t *testing.T) {
	for _, r := range batch(t, persistent(t, "values-in-lines"), "a", packetRefuse, "four") {
		if r.Outcome == oracle.Accepted && r.Bits <= 0 {
			t.Errorf("%v %q %d: its values are lost", r.Outcome, r.Fields, r.Bits)
		}
	}
}

// A target may say why it refuses; one that has done so always does.
func TestReasons(t *testing.T) {
	target := persistent(t, "reasons")
	for _, row := range []struct{ packet, want string }{
		{"good", ""},
		{packetRefuse + `{"kind":"past-end","path":"body.x","bit":12,"width":8}`, `reject: past-end at "body.x", bit 12, 8 bits`},
		{packetRefuse + `{}`, ""},
		{"good", ""},
		{packetRefuse + `{"bit":7}`, "reject: bit 7"},
	} {
		r, err := target.Send([]byte(row.packet), decode.FromUnknown)
		got := ""
		if r.Why != nil {
			got = r.Why.String()
		}
		if err != nil || got != row.want || (r.Outcome == oracle.Refused) != (row.packet != "good") {
			t.Errorf("%s: %v %q, %v", row.packet, r.Outcome, got, err)
		}
	}
	for _, row := range []struct{ reason, want string }{
		{`{"kind":"bad"}`, "which is none"},
		{`{"kind":`, "no JSON object"},
		{`{"values":{}}`, "unknown field"},
		{`R`, "it answers"},
	} {
		target := persistent(t, "reasons")
		if _, err := target.Send([]byte(packetRefuse+`{}`), decode.FromUnknown); err != nil {
			t.Fatal(err)
		}
		if _, err := target.Send([]byte(packetRefuse+row.reason), decode.FromUnknown); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: want %q, got %v", row.reason, row.want, err)
		}
	}
	// A reason that comes apart from its R is lost once, and then waited for.
	target = persistent(t, "reasons-late")
	var last oracle.Reply
	for range 3 {
		var err error
		if last, err = target.Send([]byte(packetRefuse), decode.FromUnknown); err != nil {
			t.Fatal(err)
		}
	}
	if last.Why == nil || last.Why.Kind != reject.PastEnd {
		t.Errorf("got %v", last.Why)
	}
}
