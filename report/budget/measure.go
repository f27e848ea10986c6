package budget

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/scan"
)

// Measurement is what the packets of a scan take when they are written in another schema.
type Measurement struct {
	from, to *plan.Plan
	workers  []*measurer
}

// Rewritten is a sum over packets that were accepted and whole.
type Rewritten struct {
	Packets       int64
	Lost          int64 // that could not be written
	Before, After int64 // bytes of Packets
}

// String is the sum in a sentence: `the same 2 packets take 3 bytes instead of 4 (75.0%)`.
func (r Rewritten) String() string {
	line := fmt.Sprintf("the same %s take %d bytes instead of %d", syntax.Count(r.Packets, "packet"), r.After, r.Before)
	if r.Before > 0 {
		line += fmt.Sprintf(" (%.1f%%)", 100*float64(r.After)/float64(r.Before))
	}
	if r.Lost > 0 {
		line += fmt.Sprintf("; %s could not be written in it", syntax.Count(r.Lost, "packet"))
	}
	return line
}

type measurer struct {
	Rewritten
	rewriter *Rewriter
	buf      []byte
}

// NewMeasurement makes one for packets of from, which are written as those of to.
func NewMeasurement(from, to *plan.Plan) *Measurement { return &Measurement{from: from, to: to} }

// Stage measures packets. Scans of one Measurement run one after the other.
func (m *Measurement) Stage() scan.Stage[struct{}] {
	next := 0
	return scan.Stage[struct{}]{
		New: func() func(*struct{}, *scan.Packet) {
			if next == len(m.workers) {
				m.workers = append(m.workers, &measurer{rewriter: NewRewriter(m.from, m.to)})
			}
			next++
			return m.workers[next-1].add
		},
		Drain: func(*struct{}) error { return nil },
	}
}

func (m *measurer) add(_ *struct{}, p *scan.Packet) {
	if p.Rejected() || p.Cut {
		return
	}
	out, err := m.rewriter.Append(m.buf[:0], p.Trace)
	if err != nil {
		m.Lost++
		return
	}
	m.buf = out
	m.Packets++
	m.Before += int64(len(p.Payload))
	m.After += int64(len(out))
}

// Sum is what was measured.
func (m *Measurement) Sum() (sum Rewritten) {
	for _, one := range m.workers {
		sum.Packets += one.Packets
		sum.Lost += one.Lost
		sum.Before += one.Before
		sum.After += one.After
	}
	return sum
}
