package rejects

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/report/scan"
)

// Scan counts the packets of a scan, of each protocol by itself, and the messages that they bring, of each section by
// itself.
type Scan struct {
	counters map[*plan.Plan]*Counter
	order    []*Counter // of each decoder and its sections
	workers  []map[*plan.Plan]*Finder
}

// NewScan makes a Scan for the packets of decoders. version is that of the program.
func NewScan(decoders *scan.Decoders, version string) *Scan {
	s := &Scan{counters: map[*plan.Plan]*Counter{}}
	for _, d := range decoders.All() {
		for _, p := range append([]*plan.Plan{d.Plan()}, d.Plan().Sections...) {
			if s.counters[p] == nil {
				s.counters[p] = NewCounter(p, version)
				s.order = append(s.order, s.counters[p])
			}
		}
	}
	return s
}

// Stage counts the packets of one scan. Several, one after the other, add up.
func (s *Scan) Stage() scan.Stage[Batch] {
	next := 0
	return scan.Stage[Batch]{
		New: func() func(*Batch, *scan.Packet) {
			if next == len(s.workers) {
				finders := map[*plan.Plan]*Finder{}
				for p, one := range s.counters {
					finders[p] = one.NewFinder()
				}
				s.workers = append(s.workers, finders)
			}
			finders := s.workers[next]
			next++
			return func(b *Batch, p *scan.Packet) {
				finders[p.Plan].Add(b, p)
				for _, message := range p.InMessages {
					finders[message.Plan].Add(b, message)
				}
			}
		},
		Drain: func(b *Batch) error {
			for i := range b.records {
				r := &b.records[i]
				s.counters[r.plan].take(r)
			}
			b.Reset()
			return nil
		},
	}
}

// Results are what was counted, of the protocols that had packets and the sections that had messages.
func (s *Scan) Results() (list []*Result) {
	for _, one := range s.order {
		if one.Packets() > 0 {
			list = append(list, one.Result())
		}
	}
	return list
}
