package rejects

import "github.com/pktscope/pktscope/report/scan"

// Scan counts the packets of a scan, of each protocol by itself.
type Scan struct {
	decoders *scan.Decoders
	counters []*Counter  // of each decoder
	workers  [][]*Finder // of each worker and decoder
}

// NewScan makes a Scan for the packets of decoders. version is that of the program.
func NewScan(decoders *scan.Decoders, version string) *Scan {
	s := &Scan{decoders: decoders}
	for _, d := range decoders.All() {
		s.counters = append(s.counters, NewCounter(d.Plan(), version))
	}
	return s
}

// Stage counts the packets of one scan. Several, one after the other, add up.
func (s *Scan) Stage() scan.Stage[Batch] {
	next := 0
	return scan.Stage[Batch]{
		New: func() func(*Batch, *scan.Packet) {
			if next == len(s.workers) {
				var finders []*Finder
				for _, one := range s.counters {
					finders = append(finders, one.NewFinder())
				}
				s.workers = append(s.workers, finders)
			}
			finders := s.workers[next]
			next++
			return func(b *Batch, p *scan.Packet) { finders[s.decoders.Of(p)].Add(b, p) }
		},
		Drain: func(b *Batch) error {
			for _, one := range s.counters {
				one.Take(b)
			}
			b.Reset()
			return nil
		},
	}
}

// Results are what was counted, of the protocols that had packets.
func (s *Scan) Results() (list []*Result) {
	for _, one := range s.counters {
		if one.Packets() > 0 {
			list = append(list, one.Result())
		}
	}
	return list
}
