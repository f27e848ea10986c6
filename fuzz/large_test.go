package fuzz_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

func repeat(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	return b.String()
}

// Schemas that a stranger would write so that who looks for trouble in them runs out of memory or of time. A limit that
// fails shows as gigabytes, or as a test that does not end.
func largeSchemas() []struct{ name, decls, body string } {
	part := need.Rounds(1, 40)
	return []struct{ name, decls, body string }{
		{"an enum of 60,000 cases in 20 fields", "enum E : uint32 {\n" + repeat(60000/part, func(i int) string { return fmt.Sprintf("C%d = %d", i, 7*i) }) + "}", repeat(20, func(i int) string { return fmt.Sprintf("a%d E", i) })},
		{"2,000 fields with 65,535 codes that each may not hold", "", repeat(2000/part, func(i int) string { return fmt.Sprintf("a%d uint16 == %d", i, i) })},
		{"a switch of 9,000 arms", "", "t uint16\ns switch t {\n" + repeat(9000/part, func(i int) string { return fmt.Sprintf("%d: bits(%d)", i, 1+i%60) }) + "}"},
		{"4,000 branches", "", repeat(4000/part, func(i int) string { return fmt.Sprintf("a%d bool\nif a%d {\nb%d bits(12) in 1..500\n}", i, i, i) })},
		{"2,000 windows", "", repeat(2000/part, func(i int) string { return fmt.Sprintf("n%d uint8\nwithin(n%d) {\nx%d [rest, max 3]uint8\n}", i, i, i) })},
		{"indexes in 20,000 lists", "", "n uint16\nl [n]{\ns subset(index) [3]bits(2)\n}"},
		{"a list of a datagram's bytes under a checksum", "", "c crc32(over rest)\nl [rest, max 65503]uint8"},
	}
}

func TestLargeSchemas(t *testing.T) {
	mutations := need.RoundsIn(t, need.Long, 20000, 3000, 300)
	for _, row := range largeSchemas() {
		t.Run(row.name, func(t *testing.T) {
			s, list := schema.Load("large.pks", []byte("protocol t\norder lsb\n"+row.decls+"\npacket {\n"+row.body+"\n}"), nil)
			if s == nil {
				t.Fatal(list)
			}
			p, err := plan.Compile(s)
			if p == nil {
				t.Fatal(err)
			}
			d := decode.New(p)
			m, g := fuzz.NewMutator(d), fuzz.NewGenerator(d)
			for n := range need.Rounds[uint64](3, 1) {
				k, err := g.Random(1, n)
				if err != nil {
					t.Fatal(err)
				}
				data, count := bytes.Clone(k.Data), 0
				for range m.Enumerate(data, k.From, fuzz.Dedup{}) {
					if count++; count == mutations {
						break
					}
				}
				for range m.Sample(data, k.From, rand.New(rand.NewPCG(1, n))) {
					if count++; count == mutations+500 {
						break
					}
				}
				if count < 20 {
					t.Errorf("%d mutations", count)
				}
			}
			// Of each leaf at least some are held.
			if most := 8*fuzz.AllKept + 200*len(p.Leaves); m.Kept()+g.Kept() > most {
				t.Errorf("%d codes held, want %d at most", m.Kept()+g.Kept(), most)
			}
		})
	}
}

// An audit ends when it is told to, also while it looks for packets that there are none of.
func TestAuditEnds(t *testing.T) {
	s, _ := schema.Load("large.pks", []byte("protocol t\norder lsb\npacket {\na uint64\nb uint64\n"+repeat(need.Rounds(2000, 500), func(i int) string { return fmt.Sprintf("x%d uint16", i) })+"require a ^ b == 0x123456789\n}"), nil)
	p, _ := plan.Compile(s)
	d := decode.New(p)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := &fuzz.Audit{Decoder: d, SelfTest: true, Workers: 1, NewTarget: func(context.Context) (oracle.Target, error) { return oracle.NewBuiltin(d), nil }}
	r, err := a.Run(ctx)
	if !errors.Is(err, context.Canceled) || r == nil || r.Packets != 0 {
		t.Errorf("want nothing sent and %v, got %v", context.Canceled, err)
	}
	late, stop := context.WithCancel(t.Context())
	batches := 0
	a.NewTarget = func(context.Context) (oracle.Target, error) { return oracle.NewBuiltin(d), nil }
	a.Bases = []decode.Packet{{Data: valid()}}
	a.Progress = func(fuzz.AuditState) {
		if batches++; batches == 2 {
			stop()
		}
	}
	defer stop()
	if r, err = a.Run(late); !errors.Is(err, context.Canceled) || r.Packets == 0 {
		t.Errorf("want some sent and %v, got %d and %v", context.Canceled, r.Packets, err)
	}
}

// valid is a packet of the schema of TestAuditEnds.
func valid() []byte {
	data := make([]byte, 16+2*2000)
	copy(data, []byte{0x89, 0x67, 0x45, 0x23, 1})
	return data
}
