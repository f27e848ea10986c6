package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
)

func newCorpus(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "corpus",
		Short: "make, collect and export packets to test readers with",
		Long: `Corpus makes valid packets of a protocol, and keeps packets in a directory: a file for each,
named after its sender and its content. Several processes can use the directory at once. Its
files keep @secret fields, and only their owner can read them.`,
		Example: `  pktscope corpus gen -p rtype -c 5000 -o valid.pcapng
  pktscope corpus add seeds -p rtype game.pcap
  pktscope corpus list seeds -p rtype
  pktscope corpus min seeds -p rtype
  pktscope corpus export seeds -T gofuzz -o testdata/fuzz/FuzzRead`,
		Args: cobra.ArbitraryArgs,
		RunE: groupRun,
	}
	cmd.AddCommand(newCorpusGen(p), newCorpusAdd(p), newCorpusList(p), newCorpusMin(p), newCorpusExport(p))
	return cmd
}

// protocolOf compiles what -p names, which a command cannot do without.
func (p *program) protocolOf(cmd *cobra.Command, flags *protocolFlags) (*decode.Decoder, error) {
	if flags.name == "" {
		return nil, usagef(cmd, "which protocol? want -p with a built-in or a .pks file")
	}
	return p.loadAlone(cmd, flags)
}

// openCorpus opens a corpus that is there.
func openCorpus(dir string) (*corpus.Store, error) {
	store, err := corpus.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", dir, corpusReason(err))
	}
	return store, nil
}

// corpusReason is reason, where no directory is what is missing.
func corpusReason(err error) string {
	if text := reason(err); text != "no such file" {
		return text
	}
	return "no such directory"
}

// packets yields a corpus's packets, and says on stderr what is none.
func (p *program) packets(store *corpus.Store, dir string) []corpus.Stored {
	var list []corpus.Stored
	for packet := range store.All(func(note string) { p.complain("%s: skipped: %s", dir, note) }) {
		list = append(list, packet)
	}
	return list
}

// oneDirectory is the argument of a command that takes a corpus.
func oneDirectory(cmd *cobra.Command, args []string) (string, error) {
	if len(args) != 1 {
		return "", usagef(cmd, "want one corpus, a directory, got %d", len(args))
	}
	return args[0], nil
}

// completeDirectories completes an argument that is a directory.
func completeDirectories(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}
