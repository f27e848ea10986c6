package main

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/results"
)

const knownHelp = `A mistake that you accept, such as a rule that your reader leaves out, need not fail: --known
reads findings from a directory that --findings has written, or from a file. Known mistakes
are counted and listed apart, and so are those that did not occur. A mistake is known by its
cause, whatever packet shows it. A crash is known by its function, at whatever line, but one
known crash is one crash: a crash at a second line of the function is new. Where the search
for the cause was refused, or ended by a crash or the time, a mistake is known by its own
packets alone. What a saved result (-T json) lists as untested is accepted too.`

// knownFlag is --known, of audit and fuzz.
type knownFlag struct{ names []string }

func (k *knownFlag) add(f *pflag.FlagSet) {
	f.StringArrayVar(&k.names, "known", nil, "accept the mistakes in a `PATH`: a directory of --findings, or a file of findings or of -T json")
}

// check refuses to write findings where they would be known the next time.
func (k *knownFlag) check(findings string) error {
	to, err := os.Stat(findings)
	if findings == "" || err != nil {
		return nil // there is nothing yet
	}
	for _, name := range k.names {
		if from, err := os.Stat(name); err == nil && os.SameFile(from, to) {
			return fmt.Errorf("--findings %s is --known, too: what is found now would be accepted from the next run on; write to another directory, and move there what you accept", findings)
		}
	}
	return nil
}

// read reads the mistakes that are accepted of a reader of a protocol; nil without the flag.
func (k *knownFlag) read(p *program, protocol string) (*report.Known, error) {
	if len(k.names) == 0 {
		return nil, nil
	}
	run := reportRun{program: p, set: &results.Set{}, flags: &reportFlags{}}
	for _, name := range k.names {
		if err := run.input(name); err != nil {
			return nil, fmt.Errorf("--known %w", err)
		}
	}
	known, others := run.set.Known(protocol)
	if others > 0 {
		p.complain("--known: %s of other protocols than %s", syntax.Count(others, "finding"), protocol)
	}
	return known, nil
}
