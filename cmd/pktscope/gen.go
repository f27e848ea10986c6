package main

import "github.com/spf13/cobra"

// newGen is the group of commands that write source code.
func newGen(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "gen",
		Short: "write source code for a protocol",
		Long:  "Gen writes source code for a protocol: a package for your program, a harness for your reader, a\nmutator for another fuzzer, a dissector for Wireshark, a reader for browsers, or the files that fuzz\nyour reader in your repository's CI.",
		Example: `  pktscope gen go -p my.pks -o internal/my
  pktscope gen harness --lang cpp -p my.pks -o harness.cpp
  pktscope gen mutator --lang c -p my.pks -o mutator.c
  pktscope gen wireshark -p my.pks --install
  pktscope gen ts -p my.pks -o my.ts`,
		Args: cobra.ArbitraryArgs,
		RunE: groupRun,
	}
	cmd.AddCommand(newGenGo(p), genHarness.command(p), genMutator.command(p), genWireshark.command(p), genTS.command(p), newGenClusterFuzzLite(p))
	return cmd
}
