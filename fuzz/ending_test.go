package fuzz_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// tiresome is a target that hears its context and nothing else: it takes its time over each packet, and answers
// wrongly.
type tiresome struct {
	ctx   context.Context
	takes time.Duration // for ever when it is 0
	begun func()        // with each packet
}

func (t *tiresome) Send(packet []byte, _ decode.Direction) (oracle.Reply, error) {
	t.begun()
	var answer <-chan time.Time
	if t.takes > 0 {
		answer = time.After(t.takes)
	}
	select {
	case <-answer:
		r := oracle.Reply{Outcome: oracle.Accepted, Bits: -1}
		if len(packet)%2 == 0 {
			r.Outcome = oracle.Refused
		}
		return r, t.ctx.Err()
	case <-t.ctx.Done():
		return oracle.Reply{}, t.ctx.Err()
	}
}

func (t *tiresome) Close() error { return nil }

// batchTiresome is the same in batches.
type batchTiresome struct{ tiresome }

func (b *batchTiresome) SendBatch(packets [][]byte, from []decode.Direction, each func(int, oracle.Reply) bool) error {
	for i := range packets {
		r, err := b.Send(packets[i], from[i])
		if err != nil {
			return err
		}
		if !each(i, r) {
			break
		}
	}
	return nil
}

// However long a target takes, a run ends with its context: no worker sends another packet, and what findings are tried
// with for their sake ends soon. The clock is not the machine's.
func TestRunsEndInTime(t *testing.T) {
	d := compile(t, duelSchema)
	const duration, soon = 5 * time.Second, 2 * time.Second
	for _, takes := range []time.Duration{0, time.Millisecond, 100 * time.Millisecond, 3 * time.Second, time.Hour} {
		for _, batches := range []bool{false, true} {
			for _, workers := range []int{1, 2}[need.Rounds(0, 1):] {
				for _, tool := range []string{"audit", "campaign"} {
					t.Run(fmt.Sprint(tool, takes, batches, workers), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) {
							began := time.Now()
							ctx, cancel := context.WithTimeout(t.Context(), duration)
							defer cancel()
							target := func(own context.Context) (oracle.Target, error) {
								// An answer may come at the very instant of the end, and one packet after it.
								var ended, late atomic.Int64 // how long after began, 0 while it has not; packets since
								context.AfterFunc(own, func() { ended.Store(int64(time.Since(began))) })
								one := tiresome{own, takes, func() {
									at := time.Duration(ended.Load())
									if own.Err() != nil && late.Add(1) > 1 || at > 0 && time.Since(began) > at {
										t.Error("a packet was sent after the end")
									}
								}}
								if batches {
									return &batchTiresome{one}, nil
								}
								return &one, nil
							}
							var err error
							answered := takes > 0 && takes < duration
							if tool == "audit" {
								_, err = (&fuzz.Audit{Decoder: d, Seed: 1, Workers: workers, NewTarget: target}).Run(ctx)
							} else {
								_, err = (&fuzz.Campaign{Decoder: d, Seed: 1, Workers: workers, NewTarget: target}).Run(ctx)
							}
							switch {
							case tool == "campaign" && !answered: // it is no pass
								if err == nil || !strings.Contains(err.Error(), "nothing was tested") {
									t.Errorf("got %v", err)
								}
							case err != nil && (tool == "campaign" || !errors.Is(err, context.DeadlineExceeded)):
								t.Errorf("got %v", err)
							}
							if took := time.Since(began); took > duration+soon {
								t.Errorf("it took %v of %v", took, duration)
							}
						})
					})
				}
			}
		}
	}
}

// A campaign whose time is over while it prepares ends there, before it has a target or makes a Generator: with a large
// schema each takes seconds.
func TestCampaignEndsWhilePreparing(t *testing.T) {
	d, err := decode.Load("p.pks", []byte("protocol p\norder msb\npacket { a uint8 }\n"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	end()
	opened := false
	c := fuzz.Campaign{Decoder: d, NewTarget: func(context.Context) (oracle.Target, error) {
		opened = true
		return oracle.NewBuiltin(d), nil
	}}
	if state, err := c.Run(ctx); err == nil || !strings.Contains(err.Error(), "nothing was tested") || state.Execs > 0 || opened {
		t.Errorf("%v after %d packets; a target was opened: %t", err, state.Execs, opened)
	}
}
