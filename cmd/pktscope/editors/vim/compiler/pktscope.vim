" :make checks the schema, and its mistakes are in the quickfix list.
if exists("current_compiler")
  finish
endif
let current_compiler = "pktscope"
CompilerSet makeprg=pktscope\ schema\ check\ %:S
CompilerSet errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%f:%l:%c:\ %m,%-G%.%#
