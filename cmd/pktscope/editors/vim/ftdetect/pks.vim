" Vim takes .pks for PL/SQL: ours are those that name a protocol, and new files.
autocmd BufNewFile *.pks set filetype=pks
autocmd BufRead *.pks if search('^\s*protocol\s\+[a-z_]\w*\s*\(//.*\)\?$', 'nw') | set filetype=pks | endif
