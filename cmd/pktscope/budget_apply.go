package main

import (
	"fmt"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/batch"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/budget"
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
	measured := make([]measurement, len(run.workers))
	for i := range measured {
		measured[i].rewriter = budget.NewRewriter(b.Plan(), tight)
	}
	read := p.eachCapture
	if len(run.trouble) > 0 {
		read = p.eachCaptureAgain
	}
	stages := batch.Stages[shipment]{
		Work: func(worker int, s *shipment) {
			for i := range s.datagrams {
				measured[worker].add(run.decoders[0], &s.datagrams[i])
			}
		},
		Drain: func(*shipment) error { return nil },
	}
	if _, err := read(files, func(reader *pcap.Reader, _ string) (bool, error) {
		return false, eachShipment(reader, stages, &captureCounts{})
	}); err != nil {
		return err
	}
	var all measurement
	for i := range measured {
		all.packets += measured[i].packets
		all.before += measured[i].before
		all.after += measured[i].after
		all.lost += measured[i].lost
	}
	if p.quiet {
		return nil
	}
	line := fmt.Sprintf("%s: the same %s take %d bytes instead of %d", run.flags.apply, plural(all.packets, "packet"), all.after, all.before)
	if all.before > 0 {
		line += fmt.Sprintf(" (%.1f%%)", 100*float64(all.after)/float64(all.before))
	}
	if all.lost > 0 {
		line += fmt.Sprintf("; %s could not be written in it", plural(all.lost, "packet"))
	}
	p.complain("%s", line)
	return nil
}

// measurement is what packets take when they are written again.
type measurement struct {
	rewriter      *budget.Rewriter
	trace         decode.Trace
	buf           []byte
	packets, lost int64
	before, after int64
}

func (m *measurement) add(d *decode.Decoder, g *pcap.Datagram) {
	from := decode.DirectionOf(d.Plan().Schema, g.Src.Port(), g.Dst.Port())
	if err := d.DecodeCut(g.Payload, g.Size, from, &m.trace); err != nil || g.Cut {
		return
	}
	out, err := m.rewriter.Append(m.buf[:0], &m.trace)
	if err != nil {
		m.lost++
		return
	}
	m.buf = out
	m.packets++
	m.before += int64(len(g.Payload))
	m.after += int64(len(out))
}
