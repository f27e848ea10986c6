package fuzz

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// Every oracle can fail. What it watches over is made wrong here, one thing at a time, and it has to say so; with nothing
// wrong it has to be silent.

const oracleSchema = `protocol oracle
order lsb
open enum Kind : uint8 {
    Ping = 1
    Pong = 2
}
packet {
    crc    crc32(prefix 7 : uint32)
    kind   Kind
    health int(0..100)
    align  any
    count  uint8 in 0..4
    list   [count]{ x uint16, y bits(3) }
}
`

// oraclePlan compiles the schema with some text replaced.
func oraclePlan(t *testing.T, replace ...string) *plan.Plan {
	t.Helper()
	src := strings.NewReplacer(replace...).Replace(oracleSchema)
	if len(replace) > 0 && src == oracleSchema {
		t.Fatalf("%q is not in the schema", replace)
	}
	s, diags := schema.Load("oracle.pks", []byte(src), nil)
	if s == nil {
		t.Fatalf("%s", diags[0].AppendLine(nil, "oracle.pks"))
	}
	p, diags := plan.Compile(s)
	if p == nil {
		t.Fatalf("%s", diags[0].AppendLine(nil, "oracle.pks"))
	}
	return p
}

// oraclePacket is a packet of kind 9, which deserves a note, with padding set, which deserves another, and two elements.
func oraclePacket(p *plan.Plan) []byte {
	data := []byte{0, 0, 0, 0, 9, 50 | 0x80, 2, 0x34, 0x12, 0xaa, 0xaa, 0x02}
	data[9], data[10], data[11] = 5, 6, 7 // y, and x and y of the second across bytes
	RepairCRC(p, data)
	return data
}

// What the decoder promises: each broken promise has its words.
func TestOracleCanFail(t *testing.T) {
	for _, row := range []struct {
		name  string
		wrong func(t *testing.T, p *plan.Plan, o *Oracle)
		want  string // in the error; "" for none
	}{
		{"steps", func(_ *testing.T, p *plan.Plan, _ *Oracle) { p.Bound.MaxSteps = 3 }, "steps, at most 3 are proved"},
		{"fields", func(_ *testing.T, p *plan.Plan, _ *Oracle) { p.Bound.MaxFields = 2 }, "fields, at most 2 are proved"},
		{"longest packet", func(_ *testing.T, p *plan.Plan, _ *Oracle) { p.Bound.MaxBits = 8 }, "bits, at most 8 are proved"},
		{"shortest packet", func(_ *testing.T, p *plan.Plan, _ *Oracle) { p.Bound.MinBits = 800 }, "at least 800 are proved"},
		{"memory", func(_ *testing.T, _ *plan.Plan, o *Oracle) { o.trace.Raw = make([]uint64, 0, 1<<20) }, "memory for 1048576 codes"},
		{"spans", func(_ *testing.T, _ *plan.Plan, o *Oracle) { o.trace.Spans = make([]decode.Span, 0, 1<<20) }, "1048576 spans"},
		{"the verdict", func(t *testing.T, p *plan.Plan, _ *Oracle) {
			p.Schema = oraclePlan(t, "int(0..100)", "int(0..100) in 0..40").Schema
		}, `reference: reject: out-of-range at "health"`},
		{"values", func(t *testing.T, p *plan.Plan, _ *Oracle) {
			p.Schema = oraclePlan(t, "x uint16, y bits(3)", "x uint16 be, y bits(3)").Schema
		}, "field 5: reference"},
		{"bits", func(t *testing.T, p *plan.Plan, _ *Oracle) {
			p.Schema = oraclePlan(t, "x uint16, y bits(3)", "x uint16, y bits(2)").Schema
		}, "reference"},
		{"notes", func(t *testing.T, p *plan.Plan, _ *Oracle) {
			p.Schema = oraclePlan(t, "Pong = 2", "Pong = 9").Schema
		}, "reference: 1 notes"},
		{"encode(decode(b)) == b", func(t *testing.T, p *plan.Plan, o *Oracle) {
			o.encoder = decode.NewEncoder(oraclePlan(t, "prefix 7", "prefix 8"))
		}, "encodes to other bits"},
		{"encode(decode(b)) exists", func(t *testing.T, p *plan.Plan, o *Oracle) {
			o.encoder = decode.NewEncoder(oraclePlan(t, "in 0..4", "in 0..1"))
		}, "has no encoding"},
		{"encode(decode(b)) is as long", func(t *testing.T, p *plan.Plan, o *Oracle) {
			o.encoder = decode.NewEncoder(oraclePlan(t, "x uint16, y bits(3)", "x uint16, y bits(9)"))
		}, "bytes encodes to"},
		{"nothing wrong", func(*testing.T, *plan.Plan, *Oracle) {}, ""},
	} {
		p := oraclePlan(t)
		packet := oraclePacket(p)
		o := NewOracle(decode.New(p))
		row.wrong(t, p, o)
		_, err := o.Decode(packet, decode.FromUnknown)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: want %q, got %v", row.name, row.want, err)
		}
	}
}

// What a terminal would obey is seen.
func TestPrintableCanFail(t *testing.T) {
	for _, row := range []struct {
		text string
		good bool
	}{
		{"\x1b[2J", false}, {"a\nb", false}, {"a\x00", false}, {"\xff", false}, {"\u202e", false}, {"\u2028", false}, {"\u200b", false}, {"é ‹€›", true},
	} {
		if err := printable([]byte(row.text)); (err == nil) != row.good {
			t.Errorf("%q: %v", row.text, err)
		}
	}
}

// decode(encode(v)) == v: values that read back as other ones, or that no reader takes, are an error of the encoder.
func TestEncodeLawCanFail(t *testing.T) {
	p := oraclePlan(t)
	var trace decode.Trace
	if err := decode.New(p).Decode(oraclePacket(p), decode.FromUnknown, &trace); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		leaf string
		code uint64
		good bool
	}{{"a value out of its range", "health", 120, false}, {"more elements than there are", "count", 4, false}, {"as they were", "health", 50, true}} {
		src := &lying{Source: decode.Replay(&trace), path: row.leaf, code: row.code}
		if _, err := decode.NewEncoder(p).Append(nil, src, decode.FromUnknown); (err == nil) != row.good {
			t.Errorf("%s: %v", row.name, err)
		}
	}
}

// lying answers one question with another code.
type lying struct {
	decode.Source
	path string
	code uint64
}

func (l *lying) Code(a *decode.Ask) (uint64, error) {
	if a.Path() == l.path {
		return l.code, nil
	}
	return l.Source.Code(a)
}

// wrongTarget answers as it is told, or with what the right decoder says, changed.
type wrongTarget struct {
	right Target
	reply func(packet []byte, r Reply) Reply
	check []Wrong
	err   error
}

func (w *wrongTarget) Send(packet []byte, from decode.Direction) (Reply, error) {
	r, _ := w.right.Send(packet, from)
	if r.Why != nil {
		why := *r.Why
		r.Why = &why
	}
	return w.reply(packet, r), w.err
}
func (w *wrongTarget) Check(*decode.Trace) []Wrong { return w.check }
func (w *wrongTarget) Close() error                { return nil }

// What a target does wrong: each has its kind of finding, in an audit and in a campaign; a target that does nothing wrong has
// none.
func TestJudgeCanFail(t *testing.T) {
	p := oraclePlan(t)
	d := decode.New(p)
	on := func(kind reject.Kind, change func(*Reply)) func([]byte, Reply) Reply {
		return func(_ []byte, r Reply) Reply {
			if r.Why != nil && r.Why.Kind == kind {
				change(&r)
			}
			return r
		}
	}
	accept := func(r *Reply) { *r = Reply{Outcome: Accepted, Bits: -1} }
	valid := func(change func(*Reply)) func([]byte, Reply) Reply {
		return func(_ []byte, r Reply) Reply {
			if r.Outcome == Accepted {
				change(&r)
			}
			return r
		}
	}
	as := func(outcome Outcome) func([]byte, Reply) Reply {
		return valid(func(r *Reply) { *r = Reply{Outcome: outcome} })
	}
	for _, row := range []struct {
		name   string
		reply  func([]byte, Reply) Reply
		check  []Wrong
		want   FindingKind
		reject reject.Kind
		clean  bool
	}{
		{name: "a panic", reply: as(Crashed), want: FoundCrash},
		{name: "no end", reply: as(Hung), want: FoundHang},
		{name: "memory without measure", reply: as(Exhausted), want: FoundLeak},
		{name: "a proper prefix accepted", reply: on(reject.PastEnd, accept), want: FoundAcceptedMalformed, reject: reject.PastEnd},
		{name: "a bit under the checksum flipped", reply: on(reject.CRCMismatch, accept), want: FoundAcceptedMalformed, reject: reject.CRCMismatch},
		{name: "a range not checked", reply: on(reject.OutOfRange, accept), want: FoundAcceptedMalformed, reject: reject.OutOfRange},
		{name: "bytes too many accepted", reply: on(reject.TrailingBytes, accept), want: FoundAcceptedMalformed, reject: reject.TrailingBytes},
		{name: "a valid packet refused", reply: as(Refused), want: FoundRejectedValid},
		{name: "another kind", reply: on(reject.OutOfRange, func(r *Reply) { r.Why.Kind = reject.UnknownCase }), want: FoundRefusedElsewhere, reject: reject.OutOfRange},
		{name: "another field", reply: on(reject.OutOfRange, func(r *Reply) { r.Why.Path += "x" }), want: FoundRefusedElsewhere, reject: reject.OutOfRange},
		{name: "another bit", reply: on(reject.OutOfRange, func(r *Reply) { r.Why.Bit++ }), want: FoundRefusedElsewhere, reject: reject.OutOfRange},
		{name: "another width", reply: on(reject.PastEnd, func(r *Reply) { r.Why.Width++ }), want: FoundRefusedElsewhere, reject: reject.PastEnd},
		{name: "other bits consumed", reply: valid(func(r *Reply) { r.Bits-- }), want: FoundWrongBits},
		{name: "a wrong value", check: []Wrong{{FoundWrongValue, "health", "want 1, got 2"}}, want: FoundWrongValue},
		{name: "work", check: []Wrong{{FoundSlow, "", "much"}}, want: FoundSlow},
		{name: "memory", check: []Wrong{{FoundLeak, "", "much"}}, want: FoundLeak},
		{name: "nothing wrong", clean: true},
	} {
		if row.reply == nil {
			row.reply = func(_ []byte, r Reply) Reply { return r }
		}
		newTarget := func(context.Context) (Target, error) {
			return &wrongTarget{right: NewBuiltin(d), reply: row.reply, check: row.check}, nil
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
		campaign := &Campaign{Decoder: d, Seed: 1, NewTarget: newTarget, Execs: 3000}
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

// What a mutation says must be answered is held against this project's decoder, too: of one that reads another protocol it is
// a disagreement.
func TestExpectationCanFail(t *testing.T) {
	right := oraclePlan(t)
	packet := oraclePacket(right)
	for _, row := range []struct {
		name    string
		replace []string
	}{
		{"must-accept", []string{"int(0..100)", "int(0..100) in 0..60"}},
		{"must-reject", []string{"int(0..100)", "int(0..127)"}},
		{"a prefix must be refused elsewhere", []string{"x uint16", "x2 uint16"}},
	} {
		other := decode.New(oraclePlan(t, row.replace...))
		j := NewJudge(other, false)
		target := NewBuiltin(other)
		found := 0
		for m := range NewMutator(decode.New(right)).Mutations(packet, decode.FromUnknown) {
			reply, err := target.Send(m.Data, decode.FromUnknown)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range j.Judge(m, decode.FromUnknown, target, reply) {
				if f.Kind == FoundDisagreement {
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
	d := decode.New(oraclePlan(t))
	newTarget := func(context.Context) (Target, error) {
		return &wrongTarget{right: NewBuiltin(d), reply: func(_ []byte, r Reply) Reply { return r }, err: gone}, nil
	}
	if _, err := (&Audit{Decoder: d, NewTarget: newTarget}).Run(t.Context()); !errors.Is(err, gone) {
		t.Errorf("audit: want %v, got %v", gone, err)
	}
	if _, err := (&Campaign{Decoder: d, NewTarget: newTarget, Execs: 10}).Run(t.Context()); !errors.Is(err, gone) {
		t.Errorf("campaign: want %v, got %v", gone, err)
	}
}
