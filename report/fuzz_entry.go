package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz/selffuzz"
	"github.com/pktscope/pktscope/report/scan"
)

// FuzzEntry attacks the renderers: byte 0 chooses the built-in protocol and the sender, the rest is a packet, whose
// checksum is made right. Whatever it holds, JSON is one valid line, CSV and cells between tabs have their columns, and
// nothing that is shown holds what a terminal would obey.
func FuzzEntry() *selffuzz.Entry {
	return selffuzz.NewEntry("Render", "text, JSON, columns, dumps and rulers of hostile packets", func() selffuzz.Func {
		var all []*renderers
		for _, protocol := range corpus.Protocols() {
			d, err := protocols.Load(protocol)
			if err != nil {
				panic("pktscope: internal error: " + err.Error())
			}
			all = append(all, newRenderers(d))
		}
		return func(data []byte) (bool, error) {
			if len(data) == 0 {
				return false, nil
			}
			return all[int(data[0])%len(all)].run(data[1:], decode.Direction(data[0]/16%3))
		}
	})
}

// renderers is one of each for a protocol.
type renderers struct {
	plan    *plan.Plan
	decoder *decode.Decoder
	json    *JSON
	text    *Text
	dump    *Dump
	explain *Explain
	columns [2]*Columns
	breaks  int // between the columns of a row
	trace   decode.Trace
	buf     []byte
}

func newRenderers(d *decode.Decoder) *renderers {
	p := d.Plan()
	r := &renderers{plan: p, decoder: d, json: NewJSON(p), text: NewText(p, TextOptions{File: true}), dump: NewDump(p, TextOptions{}),
		explain: NewExplain(p, ExplainOptions{Last: -1})}
	var paths []string
	for _, path := range filter.Paths(p) {
		paths = append(paths, path.Path)
	}
	r.breaks = len(paths) - 1
	for i, format := range []ColumnFormat{CSV, Fields} {
		r.columns[i], _ = NewColumns(p, paths, format)
	}
	return r
}

func (r *renderers) run(payload []byte, from decode.Direction) (bool, error) {
	payload = bytes.Clone(payload)
	r.plan.RepairChecksum(payload)
	accepted := r.decoder.Decode(payload, from, &r.trace) == nil
	// The name of a file is a stranger's, too.
	pkt := &scan.Packet{Envelope: decode.Envelope{N: 1, File: string(payload[:min(len(payload), 20)]), Cut: len(payload)%2 == 1}, Trace: &r.trace}
	r.buf = r.json.Append(r.buf[:0], pkt)
	if !json.Valid(r.buf) || bytes.Count(r.buf, []byte("\n")) != 1 {
		return false, fmt.Errorf("packet %x: JSON: %q", payload, r.buf)
	}
	if err := obeyed("JSON", r.buf); err != nil {
		return false, fmt.Errorf("packet %x: %w", payload, err)
	}
	r.buf = r.text.AppendLine(r.buf[:0], pkt)
	if bytes.Count(r.buf, []byte("\n")) != 1 {
		return false, fmt.Errorf("packet %x: a line that is several: %q", payload, r.buf)
	}
	for _, part := range []struct {
		name   string
		append func([]byte, *scan.Packet) []byte
	}{{"line", r.text.AppendLine}, {"tree", r.text.AppendTree}, {"dump", r.dump.Append}, {"ruler", r.explain.Append}, {"CSV", r.columns[0].Append}, {"fields", r.columns[1].Append}} {
		r.buf = part.append(r.buf[:0], pkt)
		if err := obeyed(part.name, r.buf); err != nil {
			return false, fmt.Errorf("packet %x: %w", payload, err)
		}
	}
	if n := bytes.Count(r.buf, []byte("\t")); n != r.breaks {
		return false, fmt.Errorf("packet %x: %d tabs, want %d: %q", payload, n, r.breaks, r.buf)
	}
	return accepted, nil
}

// obeyed finds what a terminal would obey in what is shown.
func obeyed(name string, shown []byte) error {
	for i := 0; i < len(shown); {
		c, n := utf8.DecodeRune(shown[i:])
		if c == utf8.RuneError && n == 1 || unicode.IsControl(c) && c != '\n' && (c != '\t' || name != "fields") || unicode.Is(unicode.Bidi_Control, c) {
			return fmt.Errorf("%s: %U at byte %d of %q", name, c, i, shown)
		}
		i += n
	}
	return nil
}
