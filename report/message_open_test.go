package report_test

import (
	"encoding/hex"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/slow/rows"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/fuzz"
)

// What `rest` sizes or decides comes back from the values alone: the packets of every form go through a trace and JSON.
func TestOpenForms(t *testing.T) {
	for _, f := range slices.Concat(anyschema.Open, anyschema.Sums) {
		t.Run(f.Name, func(t *testing.T) {
			l := newLaws(t, rows.Load(t, f.Source))
			l.rederives = true
			for _, packet := range f.Packets {
				data, err := hex.DecodeString(packet)
				if err != nil {
					t.Fatal(err)
				}
				if err := l.hold(data, decode.FromUnknown); err != nil {
					t.Errorf("%s: %v", packet, err)
				}
				if l.t.Rejected() {
					t.Errorf("%s: %v", packet, l.t.Reject())
				}
			}
		})
	}
}

// Packets that are generated under schemas that were drawn come back from their traces and from JSON.
// ANYSCHEMA=5000+2000 draws 2000 from seed 5000 on, for a soak.
func TestAnySchemaWritten(t *testing.T) {
	need.OneGoroutine(t)
	first, n := 0, 150
	if soak := os.Getenv("ANYSCHEMA"); soak != "" {
		a, b, _ := strings.Cut(soak, "+")
		first, _ = strconv.Atoi(a)
		n, _ = strconv.Atoi(b)
	}
	held, failed := 0, 0
	for seed := first; seed < first+n; seed++ {
		src := anyschema.Source(anyschema.Seeded(uint64(seed)), 3+seed%40)
		s, _ := schema.Load("any.pks", []byte(src), nil)
		if s == nil {
			continue // a limit refuses it
		}
		p, _ := plan.Compile(s)
		if p == nil || p.HasSecret() { // what JSON masks has no encoding
			continue
		}
		l, g := newLaws(t, p.Schema), fuzz.NewGenerator(decode.New(p))
		for i := range uint64(5) {
			k, err := g.Random(uint64(seed), i)
			if err != nil {
				continue
			}
			held++
			l.spoil(t, k.Data, k.From, 3)
			if err := l.hold(k.Data, k.From); err != nil {
				if failed++; failed < 8 {
					t.Errorf("seed %d: %x: %v\n%s", seed, k.Data, err, src)
				}
			}
		}
	}
	t.Logf("%d packets, %d failed", held, failed)
}
