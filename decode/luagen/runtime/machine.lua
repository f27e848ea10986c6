-- The machine that reads a datagram: the flat program of `pktscope schema plan`, op for op. It stops at the first thing
-- that is wrong. Positions are bits. Beside what the schema proves, a count of steps ends it.
local FAR = 2 ^ 52
local steps, numbers = {}, {}

-- path is where a node is: `body.players[2].health`.
local function path(p, node, parent, index)
  while node and p.nodes[node].item and not p.nodes[node].named do node = p.nodes[node].parent end
  local parts = {}
  while node and p.nodes[node].parent do
    local n = p.nodes[node]
    if n.elem then
      parts[#parts + 1] = "[" .. (parent and format("%d", index) or "") .. "]"
      if parent then parent, index = parent.parent, parent.index end
    else
      parts[#parts + 1] = "." .. n.name
    end
    node = n.parent
  end
  local b = {}
  for i = #parts, 1, -1 do b[#b + 1] = parts[i] end
  return (string.gsub(concat(b), "^%.", ""))
end

local function refuse(m, kind, bit, width, node, want, got)
  m.kind, m.at, m.node, m.want, m.got = kind, min(bit, m.clip), node, want, got
  m.width = max(0, min(bit + width, m.clip) - m.at)
  m.path = node and path(m.p, node, m.parent, m.index) or ""
  m.done = true
end

local function note(m, kind, bit, width, node)
  m.notes[#m.notes + 1] = { kind = kind, bit = min(bit, m.clip), width = width, path = node and path(m.p, node, m.parent, m.index) or "" }
end

local function record(m, shape, node, bit, width)
  local r = { shape = shape, node = node, bit = bit, width = width, parent = m.parent, index = m.index, op = m.op }
  if bit + width > m.clip then r.clip = m.clip end
  m.recs[#m.recs + 1] = r
  return r
end

local function fits(m, n, node)
  if n <= m.stop - m.bit then return true end
  refuse(m, "past-end", m.bit, n, node, format("%.0f", n), format("%d", m.stop - m.bit))
end

local function read(m, order, bit, n) return load(m.data, m.room, order, bit, n) end

-- zeros skips n bits that must be zero.
local function zeros(m, op, n, any, kind)
  if n <= 0 then return true end
  if not fits(m, n, op.node) then return end
  for at = 0, n - 1, 64 do
    local size = min(64, n - at)
    local h, l = read(m, op.order, m.bit + at, size)
    if h > 0 or l > 0 then
      if any then note(m, "ignored-bits", m.bit, n, op.node) break end
      if kind == "nonzero-padding" then
        local first, order = m.bit + at, op.order == LSB and LSB or MSB
        while select(2, read(m, order, first, 1)) == 0 do first = first + 1 end
        refuse(m, kind, first, 1, op.node, "0", "1")
      else
        refuse(m, kind, m.bit, n, op.node, "0", "0x" .. hex(h, l))
      end
      return
    end
  end
  m.bit = m.bit + n
  return true
end

local function pad(m, op, n, any)
  local from = m.bit
  if not zeros(m, op, -m.bit % n, any, "nonzero-padding") then return end
  if m.bit > from then record(m, "padding", op.node, from, m.bit - from) end
  return true
end

-- number is an exact count, or one that is above all that there can be.
local function count(h, l) return h * P32 + l end

-- Lists.
local function leave(m, l)
  m.parent, m.index = l.rec.parent, l.rec.index
  m.pc = l.op.b + 1
end

local function enter(m, op, left)
  local rec = record(m, "list", op.node, m.bit, 0)
  rec.n = 0
  local l = { op = op, rec = rec, left = left }
  m.loops[op.a] = l
  m.parent, m.index = rec, -1
  return l
end

local function element(m, l)
  l.rec.n = l.rec.n + 1
  m.index = m.index + 1
end

