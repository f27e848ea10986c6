package main

import (
	"math"
	"net/netip"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/batch"
	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/scan"
)

// viewFlags are what `decode` and `live` have in common.
type viewFlags struct {
	protocol protocolFlags
	format   string         // -T
	paths    []string       // -e
	tree     bool           // -V
	bits     bool           // -x
	filter   string         // -Y
	follow   netip.AddrPort // --follow
	count    int64          // -c
	only     string         // --only
	failOn   string         // --fail-on
	flush    bool           // -l
	write    string         // -w
	time     string         // -t
	flow     flowFlags
}

var failOns = []string{"none", "reject", "note (rejects too)", "context (incomplete messages, what --keys does not open, what needs other packets; rejects too)"}

// add adds the flags. forms are of -T, beside those that are views.
func (v *viewFlags) add(cmd *cobra.Command, forms ...string) {
	v.protocol.add(cmd)
	flags := cmd.Flags()
	// The words in backquotes are what the help calls the values.
	flags.BoolVarP(&v.tree, "verbose", "V", false, "show every field, with its first bit and width")
	flags.BoolVarP(&v.bits, "bits", "x", false, "show every bit, with the field that it belongs to")
	choiceVar(cmd, &v.format, "format", "T", "text", "print as `FORMAT`", append(formatWords(), forms...))
	flags.StringArrayVarP(&v.paths, "field", "e", nil, "`PATH` of a column of csv and fields; repeatable")
	filledVar(cmd, &v.filter, "filter", "Y", "show only the packets for which `EXPR` is true", filterWanted)
	addFollow(cmd, &v.follow, "show only the packets to and from `PEER`, 10.0.0.7 or 10.0.0.7:4124")
	numberVar(cmd, &v.count, "count", "c", 0, 1, math.MaxInt64, "stop after `N` packets shown", "")
	choiceVar(cmd, &v.only, "only", "", "", "show only `WHAT`", []string{"rejects", "notes"})
	choiceVar(cmd, &v.failOn, "fail-on", "", "none", "exit 1 on `WHAT`", failOns)
	addTime(cmd, &v.time, "show times as `FORM` (tshark's words)")
	flags.BoolVarP(&v.flush, "line-buffered", "l", false, "write each packet at once")
	filledVar(cmd, &v.write, "write", "w", "write the matching packets to `FILE` as pcapng (- is stdout), secrets included; what is sealed stays sealed", fileOrStdout)
	v.flow.add(cmd)
	v.protocol.addKeys(cmd, true)
	v.protocol.addTrust(cmd)
	completePaths(cmd, &v.protocol)
}

// formatWords are the forms of packets, each with its help.
func formatWords() (words []string) {
	for _, f := range report.Formats {
		word := f.Word
		if f.Help != "" {
			word += " (" + f.Help + ")"
		}
		words = append(words, word)
	}
	return words
}

// addFollow adds --follow.
func addFollow(cmd *cobra.Command, value *netip.AddrPort, usage string) {
	add(cmd, &checked[netip.AddrPort]{value, filter.ParsePeer, "string"}, "follow", "", usage)
	mustComplete(cmd.RegisterFlagCompletionFunc("follow", cobra.NoFileCompletions))
}

// addTime adds -t.
func addTime(cmd *cobra.Command, value *string, usage string) {
	choiceVar(cmd, value, "time", "t", report.TimeForms[0].Word, usage, timeWords())
}

// timeWords are the forms of times, each with its help.
func timeWords() (words []string) {
	for _, f := range report.TimeForms {
		words = append(words, f.Word+" ("+f.Help+")")
	}
	return words
}

// check judges the flags before anything is opened.
func (v *viewFlags) check(cmd *cobra.Command) error {
	if text := report.FormatOf(v.format).Conflicts(&report.FormatOptions{TextOptions: report.TextOptions{Time: v.time}, Tree: v.tree, Bits: v.bits, Paths: v.paths}); text != "" {
		return usagef(cmd, "%s", text)
	}
	return nil
}

// chosen reports whether not all packets are shown.
func (v *viewFlags) chosen() bool { return v.filter != "" || v.follow.IsValid() }

// view is packets that are decoded, chosen and shown.
type view struct {
	flags  *viewFlags
	scan   scan.Options
	form   report.FormatOptions
	counts scan.Counts
	out    *output
	save   *captureOut // -w; nil without
	silent bool        // packets are counted and written, and not shown: -w alone, --stats
	shown  int64
	source pcap.PacketSource // whose packets are saved
	most   int64             // bytes of -w that end the run; 0 for none

	renderers []*renderers // that stages use, one scan after the other
}

// openView loads what -p names, or all built-ins. several: there is more than one capture.
func (p *program) openView(cmd *cobra.Command, f *viewFlags, several bool) (*view, error) {
	if err := f.check(cmd); err != nil {
		return nil, err
	}
	decoders, err := p.decoders(cmd, &f.protocol)
	if err != nil {
		return nil, err
	}
	v := &view{flags: f, out: p.out, form: report.FormatOptions{
		TextOptions: report.TextOptions{Colour: p.coloured(p.stdout), File: several, Time: f.time}, Tree: f.tree, Bits: f.bits, Paths: f.paths,
	}}
	v.scan = scan.Options{Decoders: decoders, Flow: f.flow.limits(), Only: map[string]scan.Only{"rejects": scan.Rejects, "notes": scan.Notes}[f.only]}
	if v.scan.Filters, err = p.compileChoice(f.filter, f.follow, decoders); err != nil {
		return nil, err
	}
	if len(f.paths) > 0 {
		if err := p.makeColumns(f, decoders.All()); err != nil {
			return nil, err
		}
	}
	if head := report.FormatOf(f.format).Header; head != nil {
		if _, err := p.out.Write(head(&v.form)); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// renderers are those of each decoder's packets, for one goroutine; nil before the first packet.
type renderers struct {
	view *view
	list []report.Renderer
}

// of is the renderer for a packet.
func (r *renderers) of(p *scan.Packet) report.Renderer {
	one := &r.list[p.Which()]
	if *one == nil {
		*one = report.FormatOf(r.view.flags.format).New(p.Plan, &r.view.form)
	}
	return *one
}

// rendered is a batch of packets as they are shown, and what -w writes of them.
type rendered struct {
	text    []byte
	packets int64
	records [][]pcap.Record // of each packet, with -w
}

// keptText is how many bytes of a batch's text stay for the next; packets of nothing but bools make more.
const keptText = 1 << 20

// stage shows the packets of one scan and writes them to -w. It ends the scan at the number of -c. Its errors are
// *writeErrors.
func (v *view) stage() scan.Stage[rendered] {
	used := 0
	next := func() *renderers {
		if used == len(v.renderers) {
			v.renderers = append(v.renderers, &renderers{v, make([]report.Renderer, v.scan.Decoders.Len())})
		}
		used++
		return v.renderers[used-1]
	}
	large := next()
	return scan.Stage[rendered]{
		New: func() func(*rendered, *scan.Packet) {
			worker := next()
			return func(b *rendered, p *scan.Packet) {
				b.packets++
				if !v.silent {
					b.text = worker.of(p).Append(b.text, p)
				}
				if v.scan.Records {
					b.records = append(b.records, p.Records())
				}
			}
		},
		Drain: func(b *rendered) error {
			if len(b.text) > 0 {
				if _, err := v.out.Write(b.text); err != nil {
					return &writeError{err}
				}
			}
			if cap(b.text) > keptText {
				b.text = nil
			}
			err := v.took(b.packets, b.records...)
			b.text, b.records, b.packets = b.text[:0], b.records[:0], 0
			return err
		},
		Large: func(p *scan.Packet) error {
			if !v.silent {
				if err := large.of(p).Write(v.out, p); err != nil {
					return &writeError{err}
				}
			}
			if v.scan.Records {
				return v.took(1, p.Records())
			}
			return v.took(1)
		},
	}
}

// took counts packets that were shown and saves what they came in.
func (v *view) took(packets int64, records ...[]pcap.Record) error {
	if v.flags.flush {
		if err := v.out.Flush(); err != nil {
			return &writeError{err}
		}
	}
	for _, one := range records {
		if err := v.save.addRecords(v.source, one); err != nil {
			return &writeError{err}
		}
	}
	if v.shown += packets; packets > 0 && (v.shown == v.flags.count || v.most > 0 && v.save.size() >= v.most) {
		return batch.ErrStop
	}
	return nil
}

// single reports whether a packet is shown before the next is decoded: where a number of them ends the run, or a view
// is too large to be kept for many.
func (v *view) single() bool { return v.flags.count > 0 || v.flags.bits }
