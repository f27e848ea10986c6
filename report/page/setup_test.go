package page

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/budget"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
	"github.com/pktscope/pktscope/report/stats"
)

func compile(t testing.TB, src string) *plan.Plan {
	t.Helper()
	s, diags := schema.Load("test.pks", []byte(src), nil)
	if s == nil {
		t.Fatalf("schema: %+v", diags)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		t.Fatalf("plan: %+v", diags)
	}
	return p
}

func builtin(t testing.TB, name string) *plan.Plan {
	t.Helper()
	src, ok := protocols.Source(name)
	if !ok {
		t.Fatal(name)
	}
	return compile(t, string(src))
}

// maker counts datagrams for a page, as the command does.
type maker struct {
	plan      *plan.Plan
	decoder   *decode.Decoder
	sampler   *stats.Sampler
	stats     *stats.Stats
	budget    *budget.Budget
	rejects   *rejects.Counter
	finder    *rejects.Finder
	refused   rejects.Batch
	collector *Collector
	trace     decode.Trace
	batch     stats.Batch
}

func newMaker(p *plan.Plan, most int) *maker {
	counter := rejects.NewCounter(p, "test")
	m := &maker{
		plan: p, decoder: decode.New(p), sampler: stats.NewSampler(p), stats: stats.New(p), budget: budget.New(p, 0),
		rejects: counter, finder: counter.NewFinder(), collector: NewCollector(p, most),
	}
	m.stats.KeepTime()
	return m
}

func (m *maker) add(d *pcap.Datagram, file string) {
	p := scan.Packet{Trace: &m.trace}
	p.Read(m.decoder, d, file)
	m.batch.Reset()
	m.sampler.Add(&m.batch, &p)
	m.stats.Take(&m.batch)
	m.budget.Add(&p)
	m.refused.Reset()
	m.finder.Add(&m.refused, &p)
	m.rejects.Take(&m.refused)
	look := NewLook(&p)
	m.collector.Take(&look, &p, d.Payload, d.Size)
}

// send adds a packet of the test's own: number n, a millisecond after the one before.
func (m *maker) send(n int64, src, dst string, payload []byte) {
	m.add(&pcap.Datagram{
		N: n, Time: 1767362841503000000 + n*1e6, Src: netip.MustParseAddrPort(src), Dst: netip.MustParseAddrPort(dst), Payload: payload, Size: len(payload),
	}, "a.pcap")
}

// report is what was counted.
func (m *maker) report(t testing.TB) *Report {
	t.Helper()
	set := &results.Set{}
	if err := errors.Join(set.AddStatistics(stats.NewSegments(saved.Whole(1), m.stats)), set.AddBudgets(m.budget), set.AddRejects(m.rejects.Result())); err != nil {
		t.Fatal(err)
	}
	set.Merge()
	return &Report{Tool: "test", Sources: []Source{{"a.pcap", "capture"}}, Results: set, Packets: []*Collector{m.collector}}
}

// capture is the datagrams of a capture of the corpus.
func capture(t testing.TB, name string) (list []pcap.Datagram) {
	t.Helper()
	f, err := os.Open("../../corpus/" + name + ".pcap")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for datagrams := pcap.NewDatagrams(pcap.NewReader(f)); ; {
		d, err := datagrams.Next()
		if err != nil {
			return list
		}
		one := *d
		one.Payload = bytes.Clone(d.Payload)
		list = append(list, one)
	}
}

func captured(t testing.TB, name string, most int) *maker {
	t.Helper()
	return fill(t, newMaker(builtin(t, name), most), name)
}

func fill(t testing.TB, m *maker, name string) *maker {
	t.Helper()
	for _, d := range capture(t, name) {
		m.add(&d, name+".pcap")
	}
	return m
}

func write(t testing.TB, r *Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// dataOf is the data of a page, as its script reads it.
type dataOf struct {
	Protocols, Files, Peers, Cases []string
	Slots                          [][]any
	Texts                          [][2]string
	Shapes                         [][]int
	Packets                        [][]any
}

func readData(t testing.TB, page []byte) *dataOf {
	t.Helper()
	_, rest, ok := strings.Cut(string(page), `<script type="application/json" id="data">`)
	text, _, end := strings.Cut(rest, "</script>")
	d := &dataOf{}
	if err := json.Unmarshal([]byte(text), d); err != nil || !ok || !end {
		t.Fatal(err, ok, end)
	}
	return d
}

func (d *dataOf) shape(p []any) []int {
	if i := int(p[10].(float64)); i >= 0 {
		return d.Shapes[i]
	}
	return nil
}

func (d *dataOf) payload(t testing.TB, p []any) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(p[12].(string))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var (
	styleBlock  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	scriptBlock = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
)
