package results

import (
	"github.com/pktscope/pktscope/report/budget"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
	"github.com/pktscope/pktscope/report/stats"
)

// Counter counts captures for a Set in one pass: statistics, budgets, and the rejects by rule.
type Counter struct {
	stats   *stats.Counter
	budgets *budget.Counter
	rejects *rejects.Scan
}

// Counted is what the stage of a Counter has of a batch.
type Counted = scan.Joined[scan.Joined[stats.Batch, struct{}], rejects.Batch]

// NewCounter makes a Counter, which keeps time. A packet of more than maxPacket bytes breaks its budget, if that is not 0. version is
// that of the program, for the results.
func NewCounter(d *scan.Decoders, maxPacket int, version string) *Counter {
	c := &Counter{stats.NewCounter(d), budget.NewCounter(d, maxPacket), rejects.NewScan(d, version)}
	c.stats.KeepTime()
	return c
}

// Stage counts packets. Scans of one Counter run one after the other.
func (c *Counter) Stage() scan.Stage[Counted] {
	return scan.Join(scan.Join(c.stats.Stage(), c.budgets.Stage()), c.rejects.Stage())
}

// AddTo adds the results of the protocols that had packets to s, and of a piece that others had none. of is what was counted; incomplete are the captures
// that were not read to their end, a line each. Do not use the Counter afterwards.
func (c *Counter) AddTo(s *Set, of saved.Piece, incomplete ...string) error {
	for _, one := range c.stats.Met(of) {
		if of.Of == 1 && one.Packets() == 0 {
			continue
		}
		one.AddIncomplete(incomplete...)
		if err := s.AddStatistics(one); err != nil {
			return err
		}
	}
	budgets, err := c.budgets.Met(of)
	if err != nil {
		return err
	}
	for _, one := range budgets {
		if of.Of == 1 && one.Empty() {
			continue
		}
		one.AddIncomplete(incomplete...)
		if err := s.AddBudgets(one); err != nil {
			return err
		}
	}
	for _, one := range c.rejects.Results() {
		one.Incomplete.Add(incomplete...)
		if err := s.AddRejects(one); err != nil {
			return err
		}
	}
	return nil
}
