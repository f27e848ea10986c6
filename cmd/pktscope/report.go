package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/annotations"
	"github.com/pktscope/pktscope/report/junit"
	"github.com/pktscope/pktscope/report/markdown"
	"github.com/pktscope/pktscope/report/page"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/sarif"
	"github.com/pktscope/pktscope/report/saved"
)

// reportFlags are the flags of `report` and `report merge`.
type reportFlags struct {
	protocol  protocolFlags
	format    string // -T
	output    string // -o
	failOn    string // --fail-on
	maxPacket int    // --max-packet
	packets   int    // --packets
	complete  bool   // --complete
	against   string // --against
	shard     shardFlags
}

// maxListed is the most that --packets takes: a list of more is no page any more. What its data take is bounded as
// well.
const maxListed = 100_000

// A reportFormat is a form of a report: a row of reportFormats.
type reportFormat struct {
	name    string
	endings []string // of -o
	help    string   // what it is, in lines of 72 cells
	write   func(r *reportRun, to *bytes.Buffer) error
	mode    saved.Mode // a report is made to be handed on: the umask says who reads it; what is saved is of traffic, as its parts are
	packets bool       // it lists packets: see --packets
}

// reportFormats are the forms, each with its help. A new form is a row here, and a package that writes it.
var reportFormats = []reportFormat{
	{name: "html", endings: []string{".html", ".htm"}, write: writePage, packets: true,
		help: `one page with everything, the packets of captures included (10,000
of them, refused ones first: see --packets): it opens from disk and
loads nothing`},
	{name: "sarif", endings: []string{".sarif", ".sarif.json"}, write: writeSARIF,
		help: `SARIF 2.1.0 for code scanning: the schema's line that states the broken
rule, the reader's line where a crash names it, a fingerprint that
stays when lines move; a run and a category for each protocol and
target, files below the working directory named from there`},
	{name: "junit", endings: []string{".xml"}, write: ofSet(junit.Write),
		help: "JUnit XML: a case for each rule of an audit, for each capture"},
	{name: "markdown", endings: []string{".md", ".markdown"}, write: ofSet(markdown.Write),
		help: "a summary for the comment of a pull request"},
	{name: "annotations", write: writeAnnotations,
		help: "lines for GitHub Actions, 10 of errors and of warnings at most, at the\nreader's line where a crash names it, else at the schema's"},
	{name: "json", endings: []string{".json", ".jsonl"}, write: writeSaved, mode: saved.OwnerOnly,
		help: "saved results, an object a line, for report merge and for jq"},
}

// ofSet is a form that needs the results alone.
func ofSet(write func(io.Writer, *results.Set) error) func(*reportRun, *bytes.Buffer) error {
	return func(r *reportRun, to *bytes.Buffer) error { return write(to, r.set) }
}

// reportFormatHelp lists the forms with their endings and help.
func reportFormatHelp() string {
	var b strings.Builder
	for _, f := range reportFormats {
		ending := ""
		if len(f.endings) > 0 {
			ending = f.endings[0]
		}
		fmt.Fprintf(&b, "  %-12s  %-6s  %s\n", f.name, ending, strings.ReplaceAll(f.help, "\n", "\n"+strings.Repeat(" ", 24)))
	}
	return b.String()
}

func writeSARIF(r *reportRun, to *bytes.Buffer) error {
	here, _ := os.Getwd() // without it, files are named as they were given
	return sarif.Write(to, r.set, version(), here)
}

func writeAnnotations(r *reportRun, to *bytes.Buffer) error {
	here, _ := os.Getwd() // without it, annotations are at the schema's lines
	return annotations.Write(to, r.set, here)
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
		Short: "write one report of captures and saved results, for people and machines",
		Long: `Report puts results together and writes them in one form. An INPUT is

  saved results   written by -T json of stats, budget, audit, fuzz or report, or the JSON of
                  a finding, also as .gz or .zst
  a capture       pcap or pcapng, also as .gz or .zst: counted as stats and budget do, and
                  its rejects by rule, in one pass; several are one capture in pieces
  a directory     all its .json files: findings that fuzz --findings wrote, or others

in any order; - is stdin. The counts of results of one protocol, schema and target add up: a
capture and its saved statistics in one report are counted twice. A finding in the result of
an audit or a campaign, and its file, are one. Results of two schemas with one name stay
apart. Report executes nothing: the commands in a report are text.

The forms, which -T names or the ending of -o:

` + reportFormatHelp() + `
Findings, rules that audits could not test and broken budgets are errors; rejects in
captures are warnings. --fail-on is usually none, so that a report can be uploaded after the
run that failed; with any other, a saved result that is incomplete gives exit code 2. What a
schema calls @secret is not in a report; --keys opens what is sealed in captures. A report
replaces the file of -o once it is whole.
The umask says who can read it; only you can read JSON, which has everything that was
counted.

Saved results have the times: a page of them has the same graphs as a page of the captures, but
no list of packets, and --against draws the lines of both runs. A page of older results, which
have no times, says so.

With --plan or --shard a report is of a piece of captures (pktscope help scale): as JSON it
is a part for report merge, which refuses what is counted twice.`,
		Example: `  pktscope report -o out.html game.pcap audit.json found/
  pktscope report -o rtype.sarif audit.json found/       # for code scanning
  pktscope report -T markdown audit.json game.pcap >> "$GITHUB_STEP_SUMMARY"
  pktscope report -p my.pks -o junit.xml corpus/*.pcap   # a case for each capture
  pktscope report -T annotations audit.json
  pktscope report -o now.html --against before.json game.pcap # two runs side by side
  pktscope report --fail-on finding -o ci.sarif audit.json
  pktscope report --plan plan.jsonl --shard 3 -o 3.json  # for report merge
  pktscope report -T json game.pcap | jq 'select(.kind == "rejects").rules'`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && flags.shard.plan == "" {
				return usagef(cmd, "which results? want saved results (-T json), captures, or a directory of findings")
			}
			return p.report(cmd, &flags, args)
		},
		ValidArgsFunction: completeExtensions("json", "jsonl", "pcap", "pcapng", "cap", "gz", "zst"),
	}
	flags.protocol.add(cmd)
	choiceVar(cmd, &flags.format, "format", "T", "", "write `FORMAT` (usually as the ending of -o says)", reportFormatNames())
	outputVar(cmd, &flags.output)
	numberVar(cmd, &flags.packets, "packets", "", page.MaxPackets, 0, maxListed, "html: list at most `N` packets; 0 lists none", "")
	numberVar(cmd, &flags.maxPacket, "max-packet", "", 0, 1, schema.MaxUDPPayload, "a packet of a capture with more than `BYTES` is a finding", "")
	cmd.Flags().StringVar(&flags.against, "against", "", "html: compare with the saved results `FILE` of another run")
	choiceVar(cmd, &flags.failOn, "fail-on", "", "none", "exit 1 on `WHAT`, and on those before it", []string{"none", "finding (or a broken budget)", "untested", "reject", "note"})
	flags.shard.add(cmd)
	flags.protocol.addKeys(cmd, true)
	cmd.AddCommand(newReportMerge(p))
	return cmd
}

func newReportMerge(p *program) *cobra.Command {
	flags := reportFlags{format: "json"}
	cmd := &cobra.Command{
		Use:   "merge PART...",
		Short: "add up the saved results of many machines",
		Long: `Merge reads saved results, as -T json of stats, budget, audit, fuzz and report writes them,
and writes them as one: saved results again, an object a line. For one protocol, schema and
target the counts are exactly those of one run over everything; results of others stay
apart. The result says so when an input was incomplete or could not be read.

Statistics add up in any order, in one step or many. A capture that is counted twice is
refused: exit code 2, and it counts once. Captures that were counted each by itself are put in
the order of time and taken as pieces of one, so that losses, intervals, answers and silences
between two of them are counted as well: nothing can be counted between packets that several
machines captured in turns. Missing pieces are reported, and nothing is counted
across the gap. "unsettled" are borders between pieces that began with more strays, or more
answers to what was sent before, than a piece keeps (256), and answers to what is missing.

Percentiles keep their bounds (pktscope stats --help). Of several campaigns the coverage is at
least that of the best, and the corpus is that of the largest.`,
		Example: `  pktscope report merge -o all.json part-*.json
  pktscope report merge -o week.json monday.json.zst tuesday.json.zst && pktscope report -o week.md week.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(cmd, "which parts? want saved results (-T json)")
			}
			return p.reportOf(cmd, &flags, args, &reportRun{program: p, set: &results.Set{}, flags: &flags})
		},
		ValidArgsFunction: completeExtensions("json", "jsonl", "gz", "zst"),
	}
	outputVar(cmd, &flags.output)
	cmd.Flags().BoolVar(&flags.complete, "complete", false, "exit 2 when pieces of a capture are missing")
	return cmd
}

// check finds the format.
func (r *reportFlags) check(cmd *cobra.Command) (*reportFormat, error) {
	for i := range reportFormats {
		one := &reportFormats[i]
		if one.name == r.format {
			return one, nil
		}
		for _, ending := range one.endings {
			if r.format == "" && strings.HasSuffix(strings.ToLower(r.output), ending) {
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
	inputs, piece, err := p.pick(cmd, &flags.shard, inputs)
	if err != nil {
		return err
	}
	return p.reportOf(cmd, flags, inputs, &reportRun{program: p, set: &results.Set{}, flags: flags, cmd: cmd, piece: piece})
}

func (p *program) reportOf(cmd *cobra.Command, flags *reportFlags, inputs []string, run *reportRun) error {
	format, err := flags.check(cmd)
	if err != nil {
		return err
	}
	if flags.against != "" {
		if !format.packets {
			return usagef(cmd, "--against is for -T html")
		}
		if err := run.compareWith(flags.against); err != nil {
			return err
		}
	}
	run.page = format.packets && flags.packets > 0
	if err := p.spare(flags.output, append([]string{flags.protocol.name, flags.against}, inputs...)...); err != nil {
		return outputError(flags.output, err)
	}
	if flags.protocol.name != "" || run.sharded() { // what is wrong with it is said before anything is read
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
			run.set.Trouble = append(run.set.Trouble, syntax.Count(left, "input")+" more not read")
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
	case run.set.Fails(flags.failOn):
		return findings{}
	case flags.complete && len(run.set.Missing()) > 0:
		p.complain("%s", strings.Join(run.set.Missing(), "; "))
		return told{}
	case run.asks() && (len(run.set.Incomplete()) > 0 || len(run.set.Missing()) > 0 && !run.sharded()):
		p.complain("not all was read, as said in the report: what --fail-on names may be in the rest")
		return told{}
	}
	return nil
}

// writeReport writes a report where -o says.
func (p *program) writeReport(output string, b []byte, mode saved.Mode) error {
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

// sharded reports whether the inputs are a piece of captures.
func (r *reportRun) sharded() bool { return r.flags.shard.shard != "" }
