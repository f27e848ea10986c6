package fuzz

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// judgePlan compiles the oracle's schema with some text replaced.
func judgePlan(t *testing.T, replace ...string) *plan.Plan {
	t.Helper()
	whole, err := os.ReadFile("oracle/testdata/oracle.pks")
	if err != nil {
		t.Fatal(err)
	}
	d, err := decode.Load("oracle.pks", []byte(strings.NewReplacer(replace...).Replace(string(whole))))
	if err != nil {
		t.Fatal(err)
	}
	return d.Plan()
}

// judgePacket is of kind 9 and health 50, with padding set and two elements.
func judgePacket(p *plan.Plan) []byte {
	data := []byte{0, 0, 0, 0, 9, 50 | 0x80, 2, 0x34, 0x12, 5, 6, 7}
	p.RepairChecksum(data)
	return data
}

// wrongTarget answers as it is told, or with what the right decoder says, changed.
type wrongTarget struct {
	right oracle.Target
	reply func(packet []byte, r oracle.Reply) oracle.Reply
	check []oracle.Mismatch
	err   error
}

func (w *wrongTarget) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	r, _ := w.right.Send(packet, from)
	if r.Why != nil {
		why := *r.Why
		r.Why = &why
	}
	return w.reply(packet, r), w.err
}
func (w *wrongTarget) Check(*decode.Trace) []oracle.Mismatch { return w.check }
func (w *wrongTarget) Close() error                          { return nil }

// What a target does wrong: each has its kind of finding, in an audit and in a campaign; a target that does nothing
// wrong has none.
func TestJudgeCanFail(t *testing.T) {
	p := judgePlan(t)
	d := decode.New(p)
	on := func(kind reject.Kind, change func(*oracle.Reply)) func([]byte, oracle.Reply) oracle.Reply {
		return func(_ []byte, r oracle.Reply) oracle.Reply {
			if r.Why != nil && r.Why.Kind == kind {
				change(&r)
			}
			return r
		}
	}
	accept := func(r *oracle.Reply) { *r = oracle.Reply{Outcome: oracle.Accepted, Bits: -1} }
	valid := func(change func(*oracle.Reply)) func([]byte, oracle.Reply) oracle.Reply {
		return func(_ []byte, r oracle.Reply) oracle.Reply {
			if r.Outcome == oracle.Accepted {
				change(&r)
			}
			return r
		}
	}
	as := func(outcome oracle.Outcome) func([]byte, oracle.Reply) oracle.Reply {
		return valid(func(r *oracle.Reply) { *r = oracle.Reply{Outcome: outcome} })
	}
	for i, row := range []struct {
		name   string
		reply  func([]byte, oracle.Reply) oracle.Reply
		check  []oracle.Mismatch
		want   oracle.FindingKind
		reject reject.Kind
		clean  bool
	}{
		{name: "a panic", reply: as(oracle.Crashed), want: oracle.FoundCrash},
		{name: "no end", reply: as(oracle.Hung), want: oracle.FoundHang},
		{name: "memory without measure", reply: as(oracle.Exhausted), want: oracle.FoundLeak},
		{name: "a proper prefix accepted", reply: on(reject.PastEnd, accept), want: oracle.FoundAcceptedMalformed, reject: reject.PastEnd},
		{name: "a bit under the checksum flipped", reply: on(reject.CRCMismatch, accept), want: oracle.FoundAcceptedMalformed, reject: reject.CRCMismatch},
		{name: "a range not checked", reply: on(reject.OutOfRange, accept), want: oracle.FoundAcceptedMalformed, reject: reject.OutOfRange},
		{name: "bytes too many accepted", reply: on(reject.TrailingBytes, accept), want: oracle.FoundAcceptedMalformed, reject: reject.TrailingBytes},
		{name: "a valid packet refused", reply: as(oracle.Refused), want: oracle.FoundRejectedValid},
		{name: "another kind", reply: on(reject.OutOfRange, func(r *oracle.Reply) { r.Why.Kind = reject.UnknownCase }), want: oracle.FoundRefusedElsewhere, reject: reject.OutOfRange},
		{name: "another field", reply: on(reject.OutOfRange, func(r *oracle.Reply) { r.Why.Path += "x" }), want: oracle.FoundRefusedElsewhere, reject: reject.OutOfRange},
		{name: "another bit", reply: on(reject.OutOfRange, func(r *oracle.Reply) { r.Why.Bit++ }), want: oracle.FoundRefusedElsewhere, reject: reject.OutOfRange},
		{name: "another width", reply: on(reject.PastEnd, func(r *oracle.Reply) { r.Why.Width++ }), want: oracle.FoundRefusedElsewhere, reject: reject.PastEnd},
		{name: "other bits consumed", reply: valid(func(r *oracle.Reply) { r.Bits-- }), want: oracle.FoundWrongBits},
		{name: "a wrong value", check: []oracle.Mismatch{{Kind: oracle.FoundWrongValue, Path: "health", What: "want 1, got 2"}}, want: oracle.FoundWrongValue},
		{name: "work", check: []oracle.Mismatch{{Kind: oracle.FoundSlow, Path: "", What: "much"}}, want: oracle.FoundSlow},
		{name: "memory", check: []oracle.Mismatch{{Kind: oracle.FoundLeak, Path: "", What: "much"}}, want: oracle.FoundLeak},
		{name: "nothing wrong", clean: true},
	} {
		if row.reply == nil {
			row.reply = func(_ []byte, r oracle.Reply) oracle.Reply { return r }
		}
		newTarget := func(context.Context) (oracle.Target, error) {
			return &wrongTarget{right: oracle.NewBuiltin(d), reply: row.reply, check: row.check}, nil
		}
		look := func(what string, found []Finding) {
			has := false
			for i := range found {
				has = has || found[i].Kind == row.want && (row.reject == reject.None || found[i].Reject == row.reject)
			}
			if has == row.clean || row.clean && len(found) > 0 {
				t.Errorf("%s, %s: %d findings, among them %v: %v", row.name, what, len(found), row.want, has)
			}
		}
		audit := &Audit{Decoder: d, Seed: 1, NewTarget: newTarget}
		result, err := audit.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		look("audit", result.Findings)
		if !need.OneIn(i, 3) {
			continue
		}
		campaign := &Campaign{Decoder: d, Seed: 1, NewTarget: newTarget, Execs: need.Rounds[int64](3000, 1000)}
		state, err := campaign.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var found []Finding
		for _, f := range state.Findings {
			found = append(found, *f)
		}
		look("campaign", found)
	}
}

// What a mutation says must be answered is held against this project's decoder, too: of one that reads another protocol
// it is a disagreement.
func TestExpectationCanFail(t *testing.T) {
	right := judgePlan(t)
	packet := judgePacket(right)
	for _, row := range []struct {
		name    string
		replace []string
	}{
		{"must-accept", []string{"int(0..100)", "int(0..100) in 0..60"}},
		{"must-reject", []string{"int(0..100)", "int(0..127)"}},
		{"a prefix must be refused elsewhere", []string{"x uint16", "x2 uint16"}},
	} {
		other := decode.New(judgePlan(t, row.replace...))
		j := NewJudge(other, false)
		target := oracle.NewBuiltin(other)
		found := 0
		for m := range NewMutator(decode.New(right)).Mutations(packet, decode.FromUnknown) {
			reply, err := target.Send(m.Data, decode.FromUnknown)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range j.Judge(m, decode.FromUnknown, target, reply) {
				if f.Kind == oracle.FoundDisagreement {
					found++
				}
			}
		}
		if found == 0 {
			t.Errorf("%s: want disagreements, got none", row.name)
		}
	}
}

// A target that is of no use any more ends the run, whatever it answers.
func TestTargetGone(t *testing.T) {
	gone := errors.New("gone")
	d := decode.New(judgePlan(t))
	newTarget := func(context.Context) (oracle.Target, error) {
		return &wrongTarget{right: oracle.NewBuiltin(d), reply: func(_ []byte, r oracle.Reply) oracle.Reply { return r }, err: gone}, nil
	}
	if _, err := (&Audit{Decoder: d, NewTarget: newTarget}).Run(t.Context()); !errors.Is(err, gone) {
		t.Errorf("audit: want %v, got %v", gone, err)
	}
	if _, err := (&Campaign{Decoder: d, NewTarget: newTarget, Execs: 10}).Run(t.Context()); !errors.Is(err, gone) {
		t.Errorf("campaign: want %v, got %v", gone, err)
	}
}
