package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion(p *program) *cobra.Command {
	return &cobra.Command{
		Use:               "version",
		Short:             "print the version",
		Example:           `  pktscope version`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef(cmd, "version takes no arguments, got %q", args[0])
			}
			_, err := fmt.Fprintln(p.out, versionLine())
			return err
		},
	}
}

// versionLine is what `version` and --version print.
func versionLine() string {
	return fmt.Sprintf("pktscope %s (%s, %s/%s)", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version is the module's version with the commit that it was built from, as far as the build recorded them.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	v := info.Main.Version
	if v == "" {
		v = "(devel)"
	}
	revision, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	if revision != "" && v == "(devel)" {
		v += " " + revision + dirty
	}
	return v
}
