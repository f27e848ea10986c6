package main

import (
	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/report/lsp"
)

func newLSP(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "serve editors that have .pks files open (Language Server Protocol)",
		Long: `Lsp speaks the Language Server Protocol on stdin and stdout: an editor starts it and shows
its results for the open .pks files: the errors of schema check with what mends them, the format,
completion, definitions, references, renaming (checked before it is done), the width of each
struct above it, and for the name under the cursor its bits, range and rule on the wire.
When budget -T json has written NAME.budget.json beside NAME.pks, it also shows how much of
that capture each field costs. It writes no file, and reads only files in the directories of
open files.

VS Code      the extension in cmd/pktscope/editors/vscode starts it: npm install there, and
             link the directory into ~/.vscode/extensions; the setting "pktscope.path" is the
             program where it is not in the PATH
Neovim 0.11  with cmd/pktscope/editors/vim in the runtimepath vim.lsp.enable("pktscope") in
             init.lua is all; without it:
               vim.filetype.add({ extension = { pks = "pks" } })
               vim.lsp.config("pktscope", { cmd = { "pktscope", "lsp" }, filetypes = { "pks" } })
               vim.lsp.enable("pktscope")
Neovim 0.7   the same in init.lua, for versions before 0.11:
               vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, { pattern = "*.pks",
                 callback = function(e)
                   vim.bo[e.buf].filetype = "pks"
                   local id = vim.lsp.start_client({ name = "pktscope", cmd = { "pktscope", "lsp" } })
                   vim.lsp.buf_attach_client(e.buf, id)
                 end })
tree-sitter  in cmd/pktscope/editors/tree-sitter tree-sitter generate makes the parser; for
             Neovim put that of tree-sitter build -o pks.so into parser/ of a directory in the
             runtimepath, and the queries into its queries/pks/
Vim          with cmd/pktscope/editors/vim in the runtimepath it colours .pks files, and :make
             lists the mistakes; a plugin such as ALE or vim-lsp can start pktscope lsp
Helix        in languages.toml:
               [language-server.pktscope]
               command = "pktscope"
               args = ["lsp"]
               [[language]]
               name = "pks"
               scope = "source.pks"
               file-types = ["pks"]
               comment-token = "//"
               indent = { tab-width = 4, unit = "    " }
               language-servers = ["pktscope"]`,
		Example: `  pktscope lsp                                                    # for an editor to start
  pktscope budget -p my.pks -T json -o my.budget.json game.pcap   # what fields cost`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef(cmd, "%q: lsp takes no arguments; an editor opens the files", args[0])
			}
			allowMemory(mostMemory)
			return lsp.Serve(p.stdin, p.stdout, lsp.Options{Dir: decode.Dir, Version: versionLine()})
		},
	}
	cmd.Flags().Bool("stdio", true, "speak on stdin and stdout, as always: editors pass it by habit")
	_ = cmd.Flags().MarkHidden("stdio")
	return cmd
}
