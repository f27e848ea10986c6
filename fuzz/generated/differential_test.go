package generated_test

import (
	"context"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// The differential at scale: campaigns whose target is a golden package. Of every packet the campaign compares the
// generated code with the interpreter, in verdict, kind, path, bit, width, bits consumed and every value, and what is
// written back; of one in DIFFERENTIAL_REFERENCE, and of each that reaches something new in the plan, interpreter and
// reference.

// referenceEvery is that share unless it is given: the reference takes some tens of microseconds for a packet, the
// other two together a few.
const referenceEvery = 8

// against is a campaign in which a golden package is compared with a plan.
func against(tb testing.TB, name string, p *plan.Plan, seed uint64, packets int64) *fuzz.Campaign {
	tb.Helper()
	every := setting(tb, "DIFFERENTIAL_REFERENCE", referenceEvery)
	if every < 1 {
		tb.Fatal("DIFFERENTIAL_REFERENCE: want 1 or more")
	}
	h := holderOf(tb, name, p)
	c := &fuzz.Campaign{
		Decoder: decode.New(p), Seed: seed, Workers: runtime.NumCPU(), SelfTest: true, Every: int(every), Execs: packets,
		NewTarget: func(context.Context) (oracle.Target, error) { return newInProcess(name, h), nil },
	}
	for _, s := range corpus.Seeds(name) {
		c.Bases = append(c.Bases, decode.Packet{Data: s.Data, From: fuzz.Sender(s.From)})
	}
	return c
}

// setting is a number from the environment.
func setting(tb testing.TB, name string, usual uint64) uint64 {
	tb.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	return n
}

// TestDifferential sends DIFFERENTIAL_PACKETS packets in all to the built-ins, in rounds with one seed each, beginning
// with round DIFFERENTIAL_FROM: the same round is the same packets, and who was interrupted goes on with the round
// after the last that the log has. Each gets as many, and so do the packages that are no built-in's, whose packets are
// not counted.
func TestDifferential(t *testing.T) {
	names := slices.Sorted(maps.Keys(goldenReaders))
	builtins := int64(len(corpus.Protocols()))
	wanted := int64(setting(t, "DIFFERENTIAL_PACKETS", need.Rounds[uint64](100_000, 2_000)))
	from := setting(t, "DIFFERENTIAL_FROM", 0)
	const most = 250_000 // for one protocol in one round
	share := min(most, (wanted+builtins-1)/builtins)
	began := time.Now()
	var sent int64
	for round := from; sent < wanted; round++ {
		for _, name := range names {
			c := against(t, name, goldenPlan(t, name), round, share)
			s, err := c.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range s.Findings {
				t.Errorf("%s, round %d: %v %s: %x from %v", name, round, f.Kind, f.What(), f.Packet, f.From)
			}
			if slices.Contains(corpus.Protocols(), name) {
				sent += s.Execs
			}
			if s.Valid < s.Execs/4 {
				t.Errorf("%s, round %d: only %d of %d packets came past the gate", name, round, s.Valid, s.Execs)
			}
		}
		t.Logf("round %d: %d of %d packets in %v", round, sent, wanted, time.Since(began).Round(time.Second))
		if t.Failed() {
			return
		}
	}
}

// The oracle sees it when one of the three is wrong, whichever it is: a campaign finds it, and FuzzGenerated's way of
// asking does, too.
func TestOracleSeesEach(t *testing.T) {
	const name = "rtype"
	right := generatedSource(t, name)
	x, y := "    x          uint16 @unit(\"px\")\n", "    y          uint16 @unit(\"px\")\n"
	mistakes := []struct {
		what, is, was string
		generated     oracle.FindingKind // what the generated code is found to do when the two others have the mistake
	}{
		{"one value more", "health               uint8 in 0..100", "health               uint8 in 0..101", oracle.FoundRejectedValid},
		{"one value less", "    damage     uint8\n", "    damage     uint8 in 1..255\n", oracle.FoundAcceptedMalformed},
		{"another width", "player_count        uint8 in 0..MaxPlayers", "player_count        uint16 in 0..MaxPlayers", oracle.FoundRejectedValid},
		{"the order of two fields", x + y, y + x, oracle.FoundWrongValue},
		{"the order of two fields, where one is missing", x + y, y + x, oracle.FoundRefusedElsewhere},
		{"other bits at the end", "struct EnemyDestroyed {\n    enemy_id uint16", "struct EnemyDestroyed {\n    enemy_id bits(15)", oracle.FoundWrongBits},
	}
	for i, mistake := range mistakes {
		if !need.OneIn(i, 6) {
			continue
		}
		if strings.Count(string(right), mistake.is) != 1 {
			t.Fatalf("%s: %q is not once in the schema", mistake.what, mistake.is)
		}
		wrong := []byte(strings.Replace(string(right), mistake.is, mistake.was, 1))
		for _, row := range []struct {
			who                    string
			interpreter, reference []byte
			kinds                  []oracle.FindingKind
		}{
			{"the interpreter", wrong, right, []oracle.FindingKind{oracle.FoundDisagreement, mistake.generated}}, // against both others
			{"the reference", right, wrong, []oracle.FindingKind{oracle.FoundDisagreement}},
			{"the generated code", wrong, wrong, []oracle.FindingKind{mistake.generated}}, // it is as it was, and the others are not
		} {
			p := *compile(t, name, row.interpreter)
			p.Schema = compile(t, name, row.reference).Schema
			s, err := against(t, name, &p, 1, 2000).Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			found := map[oracle.FindingKind]int{}
			for _, f := range s.Findings {
				found[f.Kind]++
			}
			missing := slices.ContainsFunc(row.kinds, func(kind oracle.FindingKind) bool { return found[kind] == 0 })
			if missing || row.who == "the reference" && len(found) > 1 || row.who == "the generated code" && found[oracle.FoundDisagreement] > 0 {
				t.Errorf("%s, wrong in %s: want %v, found %v in %d packets", row.who, mistake.what, row.kinds, found, s.Execs)
			}
		}
	}
}
