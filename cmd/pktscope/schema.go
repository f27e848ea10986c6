package main

import (
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/spf13/cobra"
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
  pktscope schema doc -T html -o my.html my.pks
  pktscope schema import Game.schema -o game.pks
  pktscope schema diff old.pks new.pks --fail-on wire`,
		Args: cobra.ArbitraryArgs,
		RunE: groupRun,
	}
	cmd.AddCommand(newSchemaCheck(p), newSchemaFmt(p), newSchemaPlan(p), newSchemaDoc(p), newSchemaSQL(p),
		newSchemaImport(p), newSchemaDiff(p))
	return cmd
}

// completeSchemas completes what names a protocol: a built-in, an example, a file.
var completeSchemas = cobra.FixedCompletions(protocols.ShippedNames(), cobra.ShellCompDirectiveDefault)
