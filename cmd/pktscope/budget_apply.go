package main

import (
	"fmt"

	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/budget"
	"github.com/pktscope/pktscope/report/scan"
)

// applyBudget writes the tightened schema, reads the captures again and says what they take in it.
func (p *program) applyBudget(run *budgetRun, b *budget.Budget, files []string) error {
	if p.stopped() {
		p.complain("--apply: %s is not written: the captures were not read to their end", run.flags.apply)
		return nil
	}
	list := b.Suggestions()
	if budget.Saved(list) == 0 {
		p.complain("nothing to tighten: %s is not written", run.flags.apply)
		return nil
	}
	text, tight, err := b.Apply(list)
	if err != nil {
		return err
	}
	if err := p.writeFile(run.flags.apply, text, 0); err != nil {
		return fmt.Errorf("--apply %s: %s", run.flags.apply, reason(err))
	}
	measured := budget.NewMeasurement(b.Plan(), tight)
	read := p.eachCapture
	if len(run.trouble) > 0 {
		read = p.eachCaptureAgain
	}
	var again scan.Counts
	if _, err := read(files, func(reader *pcap.Reader, name string) (bool, error) {
		return false, scanCapture(reader, name, run.scan, measured.Stage(), &again)
	}); err != nil {
		return err
	}
	if !p.quiet {
		p.complain("%s: %s", run.flags.apply, measured.Sum())
	}
	return nil
}
