package fuzz_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

const losingSchema = `protocol losing
order msb
enum Kind : uint8 { Load = 1, Move = 2, Say = 3 }
packet {
    kind Kind
    body switch kind {
        Load: { n uint16 in 0..2000, unit uint8 in 1..9, items [n]bits(3), align }
        Move: { x uint8 in 0..100, y uint8 in 0..100, list [rest, max 20]uint16 }
        Say: { len uint8 in 0..40, text bytes(len) }
    }
}`

// losing is a right reader that is lost at some packets: it does not answer, or fills the memory.
type losing struct {
	right oracle.Target
	loses func(n int, packet []byte) oracle.Outcome // of packet n; Refused for an answer
	n     int
	lost  *int
	had   func(packet []byte)
}

func (l *losing) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	l.had(packet)
	l.n++
	if o := l.loses(l.n, packet); o != oracle.Refused {
		*l.lost++
		return oracle.Reply{Outcome: o, Bits: -1}, nil
	}
	r, err := l.right.Send(packet, from)
	r.Why = nil
	return r, err
}

func (l *losing) Close() error { return nil }

// batchLosing takes batches.
type batchLosing struct{ losing }

func (b *batchLosing) SendBatch(packets [][]byte, from []decode.Direction, each func(int, oracle.Reply) bool) error {
	for i := range packets {
		if r, err := b.Send(packets[i], from[i]); err != nil || !each(i, r) {
			return err
		}
	}
	return nil
}

// A target that hangs on a part of a protocol, or fills its memory there, has a few packets of that part and all others.
// What is not sent is counted by rule and is no pass; what is lost is found all the same, and the packets do not depend
// on the number of workers.
func TestGivingUp(t *testing.T) {
	d := compile(t, losingSchema)
	kind := func(packet []byte, kind byte) bool { return len(packet) > 0 && packet[0] == kind }
	for i, row := range []struct {
		name  string
		loses func(n int, packet []byte) oracle.Outcome
		most  int    // losses
		after string // in the words of what is given up
		in    string // rules that are given up begin so
		none  bool   // nothing is given up
	}{
		{"the first arm", func(_ int, p []byte) oracle.Outcome {
			if kind(p, 1) {
				return oracle.Hung
			}
			return oracle.Refused
		}, 30, "hangs", "body<Load>", false},
		{"a large count", func(_ int, p []byte) oracle.Outcome {
			if kind(p, 1) && len(p) > 2 && p[1] >= 1 {
				return oracle.Exhausted
			}
			return oracle.Refused
		}, 60, "leaks", "body<Load>", false},
		{"everything", func(int, []byte) oracle.Outcome { return oracle.Hung }, 40, "hangs", "", false},
		{"the first packets that it has", func(n int, _ []byte) oracle.Outcome {
			if n > 1 && n < 6 {
				return oracle.Hung
			}
			return oracle.Refused
		}, 12, "", "", true},
		{"one packet in all", func(_ int, p []byte) oracle.Outcome {
			if kind(p, 3) && len(p) == 2 && p[1] == 41 {
				return oracle.Hung
			}
			return oracle.Refused
		}, 3, "", "", true},
	} {
		for _, batches := range []bool{false, true}[:need.Rounds(2, 1+i%2)] {
			t.Run(fmt.Sprint(row.name, batches), func(t *testing.T) {
				run := func(workers int) (r *fuzz.AuditResult, lost int, sum [sha256.Size]byte) {
					order := sha256.New()
					trial := false // what a finding takes is found out with other targets
					a := &fuzz.Audit{Decoder: d, Seed: 1, Workers: workers, NewTarget: func(context.Context) (oracle.Target, error) {
						one, none := losing{oracle.NewBuiltin(d), row.loses, 0, &lost, func(p []byte) { order.Write(p) }}, 0
						if trial {
							one.lost, one.had = &none, func([]byte) {}
						}
						trial = true
						if batches {
							return &batchLosing{one}, nil
						}
						return &one, nil
					}}
					r, err := a.Run(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					return r, lost, [sha256.Size]byte(order.Sum(nil))
				}
				r, lost, sum := run(1)
				if _, _, again := run(3); again != sum {
					t.Error("three workers send other packets")
				}
				if lost > row.most || lost == 0 || len(r.Findings) == 0 {
					t.Errorf("%d packets lost, want 1..%d; %d findings", lost, row.most, len(r.Findings))
				}
				given := 0
				said := regexp.MustCompile(`^given up after [0-9]+ ` + row.after + `: [0-9]+ packets? of this rule (was|were) not sent$`)
				for _, u := range r.Untested {
					if u.Part != "given up" {
						continue
					}
					if given++; !said.MatchString(u.What()) || row.in != "" && !strings.HasPrefix(u.Rule, row.in) && u.Rule != "kind" && u.Rule != "packet" {
						t.Errorf("%s: %s", u.Rule, u.What())
					}
				}
				if row.none != (given == 0) {
					t.Errorf("%d rules given up", given)
				}
				if row.name == "everything" {
					return
				}
				all := a(d).Enumerated(t.Context(), false, 0)
				if r.Packets+notSent(r) < len(all) {
					t.Errorf("%d sent and %d given up of %d", r.Packets, notSent(r), len(all))
				}
				for _, rule := range []string{"body<Move>.x", "body<Move>.y", "body<Say>.len"} {
					if !slices.ContainsFunc(r.Rules, func(o fuzz.RuleResult) bool { return o.Rule == rule && o.Tried > 100 }) {
						t.Errorf("%s was not tried", rule)
					}
				}
			})
		}
	}
}

func a(d *decode.Decoder) *fuzz.Audit { return &fuzz.Audit{Decoder: d, Seed: 1} }

// notSent is how many packets an audit says that it gave up.
func notSent(r *fuzz.AuditResult) (sum int) {
	for _, u := range r.Untested {
		var losses, n int
		var what string
		if _, err := fmt.Sscanf(strings.TrimPrefix(u.Why, "after "), "%d %s %d", &losses, &what, &n); err == nil {
			sum += n
		}
	}
	return sum
}

// An audit that is ended while a target is lost again and again says what it did by then.
func TestGivingUpEnds(t *testing.T) {
	d := compile(t, losingSchema)
	ctx, cancel := context.WithCancel(t.Context())
	lost := 0
	run := a(d)
	run.NewTarget = func(context.Context) (oracle.Target, error) {
		return &losing{oracle.NewBuiltin(d), func(int, []byte) oracle.Outcome {
			if lost == 10 {
				cancel()
			}
			return oracle.Hung
		}, 0, &lost, func([]byte) {}}, nil
	}
	r, err := run.Run(ctx)
	if !errors.Is(err, context.Canceled) || r.Packets == 0 || r.Packets > 12 {
		t.Errorf("%d packets, %v", r.Packets, err)
	}
}

// What the first packets are lost at says little about the others: of these some are sent, and as they are answered
// nearly all are.
func TestFirstLosses(t *testing.T) {
	d := compile(t, "protocol p\norder msb\npacket {\nx uint8\nlist [rest, max 9]{ a uint8, b uint8 in 0..99 }\n}")
	lost := 0
	run := a(d)
	run.NewTarget = func(context.Context) (oracle.Target, error) {
		return &losing{oracle.NewBuiltin(d), func(n int, _ []byte) oracle.Outcome {
			if n > 1 && n < 10 {
				return oracle.Hung
			}
			return oracle.Refused
		}, 0, &lost, func([]byte) {}}, nil
	}
	r, err := run.Run(t.Context())
	if all := len(a(d).Enumerated(t.Context(), false, 0)); err != nil || r.Packets+notSent(r) != all || notSent(r) > 10 || lost < 6 {
		t.Errorf("%d packets of %d, %d given up, %d lost, %v", r.Packets, all, notSent(r), lost, err)
	}
}
