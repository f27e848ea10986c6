-- A user of Neovim with `pktscope lsp`: what its own client makes of each answer. nvim --headless -c "luafile session.lua"
local dir = vim.fn.getcwd()
local out = {}
local function say(...) table.insert(out, table.concat({...}, ' ')) end
local function finish() vim.fn.writefile(out, dir .. '/out'); vim.cmd('qall!') end
local ok, err = pcall(function()
  vim.cmd('edit ' .. dir .. '/shot.pks')
  local buffer = vim.api.nvim_get_current_buf()
  local id = vim.lsp.start_client({ name = 'pktscope', cmd = { 'pktscope', 'lsp' }, root_dir = dir })
  vim.lsp.buf_attach_client(buffer, id)
  local function wait(what, f) if not vim.wait(20000, f, 20) then error('no ' .. what) end end
  local client = vim.lsp.get_client_by_id(id)
  wait('initialized', function() return client.initialized end)
  local function diagnostics() return vim.diagnostic.get(buffer) end
  wait('diagnostics', function() return #diagnostics() == 1 end)
  local d = diagnostics()[1]
  say('diagnostic', d.lnum .. ':' .. d.col .. '-' .. d.end_col, d.message)
  local function ask(method, params)
    local r = vim.lsp.buf_request_sync(buffer, method, params, 20000)
    r = r and r[id] or {}
    if r.err then say('error', r.err.message) end
    return r.result
  end
  local function put(pattern) vim.fn.cursor(1, 1); vim.fn.search(pattern) end
  local function here(extra) return vim.tbl_extend('force', vim.lsp.util.make_position_params(0, client.offset_encoding), extra or {}) end
  put('count]')
  say('hover', (table.concat(vim.lsp.util.convert_input_to_markdown_lines(ask('textDocument/hover', here()).contents), '|')))
  vim.lsp.buf.definition()
  wait('definition', function() return vim.fn.line('.') == 14 end)
  say('definition', vim.fn.line('.') .. ':' .. vim.fn.col('.'))
  put('Shot$')
  vim.lsp.buf.definition()
  wait('definition', function() return vim.fn.expand('%:t') == 'common.pks' end)
  say('definition', vim.fn.expand('%:t'), vim.fn.line('.') .. ':' .. vim.fn.col('.'))
  vim.cmd('buffer ' .. buffer)
  put('count int')
  vim.lsp.buf.rename('number')
  wait('rename', function() return vim.fn.getline(15) == '    shots [number]Shot' end)
  say('rename', vim.fn.getline(14), vim.fn.getline(15))
  put('Shot$')
  vim.lsp.buf.rename('Bullet')
  wait('rename', function() return vim.fn.getline(15) == '    shots [number]Bullet' end)
  say('rename', vim.fn.getline(15), vim.fn.getbufline('common.pks', 7)[1])
  vim.cmd('silent wall')
  vim.fn.setline(13, '    owner   bit')
  local function broken() return #vim.tbl_filter(function(d) return d.message:find('`bit`', 1, true) end, diagnostics()) == 1 end
  wait('diagnostics', broken)
  for _, d in ipairs(diagnostics()) do say('diagnostic', d.lnum .. ':' .. d.col .. '-' .. d.end_col, d.message) end
  vim.fn.cursor(13, 15)
  local words = {}
  for _, item in ipairs(vim.lsp.util.extract_completion_items(ask('textDocument/completion', here({ position = { line = 12, character = 15 } })))) do words[item.label] = true end
  say('completion', tostring(words.bits), tostring(words.Kind), tostring(words.Bullet), tostring(words.optional), tostring(words['if']))
  vim.fn.setline(13, '    owner   bits(5)   in 0..20')
  wait('diagnostics', function() return #diagnostics() == 1 and not broken() end)
  if vim.lsp.buf.format then vim.lsp.buf.format({ timeout_ms = 20000 }) else vim.lsp.buf.formatting_sync(nil, 20000) end
  say('format', vim.fn.getline(13), vim.fn.getline(14))
  for _, l in ipairs(ask('textDocument/codeLens', { textDocument = vim.lsp.util.make_text_document_params() })) do say('lens', l.range.start.line .. ':', l.command.title) end
  client.stop()
  wait('end', function() return client.is_stopped() end)
  say('stopped')
end)
if not ok then say('failed: ' .. tostring(err)) end
finish()
