package main

import "github.com/spf13/cobra"

func newSchema(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "check protocol descriptions, and show what they compile to",
		Example: `  pktscope schema check my.pks
  pktscope schema plan rtype`,
		Args: cobra.ArbitraryArgs,
		RunE: groupRun,
	}
	cmd.AddCommand(newSchemaCheck(p), newSchemaPlan(p))
	return cmd
}
