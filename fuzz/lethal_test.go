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

// bareReader is a manyReader that dies without a stack, or does not answer.
type bareReader struct {
	manyReader
	hangs bool
}

func (b *bareReader) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	r, err := b.manyReader.Send(packet, from)
	if r.Outcome == oracle.Crashed {
		r.Report = "killed by SIGABRT (aborted)"
		if b.hangs {
			r.Outcome, r.Report = oracle.Hung, ""
		}
	}
	return r, err
}

// Where no stack tells the place, one mistake is one finding all the same: the field decides, whatever else is wrong
// with the packets.
func TestCausesWithoutStack(t *testing.T) {
	const blob, name, health = "out-of-range at Blob.size", "out-of-range at Player.name_size", "Player.health = 100"
	for i, row := range []struct {
		name     string
		mistakes mistake
		hangs    bool
		want     []string
	}{
		{"a size", dropsBlob, false, []string{"crash: the reader dies of " + blob}},
		{"a size in all cases", dropsName, false, []string{"crash: the reader dies of " + name}},
		{"both", dropsBlob | dropsName, false, []string{"crash: the reader dies of " + blob, "crash: the reader dies of " + name}},
		{"a value that may be", dropsHealth, false, []string{"crash: the reader dies of " + health}},
		{"a value that may be, and a size", dropsHealth | dropsBlob, false, []string{"crash: the reader dies of " + health, "crash: the reader dies of " + blob}},
		{"a hang", dropsBlob, true, []string{"hang: the reader hangs on " + blob}},
	} {
		target := func(context.Context) (oracle.Target, error) {
			return &bareReader{manyReader: manyReader{mistakes: row.mistakes}, hangs: row.hangs}, nil
		}
		t.Run(row.name, func(t *testing.T) {
			if i%need.Rounds(1, 5) > 0 {
				t.Skip("-short has one crash and one hang")
			}
			a := fuzz.Audit{Decoder: manyDecoder(t), Seed: 1, Workers: 2, NewTarget: target}
			r, err := a.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := causes(r.Findings); !slices.Equal(got, row.want) {
				t.Errorf("audit: want\n  %s\ngot\n  %s", strings.Join(row.want, "\n  "), strings.Join(got, "\n  "))
			}
			c := fuzz.Campaign{Decoder: manyDecoder(t), Seed: 1, Workers: 1, Execs: need.Rounds[int64](3000, 1000), NewTarget: target}
			s, err := c.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var found []fuzz.Finding
			for _, f := range s.Findings {
				found = append(found, *f)
			}
			if got := causes(found); !slices.Equal(got, row.want) {
				t.Errorf("campaign: want\n  %s\ngot\n  %s", strings.Join(row.want, "\n  "), strings.Join(got, "\n  "))
			}
		})
	}
}
