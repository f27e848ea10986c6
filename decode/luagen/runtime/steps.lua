-- The other steps.
function steps.run(m, op)
  local start, first = m.bit, #m.recs + 1
  for i = op.a + 1, op.a + op.b do
    local leaf = m.p.leaves[i]
    m.bit = start + leaf.off
    if not fits(m, leaf.width, leaf.node) then return end
    local h, l = read(m, op.order, m.bit, leaf.width)
    if leaf.swap then h, l = turn(h, l, leaf.width) end
    local kind, odd = judge(leaf, h, l, leaf.width)
    if kind then
      m.leaf, m.h, m.l = leaf, h, l
      return refuse(m, kind, m.bit, leaf.width, leaf.node)
    end
    if odd then note(m, odd, m.bit, leaf.width, leaf.node) end
    local r = record(m, "leaf", leaf.node, m.bit, leaf.width)
    r.leaf, r.h, r.l, r.bits = leaf, h, l, leaf.width
  end
  m.run = first
  m.bit = start + op.c
end

function steps.save(m, op)
  local r = m.recs[m.run + op.b]
  m.rh[op.a], m.rl[op.a] = valueOf(r.h, r.l, op.c, op.ih, op.il)
  m.source[op.a] = r
end

function steps.crc(m, op)
  local c = m.p.checksums[op.b + 1]
  local leaf = m.p.leaves[op.a + 1]
  if not fits(m, c.width, leaf.node) then return end
  local own = floor(m.bit / 8)
  local from, to, size = 0, own, #m.data
  if c.from then from = floor(m.rl[c.from] / 8) elseif c.own then from = floor((m.bit + c.width) / 8) end
  if c.to then to = floor(m.rl[c.to] / 8) elseif c.around then to = c.windowed and floor(m.stop / 8) or size end
  to = min(to, size)
  local values = {}
  for i, p in ipairs(c.parts) do
    values[i] = p.register and { m.rh[p.register], m.rl[p.register] } or p.value
  end
  local h, l = read(m, op.order, m.bit, c.width)
  if c.swap then h, l = turn(h, l, c.width) end
  local wh, wl = sum(c, values, m.data, min(from, to), to, own)
  if h ~= wh or l ~= wl then
    return refuse(m, "crc-mismatch", m.bit, c.width, leaf.node, "0x" .. hex(wh, wl, c.width / 4), "0x" .. hex(h, l, c.width / 4))
  end
  local r = record(m, "leaf", leaf.node, m.bit, c.width)
  r.leaf, r.h, r.l, r.bits, r.sum = leaf, h, l, c.width, c
  m.bit = m.bit + c.width
end

function steps.align(m, op) pad(m, op, op.a, op.any) end

function steps.reserved(m, op)
  local from = m.bit
  if zeros(m, op, op.a, op.any, "reserved-nonzero") then record(m, "reserved", op.node, from, op.a) end
end

function steps.unit(m, op)
  local codes = {}
  for i = 1, 3 do codes[i] = m.recs[m.run + op.b + i].l end
  local left, most = smallestLeft(codes, op.c)
  local width = 2 + 3 * op.c
  if left < 0 then
    local h, l = read(m, op.order, m.bit - width, min(width, 64))
    return refuse(m, "non-unit", m.bit - width, width, op.node, nil, "0x" .. hex(h, l, floor((width + 3) / 4)))
  end
  if most * most > left then note(m, "non-canonical", m.bit - width, width, op.node) end
end

function steps.blob(m, op)
  local b = m.p.blobs[op.a + 1]
  local start, text = m.bit, b.text
  if text == "string" or text == "wstring" then start = m.recs[#m.recs].bit end
  if not op.packed and not pad(m, op, 8) then return end
  if not (text == "string" or text == "wstring") then start = m.bit end
  local n, size, unit = b.max, nil, b.unit
  local data, value, units, pointed
  if text == "cstring" then
    n = 0
    while true do
      if n == b.max then return refuse(m, "bad-string", m.bit, 8 * n, op.node, "a NUL", format("none in %d bytes", n)) end
      if m.stop - m.bit - 8 * n < 8 then return fits(m, 8 * n + 8, op.node) end
      local _, c = read(m, op.order, m.bit + 8 * n, 8)
      if c == 0 then break end
      n = n + 1
    end
    size = 8 * n + 8
  elseif text == "name" then
    local kind, want, got
    kind, n, value, pointed, want, got = readName(m.data, m.room, m.bit / 8, floor(m.stop / 8))
    if kind == "past-end" then return refuse(m, kind, m.bit, 8 * n, op.node, format("%d", 8 * n), format("%d", m.stop - m.bit)) end
    if kind then return refuse(m, kind, m.bit, 8 * n, op.node, want, got) end
    size = 8 * n
  else
    if b.rest then n = floor(max(min(m.stop, m.clip) - m.bit, 0) / 8)
    elseif b.size then
      local h, l = evaluate(m, b.size)
      n = count(h, l)
      if n > b.max then return refuse(m, "out-of-range", m.bit, 0, op.node, format("0..%d", b.max), decimal(h, l, m.p.operands[b.size + 1].signed)) end
    end
    if n > b.max then return refuse(m, "out-of-range", m.bit, 0, op.node, format("0..%d", b.max), format("%d", n)) end
    size = unit * n
  end
  if not fits(m, size, op.node) then return end
  if text == "wstring" then
    units = {}
    for i = 1, n do
      local _, u = read(m, op.order, m.bit + 32 * (i - 1), 32)
      units[i] = u
    end
    value = utf16Text(units)
    data = value
  else
    data = bytesAt(m.data, m.room, op.order, m.bit, n)
  end
  if text ~= "name" then
    local kind, want, got = judgeBytes(b, data, units)
    if kind then return refuse(m, kind, start, m.bit + size - start, op.node, want, got) end
  end
  if not value then
    value = data
    if b.encoding == "latin1" then value = string.gsub(data, ".", function(c) return utf8Of(byte(c)) end)
    elseif b.encoding == "utf16le" then value = utf16Text(halves(data))
    elseif b.encoding == "utf16be" then value = utf16Text(halves(data, true))
    end
    if text == "char" then value = string.match(value, "^[^\0]*") end
  end
  local r = record(m, "blob", op.node, m.bit, size)
  r.blob, r.value, r.data, r.pointed = b, value, data, pointed
  m.bit = m.bit + size
  if b.message then keepPiece(m, b.message, r) end
end

function steps.window(m, op)
  if not op.packed and not pad(m, op, 8) then return end
  local h, l = evaluate(m, op.a)
  if m.p.operands[op.a + 1].signed and h >= P31 then
    return refuse(m, "out-of-range", m.bit, 0, op.node, format("0..%d", floor((m.stop - m.bit) / op.c)), decimal(h, l, true))
  end
  local size = count(h, l)
  if size > floor((m.stop - m.bit) / op.c) then
    return refuse(m, "past-end", m.bit, size * op.c, op.node, format("%.0f", size * op.c), format("%d", m.stop - m.bit))
  end
  m.windows[op.b] = { m.stop, m.room }
  m.stop = m.bit + size * op.c
  if op.any and size * op.c <= op.il then -- zeros at its end that nobody need send, but the first byte
    local last = m.stop
    while last > m.bit + 8 and byte(m.data, last / 8) == 0 do last = last - 8 end
    if last < m.stop then note(m, "non-canonical", last, m.stop - last, op.node) end
  end
  if size * op.c < op.il then -- all behind its end is zeros
    m.room, m.clip, m.stop = min(m.room, m.stop), m.stop, m.bit + op.il
  end
end

function steps.close(m, op)
  local stop = min(m.stop, m.clip)
  local left = stop - m.bit
  if left >= 8 then return refuse(m, "trailing-bytes", m.bit, left, op.node, "0", format("%d", left)) end
  local from = m.bit
  if left > 0 then
    if not zeros(m, op, left, false, "nonzero-padding") then return end
    record(m, "padding", op.node, from, left)
  end
  m.bit, m.stop, m.room, m.clip = stop, m.windows[op.b][1], m.windows[op.b][2], FAR
end

function steps.array(m, op)
  local h, l = evaluate(m, op.c)
  local n = count(h, l)
  if n > op.most then
    return refuse(m, "out-of-range", m.bit, 0, op.node, format("0..%.0f", op.most), decimal(h, l, m.p.operands[op.c + 1].signed))
  end
  local list = enter(m, op, n - 1)
  if n == 0 then return leave(m, list) end
  element(m, list)
  list.rec.n = n
end

steps["repeat"] = function(m, op) enter(m, op, op.most) end

function steps.more(m, op)
  local list, on = m.loops[m.p.ops[op.a + 1].a], true
  if op.c == 1 then on = m.stop - m.bit >= op.il
  elseif op.c == 2 then
    local h, l = evaluate(m, op.b)
    on = h > 0 or l > 0
  end
  if not on then return leave(m, list) end
  if list.left == 0 then
    m.parent, m.index = list.rec.parent, list.rec.index
    return refuse(m, "out-of-range", m.bit, 0, list.op.node, format("0..%.0f", list.op.most), format("%.0f", list.op.most + 1))
  end
  list.left = list.left - 1
  element(m, list)
end

function steps.slot(m, op)
  local list = m.loops[m.p.ops[op.a + 1].a]
  local flag, leaf = m.p.leaves[op.b + 1], m.p.leaves[op.c + 1]
  while list.left > 0 do
    local at, index = op.most - list.left, m.index
    m.parent, m.index = list.rec.parent, list.rec.index
    if not fits(m, 1, flag.node) then return end
    local _, l = read(m, op.order == LSB and LSB or MSB, m.bit, 1)
    local r = record(m, "leaf", flag.node, m.bit, 1)
    r.leaf, r.h, r.l, r.bits = flag, 0, l, 1
    m.bit, m.parent, m.index = m.bit + 1, list.rec, index
    list.left = list.left - 1
    if l == 1 then
      element(m, list)
      r = record(m, "leaf", leaf.node, m.bit, 0)
      r.leaf, r.h, r.l, r.bits = leaf, 0, at, 0
      return
    end
  end
  leave(m, list)
end

steps["until"] = function(m, op)
  local h, l = evaluate(m, op.b)
  if h > 0 or l > 0 then leave(m, m.loops[m.p.ops[op.a + 1].a]) end
end

function steps.next(m, op)
  local start = m.p.ops[op.a + 1]
  local list = m.loops[start.a]
  if start.code == "array" then
    if list.left == 0 then return leave(m, list) end
    list.left = list.left - 1
    m.index = m.index + 1
  end
  m.pc = op.a + 2
end

steps["if"] = function(m, op)
  local h, l = evaluate(m, op.a)
  if h == 0 and l == 0 then m.pc = op.b + 1 end
end

function steps.jump(m, op) m.pc = op.a + 1 end

function steps.switch(m, op)
  local s, h, l = m.p.switches[op.b + 1], evaluate(m, op.a)
  if op.case then m.caseh, m.casel = h, l end
  local arm = has(s.arms, s.signed and (h + P31) % P32 or h, l)
  if arm then
    m.pc = arm[5] + 1
    return
  end
  local bit, width = m.bit, min(s.look, m.stop - m.bit)
  if s.tail then bit = max(bit, m.stop - s.look) end
  local tag = m.p.operands[op.a + 1]
  local r = tag.k == "leaf" and m.recs[m.run + tag.r] or s.register and m.source[s.register]
  if r then
    local stop = min(r.bit + r.width, r.clip or FAR)
    bit = min(r.bit, r.clip or FAR)
    width = stop - bit
  end
  refuse(m, "unknown-case", bit, width, op.node)
  m.want, m.got = atWidth(s.wants, m.width), s.hexed and "0x" .. hex(h, l, floor((min(m.width, 64) + 3) / 4)) or decimal(h, l, s.signed)
end

function steps.let(m, op)
  local h, l = evaluate(m, op.b)
  m.rh[op.a], m.rl[op.a], m.source[op.a] = h, l, nil
  local leaf = m.p.leaves[op.c + 1]
  if op.judged then
    local kind = judge(leaf, h, l, 0)
    if kind then
      m.leaf, m.h, m.l = leaf, h, l
      return refuse(m, kind, m.bit, 0, leaf.node)
    end
  end
  if op.shown then
    local r = record(m, "leaf", leaf.node, m.bit, 0)
    r.leaf, r.h, r.l, r.bits = leaf, h, l, 0
  end
end

function steps.require(m, op)
  local h, l = evaluate(m, op.a)
  if h > 0 or l > 0 then return end
  local q = m.p.requires[op.b + 1]
  if not q.bounds then return refuse(m, "rule-broken", m.bit, 0, op.node, q.text, valuesOf(m, op, q)) end
  local r = table.remove(m.recs) -- the leaf right before it, which is then not of the packet
  m.leaf, m.h, m.l, m.bit = r.leaf, r.h, r.l, r.bit
  local lh, ll = evaluate(m, q.lo)
  local hh, hl = evaluate(m, q.hi)
  refuse(m, "out-of-range", r.bit, r.width, op.node,
    decimal(lh, ll, m.p.operands[q.lo + 1].signed) .. ".." .. decimal(hh, hl, m.p.operands[q.hi + 1].signed))
  m.bounds = q
end

function steps.mark(m, op) m.rh[op.a], m.rl[op.a], m.source[op.a] = floor(m.bit / P32), m.bit, nil end

function steps.from(m, op)
  if m.from ~= 0 and m.from ~= op.b then note(m, "wrong-direction", m.rl[op.a], m.bit - m.rl[op.a], op.node) end
end

function steps.struct(m, op) record(m, "struct", op.node, m.bit, 0) end

steps["end"] = function(m)
  m.done = true
  local left = m.stop - m.bit
  if left >= 8 then return refuse(m, "trailing-bytes", m.bit, left, nil, "0", format("%d", left)) end
  if left > 0 then
    local h, l = read(m, m.p.order, m.bit, left)
    if h > 0 or l > 0 then note(m, "trailing-bits", m.bit, left) end
  end
  if m.whole then judgePieces(m) end
end

-- decode reads a datagram of size bytes, of which data is what there is. from is 0, or 1 the client or 2 the server.
local function decode(p, data, size, from)
  local m = { p = p, data = data, room = 8 * #data, seen = 8 * #data, stop = 8 * #data, bit = 0, clip = FAR, pc = 1, run = 1, from = from,
    recs = {}, notes = {}, rh = {}, rl = {}, source = {}, loops = {}, windows = {}, index = 0, whole = size <= #data }
  if size > p.max then
    refuse(m, "datagram-size", 0, 8 * size, nil, format("%d", p.max), format("%d", size))
    return m
  end
  local left = p.steps
  while not m.done do
    local op = p.ops[m.pc]
    m.pc, m.op = m.pc + 1, op
    op.step(m, op)
    left = left - 1
    if left < 0 then refuse(m, "over-budget", m.bit, 0, nil) end
  end
  return m
end
