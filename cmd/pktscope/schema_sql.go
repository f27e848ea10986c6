package main

import (
	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/report/parquet"
)

func newSchemaSQL(p *program) *cobra.Command {
	var flags protocolFlags
	var dialect string
	cmd := &cobra.Command{
		Use:   "sql GLOB",
		Short: "print the SQL of views over Parquet files of a protocol",
		Long: `Sql prints the statements that make views over files of pktscope decode -T parquet: packets,
with all columns; for each case a view of its packets, with its fields and those of every
packet; for each list in it a view with a row for each element, its number i from 0; and
rejects, with what was refused and why. It reads no file and asks no engine.

GLOB names the files as the engine finds them; for ClickHouse below its user_files, or as
s3://. A refused packet has its case, too, and no fields: WHERE verdict = 'accept' leaves it
out. To add integers of 64 bits in ClickHouse, which wraps, use sum(toUInt128(x)).`,
		Example: `  pktscope schema sql -p rtype 'parquet/*.parquet' > views.sql
  duckdb -init views.sql my.duckdb
  pktscope schema sql -T clickhouse -p my.pks 's3://bucket/game/*.parquet' | clickhouse-client`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) != 1:
				return usagef(cmd, "want one glob, in quotes, got %d arguments", len(args))
			case flags.name == "":
				return usagef(cmd, "want -p: whose columns?")
			}
			d, err := p.load(cmd, &flags)
			if err != nil {
				return err
			}
			text, err := parquet.AppendViews(nil, d.Plan(), parquet.DialectOf(dialect), args[0])
			if err != nil {
				return err
			}
			return p.writeSource(text)
		},
	}
	flags.add(cmd)
	var words []string
	for _, one := range parquet.Dialects {
		words = append(words, one.Word)
	}
	choiceVar(cmd, &dialect, "format", "T", words[0], "write it for `ENGINE`", words)
	return cmd
}
