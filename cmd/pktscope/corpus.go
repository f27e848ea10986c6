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
		Short: "make, collect and hand on packets to test readers with",
		Long: `Corpus makes valid packets of a protocol, and keeps packets in a directory: a file for each,
named for its sender and its content. The directory can be used by several processes at
once. Its files keep @secret fields as they are, and are readable by their owner alone.`,
		Example: `  pktscope corpus gen -p rtype -n 5000 -o valid.pcapng
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

// senderWords are the corpus's words for who sent a packet.
var senderWords = map[decode.Direction]string{decode.Client: corpus.Client, decode.Server: corpus.Server, decode.FromUnknown: corpus.Unknown}

// senderOf is a Direction of one of the corpus's words.
func senderOf(word string) decode.Direction {
	for from, w := range senderWords {
		if w == word {
			return from
		}
	}
	panic("pktscope: internal error: a corpus knows no sender " + word)
}

// protocolOf compiles what -p names, which a command cannot do without.
func (p *program) protocolOf(cmd *cobra.Command, flags *protocolFlags) (*decode.Decoder, error) {
	if flags.name == "" {
		return nil, usagef(cmd, "which protocol? want -p with a built-in or a .pks file")
	}
	return p.load(cmd, flags)
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
