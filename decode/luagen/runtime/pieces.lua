-- What a field holds of a message.
-- atWidth picks words that depend on how many bits there were.
local function atWidth(words, width)
  if type(words) == "table" then return words[width] or words.other end
  return words
end

-- keepPiece keeps the numbers of a piece, which expressions right behind it give.
local function keepPiece(m, of, r)
  if not of.piece then return end
  r.ath, r.atl = evaluate(m, of.at)
  if of.count then r.ofh, r.ofl = evaluate(m, of.count) end
end

-- contradicts is whether a piece is part of no message by its own numbers.
local function contradicts(of, r)
  local size = #r.data
  if size > of.max then return true end
  if not of.piece then return false end
  if not of.bytes then return of.count and not less(r.ath, r.atl, r.ofh, r.ofl) end
  if less(0, of.max - size, r.ath, r.atl) then return true end
  return of.count and (less(0, of.max, r.ofh, r.ofl) or less(r.ofh, r.ofl, r.ath, r.atl + size)) or false
end

-- judgePieces refuses an accepted packet for the first of its pieces that is part of no message.
local function judgePieces(m)
  for _, r in ipairs(m.recs) do
    local of = r.blob and r.blob.message
    if of and contradicts(of, r) then
      local got = "more bytes than it has"
      if of.secret then got = nil
      elseif of.piece then
        got = (of.bytes and "offset " or "index ") .. decimal(r.ath, r.atl) .. (of.count and " of " .. decimal(r.ofh, r.ofl) or "")
      end
      m.parent, m.index, m.op, m.clip = r.parent, r.index, r.op, r.clip or FAR
      return refuse(m, "fragment", r.bit, r.width, r.node, nil, got)
    end
  end
end

-- valuesOf is what a relation read that does not hold.
local function valuesOf(m, op, q)
  local b = {}
  for _, v in ipairs(q.vars or {}) do
    local h, l = m.rh[v.register] or 0, m.rl[v.register] or 0
    local text = v.secret and "‹secret›" or v.bool and (h + l > 0 and "true" or "false") or decimal(h, l, v.signed)
    b[#b + 1] = v.name .. " = " .. text
  end
  local hides = op.hides or {}
  if q.rest then b[#b + 1] = "rest = " .. (hides.left and "‹secret›" or format("%d", floor((m.stop - m.bit) / 8))) end
  for _, i in ipairs(m.p.operands[op.a + 1].code or {}) do
    if i.code == "peek" or i.code == "tail" then
      local h, l = pushes[i.code](m, i)
      b[#b + 1] = format("%s(%d) = ", i.code, i.a) .. (hides.cond and "‹secret›" or "0x" .. hex(h, l, floor((i.a + 3) / 4)))
    end
  end
  if q.from then b[#b + 1] = "from = " .. (m.from == 1 and "client" or m.from == 2 and "server" or "unknown") end
  return #b > 0 and concat(b, ", ") or "false"
end
