package fuzz_test

import (
	"context"
	"crypto/sha256"
	"hash"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// hunted are packets of which an audit meets a way to be refused only in its hunt, as a rule.
var hunted = []struct {
	packet, rule string
	kind         reject.Kind
}{
	{"a uint8, data bytes(rest - (a*4), max 30), if a == 1 { mac uint32 }", "packet", reject.TrailingBytes},
	{"pre bits(24), words uint8 in 0..40, within(words*4) { " +
		"els [rest, max 8]{ t uint8, l uint8, v bytes(l-2, max 40), align(32) } }", "els", reject.OutOfRange},
}

// takingTarget notes what a target is sent, and takes what is refused for one reason.
type takingTarget struct {
	oracle.Target
	d     *decode.Decoder
	takes reject.Kind
	sent  hash.Hash
}

func (t *takingTarget) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	t.sent.Write(append([]byte{byte(from), byte(len(packet) >> 8), byte(len(packet))}, packet...))
	reply, err := t.Target.Send(packet, from)
	var trace decode.Trace
	if t.d.Decode(packet, from, &trace) != nil && trace.Reject().Kind == t.takes {
		reply = oracle.Reply{Outcome: oracle.Accepted, Bits: -1}
	}
	return reply, err
}

// What a hunt finds is sent, judged and counted as all else of an audit, and the packets depend on nothing but the
// seed.
func TestHunt(t *testing.T) {
	for i, row := range hunted {
		d := (&boundless{packet: row.packet}).compile(t)
		audit := func(seed uint64, workers int) (*fuzz.AuditResult, string) {
			sent := sha256.New()
			a := fuzz.Audit{Decoder: d, Seed: seed, Workers: workers, NewTarget: func(context.Context) (oracle.Target, error) {
				return &takingTarget{oracle.NewBuiltin(d), d, row.kind, sent}, nil
			}}
			r, err := a.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return r, string(sent.Sum(nil))
		}
		for seed := uint64(1); seed <= need.Rounds[uint64](8, 1); seed++ {
			r, sent := audit(seed, 1)
			if len(r.Untested) > 0 {
				t.Errorf("%d, seed %d: untested: %s", i, seed, rowsOf(r.Untested))
			}
			at := slices.IndexFunc(r.Rules, func(o fuzz.RuleResult) bool { return o.Rule == row.rule && o.Kind == row.kind })
			if at < 0 || r.Rules[at].Tried == 0 || r.Rules[at].Right != 0 {
				t.Errorf("%d, seed %d: %s: %v is not counted as taken: %+v", i, seed, row.rule, row.kind, r.Rules)
			}
			is := func(f fuzz.Finding) bool {
				return f.Rule == row.rule && f.Reject == row.kind && f.Kind == oracle.FoundAcceptedMalformed
			}
			if !slices.ContainsFunc(r.Findings, is) {
				t.Errorf("%d, seed %d: a reader that takes %s: %v is not found", i, seed, row.rule, row.kind)
			}
			if seed > 2 {
				continue
			}
			if _, again := audit(seed, 4); again != sent {
				t.Errorf("%d, seed %d: four workers send other packets than one", i, seed)
			}
		}
	}
}

// A hunt ends, whatever it finds, and with its context.
func TestHuntIsBounded(t *testing.T) {
	packets := []string{
		"a uint16, b uint16, require (a * a + b * b) % 4 != 3",
		"x uint8, require x * x % 4 == 2",                             // there is no packet to begin with
		"all [..20000]uint16, b uint8, require b * b * b * b % 3 < 2", // large ones
		hunted[0].packet, hunted[1].packet,
	}
	for _, packet := range packets {
		a := fuzz.Audit{Decoder: (&boundless{packet: packet}).compile(t), Seed: 3}
		found, work := a.Hunt(t.Context())
		if found == 0 || work > fuzz.MostHunted {
			t.Errorf("%s: %d found, %d of %d", packet, found, work, fuzz.MostHunted)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if n, work := a.Hunt(ctx); n != 0 || work != 0 {
			t.Errorf("%s: %d found in %d after the end", packet, n, work)
		}
	}
}
