package main

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"

	"github.com/pktscope/pktscope/decode/batch"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/budget"
	"github.com/pktscope/pktscope/report/page"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/stats"
)

// reportCounter counts captures for a report, in one pass: what `stats` counts, what `budget` counts, and the rejects by rule.
type reportCounter struct {
	*tally
	budgets   bool // count them too
	maxPacket int
	workers   []reportWorker
	senders   map[*plan.Plan]*results.RejectCounter // of all workers, in order
	packets   map[*plan.Plan]*page.Collector        // nil where no page lists them
	listed    int                                   // of each protocol at most
}

// reportBatch is a batch of datagrams, what is to be counted of them, and what a page has to know.
type reportBatch struct {
	sampled
	refused []refused
	looked  []looked
}

// refused is a packet that broke a rule.
type refused struct {
	rule int
	plan *plan.Plan
	at   int // of its datagram
}

// looked is a packet for a page.
type looked struct {
	look   page.Look
	packet report.Packet
	plan   *plan.Plan
	at     int // of its datagram
}

// reportWorker counts in memory of its own, by plan, from the first packet of each on.
type reportWorker struct {
	viewer   *viewer
	samplers map[*plan.Plan]*stats.Sampler
	budgets  map[*plan.Plan]*budget.Budget
	rejects  map[*plan.Plan]*results.RejectCounter
}

func newReportCounter(t *tally) *reportCounter {
	v := t.view
	c := &reportCounter{tally: t, workers: make([]reportWorker, runtime.GOMAXPROCS(0)), senders: map[*plan.Plan]*results.RejectCounter{}}
	for i := range c.workers {
		c.workers[i] = reportWorker{v.spec.newViewer(), map[*plan.Plan]*stats.Sampler{}, map[*plan.Plan]*budget.Budget{}, map[*plan.Plan]*results.RejectCounter{}}
		for _, d := range v.spec.decoders {
			c.workers[i].samplers[d.Plan()] = stats.NewSampler(d.Plan())
		}
	}
	return c
}

// open makes the counter of captures, for the protocols that there are.
func (r *reportRun) open() error {
	if r.counter != nil {
		return nil
	}
	v, err := r.openView(r.cmd, &viewFlags{protocol: r.flags.protocol, failOn: "none", format: "text"}, false)
	if err != nil {
		return err
	}
	c := newReportCounter(newTally(v))
	c.budgets, c.maxPacket = true, r.flags.maxPacket
	if r.page {
		c.packets, c.listed = map[*plan.Plan]*page.Collector{}, r.flags.packets
	}
	r.counter = c
	return nil
}

// capture counts one capture, up to its end or to where it broke.
func (c *reportCounter) capture(src pcap.PacketSource, name string) error {
	v := c.view
	datagrams := pcap.NewDatagrams(src)
	defer func() { v.captures.skip(datagrams.Counts()) }()
	filler := filler{src: datagrams}
	return batch.Run(len(c.workers), batch.Stages[reportBatch]{
		Fill: func(s *reportBatch) error {
			s.taken.Reset()
			s.refused, s.looked = s.refused[:0], s.looked[:0]
			return filler.fill(&s.shipment)
		},
		Work: func(worker int, s *reportBatch) {
			for i := range s.datagrams {
				c.count(&c.workers[worker], s, i, name)
			}
		},
		Drain: func(s *reportBatch) error {
			v.counts.merge(&s.counts)
			for _, one := range c.stats {
				one.Take(&s.taken)
			}
			for _, x := range s.refused {
				if c.senders[x.plan] == nil {
					c.senders[x.plan] = results.NewRejectCounter(x.plan, version())
				}
				d := &s.datagrams[x.at]
				c.senders[x.plan].Sender(x.rule, &report.Packet{N: d.N, File: name, Src: d.Src})
			}
			for i := range s.looked {
				l := &s.looked[i]
				if c.packets[l.plan] == nil {
					c.packets[l.plan] = page.NewCollector(l.plan, c.listed)
				}
				d := &s.datagrams[l.at]
				c.packets[l.plan].Take(&l.look, &l.packet, d.Payload, d.Size)
			}
			return nil
		},
	})
}

// count counts one datagram of a batch.
func (c *reportCounter) count(w *reportWorker, s *reportBatch, at int, name string) {
	d := &s.datagrams[at]
	pv := w.viewer.judge(d, name, &s.counts)
	if pv == nil {
		return
	}
	p := pv.decoder.Plan()
	w.samplers[p].Add(&s.taken, &stats.Packet{N: d.N, Time: d.Time, Src: d.Src, Dst: d.Dst, Size: d.Size, Cut: d.Cut, LengthMismatch: d.LengthMismatch}, &w.viewer.trace)
	if w.rejects[p] == nil {
		w.rejects[p] = results.NewRejectCounter(p, version())
	}
	if c.budgets {
		if w.budgets[p] == nil {
			w.budgets[p] = budget.New(p, c.maxPacket)
		}
		w.budgets[p].Add(&w.viewer.trace, &budget.Packet{N: d.N, File: name, Time: d.Time, Src: d.Src, Dst: d.Dst, Cut: d.Cut})
	}
	if rule := w.rejects[p].Add(&w.viewer.packet); rule >= 0 {
		s.refused = append(s.refused, refused{rule, p, at})
	}
	if c.packets != nil {
		s.looked = append(s.looked, looked{page.NewLook(&w.viewer.packet), w.viewer.packet, p, at})
	}
}

// finish puts what was counted of captures into the set.
func (r *reportRun) finish() error {
	c := r.counter
	if c == nil {
		return nil
	}
	if c.view.unmatched() && r.set.Empty() {
		return fmt.Errorf("%s on no port of a built-in protocol: %s; name the protocol with -p", plural(c.view.counts.noPort, "datagram"), c.view.table.list())
	}
	for _, one := range c.stats {
		if one.Packets() == 0 {
			continue
		}
		one.AddIncomplete(r.cut...)
		if err := r.set.AddStatistics(one); err != nil {
			return err
		}
	}
	for _, d := range c.view.spec.decoders {
		for i := range c.workers {
			one := c.workers[i].budgets[d.Plan()]
			if one == nil {
				continue
			}
			one.AddIncomplete(r.cut...)
			if err := r.set.AddBudgets(one); err != nil {
				return err
			}
		}
	}
	rejects, err := c.rejects()
	if err != nil {
		return err
	}
	for _, d := range c.view.spec.decoders {
		if one := rejects[d.Plan().Schema.Name]; one != nil {
			one.Incomplete.Add(r.cut...)
			if err := r.set.AddRejects(one); err != nil {
				return err
			}
		}
	}
	return r.tellUncounted(c.view)
}

// rejects are why packets were refused, by the protocol's name.
func (c *reportCounter) rejects() (map[string]*results.Rejects, error) {
	var all results.Set
	for _, d := range c.view.spec.decoders {
		for i := range c.workers {
			if one := c.workers[i].rejects[d.Plan()]; one != nil {
				if err := all.AddRejects(one.Rejects()); err != nil {
					return nil, err
				}
			}
		}
		if senders := c.senders[d.Plan()]; senders != nil {
			if err := all.AddRejects(senders.Rejects()); err != nil {
				return nil, err
			}
		}
	}
	all.Merge()
	by := map[string]*results.Rejects{}
	for _, one := range all.Rejects {
		by[one.Protocol] = one
	}
	return by, nil
}

// writePage writes the HTML page.
func writePage(r *reportRun, to *bytes.Buffer) error {
	out := page.Report{Tool: version(), Sources: r.sources, Remarks: r.set.Remarks(), Results: r.set}
	if r.counter != nil {
		for _, d := range r.counter.view.spec.decoders {
			if packets := r.counter.packets[d.Plan()]; packets != nil {
				out.Packets = append(out.Packets, packets)
			}
		}
		if skipped := r.counter.view.skippedLine(); skipped != "" {
			out.Remarks = append(out.Remarks[:len(out.Remarks):len(out.Remarks)], strings.TrimSuffix(skipped, "\n"))
		}
	}
	return page.Write(to, &out)
}
