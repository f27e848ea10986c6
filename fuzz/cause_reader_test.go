package fuzz_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// reads is a target that says of a packet no more than whether it accepts it.
type reads func(packet []byte) bool

func (r reads) Send(packet []byte, _ decode.Direction) (oracle.Reply, error) {
	reply := oracle.Reply{Outcome: oracle.Refused, Bits: -1}
	if r(packet) {
		reply.Outcome = oracle.Accepted
	}
	return reply, nil
}

func (r reads) Close() error { return nil }

// hasCauses holds the causes that an audit and a campaign find in a reader against those that are wanted.
func hasCauses(t *testing.T, name, schema string, reader reads, want []string) {
	t.Helper()
	same := func(tool string, found []fuzz.Finding) {
		t.Helper()
		if got := causes(found); !slices.Equal(got, want) {
			t.Errorf("%s: %s: want\n  %s\ngot\n  %s", name, tool, strings.Join(want, "\n  "), strings.Join(got, "\n  "))
		}
	}
	d := compile(t, schema)
	target := func(context.Context) (oracle.Target, error) { return reader, nil }
	a := fuzz.Audit{Decoder: d, Seed: 1, Workers: 1, NewTarget: target}
	r, err := a.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same("audit", r.Findings)
	c := fuzz.Campaign{Decoder: d, Seed: 1, Workers: 1, Execs: need.Rounds[int64](10000, 2000), NewTarget: target}
	s, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var found []fuzz.Finding
	for _, f := range s.Findings {
		found = append(found, *f)
	}
	same("campaign", found)
}
