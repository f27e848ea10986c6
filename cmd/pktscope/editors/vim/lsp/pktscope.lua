-- Neovim 0.11 finds this beside syntax/ in its runtimepath: vim.lsp.enable("pktscope") in init.lua turns it on.
return { cmd = { "pktscope", "lsp" }, filetypes = { "pks" }, root_markers = { ".git" } }
