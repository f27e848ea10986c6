package fuzz_test

import (
	"context"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
)

// told is a target that answers what a test says.
type told struct {
	reply  func(packet []byte) fuzz.Reply
	closed bool
}

func (t *told) Send(packet []byte, _ decode.Direction) (fuzz.Reply, error) {
	return t.reply(packet), nil
}
func (t *told) Close() error { t.closed = true; return nil }

func says(outcome fuzz.Outcome, bits int, fields string) *told {
	r := fuzz.Reply{Outcome: outcome, Bits: bits}
	if fields != "" {
		r.Fields = []byte(fields)
	}
	return &told{reply: func([]byte) fuzz.Reply { return r }}
}

func refuses(reason string) *told {
	why, err := fuzz.ParseReason([]byte(reason))
	if err != nil {
		panic(err)
	}
	return &told{reply: func([]byte) fuzz.Reply { return fuzz.Reply{Outcome: fuzz.Refused, Why: why, Bits: -1} }}
}

// Where two targets differ is a finding, in verdict, bits and values; what one does not say is not compared.
func TestPair(t *testing.T) {
	d := compileFields(t)
	e := &bitWriter{}
	e.put(8, 2).put(3, 5).put(64, 7).put(32, 0).put(2, 0).align().bytes("bob\x00ann\x00\xab\xcd")
	var trace decode.Trace
	if err := d.Decode(e.data, decode.FromUnknown, &trace); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		one, two   *told
		path, what string
	}{
		{says(fuzz.Accepted, -1, ""), says(fuzz.Refused, -1, ""), "", "accept, and of other reject"},
		{says(fuzz.Refused, -1, ""), says(fuzz.Crashed, -1, ""), "", "reject, and of other crash"},
		{says(fuzz.Accepted, 10, ""), says(fuzz.Accepted, 11, ""), "", "10 bits, and of other 11 bits"},
		{says(fuzz.Accepted, 11, ""), says(fuzz.Accepted, 10, ""), "", "11 bits, and of other 10 bits"},
		{says(fuzz.Accepted, 0, ""), says(fuzz.Accepted, 11, ""), "", "0 bits, and of other 11 bits"},
		{says(fuzz.Accepted, 11, ""), says(fuzz.Accepted, 0, ""), "", "11 bits, and of other 0 bits"},
		{says(fuzz.Accepted, 10, `{"big":7}`), says(fuzz.Accepted, 11, `{"big":7}`), "", "10 bits, and of other 11 bits"},
		{says(fuzz.Accepted, -1, `{"big":7}`), says(fuzz.Accepted, -1, `{"big":8}`), "big", "7, and of other 8"},
		{says(fuzz.Accepted, -1, `{"big":9}`), says(fuzz.Accepted, -1, `{"big":8}`), "big", "9, and of other 8"},
		{says(fuzz.Accepted, -1, `{"token":"ff01"}`), says(fuzz.Accepted, -1, `{"token":"ff02"}`), "token", "a secret, and of other another"},

		{says(fuzz.Accepted, -1, `{"big":7}`), says(fuzz.Accepted, 9, `{"big":"7"}`), "", ""},
		{says(fuzz.Accepted, 9, ""), says(fuzz.Accepted, -1, ""), "", ""},
		{says(fuzz.Accepted, -1, `{"kind":2}`), says(fuzz.Accepted, -1, `{"kind":"Leave"}`), "", ""},
		{says(fuzz.Accepted, -1, `{"big":7}`), says(fuzz.Accepted, -1, `{"keys":5}`), "", ""},
		{says(fuzz.Accepted, -1, ""), says(fuzz.Accepted, -1, `{"big":8}`), "", ""},
		{says(fuzz.Refused, -1, ""), says(fuzz.Refused, -1, ""), "", ""},

		{refuses(`{"kind":"past-end","bit":7}`), refuses(`{"kind":"past-end","bit":8}`), "", "reject: past-end, bit 7, and of other reject: past-end, bit 8"},
		{refuses(`{"path":""}`), refuses(`{"path":"a"}`), "", `reject: at "", and of other reject: at "a"`},
		{refuses(`{"kind":"past-end"}`), refuses(`{"bit":8}`), "", ""},
		{refuses(`{"kind":"past-end"}`), says(fuzz.Refused, -1, ""), "", ""},
	} {
		pair := fuzz.NewPair(row.one, row.two, "other")
		if _, err := pair.Send(e.data, decode.FromUnknown); err != nil {
			t.Fatal(err)
		}
		var found []fuzz.Wrong
		for _, w := range pair.(fuzz.Checker).Check(&trace) {
			if w.Kind == fuzz.FoundDifference {
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
	d := compileFields(t)
	second := func() fuzz.Target {
		own := fuzz.NewBuiltin(d)
		return &told{reply: func(packet []byte) fuzz.Reply {
			r, _ := own.Send(packet, decode.FromUnknown)
			if len(packet) > 0 && packet[0] == 2 { // it does not know who leaves
				r = fuzz.Reply{Outcome: fuzz.Refused, Bits: -1}
			}
			return r
		}}
	}
	run := fuzz.Audit{Decoder: d, Seed: 1, NewTarget: func(context.Context) (fuzz.Target, error) {
		return fuzz.NewPair(fuzz.NewBuiltin(d), second(), "other"), nil
	}}
	r, err := run.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) == 0 {
		t.Fatal("nothing found")
	}
	for _, f := range r.Findings {
		if f.Kind != fuzz.FoundDifference || f.Packet[0] != 2 || !strings.Contains(f.What(), "want one answer of both, got accept, and of other reject") {
			t.Errorf("%v: %s: %x", f.Kind, f.What(), f.Packet)
		}
	}
}
