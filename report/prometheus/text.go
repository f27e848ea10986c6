package prometheus

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"github.com/pktscope/pktscope/pcap/live"
	"github.com/pktscope/pktscope/report/stats"
)

// Capture is what a metric says of the capture itself.
type Capture struct {
	Began      time.Time
	Version    string
	Interfaces []live.Account // what the kernel counted; nil where that is not known
}

// A family is the samples of one metric: a row of families.
type family struct {
	name, kind, help string
	samples          func(x *text, c *Capture, all []*stats.Summary)
}

// labels are names and values by turns.
type labels []string

// each hands over what was counted of each protocol.
func each(sample func(x *text, s *stats.Summary)) func(*text, *Capture, []*stats.Summary) {
	return func(x *text, _ *Capture, all []*stats.Summary) {
		for _, s := range all {
			if s != nil {
				sample(x, s)
			}
		}
	}
}

// sequences hands over the counters of each protocol.
func sequences(value func(*stats.SequenceCounts) uint64) func(*text, *Capture, []*stats.Summary) {
	return each(func(x *text, s *stats.Summary) {
		for i := range s.Sequences {
			q := &s.Sequences[i]
			x.sample(float64(value(&q.SequenceCounts)), "protocol", s.Protocol, "field", q.Field, "direction", q.Direction)
		}
	})
}

// verdicts are the packets of a Tally by what became of them.
func verdicts(t *stats.Tally) []struct {
	word string
	stats.Count
} {
	return []struct {
		word string
		stats.Count
	}{{"accept", t.Accepted}, {"reject", t.Rejected}, {"cut", t.Cut}, {"needs-context", t.NeedsContext}}
}

// directed are the labels of a row beside others.
func directed(s *stats.Summary, direction string, more ...string) labels {
	return append(labels{"protocol", s.Protocol, "direction", direction}, more...)
}

var families = []family{
	{"pktscope_build_info", "gauge", "The version of pktscope.", func(x *text, c *Capture, _ []*stats.Summary) { x.sample(1, "version", c.Version) }},
	{"pktscope_start_time_seconds", "gauge", "When the capture began, since 1970.", func(x *text, c *Capture, _ []*stats.Summary) {
		x.sample(float64(c.Began.UnixMilli()) / 1e3)
	}},
	{"pktscope_kernel_packets_total", "counter", "Packets that the kernel had for the capture.", func(x *text, c *Capture, _ []*stats.Summary) {
		for _, i := range c.Interfaces {
			x.sample(float64(i.Received), "interface", i.Name)
		}
	}},
	{"pktscope_kernel_dropped_packets_total", "counter", "Packets that came faster than they were read.", func(x *text, c *Capture, _ []*stats.Summary) {
		for _, i := range c.Interfaces {
			x.sample(float64(i.Dropped), "interface", i.Name)
		}
	}},
	{"pktscope_packets_total", "counter", "Packets, or messages of PROTOCOL.SECTION, by sender and verdict.", each(func(x *text, s *stats.Summary) {
		for i := range s.Directions {
			for _, v := range verdicts(&s.Directions[i].Tally) {
				x.sample(float64(v.Packets), directed(s, s.Directions[i].Direction, "verdict", v.word)...)
			}
		}
	})},
	{"pktscope_payload_bytes_total", "counter", "Payload of all packets, by sender.", each(func(x *text, s *stats.Summary) {
		for i := range s.Directions {
			x.sample(float64(s.Directions[i].PayloadBits())/8, directed(s, s.Directions[i].Direction)...)
		}
	})},
	{"pktscope_case_packets_total", "counter", "Packets by case and sender; of cases beyond 512 all under others.", each(func(x *text, s *stats.Summary) {
		for i := range s.Cases {
			x.sample(float64(s.Cases[i].Packets()), directed(s, s.Cases[i].Direction, "case", caseName(&s.Cases[i]))...)
		}
	})},
	{"pktscope_case_payload_bytes_total", "counter", "Payload of packets by case and sender.", each(func(x *text, s *stats.Summary) {
		for i := range s.Cases {
			x.sample(float64(s.Cases[i].PayloadBits())/8, directed(s, s.Cases[i].Direction, "case", caseName(&s.Cases[i]))...)
		}
	})},
	{"pktscope_rejects_total", "counter", "Packets that were refused, by why.", each(func(x *text, s *stats.Summary) {
		for _, r := range s.Rejects {
			x.sample(float64(r.Packets), "protocol", s.Protocol, "kind", r.Kind)
		}
	})},
	{"pktscope_notes_total", "counter", "Packets with something odd, by what.", each(func(x *text, s *stats.Summary) {
		for _, r := range s.Notes {
			x.sample(float64(r.Packets), "protocol", s.Protocol, "kind", r.Kind)
		}
	})},
	{"pktscope_sequence_received_total", "counter", "Values of a counter (@seq) that came.", sequences(func(c *stats.SequenceCounts) uint64 { return c.Received })},
	{"pktscope_sequence_duplicated_total", "counter", "Values of a counter that came again.", sequences(func(c *stats.SequenceCounts) uint64 { return c.Duplicated })},
	{"pktscope_sequence_reordered_total", "counter", "Values of a counter that came after a later one.", sequences(func(c *stats.SequenceCounts) uint64 { return c.Reordered })},
	{"pktscope_sequence_lost", "gauge", "Values of a counter that have not come; one that comes late lowers it.", sequences(func(c *stats.SequenceCounts) uint64 { return c.Lost })},
	{"pktscope_silences_total", "counter", "Times that a peer sent nothing for longer than expect timeout.", each(func(x *text, s *stats.Summary) {
		if s.Silences != nil {
			x.sample(float64(s.Silences.N), "protocol", s.Protocol)
		}
	})},
	{"pktscope_peers", "gauge", "Addresses with a port that were seen, of very many about.", each(func(x *text, s *stats.Summary) {
		x.sample(float64(s.Peers.N), "protocol", s.Protocol)
	})},
}

// caseName is the label of a case, empty of packets that were refused before it.
func caseName(c *stats.CaseRow) string {
	if c.Others {
		return "others"
	}
	return c.Case
}

// text is an exposition that is being written.
type text struct {
	b    []byte
	at   *family
	head bool // the family's head is written
}

// Append appends what was counted in Prometheus' text format, version 0.0.4. nil summaries are left out, and so is a
// metric without samples.
func Append(b []byte, c *Capture, all []*stats.Summary) []byte {
	x := text{b: b}
	for i := range families {
		x.at, x.head = &families[i], false
		x.at.samples(&x, c, all)
	}
	return x.b
}

// sample appends a value.
func (x *text) sample(v float64, pairs ...string) {
	if !x.head {
		x.head = true
		x.b = append(x.b, "# HELP "+x.at.name+" "+x.at.help+"\n# TYPE "+x.at.name+" "+x.at.kind+"\n"...)
	}
	x.b = append(x.b, x.at.name...)
	for i := 0; i < len(pairs); i += 2 {
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		x.b = append(append(append(x.b, separator), pairs[i]...), `="`...)
		x.b = append(append(x.b, escaped(pairs[i+1])...), '"')
	}
	if len(pairs) > 0 {
		x.b = append(x.b, '}')
	}
	x.b = append(x.b, ' ')
	if v == math.Trunc(v) && v < 1<<53 {
		x.b = strconv.AppendFloat(x.b, v, 'f', -1, 64)
	} else {
		x.b = strconv.AppendFloat(x.b, v, 'g', -1, 64)
	}
	x.b = append(x.b, '\n')
}

// escaped is the value of a label.
func escaped(s string) []byte {
	b := bytes.ReplaceAll(bytes.ToValidUTF8([]byte(s), []byte("\uFFFD")), []byte(`\`), []byte(`\\`))
	return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte(`"`), []byte(`\"`)), []byte("\n"), []byte(`\n`))
}
