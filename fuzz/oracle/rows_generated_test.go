package oracle_test

import (
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/slow/rows"

	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// TestGenerated makes packets for the schemas of all rows: whatever can be written is read alike by decoder and
// reference, and encodes to itself.
func TestGenerated(t *testing.T) {
	made := 0
	for i, r := range rows.Every() {
		if !need.OneIn(i, 6) {
			continue
		}
		for _, order := range r.In() {
			t.Run(r.Name+"/"+order.String(), func(t *testing.T) {
				d := decoder(t, rows.Load(t, r.Source(order)))
				o, g := oracle.NewOracle(d), fuzz.NewGenerator(d)
				check := func(p fuzz.Packet) {
					answer, err := o.Decode(p.Data, p.From)
					if err != nil {
						t.Errorf("%s: %x: %v\n%s", p.Why, p.Data, err, r.Source(order))
					} else if answer != (oracle.Answer{}) {
						t.Errorf("%s: %x: %v\n%s", p.Why, p.Data, answer, r.Source(order))
					}
				}
				for n := range uint64(20) {
					p, err := g.Random(1, n)
					if err != nil {
						t.Logf("%v\n%s", err, r.Items)
						break
					}
					check(p)
					made++
				}
				for p := range g.Boundaries(1, func(m fuzz.Missed) { t.Logf("missed %s: %v\n%s", m.Why, m.Err, r.Items) }) {
					check(p)
					made++
				}
			})
		}
	}
	if made < need.Rounds(10000, 1000) {
		t.Errorf("only %d packets were made", made)
	}
}
