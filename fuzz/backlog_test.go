package fuzz_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// slowTarget is a process: it takes long to start, little to answer, and is started again when it has died.
type slowTarget struct {
	read   func(packet []byte) oracle.Outcome
	starts time.Duration
}

func (s *slowTarget) Send(packet []byte, _ decode.Direction) (oracle.Reply, error) {
	time.Sleep(100 * time.Microsecond)
	r := oracle.Reply{Outcome: s.read(packet), Bits: -1}
	if r.Outcome == oracle.Crashed {
		r.Culprit = [][]byte{packet}
		time.Sleep(s.starts)
	}
	return r, nil
}

func (s *slowTarget) SendBatch(packets [][]byte, from []decode.Direction, each func(int, oracle.Reply) bool) error {
	for i := range packets {
		r, err := s.Send(packets[i], from[i])
		if err != nil {
			return err
		}
		if !each(i, r) {
			break
		}
	}
	return nil
}

func (*slowTarget) Close() error { return nil }

// A reader that dies of half of what it gets has nearly as many packets as the same reader without mistakes: minimizing
// has a share of the time, and so have deaths. What was found is minimized, or says that it was not.
func TestCampaignKeepsItsSpeed(t *testing.T) {
	d := compile(t, "protocol p\norder msb\npacket {\nx uint8 in 0..100\ny uint8\nz uint8\nn uint8 in 0..20\nlist [n]uint8\n}\n")
	traces := sync.Pool{New: func() any { return new(decode.Trace) }} // two targets read at once
	right := func(p []byte) oracle.Outcome {
		trace := traces.Get().(*decode.Trace)
		defer traces.Put(trace)
		return oracle.Deserved(d.Decode(p, decode.FromUnknown, trace) != nil)
	}
	dies := func(when func(p []byte) bool) func([]byte) oracle.Outcome {
		return func(p []byte) oracle.Outcome {
			if when(p) {
				return oracle.Crashed
			}
			return right(p)
		}
	}
	run := func(t *testing.T, read func([]byte) oracle.Outcome, starts, lasts time.Duration) (s *fuzz.CampaignState) {
		synctest.Test(t, func(t *testing.T) {
			ctx, end := context.WithTimeout(t.Context(), lasts)
			defer end()
			begun := time.Now()
			c := &fuzz.Campaign{Decoder: d, Seed: 1, Workers: 2, NewTarget: func(context.Context) (oracle.Target, error) {
				time.Sleep(starts)
				return &slowTarget{read, starts}, nil
			}}
			var err error
			if s, err = c.Run(ctx); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(begun); took > lasts+lasts/5+2*time.Second {
				t.Errorf("it took %v, want at most a fifth more, and 2 s, for what was left", took)
			}
		})
		return s
	}
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, row := range []struct {
		name     string
		when     func(p []byte) bool
		starts   time.Duration
		lasts    time.Duration
		least    float64 // of the packets of the mended reader
		findings []string
	}{
		{"one value in two", func(p []byte) bool { return len(p) > 1 && p[1] >= 128 }, 20 * time.Millisecond, 10 * time.Second, 0.5,
			[]string{"the reader dies of y = 128"}},
		{"with a sanitizer", func(p []byte) bool { return len(p) > 1 && p[1] >= 128 }, 60 * time.Millisecond, 20 * time.Second, 0.5,
			[]string{"the reader dies of y = 128"}},
		{"two mistakes, one that is rare", func(p []byte) bool { return len(p) > 3 && (p[2]&0x80 != 0 || p[3] == 19) }, 20 * time.Millisecond, 20 * time.Second, 0.5,
			[]string{"the reader dies of z = 128", "the reader dies of list of 19 elements"}},
		{"all", func([]byte) bool { return true }, 20 * time.Millisecond, 2 * time.Second, 0, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			mended, broken := run(t, right, row.starts, row.lasts), run(t, dies(row.when), row.starts, row.lasts)
			ratio := float64(broken.Execs) / float64(mended.Execs)
			t.Logf("%d packets, %d held back; mended %d: %.2f", broken.Execs, broken.Held, mended.Execs, ratio)
			if ratio < row.least || row.findings != nil && broken.Held == 0 || mended.Held != 0 || len(mended.Findings) != 0 {
				t.Errorf("want at least %.2f as many packets, and some held back of the broken reader alone", row.least)
			}
			for _, f := range broken.Findings {
				t.Logf("%d x %v %s %v", f.Count, f.Kind, f.Cause, f.Undone)
			}
			for _, want := range row.findings {
				if !slices.ContainsFunc(broken.Findings, func(f *fuzz.Finding) bool { return f.Cause == want && f.Undone == oracle.AllDone }) {
					t.Errorf("want a finding %q", want)
				}
			}
			if row.findings != nil && len(broken.Findings) > len(row.findings)+1 {
				t.Errorf("%d findings of %d mistakes", len(broken.Findings), len(row.findings))
			}
		})
	}
}

// What becomes of findings depends on the packets alone, and not on how fast minimizing is.
func TestBacklogIsDeterministic(t *testing.T) {
	d := compile(t, "protocol p\norder msb\npacket {\nx uint8 in 0..100\ny uint8\nz uint8\n}\n")
	read := func(p []byte) oracle.Outcome {
		switch {
		case len(p) > 2 && p[2] > 200:
			return oracle.Crashed
		case len(p) > 1 && p[1] > 200:
			return oracle.Accepted
		case len(p) == 3 && p[0] == 7:
			return oracle.Refused
		}
		return oracle.Deserved(d.Decode(p, decode.FromUnknown, &decode.Trace{}) != nil)
	}
	var first string
	for _, starts := range []time.Duration{0, time.Millisecond, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			c := &fuzz.Campaign{Decoder: d, Seed: 1, Workers: 2, Execs: need.Rounds[int64](20000, 5000), NewTarget: func(context.Context) (oracle.Target, error) {
				return &slowTarget{read, starts}, nil
			}}
			s, err := c.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprint(s.Execs, s.Held)
			for _, f := range s.Findings {
				got += fmt.Sprintf("\n%d x %v %q %x %v", f.Count, f.Kind, f.Cause, f.Packet, f.Undone)
			}
			if first == "" {
				first = got
				t.Log(got)
			}
			if got != first {
				t.Errorf("with %v to start a target:\n%s\nwant\n%s", starts, got, first)
			}
		})
	}
}
