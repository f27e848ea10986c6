package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/cmd/pktscope/internal/man"
)

// newMan is the hidden command after `make man`.
func newMan(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "write the man pages",
		Long:    "Man writes a man page for every command (section 1) and every help topic (section 7) to a\ndirectory.",
		Example: "  pktscope man bin/man && man bin/man/pktscope-decode.1",
		Hidden:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef(cmd, "want one directory, got %d", len(args))
			}
			date, err := manDate()
			if err != nil {
				return err
			}
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return fmt.Errorf("%s: %s", args[0], reason(err))
			}
			return p.writeManPages(args[0], date, cmd.Root())
		},
	}
}

// manDate is the day that the pages bear, so that the same source makes the same pages: SOURCE_DATE_EPOCH
// (https://reproducible-builds.org), else the day of the commit, or none when the build did not record it.
func manDate() (string, error) {
	const day = "2006-01-02"
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return "", fmt.Errorf("SOURCE_DATE_EPOCH %q: want seconds since 1970", epoch)
		}
		return time.Unix(seconds, 0).UTC().Format(day), nil
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if t, err := time.Parse(time.RFC3339, s.Value); err == nil && s.Key == "vcs.time" {
				return t.UTC().Format(day), nil
			}
		}
	}
	return "", nil
}

// writeManPages writes the page of a command and those of the commands and topics below it.
func (p *program) writeManPages(dir, date string, cmd *cobra.Command) error {
	name := filepath.Join(dir, man.Name(cmd))
	if err := p.writeFile(name, man.Page(cmd, date, version()), 0); err != nil {
		return fmt.Errorf("%s: %s", name, reason(err))
	}
	for _, c := range cmd.Commands() {
		if man.Has(c) {
			if err := p.writeManPages(dir, date, c); err != nil {
				return err
			}
		}
	}
	return nil
}
