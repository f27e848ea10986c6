package fuzz_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// Readers that keep something, and whose mistake takes two packets or more. What is found of them must not depend on
// how many work, nor on which is faster.

// rememberer is a right reader of duelSchema but for what it remembers.
type rememberer struct {
	right oracle.Target
	wrong func(m *memory, packet []byte, refused bool) oracle.Outcome
	m     memory
}

// memory is what it keeps.
type memory struct {
	armed bool
	count int
}

func (r *rememberer) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	for range rand.IntN(3) {
		runtime.Gosched() // who is faster is anybody's guess
	}
	reply, err := r.right.Send(packet, from)
	reply.Why = nil
	r.m.count++
	reply.Outcome = r.wrong(&r.m, packet, reply.Outcome == oracle.Refused)
	if reply.Outcome == oracle.Crashed {
		reply.Report = "it died"
		r.m = memory{} // it is started anew, and remembers nothing
	}
	return reply, err
}

func (r *rememberer) Close() error { return nil }

// batchRememberer is the same in batches.
type batchRememberer struct{ rememberer }

func (b *batchRememberer) SendBatch(packets [][]byte, from []decode.Direction, each func(int, oracle.Reply) bool) error {
	for i := range packets {
		reply, err := b.Send(packets[i], from[i])
		if err != nil {
			return err
		}
		if !each(i, reply) {
			break
		}
	}
	return nil
}

func verdict(refused bool) oracle.Outcome {
	if refused {
		return oracle.Refused
	}
	return oracle.Accepted
}

// memories are ways to be wrong for what came before.
var memories = map[string]func(m *memory, packet []byte, refused bool) oracle.Outcome{
	"a valid packet arms, a hostile one fires": func(m *memory, packet []byte, refused bool) oracle.Outcome {
		fires := m.armed && len(packet) == 2 && packet[0] == 2 && packet[1] > 100
		m.armed = m.armed || bytes.Equal(packet, []byte{1, 100})
		return verdict(refused && !fires)
	},
	"a refused packet arms, a valid one fires": func(m *memory, packet []byte, refused bool) oracle.Outcome {
		fires := m.armed && bytes.Equal(packet, []byte{0, 0})
		m.armed = m.armed || len(packet) == 2 && packet[0] == 1 && packet[1] == 101
		return verdict(refused || fires)
	},
	"it counts": func(m *memory, packet []byte, refused bool) oracle.Outcome {
		return verdict(refused && (m.count < 150 || len(packet) == 0))
	},
	"it dies long after what it dies of": func(m *memory, packet []byte, refused bool) oracle.Outcome {
		if !m.armed {
			m.count = 0
		}
		if m.armed = m.armed || bytes.Equal(packet, []byte{2, 100}); m.count > 40 {
			return oracle.Crashed
		}
		return verdict(refused)
	},
	"it forgets when it dies of something else": func(m *memory, packet []byte, refused bool) oracle.Outcome {
		if len(packet) == 2 && packet[0] == 2 && packet[1] == 255 {
			return oracle.Crashed
		}
		fires := m.armed && len(packet) == 2 && packet[0] == 1 && packet[1] > 100
		m.armed = m.armed || bytes.Equal(packet, []byte{2, 100})
		return verdict(refused && !fires)
	},
}

// What is found of a reader with memory is the same in every run and with any number of workers, and something is
// found.
func TestReadersWithMemory(t *testing.T) {
	d := compile(t, duelSchema)
	runs := need.RoundsIn(t, need.Long, 8, 2, 1) // of three each: what showed in 6 runs of 25 shows in 8
	others := []int{2, 1, 4}[:need.Rounds(3, 1)]
	for name, wrong := range memories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runs := runs
			if name == "it counts" {
				if testing.Short() {
					t.Skip("each of its findings takes 150 packets, which are taken apart in each run")
				}
				runs = min(runs, 2)
			}
			for _, batches := range []bool{false, true} {
				target := func(context.Context) (oracle.Target, error) {
					one := rememberer{right: oracle.NewBuiltin(d), wrong: wrong}
					if batches {
						return &batchRememberer{one}, nil
					}
					return &one, nil
				}
				audit := func(workers int) string {
					r, err := (&fuzz.Audit{Decoder: d, Seed: 1, Workers: workers, NewTarget: target}).Run(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					b := fmt.Appendf(nil, "%d packets, %d of %d, %d of %d\n", r.Packets, r.Refused, r.Hostile, r.Accepted, r.Valid)
					for i := range r.Findings {
						b = appendFound(b, &r.Findings[i])
					}
					return string(b)
				}
				campaign := func(workers int) string {
					s, err := (&fuzz.Campaign{Decoder: d, Seed: 1, Workers: workers, Execs: need.Rounds[int64](4000, 1000), NewTarget: target}).Run(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					b := fmt.Appendf(nil, "%d packets, %d kept, %d in the queue\n", s.Execs, s.Kept, s.Queue)
					for _, f := range s.Findings {
						b = appendFound(b, f)
					}
					return string(b)
				}
				for tool, run := range map[string]func(int) string{"audit": audit, "campaign": campaign} {
					first := run(1)
					if bytes.Count([]byte(first), []byte("\n")) < 2 {
						t.Errorf("%s: nothing found: %s", tool, first)
					}
					for i := range runs {
						for _, workers := range others {
							if got := run(workers); got != first {
								t.Fatalf("%s, run %d, %d workers: got\n%swant\n%s", tool, i, workers, got, first)
							}
						}
					}
				}
			}
		})
	}
}

func appendFound(b []byte, f *fuzz.Finding) []byte {
	return fmt.Appendf(b, "%s: %s, %d times: %x behind %x; %s\n", f.Key(), f.What(), f.Count, f.Packet, f.Before, f.Report)
}
