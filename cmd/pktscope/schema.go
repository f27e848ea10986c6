package main

import (
	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/protocols"
)

func newSchema(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "check, format and document protocol descriptions",
		Long: `Schema is the front end of the language (pktscope help language). Its commands take .pks
files, - for stdin, and the names of built-in protocols.`,
		Example: `  pktscope schema check my.pks
  pktscope schema fmt -w my.pks
  pktscope schema plan rtype
  pktscope schema doc -T html -o my.html my.pks`,
		Args: cobra.ArbitraryArgs,
		RunE: groupRun,
	}
	cmd.AddCommand(newSchemaCheck(p), newSchemaFmt(p), newSchemaPlan(p), newSchemaDoc(p))
	return cmd
}

// completeSchemas completes arguments that name protocols: built-ins, and files.
func completeSchemas(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return protocols.Names(), cobra.ShellCompDirectiveDefault
}
