package infer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/infer"
	"github.com/pktscope/pktscope/decode/infer/sessions"
)

// clocks are the fields of sessions that count time, by what their drafts say of them.
var clocks = map[string]string{"floats": "us", "tank": "ms", "kart": "ms"}

// eighths are the sessions with a field that counts 8 in a ms: without its low bits, which are always 0, it counts ms.
var eighths = []string{"radio"}

// What is called a float is one, at its very bits; what has a unit of time is a clock. In the sessions with floats and
// clocks some are found.
func TestLabels(t *testing.T) {
	for i, s := range sessions.All() {
		t.Run(s.Name, func(t *testing.T) {
			if !need.OneIn(i, 12) {
				t.Skip("-short drafts one in twelve")
			}
			packets, err := s.Packets(need.Rounds(500, 120), 11)
			if err != nil {
				t.Fatal(err)
			}
			var sample infer.Sample
			for i := range packets {
				sample.Add(&packets[i])
			}
			res, err := infer.Infer(&sample, infer.Options{})
			if err != nil {
				t.Fatal(err)
			}
			truth, guess := s.Decoder(), loaded(t, res.Source)
			var a, b decode.Trace
			right, wrong := 0, 0
			for _, p := range packets {
				_ = truth.Decode(p.Data, decode.FromUnknown, &a)
				_ = guess.Decode(p.Data, decode.FromUnknown, &b)
				is := map[[2]int]bool{}
				for f := range a.Fields() {
					if f.Value().Form() == decode.FormFloat {
						is[[2]int{f.Bit(), f.Width()}] = true
					}
				}
				for f := range b.Fields() {
					switch {
					case f.Value().Form() != decode.FormFloat:
					case is[[2]int{f.Bit(), f.Width()}]:
						right++
					default:
						wrong++
					}
				}
			}
			if wrong*20 > right || s.Name == "floats" && right < 3*len(packets) {
				t.Errorf("%d floats are none, %d are\n%s", wrong, right, res.Source)
			}
			unit := clocks[s.Name]
			if unit != "" && !strings.Contains(string(res.Source), `@unit("`+unit+`")`) {
				t.Errorf("no field counts %s\n%s", unit, res.Source)
			}
			for _, u := range []string{"s", "ms", "us", "ns"} {
				if u != unit && !(u == "ms" && slices.Contains(eighths, s.Name)) && strings.Contains(string(res.Source), `@unit("`+u+`")`) && !strings.Contains(s.Schema, " "+u+" ") && !strings.Contains(s.Schema, "tick ") {
					t.Errorf("a field counts %s\n%s", u, res.Source)
				}
			}
		})
	}
}

func loaded(t *testing.T, source []byte) *decode.Decoder {
	t.Helper()
	d, err := decode.Load("guess.pks", source)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return d
}
