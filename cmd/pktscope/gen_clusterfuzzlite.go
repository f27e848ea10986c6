package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz/harness/clusterfuzzlite"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/saved"
)

func newGenClusterFuzzLite(p *program) *cobra.Command {
	var (
		protocol      protocolFlags
		language, out string
	)
	cmd := &cobra.Command{
		Use:   "clusterfuzzlite --lang LANGUAGE -p PROTOCOL -o DIR",
		Short: "write the files that fuzz your reader in your repository's CI",
		Long: `Clusterfuzzlite writes what a repository on GitHub needs to fuzz a packet reader with
ClusterFuzzLite: five minutes for each pull request, an hour a night, under the address and
the undefined behaviour sanitizer. DIR is the root of the repository. You fill in one function
of the harness, and name your reader's sources in build.sh.

  .clusterfuzzlite/   Dockerfile, build.sh, project.yaml
  .github/workflows/  cflite_pr.yml, cflite_batch.yml
  fuzz/               the harness, a dictionary, seeds: valid packets of each case

A file that exists is refused, and then nothing is written.`,
		Example: `  pktscope gen clusterfuzzlite -p my.pks --lang cpp -o .`,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return usagef(cmd, "unexpected argument %q: the protocol is given with -p", args[0])
			case protocol.name == "":
				return usagef(cmd, "of which protocol? want -p with a built-in or a .pks file")
			case language == "":
				return usagef(cmd, "in which language? want --lang %s", alternatives(clusterfuzzlite.Languages()))
			case out == "":
				return usagef(cmd, "want -o with the root of your repository")
			}
			d, err := p.loadKeepless(cmd, &protocol)
			if err != nil {
				return err
			}
			files, err := clusterfuzzlite.Files(d, language, report.ShellCommand(protocol.words()))
			if err != nil {
				return fmt.Errorf("%s: %w", protocol.name, err)
			}
			if err := writeNew(out, files); err != nil {
				return err
			}
			if !p.quiet {
				p.complain("%s written to %s; fill in read_packet of %s", syntax.Count(len(files), "file"), out, harnessOf(files))
			}
			return nil
		},
	}
	protocol.add(cmd)
	choiceVar(cmd, &language, "lang", "", "", "`LANGUAGE` of the reader", clusterfuzzlite.Languages())
	cmd.Flags().StringVarP(&out, "output", "o", "", "root `DIR` of the repository")
	_ = cmd.MarkFlagDirname("output")
	return cmd
}

// harnessOf is the name of the file to fill in.
func harnessOf(files []clusterfuzzlite.File) string {
	for _, f := range files {
		if ext := path.Ext(f.Name); ext == ".c" || ext == ".cpp" {
			return f.Name
		}
	}
	return ""
}

// writeNew writes files below a directory, all of them or, where one exists, none.
func writeNew(dir string, files []clusterfuzzlite.File) error {
	root, err := outputRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range files {
		switch _, err := root.Lstat(filepath.FromSlash(f.Name)); {
		case err == nil:
			return fmt.Errorf("-o %s exists: remove it, or write to another directory; nothing is written", filepath.Join(dir, f.Name))
		case !errors.Is(err, fs.ErrNotExist):
			return outputError(filepath.Join(dir, f.Name), err)
		}
	}
	for _, f := range files {
		err := root.MkdirAll(filepath.FromSlash(path.Dir(f.Name)), 0o777)
		if err == nil {
			err = saved.WriteIn(root, filepath.FromSlash(f.Name), f.Text, saved.MustBeNew)
		}
		if err != nil {
			return outputError(filepath.Join(dir, f.Name), err)
		}
	}
	return nil
}
