package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/decode/infer"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/page"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
)

type inferFlags struct {
	options              infer.Options
	sum, form, out, port string
	keep                 protocolFlags // --keep
	filter               string        // -Y
	count                int64         // -c
}

func newInfer(p *program) *cobra.Command {
	flags := inferFlags{out: "-"}
	cmd := &cobra.Command{
		Use:   "infer FILE...",
		Short: "draft a .pks file from captures of a protocol that nobody described",
		Long:  inferHelp,
		Example: `  pktscope infer game.pcap -o guess.pks
  pktscope infer --tag 32+2 --order lsb game.pcap
  pktscope infer --keep guess.pks game.pcap other.pcap -o better.pks
  pktscope infer -T html -o guess.pks game.pcap > guess.html
  pktscope infer -T json -o guess.pks game.pcap | jq .fields`,
		ValidArgsFunction: completeExtensions("pcap", "pcapng", "cap"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(cmd, "which capture? want a FILE, or - for stdin")
			}
			flags.options.NoSum = flags.sum == "off"
			if err := mustBeNew(flags.out); err != nil { // before the work, which may take long
				return err
			}
			return p.infer(cmd, &flags, args)
		},
	}
	choiceVar(cmd, &flags.options.Order, "order", "", "", "bits fill bytes in this `ORDER`; by default the one that fits best", []string{"lsb", "msb", "bousk"})
	choiceVar(cmd, &flags.sum, "crc", "", "auto", "`WHETHER` to look for a checksum", []string{"auto", "off"})
	choiceVar(cmd, &flags.form, "format", "T", "text", "`FORM` of the evidence", []string{"text (on stderr)", "json (on stdout; the schema needs -o)", "html (a page by itself, on stdout; the schema needs -o)"})
	f := cmd.Flags()
	filledVar(cmd, &flags.keep.name, "keep", "", "draft `GUESS` anew: lines of it that you changed stay", "a .pks file that infer wrote")
	mustComplete(cmd.RegisterFlagCompletionFunc("keep", completeExtensions("pks")))
	filledVar(cmd, &flags.filter, "filter", "Y", "draft from the packets for which `EXPR` is true: of GUESS, else of `payload`, all bytes", filterWanted)
	numberVar(cmd, &flags.count, "count", "c", 0, 1, math.MaxInt64, "draft from the first `N` packets", "")
	f.BoolVar(&flags.options.Tight, "tight", false, "make rules of the ranges that were seen: what other packets have is refused then")
	for _, name := range []string{"port", "order", "tag"} {
		defer excludes(cmd, "the schema that is kept says it", "keep", name)
	}
	f.Var(&flags.options.Tag, "tag", "the field that tells kinds of packets apart: its bit and its width, as in 32+2")
	addPorts(cmd, &flags.port, "the server's `PORTS`, 4124 or 4000-4010,5000; by default the one that most packets have")
	f.StringVarP(&flags.out, "output", "o", flags.out, "write the schema to `FILE`, which must not exist yet; - is stdout")
	return cmd
}

func (p *program) infer(cmd *cobra.Command, flags *inferFlags, files []string) error {
	chosen, err := p.loadKept(cmd, flags)
	if err != nil {
		return err
	}
	allowMemory(infer.Memory)
	var sample infer.Sample
	trouble, err := p.eachCapture(files, chosen.each(func(one *infer.Packet) bool {
		sample.Add(one)
		return true
	}))
	if err != nil {
		return err
	}
	if len(trouble) > 0 && sample.Packets == 0 {
		return told{}
	}
	switch {
	case sample.Packets > 0:
	case flags.filter != "":
		return errors.New("-Y chooses none of the packets")
	default:
		return errors.New("there are no UDP datagrams to draft from: record some first (see `pktscope help infer`)")
	}
	if int64(sample.Kept()) < sample.Packets && !slices.Contains(files, "-") {
		flags.options.Again = func(take func(*infer.Packet) bool) error {
			_, err := p.eachCaptureAgain(files, chosen.each(take))
			return err
		}
	}
	flags.options.Ports = portsIn(flags.port)
	res, err := infer.Infer(&sample, flags.options)
	if err != nil {
		return err
	}
	switch {
	case flags.out != "-":
		err = p.writeOut(flags.out, res.Source, saved.MustBeNew)
	case flags.form == "text":
		err = p.writeSource(res.Source)
	}
	if err != nil {
		return err
	}
	switch {
	case flags.form == "json":
		_, err = p.out.Write(append(res.AppendJSON(nil), '\n'))
	case flags.form == "html":
		err = p.inferPage(res, files)
	case !p.quiet:
		p.tellEvidence(res, flags.out)
	}
	if err == nil && len(trouble) > 0 {
		err = told{}
	}
	return err
}

// anything is the schema of -Y where nothing is kept.
const anything = "protocol any\norder lsb\nmax datagram 65507\npacket { payload bytes(rest, max 65507) }\n"

// loadKept reads what is kept, if anything is, and compiles -Y by it.
func (p *program) loadKept(cmd *cobra.Command, flags *inferFlags) (*chosen, error) {
	c := &chosen{most: flags.count}
	var err error
	if flags.keep.name != "" {
		if c.decoder, err = p.load(cmd, &flags.keep); err != nil {
			return nil, err
		}
		if flags.options.Keep, err = infer.NewKept(c.decoder); err != nil {
			return nil, fmt.Errorf("--keep %s: %w", flags.keep.name, err)
		}
	} else if c.decoder, err = decode.Load("any.pks", []byte(anything)); err != nil {
		return nil, err
	}
	if flags.filter != "" {
		programs, err := p.compileFilter("-Y", flags.filter, []*decode.Decoder{c.decoder})
		if err != nil {
			return nil, err
		}
		c.matcher = programs[0].NewMatcher()
	}
	return c, nil
}

// inferPage writes the page of a draft: what it rests on, and packets of the captures that can be read again, bit by bit.
func (p *program) inferPage(res *infer.Result, files []string) error {
	draft, err := decode.Load("inferred.pks", res.Source)
	if err != nil {
		return err
	}
	r := page.Report{Title: "pktscope infer", Tool: version()}
	if r.Inferred, err = page.ReadInferred(res.AppendJSON(nil)); err != nil {
		return err
	}
	r.Inferred.Source = res.Source
	for _, name := range files {
		r.Sources = append(r.Sources, page.Source{Name: name, Kind: "capture"})
	}
	if !slices.Contains(files, "-") {
		decoders := scan.Always(draft)
		packets := page.NewPackets(decoders, maxInferPackets)
		var counts scan.Counts
		_, err = p.eachCaptureAgain(files, func(reader *pcap.Reader, name string) (bool, error) {
			return false, scanCapture(reader, name, scan.Options{Decoders: decoders}, packets.Stage(), &counts)
		})
		if err != nil {
			return err
		}
		r.Packets = packets.Collectors()
	}
	return page.Write(p.out, &r)
}

// maxInferPackets is how many packets the page of a draft lists.
const maxInferPackets = 500

// tellEvidence prints what a schema rests on.
func (p *program) tellEvidence(res *infer.Result, out string) {
	if p.out.Flush() != nil {
		return // who writes stdout says so
	}
	for _, l := range res.Evidence() {
		fmt.Fprintf(p.stderr, "%-9s %s\n", l.What, l.Text)
	}
	const shown = 10
	for i, o := range res.Outliers {
		if i == shown {
			fmt.Fprintf(p.stderr, "outliers  %d more; -T json lists them\n", res.Refused-shown)
			break
		}
		fmt.Fprintf(p.stderr, "outlier   packet %d: %s\n", o.N, syntax.EscapeText(o.Reason))
	}
	if out != "-" {
		fmt.Fprintf(p.stderr, "next      pktscope explain -p %s -r FILE -n 12; pktscope help infer\n", out)
		if port := res.Port; len(res.Probe) > 0 && port > 0 {
			fmt.Fprintf(p.stderr, "attack    pktscope audit -p %s --target udp:127.0.0.1:%d --rate 1000 --stop-after 1m --probe %x\n", out, port, res.Probe)
		}
	}
}

// chosen are the packets that -Y and -c choose.
type chosen struct {
	decoder *decode.Decoder
	matcher *filter.Matcher // nil: all
	most    int64           // 0: all
}

// each hands the chosen datagrams of captures to take, without those that a capture cut.
func (c *chosen) each(take func(*infer.Packet) bool) takeCapture {
	packet := scan.Packet{Trace: new(decode.Trace)}
	n := int64(0)
	return func(reader *pcap.Reader, name string) (bool, error) {
		for datagrams := pcap.NewDatagrams(reader); ; {
			d, err := datagrams.Next()
			if errors.Is(err, io.EOF) {
				return false, nil
			}
			if err != nil {
				return false, err
			}
			if d.Cut {
				continue
			}
			if c.matcher != nil {
				if packet.Read(c.decoder, d, name); !c.matcher.Match(packet.Trace, &packet.Envelope) {
					continue
				}
			}
			n++
			if !take(&infer.Packet{N: d.N, Time: d.Time, Src: d.Src, Dst: d.Dst, Data: d.Payload}) || n == c.most {
				return true, nil
			}
		}
	}
}
