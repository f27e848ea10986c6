package oracle_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/schema"
)

// refusesAll says whether the checker has proved that no packet gets through src.
func refusesAll(src string) bool {
	s, diags := schema.Load("any.pks", []byte(src), nil)
	if s != nil {
		return false
	}
	for _, d := range diags {
		if d.Severity == schema.Error {
			return anyschema.RefusesAll(d.Message)
		}
	}
	return false
}

// behindCondition is src with the items of its packet, and more after them, under a condition. There the proof that no
// packet gets through is a warning, so that packets can be tried; the number in front leaves all items on their bits.
func behindCondition(src, more string) string {
	packet := strings.LastIndex(src, "\npacket ")
	start := packet + strings.Index(src[packet:], "{\n") + 2
	end := start + strings.Index(src[start:], "\n}\n")
	if end < start {
		return "" // a packet on one line
	}
	return src[:start] + "go_on uint64 == 1\nif go_on == 1 {\n" + src[start:end] + "\n" + more + "\n}" + src[end:]
}

// TestRefusedSchemasAcceptNothing: where the checker says that a schema refuses every packet, no packet is found that
// it accepts. The same search finds one under many of the schemas that it does not say so of.
func TestRefusedSchemasAcceptNothing(t *testing.T) {
	refused, accepted, found := 0, 0, 0
	for seed := range need.Rounds[uint64](400, 100) {
		src := anyschema.Source(anyschema.Seeded(seed), 3+int(seed)%40)
		// Half get an item after their last, which may have taken all.
		more := ""
		if seed%2 == 0 {
			more = "one_more uint8"
		}
		p := compileAny(behindCondition(src, more))
		end := strings.LastIndex(src, "\n}\n")
		if p == nil || strings.LastIndex(src, "\npacket ") > end {
			continue
		}
		bare := src
		if more != "" {
			packet := strings.LastIndex(src, "\npacket ")
			at := packet + strings.Index(src[packet:], "\n}\n")
			bare = src[:at] + "\n" + more + src[at:]
		}
		none := refusesAll(bare)
		if none {
			refused++
		} else {
			accepted++
		}
		for _, from := range sides() {
			c := &climber{Rand: rand.New(rand.NewPCG(seed, 1)), d: decode.New(p), from: from}
			data, ok := c.climb(150)
			switch {
			case ok && none:
				t.Fatalf("seed %d: accepted: %x\n%s", seed, data, bare)
			case ok:
				found++
			}
			if ok {
				break
			}
		}
	}
	t.Logf("%d refuse all; of %d others %d accept a packet", refused, accepted, found)
	if refused < need.Rounds(20, 4) || found < accepted/4 {
		t.Errorf("%d refuse all, %d of %d others accept a packet: the search says nothing", refused, found, accepted)
	}
}
