package infer_test

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/infer"
)

// Tight makes rules of what was seen, and of nothing else: the packets are accepted, at both ends of each range a packet
// has that value, and there is a doubt beside each.
func TestTight(t *testing.T) {
	packets := session(t, "bits", 7, 400)
	res := proved(t, packets, infer.Options{Tight: true})
	if res.Refused > 0 {
		t.Fatalf("%v\n%s", res.Outliers[0], res.Source)
	}
	rules := regexp.MustCompile(`(?m)^ *(\w+) .* in (\d+)\.\.(\d+) .*doubt the range`).FindAllStringSubmatch(string(res.Source), -1)
	if len(rules) < 3 {
		t.Fatalf("%d rules\n%s", len(rules), res.Source)
	}
	d, err := decode.Load("guess.pks", res.Source)
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range rules {
		met := map[string]bool{}
		var trace decode.Trace
		for _, p := range packets {
			_ = d.Decode(p, decode.FromUnknown, &trace)
			for f := range trace.Fields() {
				if f.Name() == rule[1] {
					met[strconv.FormatUint(f.Raw(), 10)] = true
				}
			}
		}
		if !met[rule[2]] || !met[rule[3]] {
			t.Errorf("%s: %s and %s were not both seen", rule[1], rule[2], rule[3])
		}
	}
	if plain := proved(t, packets, infer.Options{}); regexp.MustCompile(` in \d`).Match(plain.Source) {
		t.Errorf("nobody asked for ranges\n%s", plain.Source)
	}
}
