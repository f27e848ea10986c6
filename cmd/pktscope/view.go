package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
)

// viewFlags are what `decode` and `live` have in common.
type viewFlags struct {
	protocol protocolFlags
	format   string   // -T
	paths    []string // -e
	tree     bool     // -V
	bits     bool     // -x
	filter   string   // -Y
	count    int64    // -c
	only     string   // --only
	failOn   string   // --fail-on
	flush    bool     // -l
	write    string   // -w
}

var (
	formats = []string{"text", "json", "csv", "fields"}
	onlys   = []string{"rejects", "notes"}
	failOns = []string{"none", "reject", "note"}
)

func (f *viewFlags) add(cmd *cobra.Command) {
	f.protocol.add(cmd)
	flags := cmd.Flags()
	// The words in backquotes are what the help calls the values.
	flags.BoolVarP(&f.tree, "verbose", "V", false, "every field, with its first bit and width")
	flags.BoolVarP(&f.bits, "bits", "x", false, "every bit, with the field that it is of")
	flags.StringVarP(&f.format, "format", "T", "text", "`FORMAT`: text, json (see pktscope help json), csv or fields")
	flags.StringArrayVarP(&f.paths, "field", "e", nil, "`PATH` of a column of csv and fields; repeatable")
	flags.StringVarP(&f.filter, "filter", "Y", "", "show only what `EXPR` is true of")
	flags.Int64VarP(&f.count, "count", "c", 0, "stop after `N` packets shown")
	flags.StringVar(&f.only, "only", "", "show only `WHAT`: rejects or notes")
	flags.StringVar(&f.failOn, "fail-on", "none", "exit 1 on `WHAT`: none, reject, note (or reject)")
	flags.BoolVarP(&f.flush, "line-buffered", "l", false, "write each packet at once")
	flags.StringVarP(&f.write, "write", "w", "", "write the matching packets to `FILE` as pcapng (- is stdout), secrets included")
	completeWords(cmd, "format", formats)
	completePaths(cmd, &f.protocol)
	completeWords(cmd, "only", onlys)
	completeWords(cmd, "fail-on", failOns)
}

// check judges the flags before anything is opened.
func (f *viewFlags) check(cmd *cobra.Command) error {
	if err := oneOf(cmd, "-T", f.format, formats); err != nil {
		return err
	}
	if cmd.Flags().Changed("only") {
		if err := oneOf(cmd, "--only", f.only, onlys); err != nil {
			return err
		}
	}
	if err := oneOf(cmd, "--fail-on", f.failOn, failOns); err != nil {
		return err
	}
	columns := f.columns()
	switch {
	case f.tree && f.format == "json":
		return usagef(cmd, "-V is a text view: leave out -V or -T json, which has every field")
	case f.bits && f.format == "json":
		return usagef(cmd, "-x is a text view: leave out -x or -T json")
	case (f.tree || f.bits) && columns:
		return usagef(cmd, "-V and -x are text views: leave them out, or -T %s", f.format)
	case columns && len(f.paths) == 0:
		return usagef(cmd, "-T %s needs -e PATH for each column, such as -e pkt.n -e case", f.format)
	case !columns && len(f.paths) > 0:
		return usagef(cmd, "-e is a column of -T csv or -T fields: name one of them")
	case cmd.Flags().Changed("filter") && strings.TrimSpace(f.filter) == "":
		return usagef(cmd, "-Y is empty: want an expression, such as -Y 'pkt.rejected'")
	case cmd.Flags().Changed("count") && f.count < 1:
		return usagef(cmd, "-c %d: want at least 1", f.count)
	case cmd.Flags().Changed("protocol") && f.protocol.name == "":
		return usagef(cmd, "-p is empty: want a built-in or a .pks file")
	case len(f.protocol.params) > 0 && f.protocol.name == "":
		return usagef(cmd, "-D needs -p, which says whose param it is")
	}
	return nil
}

// columns reports whether packets are shown as rows.
func (f *viewFlags) columns() bool { return f.format == "csv" || f.format == "fields" }

// view decodes datagrams, shows those that are asked for, and counts all.
type view struct {
	*viewer
	spec   viewSpec
	out    *output
	save   *captureOut // -w; nil without
	silent bool        // -w alone: packets are written and not shown
	b      []byte
	shown  int64
	counts counts

	captures captureCounts
}

// viewSpec is what viewers are made from: one for each goroutine that decodes.
type viewSpec struct {
	flags    *viewFlags
	table    *portTable // nil with -p
	decoders []*decode.Decoder
	filters  []*filter.Program // of each decoder; nil without -Y
	text     report.TextOptions
}

// viewer decodes and renders one datagram after the other, in memory of its own.
type viewer struct {
	flags     *viewFlags
	table     *portTable
	protocols []protocolView
	packet    report.Packet
	envelope  filter.Envelope
	trace     decode.Trace
}

// protocolView is how one protocol's packets are decoded and rendered.
type protocolView struct {
	decoder *decode.Decoder
	never   bool            // -Y fits another protocol only
	matcher *filter.Matcher // nil without -Y
	text    *report.Text
	dump    *report.Dump
	json    *report.JSON
	columns *report.Columns
}

// openView loads what -p names, or all built-ins. several: there is more than one capture.
func (p *program) openView(cmd *cobra.Command, f *viewFlags, several bool) (*view, error) {
	if err := f.check(cmd); err != nil {
		return nil, err
	}
	spec := viewSpec{flags: f, text: report.TextOptions{Colour: p.coloured(p.stdout), File: several}}
	if f.protocol.name != "" {
		d, err := p.load(cmd, &f.protocol)
		if err != nil {
			return nil, err
		}
		spec.decoders = append(spec.decoders, d)
	} else {
		spec.table = newPortTable()
		spec.decoders = spec.table.decoders
	}
	if f.filter != "" {
		var err error
		if spec.filters, err = p.compileFilter(f.filter, spec.decoders); err != nil {
			return nil, err
		}
	}
	if f.columns() {
		if err := p.makeColumns(f, spec.decoders); err != nil {
			return nil, err
		}
	}
	if f.format == "csv" {
		if _, err := p.out.Write(report.AppendHeader(nil, f.paths)); err != nil {
			return nil, err
		}
	}
	return &view{viewer: spec.newViewer(), spec: spec, out: p.out}, nil
}

func (s *viewSpec) newViewer() *viewer {
	w := &viewer{flags: s.flags, table: s.table}
	w.packet.Trace = &w.trace
	for i, d := range s.decoders {
		pv := protocolView{decoder: d}
		if s.filters != nil {
			if pv.never = s.filters[i] == nil; !pv.never {
				pv.matcher = s.filters[i].NewMatcher()
			}
		}
		switch s.flags.format {
		case "json":
			pv.json = report.NewJSON(d.Plan())
		case "csv":
			pv.columns, _ = report.NewColumns(d.Plan(), s.flags.paths, report.CSV)
		case "fields":
			pv.columns, _ = report.NewColumns(d.Plan(), s.flags.paths, report.Fields)
		default:
			pv.text = report.NewText(d.Plan(), s.text)
			if s.flags.bits {
				pv.dump = report.NewDump(d.Plan(), s.text)
			}
		}
		w.protocols = append(w.protocols, pv)
	}
	return w
}

// judge decodes one datagram and counts it; nil when it is not to be shown.
func (w *viewer) judge(d *pcap.Datagram, file string, c *counts) *protocolView {
	which := 0
	if w.table != nil {
		if which = w.table.choose(d.Src.Port(), d.Dst.Port()); which < 0 {
			c.noPort++
			return nil
		}
	}
	pv := &w.protocols[which]
	from := decode.DirectionOf(pv.decoder.Plan().Schema, d.Src.Port(), d.Dst.Port())
	_ = pv.decoder.DecodeCut(d.Payload, d.Size, from, &w.trace) // its error is the trace's reject
	p := &w.packet
	p.N, p.File, p.Time, p.Src, p.Dst = d.N, file, d.Time, d.Src, d.Dst
	p.Cut, p.LengthMismatch = d.Cut, d.LengthMismatch
	verdict, notes := p.Verdict(), p.Notes()
	c.add(p, verdict, notes)
	if w.flags.only == "rejects" && verdict != report.Refused || w.flags.only == "notes" && notes == 0 {
		return nil
	}
	if pv.never || pv.matcher != nil && !w.matches(pv) {
		return nil
	}
	return pv
}

// matches asks -Y about the packet judged last.
func (w *viewer) matches(pv *protocolView) bool {
	e, p := &w.envelope, &w.packet
	e.N, e.File, e.Time, e.Src, e.Dst = p.N, p.File, p.Time, p.Src, p.Dst
	e.Cut, e.LengthMismatch = p.Cut, p.LengthMismatch
	return pv.matcher.Match(&w.trace, e)
}

// append appends what is shown of the packet judged last.
func (w *viewer) append(b []byte, pv *protocolView) []byte {
	switch {
	case pv.json != nil:
		return pv.json.Append(b, &w.packet)
	case pv.columns != nil:
		return pv.columns.Append(b, &w.packet)
	case w.flags.tree:
		b = pv.text.AppendTree(b, &w.packet)
	default:
		b = pv.text.AppendLine(b, &w.packet)
	}
	if pv.dump != nil {
		b = pv.dump.Append(b, &w.packet)
	}
	return b
}

// write is append in pieces, for a large packet, whose rendering can be hundreds of times its size.
func (v *view) write(pv *protocolView) error {
	var err error
	switch {
	case pv.json != nil:
		return pv.json.Write(v.out, &v.packet)
	case v.flags.tree:
		err = pv.text.WriteTree(v.out, &v.packet)
	case pv.text != nil:
		v.b = pv.text.AppendLine(v.b[:0], &v.packet)
		_, err = v.out.Write(v.b)
	default:
		err = pv.columns.Write(v.out, &v.packet)
	}
	if pv.dump != nil && err == nil {
		err = pv.dump.Write(v.out, &v.packet)
	}
	return err
}

// datagram shows one datagram at once. done says that -c's number is reached; the error is the output's.
func (v *view) datagram(d *pcap.Datagram, file string) (done bool, err error) {
	pv := v.judge(d, file, &v.counts)
	if pv == nil {
		return false, nil
	}
	switch {
	case v.silent:
	case len(d.Payload) <= largePacket:
		v.b = v.append(v.b[:0], pv)
		_, err = v.out.Write(v.b)
	default:
		err = v.write(pv)
	}
	if err == nil && v.flags.flush {
		err = v.out.Flush()
	}
	if err != nil {
		return false, err
	}
	v.shown++
	return v.shown == v.flags.count, nil
}

// failed reports whether there was what --fail-on names.
func (v *view) failed() bool {
	switch v.flags.failOn {
	case "reject":
		return v.counts.refused > 0
	case "note":
		return v.counts.refused > 0 || v.counts.odd > 0
	}
	return false
}

// unmatched reports whether there were datagrams, but none on a port of a built-in.
func (v *view) unmatched() bool { return v.counts.noPort > 0 && v.counts.packets == 0 }
