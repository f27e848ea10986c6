package infer_test

import (
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/cuts"
	"github.com/pktscope/pktscope/decode/infer"
	"github.com/pktscope/pktscope/decode/infer/sessions"
)

// floors are how well the drafts fit that are made of some sessions: the F1 of their boundaries as it was measured, less
// two hundredths. corpus/gen has the table over all.
var floors = map[string]float64{"list": 0.75, "bits": 0.75, "bytes": 0.97, "bousk": 0.97, "kart": 0.93, "hover": 0.93, "puck": 0.69, "opt": 0.90, "moba": 0.80}

// Boundaries are found in sessions, more than bytes have by themselves.
func TestSessions(t *testing.T) {
	i := 0
	for _, s := range sessions.All() {
		floor, ok := floors[s.Name]
		if !ok {
			continue
		}
		i++
		t.Run(s.Name, func(t *testing.T) {
			if !need.OneIn(i, 6) {
				t.Skip("-short drafts one in six")
			}
			truth := s.Decoder()
			made, err := s.Packets(600, 7)
			if err != nil {
				t.Fatal(err)
			}
			var packets [][]byte
			var sample infer.Sample
			for i := range made {
				sample.Add(&made[i])
				packets = append(packets, made[i].Data)
			}
			res, err := infer.Infer(&sample, infer.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if res.Refused > 0 || res.Order.Order != truth.Schema().Order {
				t.Errorf("%d refused, order %v: %v\n%s", res.Refused, res.Order.Order, res.Outliers, res.Source)
			}
			guess := loaded(t, res.Source)
			score := f1(truth, guess, packets)
			t.Logf("F1 %.2f\n%s", score, res.Source)
			if score < floor {
				t.Errorf("want an F1 of %.2f, got %.2f\n%s", floor, score, res.Source)
			}
			none, _ := decode.Load("bytes", []byte("protocol bytes\norder lsb\npacket {\n    all [rest, max 2000]uint8\n}\n"))
			if least := f1(truth, none, packets); score < least {
				t.Errorf("bytes alone are better: %.2f", least)
			}
		})
	}
}

// f1 is how well the boundaries of a guess are those of the truth.
func f1(truth, guess *decode.Decoder, packets [][]byte) float64 {
	return cuts.Compare(func(yield func(decode.Packet) bool) {
		for _, p := range packets {
			if !yield(decode.Packet{Data: p, Size: len(p)}) {
				return
			}
		}
	}, truth, guess).F1
}
