package fuzz_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// told is a target that answers what a test says.
type told struct {
	reply  func(packet []byte) oracle.Reply
	closed bool
}

func (t *told) Send(packet []byte, _ decode.Direction) (oracle.Reply, error) {
	return t.reply(packet), nil
}
func (t *told) Close() error { t.closed = true; return nil }

func says(outcome oracle.Outcome, bits int, fields string) *told {
	r := oracle.Reply{Outcome: outcome, Bits: bits}
	if fields != "" {
		r.Fields = []byte(fields)
	}
	return &told{reply: func([]byte) oracle.Reply { return r }}
}

func refuses(reason string) *told {
	why, err := oracle.ParseReason([]byte(reason))
	if err != nil {
		panic(err)
	}
	return &told{reply: func([]byte) oracle.Reply { return oracle.Reply{Outcome: oracle.Refused, Why: why, Bits: -1} }}
}

// fieldsDecoder is of the schema that the oracle's tests compare fields of.
func fieldsDecoder(t *testing.T) *decode.Decoder {
	t.Helper()
	src, err := os.ReadFile("oracle/testdata/fields.pks")
	if err != nil {
		t.Fatal(err)
	}
	return compile(t, string(src))
}

// Where two targets differ is a finding, in verdict, bits and values; what one does not say is not compared.
func TestPair(t *testing.T) {
	d := fieldsDecoder(t)
	packet := []byte("\x02=\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00bob\x00ann\x00\xab\xcd")
	var trace decode.Trace
	if err := d.Decode(packet, decode.FromUnknown, &trace); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		one, two   *told
		path, what string
	}{
		{says(oracle.Accepted, -1, ""), says(oracle.Refused, -1, ""), "", "accept, and of other reject"},
		{says(oracle.Refused, -1, ""), says(oracle.Crashed, -1, ""), "", "reject, and of other crash"},
		{says(oracle.Accepted, 10, ""), says(oracle.Accepted, 11, ""), "", "10 bits, and of other 11 bits"},
		{says(oracle.Accepted, 11, ""), says(oracle.Accepted, 10, ""), "", "11 bits, and of other 10 bits"},
		{says(oracle.Accepted, 0, ""), says(oracle.Accepted, 11, ""), "", "0 bits, and of other 11 bits"},
		{says(oracle.Accepted, 11, ""), says(oracle.Accepted, 0, ""), "", "11 bits, and of other 0 bits"},
		{says(oracle.Accepted, 10, `{"big":7}`), says(oracle.Accepted, 11, `{"big":7}`), "", "10 bits, and of other 11 bits"},
		{says(oracle.Accepted, -1, `{"big":7}`), says(oracle.Accepted, -1, `{"big":8}`), "big", "7, and of other 8"},
		{says(oracle.Accepted, -1, `{"big":9}`), says(oracle.Accepted, -1, `{"big":8}`), "big", "9, and of other 8"},
		{says(oracle.Accepted, -1, `{"token":"ff01"}`), says(oracle.Accepted, -1, `{"token":"ff02"}`), "token", "a secret, and of other another"},

		{says(oracle.Accepted, -1, `{"big":7}`), says(oracle.Accepted, 9, `{"big":"7"}`), "", ""},
		{says(oracle.Accepted, 9, ""), says(oracle.Accepted, -1, ""), "", ""},
		{says(oracle.Accepted, -1, `{"kind":2}`), says(oracle.Accepted, -1, `{"kind":"Leave"}`), "", ""},
		{says(oracle.Accepted, -1, `{"big":7}`), says(oracle.Accepted, -1, `{"keys":5}`), "", ""},
		{says(oracle.Accepted, -1, ""), says(oracle.Accepted, -1, `{"big":8}`), "", ""},
		{says(oracle.Refused, -1, ""), says(oracle.Refused, -1, ""), "", ""},

		{refuses(`{"kind":"past-end","bit":7}`), refuses(`{"kind":"past-end","bit":8}`), "", "reject: past-end, bit 7, and of other reject: past-end, bit 8"},
		{refuses(`{"path":""}`), refuses(`{"path":"a"}`), "", `reject: at "", and of other reject: at "a"`},
		{refuses(`{"kind":"past-end"}`), refuses(`{"bit":8}`), "", ""},
		{refuses(`{"kind":"past-end"}`), says(oracle.Refused, -1, ""), "", ""},
	} {
		pair := oracle.NewPair(row.one, row.two, "other")
		if _, err := pair.Send(packet, decode.FromUnknown); err != nil {
			t.Fatal(err)
		}
		var found []oracle.Mismatch
		for _, w := range pair.(oracle.Checker).Check(&trace) {
			if w.Kind == oracle.FoundDifference {
				found = append(found, w)
			}
		}
		if row.what == "" && len(found) > 0 || row.what != "" && (len(found) != 1 || found[0].Path != row.path || found[0].What != row.what) {
			t.Errorf("%s %s: %+v, want %q %q", row.one.reply(nil).Fields, row.two.reply(nil).Fields, found, row.path, row.what)
		}
		if err := pair.Close(); err != nil || !row.one.closed || !row.two.closed {
			t.Error("not closed")
		}
	}
}

// An audit of two keeps the shortest packet at which they part.
func TestPairAudit(t *testing.T) {
	d := fieldsDecoder(t)
	second := func() oracle.Target {
		own := oracle.NewBuiltin(d)
		return &told{reply: func(packet []byte) oracle.Reply {
			r, _ := own.Send(packet, decode.FromUnknown)
			if len(packet) > 0 && packet[0] == 2 { // it does not know who leaves
				r = oracle.Reply{Outcome: oracle.Refused, Bits: -1}
			}
			return r
		}}
	}
	run := fuzz.Audit{Decoder: d, Seed: 1, NewTarget: func(context.Context) (oracle.Target, error) {
		return oracle.NewPair(oracle.NewBuiltin(d), second(), "other"), nil
	}}
	r, err := run.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) == 0 {
		t.Fatal("nothing found")
	}
	for _, f := range r.Findings {
		if f.Kind != oracle.FoundDifference || f.Packet[0] != 2 || !strings.Contains(f.What(), "want one answer of both, got accept, and of other reject") {
			t.Errorf("%v: %s: %x", f.Kind, f.What(), f.Packet)
		}
	}
}
