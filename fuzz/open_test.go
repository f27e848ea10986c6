package fuzz_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// formDecoder compiles a form.
func formDecoder(t *testing.T, f *anyschema.Form) *decode.Decoder {
	t.Helper()
	s, diags := schema.Load("form.pks", []byte(f.Source), nil)
	if s == nil {
		t.Fatalf("%v\n%s", diags, f.Source)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		t.Fatalf("%v\n%s", diags, f.Source)
	}
	return decode.New(p)
}

// forms are those of which more follows from the bytes than from the values.
func forms() []*anyschema.Form {
	var all []*anyschema.Form
	for _, list := range [][]anyschema.Form{anyschema.Open, anyschema.Sums} {
		for i := range list {
			all = append(all, &list[i])
		}
	}
	return all
}

// Packets are generated of every form, of every length that its own packets have, and all that is generated holds
// before the oracle.
func TestOpenFormsGenerated(t *testing.T) {
	need.OneGoroutine(t)
	for _, f := range forms() {
		t.Run(f.Name, func(t *testing.T) {
			d := formDecoder(t, f)
			g, o := fuzz.NewGenerator(d), oracle.NewOracle(d)
			lengths, failed := map[int]int{}, 0
			const packets = 300
			for n := range uint64(packets) {
				p, err := g.Random(1, n)
				if err != nil {
					failed++
					t.Logf("%d: %v", n, err)
					continue
				}
				lengths[len(p.Data)]++
				answer, err := o.Decode(p.Data, p.From)
				if err == nil && answer != (oracle.Answer{}) {
					err = fmt.Errorf("%v", answer)
				}
				if err != nil {
					t.Errorf("%x: %v", p.Data, err)
				}
			}
			if failed > 0 {
				t.Errorf("%d of %d packets were not found", failed, packets)
			}
			for p := range g.Boundaries(1, func(m fuzz.Missed) { t.Logf("missed %s: %v", m.Why, m.Err) }) {
				lengths[len(p.Data)]++
			}
			for _, packet := range f.Packets {
				data, _ := hex.DecodeString(packet)
				if len(data) < 100 && lengths[len(data)] == 0 {
					t.Errorf("no packet of %d bytes", len(data))
				}
			}
		})
	}
}

// An audit of every form breaks every rule, with packets that the decoder refuses, and every seed finds the way to
// each.
func TestOpenFormsAudited(t *testing.T) {
	for i, f := range forms() {
		t.Run(f.Name, func(t *testing.T) {
			if !need.OneIn(i, 6) {
				t.Skip("-short audits each sixth form")
			}
			d := formDecoder(t, f)
			for seed := range need.RoundsIn[uint64](t, need.Long, 3, 1, 1) {
				a := &fuzz.Audit{Decoder: d, Seed: seed + 1, Workers: 1, SelfTest: true, NewTarget: func(context.Context) (oracle.Target, error) { return oracle.NewBuiltin(d), nil }}
				r, err := a.Run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if r.Valid == 0 || r.Hostile == 0 || r.Accepted != r.Valid || r.Refused != r.Hostile {
					t.Errorf("seed %d: %d of %d valid accepted, %d of %d hostile refused: %v", seed+1, r.Accepted, r.Valid, r.Refused, r.Hostile, r.Findings)
				}
				for _, u := range r.Unreached {
					t.Errorf("seed %d: unreached: %v", seed+1, u.String())
				}
				for _, m := range r.Missed {
					if seed == 0 {
						t.Logf("missed %s: %v", m.Why, m.Err)
					}
				}
			}
		})
	}
}
