package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/report/annotations"
	"github.com/pktscope/pktscope/report/junit"
	"github.com/pktscope/pktscope/report/markdown"
	"github.com/pktscope/pktscope/report/page"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/sarif"
)

// reportFlags are the flags of `report` and `report merge`.
type reportFlags struct {
	protocol  protocolFlags
	format    string // -T
	output    string // -o
	failOn    string // --fail-on
	maxPacket int    // --max-packet
	packets   int    // --packets
}

var reportFailOns = []string{"none", "finding", "untested", "reject", "note"}

// maxListed is the most that --packets takes: a list of more is no page any more. What its data take is bounded as well.
const maxListed = 100_000

// A reportFormat is a form of a report.
type reportFormat struct {
	name    string
	endings []string // of -o
	write   func(r *reportRun, to *bytes.Buffer) error
	mode    fileMode // a report is made to be handed on: the umask says who reads it; what is saved is of traffic, as its parts are
}

var reportFormats = []reportFormat{
	{"html", []string{".html", ".htm"}, writePage, 0},
	{"sarif", []string{".sarif", ".sarif.json"}, writeSARIF, 0},
	{"junit", []string{".xml"}, func(r *reportRun, to *bytes.Buffer) error { return junit.Write(to, r.set) }, 0},
	{"markdown", []string{".md", ".markdown"}, func(r *reportRun, to *bytes.Buffer) error { return markdown.Write(to, r.set) }, 0},
	{"annotations", nil, func(r *reportRun, to *bytes.Buffer) error { return annotations.Write(to, r.set) }, 0},
	{"json", []string{".json", ".jsonl"}, writeSaved, ownerOnly},
}

func writeSARIF(r *reportRun, to *bytes.Buffer) error {
	here, _ := os.Getwd() // without it, files are named as they were given
	return sarif.Write(to, r.set, version(), here)
}

func writeSaved(r *reportRun, to *bytes.Buffer) error {
	b, err := r.set.AppendJSON(nil)
	to.Write(b) // a Buffer takes everything
	return err
}

func reportFormatNames() (names []string) {
	for _, f := range reportFormats {
		names = append(names, f.name)
	}
	return names
}

func newReport(p *program) *cobra.Command {
	var flags reportFlags
	cmd := &cobra.Command{
		Use:   "report INPUT...",
		Short: "one report of captures and saved results, for people and for machines",
		Long: `Report puts together what was found and writes it in one form. An INPUT is

  saved results   what -T json of stats, budget, audit, fuzz or report wrote, or the JSON of
                  a finding, also as .gz or .zst
  a capture       pcap or pcapng, also as .gz or .zst: counted as stats and budget do, and
                  its rejects by rule, in one pass; several are one capture in pieces
  a directory     all its .json files: of findings, as fuzz --findings writes them, or others

in any order; - is stdin. Of equal results, which have one protocol, schema and target, the
counts add up: a capture and its saved statistics in one report are counted twice; a finding that
an audit or a campaign tells of, and its file, are one. Results of two schemas of one name stay
apart. Nothing is executed: the commands in a report are text.

The forms, which -T names or the ending of -o:

  html          .html   one page with everything, the packets of captures included (10,000
                        of them, the refused first: see --packets): it opens from disk and
                        loads nothing
  sarif         .sarif  SARIF 2.1.0 for code scanning: the schema's line that states the broken
                        rule, the reader's line where a crash names it, a fingerprint that
                        stays when lines move; a run and a category for each protocol and
                        target, files below the working directory named from there
  junit         .xml    JUnit XML: a case for each rule of an audit, for each capture
  markdown      .md     a summary for the comment of a pull request
  annotations           lines for GitHub Actions, 10 of errors and of warnings at most
  json          .json   saved results, an object a line, for report merge and for jq

Findings, what audits could not test and broken budgets are errors, rejects in captures are
warnings. --fail-on none is the default, so that a report can be uploaded after the run that
failed; with another, a saved result that is incomplete ends in exit 2. What a schema calls
@secret is not in a report. A report takes the place of what -o names when it is whole; the
umask says who can read it, but JSON, which is all of what was counted, only you can.`,
		Example: `  pktscope report -o out.html game.pcap audit.json found/
  pktscope report -o rtype.sarif audit.json found/       # for code scanning
  pktscope report -T markdown audit.json game.pcap >> "$GITHUB_STEP_SUMMARY"
  pktscope report -p my.pks -o junit.xml corpus/*.pcap   # a case for each capture
  pktscope report -T annotations audit.json
  pktscope report --fail-on finding -o ci.sarif audit.json
  pktscope report -T json game.pcap | jq 'select(.kind == "rejects").rules'`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(cmd, "of what? want saved results (-T json), captures, or a directory of findings")
			}
			return p.report(cmd, &flags, args)
		},
		ValidArgsFunction: completeExtensions("json", "jsonl", "pcap", "pcapng", "cap", "gz", "zst"),
	}
	flags.protocol.add(cmd)
	f := cmd.Flags()
	f.StringVarP(&flags.format, "format", "T", "", "`FORMAT`: "+strings.Join(reportFormatNames(), ", ")+"; without it the ending of -o decides")
	f.StringVarP(&flags.output, "output", "o", "-", "write to `FILE` (- is stdout)")
	f.IntVar(&flags.packets, "packets", page.MaxPackets, "html: list at most `N` packets; 0 lists none")
	f.IntVar(&flags.maxPacket, "max-packet", 0, "no packet of a capture may have more than `BYTES`")
	f.StringVar(&flags.failOn, "fail-on", "none", "exit 1 on `WHAT`: none, finding (or a broken budget), untested, reject or note (each with those before it)")
	completeWords(cmd, "format", reportFormatNames())
	completeWords(cmd, "fail-on", reportFailOns)
	cmd.AddCommand(newReportMerge(p))
	return cmd
}

func newReportMerge(p *program) *cobra.Command {
	flags := reportFlags{format: "json"}
	cmd := &cobra.Command{
		Use:   "merge PART...",
		Short: "add up the saved results of many machines",
		Long: `Merge reads saved results, as -T json of stats, budget, audit, fuzz and report writes them, and
writes them as one: saved results again, an object a line. Of one protocol, schema and target
the counts are those of one run over all, exactly; what is of another stays apart. What is made
of a part that is not of all its input, or without one that could not be read, says so. Statistics
are put in the order of time, so that what lies between two packets (losses, intervals, answers,
silences) is counted where the parts are pieces of one capture, whatever the order of their names,
or of different peers. Merge all parts at once, or neighbours first: between packets that were
captured in turns by several machines nothing can be counted.

Percentiles keep their bounds (pktscope stats --help). Of several campaigns the coverage is at
least that of the best, and the corpus that of the largest.`,
		Example: `  pktscope report merge -o all.json part-*.json
  pktscope report merge -o week.json monday.json.zst tuesday.json.zst && pktscope report -o week.md week.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(cmd, "of what? want saved results (-T json)")
			}
			return p.reportOf(cmd, &flags, args, &reportRun{program: p, set: &results.Set{}, flags: &flags})
		},
		ValidArgsFunction: completeExtensions("json", "jsonl", "gz", "zst"),
	}
	cmd.Flags().StringVarP(&flags.output, "output", "o", "-", "write to `FILE` (- is stdout)")
	return cmd
}

// check judges the flags before anything is opened, and finds the format.
func (f *reportFlags) check(cmd *cobra.Command) (*reportFormat, error) {
	changed := cmd.Flags().Changed
	switch {
	case changed("protocol") && f.protocol.name == "":
		return nil, usagef(cmd, "-p is empty: want a built-in or a .pks file")
	case len(f.protocol.params) > 0 && f.protocol.name == "":
		return nil, usagef(cmd, "-D needs -p, which says whose param it is")
	case f.output == "":
		return nil, usagef(cmd, "-o is empty: want a file, or - for stdout")
	case changed("packets") && (f.packets < 0 || f.packets > maxListed):
		return nil, usagef(cmd, "--packets %d: want 0..%d", f.packets, maxListed)
	case changed("max-packet") && (f.maxPacket < 1 || f.maxPacket > schema.MaxUDPPayload):
		return nil, usagef(cmd, "--max-packet %d: want 1..%d", f.maxPacket, schema.MaxUDPPayload)
	}
	if f.failOn != "" {
		if err := oneOf(cmd, "--fail-on", f.failOn, reportFailOns); err != nil {
			return nil, err
		}
	}
	if f.format != "" {
		if err := oneOf(cmd, "-T", f.format, reportFormatNames()); err != nil {
			return nil, err
		}
	}
	for i := range reportFormats {
		one := &reportFormats[i]
		if one.name == f.format {
			return one, nil
		}
		for _, ending := range one.endings {
			if f.format == "" && strings.HasSuffix(strings.ToLower(f.output), ending) {
				return one, nil
			}
		}
	}
	return nil, usagef(cmd, "in which form? want -o with the ending %s, or -T %s", strings.Join(reportEndings(), ", "), strings.Join(reportFormatNames(), ", "))
}

func reportEndings() (list []string) {
	for _, f := range reportFormats {
		if len(f.endings) > 0 {
			list = append(list, f.endings[0])
		}
	}
	return list
}

func (p *program) report(cmd *cobra.Command, flags *reportFlags, inputs []string) error {
	return p.reportOf(cmd, flags, inputs, &reportRun{program: p, set: &results.Set{}, flags: flags, cmd: cmd})
}

func (p *program) reportOf(cmd *cobra.Command, flags *reportFlags, inputs []string, run *reportRun) error {
	format, err := flags.check(cmd)
	if err != nil {
		return err
	}
	run.page = format.name == "html" && flags.packets > 0
	if flags.output != "-" {
		if err := isInput(flags.output, append([]string{flags.protocol.name}, inputs...)); err != nil {
			return err
		}
	}
	if flags.protocol.name != "" { // what is wrong with it is said before anything is read
		if err := run.open(); err != nil {
			return err
		}
	}
	for i, name := range inputs {
		err := run.input(name)
		if err != nil {
			p.complain("%s", err)
			run.set.Trouble = append(run.set.Trouble, err.Error())
		}
		if left := len(inputs) - i - 1; isInterrupted(err) && left > 0 {
			run.set.Trouble = append(run.set.Trouble, plural(int64(left), "input")+" more not read")
			p.complain("%s", run.set.Trouble[len(run.set.Trouble)-1])
			break
		}
	}
	if err := run.finish(); err != nil {
		return err
	}
	if run.set.Empty() {
		if len(run.set.Trouble) > 0 {
			return told{}
		}
		return fmt.Errorf("nothing to report: no packet and no saved result")
	}
	run.set.Merge()
	var out bytes.Buffer
	if err := format.write(run, &out); err != nil {
		return err
	}
	if err := p.writeReport(flags.output, out.Bytes(), format.mode); err != nil {
		return err
	}
	switch {
	case len(run.set.Trouble) > 0:
		return told{}
	case run.failed():
		return findings{}
	case run.asks() && len(run.set.Incomplete()) > 0:
		p.complain("not all was read, as said in the report: what --fail-on names may be in the rest")
		return told{}
	}
	return nil
}

// writeReport writes a report where -o says.
func (p *program) writeReport(output string, b []byte, mode fileMode) error {
	if output == "-" {
		_, err := p.out.Write(b)
		return err
	}
	if err := p.writeFile(output, b, mode); err != nil {
		return outputError(output, err)
	}
	return nil
}

// asks reports whether --fail-on names anything.
func (r *reportRun) asks() bool { return r.flags.failOn != "none" && r.flags.failOn != "" }

// failed reports whether there is what --fail-on names.
func (r *reportRun) failed() bool {
	on := r.flags.failOn
	if !r.asks() {
		return false
	}
	for _, p := range r.set.Problems() {
		switch {
		case p.Source == results.FromUntested && on == "finding", p.Level != results.Error && (on == "finding" || on == "untested"):
		default:
			return true
		}
	}
	if on == "note" {
		for _, one := range r.set.Statistics {
			if len(one.Summary().Notes) > 0 {
				return true
			}
		}
	}
	return false
}
