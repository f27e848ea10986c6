package results_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/budget"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
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
	s, b, r := stats.New(p), budget.New(p, 40), rejects.NewCounter(p, "test")
	var batch stats.Batch
	var refused rejects.Batch
	finder := r.NewFinder()
	for i := range list {
		one := &list[i]
		packet := &scan.Packet{Trace: &trace}
		packet.Read(d, one, "game.pcap")
		batch.Reset()
		sampler.Add(&batch, packet)
		s.Take(&batch)
		b.Add(packet)
		refused.Reset()
		finder.Add(&refused, packet)
		r.Take(&refused)
	}
	var of pcap.Origin
	for i := range list {
		of.Add("game.pcap", list[i].N, list[i].Payload)
	}
	return &results.Set{Statistics: []*stats.Segments{stats.NewSegments(saved.Whole(of.Stream()), s)}, Budgets: []*budget.Budget{b}, Rejects: []*rejects.Result{r.Result()}}
}

// credulous is a reader that refuses what is short of bits and takes all else.
type credulous struct {
	d     *decode.Decoder
	trace decode.Trace
}

func (c *credulous) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	_ = c.d.Decode(packet, from, &c.trace)
	if r := c.trace.Reject(); r != nil && r.Kind.String() == "past-end" {
		return oracle.Reply{Outcome: oracle.Refused, Bits: -1}, nil
	}
	return oracle.Reply{Outcome: oracle.Accepted, Bits: -1}, nil
}

func (c *credulous) Close() error { return nil }

// savedAgain is a set as it is saved.
func savedAgain(t testing.TB, s *results.Set) []byte {
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
