package fuzz_test

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// holdAny makes valid packets under one schema and holds encoder, decoder and reference (the oracle) against them and
// against what the mutator makes of them. It counts the packets.
func holdAny(src string, seed uint64, packets, mutations int) (made int, err error) {
	s, _ := schema.Load("any.pks", []byte(src), nil)
	if s == nil {
		return 0, nil
	}
	p, diags := plan.Compile(s)
	if p == nil {
		// What the checker accepts has a plan, unless that is too large.
		if text := diags[0].Message; !strings.Contains(text, "are allowed") {
			return 0, errors.New("accepted, but without a plan: " + text)
		}
		return 0, nil
	}
	d := decode.New(p)
	o, m := oracle.NewOracle(d), fuzz.NewMutator(d)
	hold := func(k fuzz.Packet) error {
		data := append([]byte(nil), k.Data...)
		answer, err := o.Decode(data, k.From)
		if err == nil && answer != (oracle.Answer{}) {
			err = errors.New(answer.String())
		}
		if err != nil {
			return fmt.Errorf("valid packet %x from %v (%s): %w", data, k.From, k.Why, err)
		}
		n := 0
		for mutation := range m.Mutations(data, k.From) {
			if n++; n > mutations {
				break
			}
			answer, err := o.Decode(mutation.Data, k.From)
			if err == nil {
				err = mutation.Expect.Check(answer)
			}
			if err != nil {
				return fmt.Errorf("packet %x from %v, %s: %x: %w", data, k.From, mutation.What(), mutation.Data, err)
			}
		}
		return nil
	}
	g := fuzz.NewGenerator(d)
	for n := range packets {
		k, err := g.Random(seed, uint64(n))
		if err != nil {
			continue // a relation that random values do not meet
		}
		made++
		if err := hold(k); err != nil {
			return made, err
		}
	}
	if made == 0 {
		return 0, nil // no need to ask for every boundary of it
	}
	n := 0
	for k := range g.Boundaries(seed, nil) {
		if n++; n > packets {
			break
		}
		made++
		if err := hold(k); err != nil {
			return made, err
		}
	}
	return made, nil
}

// TestAnySchema holds schemas that were drawn. ANYSCHEMA=5000+20000 draws 20,000 from seed 5000 on, for a soak.
func TestAnySchema(t *testing.T) {
	first, n := 0, need.Rounds(60, 15)
	if soak := os.Getenv("ANYSCHEMA"); soak != "" {
		a, b, _ := strings.Cut(soak, "+")
		first, _ = strconv.Atoi(a)
		n, _ = strconv.Atoi(b)
	}
	with, packets, failed := 0, 0, 0
	for seed := first; seed < first+n; seed++ {
		src := anyschema.Source(anyschema.Seeded(uint64(seed)), 3+seed%40)
		made, err := holdAny(src, uint64(seed), 3, 60)
		if err != nil {
			if failed++; failed < 8 {
				t.Errorf("seed %d: %v\n%s", seed, err, src)
			}
		}
		if packets += made; made > 0 {
			with++
		}
	}
	t.Logf("%d valid packets under %d of %d schemas, %d failed", packets, with, n, failed)
}
