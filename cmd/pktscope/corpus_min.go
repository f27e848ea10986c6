package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/coverage"
)

type minFlags struct {
	protocol protocolFlags
	out      string
}

func newCorpusMin(p *program) *cobra.Command {
	var flags minFlags
	cmd := &cobra.Command{
		Use:   "min DIR -p PROTOCOL",
		Short: "keep the fewest and smallest packets that reach as much",
		Long: `Min chooses the packets of a corpus that together reach all that the whole corpus reaches
in the protocol's plan: every way to be refused, every branch, sizes and values. With -o it
copies them to another corpus; without -o it removes the others from this one.`,
		Example: `  pktscope corpus min seeds -p rtype
  pktscope corpus min seeds -p rtype -o small`,
		ValidArgsFunction: completeDirectories,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := oneDirectory(cmd, args)
			if err != nil {
				return err
			}
			return p.corpusMin(cmd, &flags, dir)
		},
	}
	flags.protocol.add(cmd)
	filledVar(cmd, &flags.out, "output", "o", "copy to the corpus in `OUTDIR` instead of removing the others", "a directory")
	mustComplete(cmd.MarkFlagDirname("output"))
	return cmd
}

func (p *program) corpusMin(cmd *cobra.Command, flags *minFlags, dir string) error {
	d, err := p.protocolOf(cmd, &flags.protocol)
	if err != nil {
		return err
	}
	store, err := openCorpus(dir)
	if err != nil {
		return err
	}
	defer store.Close()
	list := p.packets(store, dir)
	samples := make([]decode.Packet, len(list))
	for i := range list {
		samples[i] = decode.Packet{Data: list[i].Data, From: fuzz.Sender(list[i].From)}
	}
	kept := coverage.MinimizeCorpus(d, samples)
	if flags.out != "" {
		err = copyCorpus(flags.out, list, kept)
	} else {
		err = keepInCorpus(store, dir, list, kept)
	}
	if err != nil {
		return err
	}
	if !p.quiet {
		p.complain("%d of %s kept", len(kept), syntax.Count(len(list), "packet"))
	}
	return nil
}

func copyCorpus(dir string, list []corpus.Stored, kept []int) error {
	out, err := corpus.Create(dir)
	if err != nil {
		return outputDirError(dir, err)
	}
	defer out.Close()
	for _, i := range kept {
		if _, err := out.Add(list[i].Data, list[i].From, list[i].Why); err != nil {
			return outputDirError(dir, err)
		}
	}
	return nil
}

func outputDirError(dir string, err error) error {
	return fmt.Errorf("-o %s: %s", dir, corpusReason(err))
}

// keepInCorpus removes what is not kept, of what was looked at: what other processes have added meanwhile stays.
func keepInCorpus(store *corpus.Store, dir string, list []corpus.Stored, kept []int) error {
	for i := range list {
		if len(kept) > 0 && kept[0] == i {
			kept = kept[1:]
			continue
		}
		if err := store.Remove(list[i].Name); err != nil {
			return fmt.Errorf("%s: %s: %s", dir, list[i].Name, reason(err))
		}
	}
	return nil
}
