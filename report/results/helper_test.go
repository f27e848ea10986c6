package results_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/budget"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/stats"
)

func compile(t testing.TB, name, text string) *plan.Plan {
	t.Helper()
	s, diags := schema.Load(name, []byte(text), nil)
	if s == nil {
		t.Fatal(diags)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		t.Fatal(diags)
	}
	return p
}

func rtype(t testing.TB) *plan.Plan {
	t.Helper()
	src, ok := protocols.Source("rtype")
	if !ok {
		t.Fatal("no rtype")
	}
	return compile(t, "rtype.pks", string(src))
}

// session is the datagrams of a game's capture.
func session(t testing.TB) (list []pcap.Datagram) {
	t.Helper()
	f, err := os.Open("../../corpus/rtype.pcap")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for datagrams := pcap.NewDatagrams(pcap.NewReader(f)); ; {
		d, err := datagrams.Next()
		if err != nil {
			break
		}
		d.Payload = bytes.Clone(d.Payload)
		list = append(list, *d)
	}
	if len(list) < 1000 {
		t.Fatalf("only %d datagrams", len(list))
	}
	return list
}

// counted is what a report counts of datagrams.
func counted(t testing.TB, p *plan.Plan, list []pcap.Datagram) *results.Set {
	t.Helper()
	d, trace, sampler := decode.New(p), decode.Trace{}, stats.NewSampler(p)
	s, b, r := stats.New(p), budget.New(p, 40), results.NewRejectCounter(p, "test")
	var batch stats.Batch
	for i := range list {
		one := &list[i]
		from := decode.DirectionOf(p.Schema, one.Src.Port(), one.Dst.Port())
		_ = d.DecodeCut(one.Payload, one.Size, from, &trace) // its error is the trace's reject
		batch.Reset()
		sampler.Add(&batch, &stats.Packet{N: one.N, Time: one.Time, Src: one.Src, Dst: one.Dst, Size: one.Size, Cut: one.Cut}, &trace)
		s.Take(&batch)
		b.Add(&trace, &budget.Packet{N: one.N, File: "game.pcap", Time: one.Time, Src: one.Src, Dst: one.Dst, Cut: one.Cut})
		refused := &report.Packet{N: one.N, File: "game.pcap", Time: one.Time, Src: one.Src, Dst: one.Dst, Cut: one.Cut, Trace: &trace}
		r.Sender(r.Add(refused), refused)
	}
	return &results.Set{Statistics: []*stats.Stats{s}, Budgets: []*budget.Budget{b}, Rejects: []*results.Rejects{r.Rejects()}}
}

// credulous is a reader that refuses what is short of bits and takes all else.
type credulous struct {
	d     *decode.Decoder
	trace decode.Trace
}

func (c *credulous) Send(packet []byte, from decode.Direction) (fuzz.Reply, error) {
	_ = c.d.Decode(packet, from, &c.trace)
	if r := c.trace.Reject(); r != nil && r.Kind.String() == "past-end" {
		return fuzz.Reply{Outcome: fuzz.Refused, Bits: -1}, nil
	}
	return fuzz.Reply{Outcome: fuzz.Accepted, Bits: -1}, nil
}

func (c *credulous) Close() error { return nil }

// saved is a set as it is saved.
func saved(t testing.TB, s *results.Set) []byte {
	t.Helper()
	b, err := s.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func read(t testing.TB, b []byte) *results.Set {
	t.Helper()
	s, err := results.Read(bytes.NewReader(b), "saved.json", results.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
