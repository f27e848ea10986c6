package main

import (
	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
)

// viewFlags are what `decode` and `live` have in common.
type viewFlags struct {
	protocol protocolFlags
	format   string // -T
	tree     bool   // -V
	count    int64  // -c
	only     string // --only
	failOn   string // --fail-on
	flush    bool   // -l
}

var (
	formats = []string{"text", "json"}
	onlys   = []string{"rejects", "notes"}
	failOns = []string{"none", "reject", "note"}
)

func (f *viewFlags) add(cmd *cobra.Command) {
	f.protocol.add(cmd)
	flags := cmd.Flags()
	// The words in backquotes are what the help calls the values.
	flags.BoolVarP(&f.tree, "verbose", "V", false, "every field, with its first bit and width")
	flags.StringVarP(&f.format, "format", "T", "text", "`FORMAT`: text or json (see pktscope help json)")
	flags.Int64VarP(&f.count, "count", "c", 0, "stop after `N` packets shown")
	flags.StringVar(&f.only, "only", "", "show only `WHAT`: rejects or notes")
	flags.StringVar(&f.failOn, "fail-on", "none", "exit 1 on `WHAT`: none, reject, note (or reject)")
	flags.BoolVarP(&f.flush, "line-buffered", "l", false, "write each packet at once")
	completeWords(cmd, "format", formats)
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
	switch {
	case f.tree && f.format == "json":
		return usagef(cmd, "-V is a text view: leave out -V or -T json, which has every field")
	case cmd.Flags().Changed("count") && f.count < 1:
		return usagef(cmd, "-c %d: want at least 1", f.count)
	case cmd.Flags().Changed("protocol") && f.protocol.name == "":
		return usagef(cmd, "-p is empty: want a built-in or a .pks file")
	case len(f.protocol.params) > 0 && f.protocol.name == "":
		return usagef(cmd, "-D needs -p, which says whose param it is")
	}
	return nil
}

// view decodes datagrams, shows those that are asked for, and counts all.
type view struct {
	*viewer
	spec   viewSpec
	out    *output
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
	text     report.TextOptions
}

// viewer decodes and renders one datagram after the other, in memory of its own.
type viewer struct {
	flags     *viewFlags
	table     *portTable
	protocols []protocolView
	packet    report.Packet
	trace     decode.Trace
}

// protocolView is how one protocol's packets are decoded and rendered.
type protocolView struct {
	decoder *decode.Decoder
	text    *report.Text
	json    *report.JSON
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
	return &view{viewer: spec.newViewer(), spec: spec, out: p.out}, nil
}

func (s *viewSpec) newViewer() *viewer {
	w := &viewer{flags: s.flags, table: s.table}
	w.packet.Trace = &w.trace
	for _, d := range s.decoders {
		pv := protocolView{decoder: d}
		if s.flags.format == "json" {
			pv.json = report.NewJSON(d.Plan())
		} else {
			pv.text = report.NewText(d.Plan(), s.text)
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
	_ = pv.decoder.Decode(d.Payload, from, &w.trace) // its error is the trace's reject
	p := &w.packet
	p.N, p.File, p.Time, p.Src, p.Dst = d.N, file, d.Time, d.Src, d.Dst
	p.Cut, p.LengthMismatch = d.Cut, d.LengthMismatch
	verdict, notes := p.Verdict(), p.Notes()
	c.add(p, verdict, notes)
	if w.flags.only == "rejects" && verdict != report.Refused || w.flags.only == "notes" && notes == 0 {
		return nil
	}
	return pv
}

// append appends what is shown of the packet judged last.
func (w *viewer) append(b []byte, pv *protocolView) []byte {
	switch {
	case pv.json != nil:
		return pv.json.Append(b, &w.packet)
	case w.flags.tree:
		return pv.text.AppendTree(b, &w.packet)
	}
	return pv.text.AppendLine(b, &w.packet)
}

// datagram shows one datagram at once. done says that -c's number is reached; the error is the output's.
func (v *view) datagram(d *pcap.Datagram, file string) (done bool, err error) {
	pv := v.judge(d, file, &v.counts)
	if pv == nil {
		return false, nil
	}
	switch {
	case len(d.Payload) <= largePacket || pv.json == nil && !v.flags.tree:
		v.b = v.append(v.b[:0], pv)
		_, err = v.out.Write(v.b)
	case pv.json != nil:
		err = pv.json.Write(v.out, &v.packet)
	default:
		err = pv.text.WriteTree(v.out, &v.packet)
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
